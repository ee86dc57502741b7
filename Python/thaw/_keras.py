"""Keras models: tf_keras, Keras 3 with TensorFlow below it, and the Keras of TensorFlow 1."""

from __future__ import annotations

import json
import zipfile
from typing import Any, Callable

from . import _graphs
from ._errors import InvalidValueError, MachineError
from ._sources import Source


def of_model(model: Any, sorts_outputs: bool = False) -> Source:
    """A Keras model at inference, with its weights."""
    import tensorflow as tf

    if not getattr(model, "built", True) or not _inputs(model):
        return _of_subclass(model, tf, sorts_outputs)
    if _is_graph_tensor(model):
        return _of_session(model, tf)
    _require_tensorflow(model)
    inputs = _inputs(model)
    signature = [
        tf.TensorSpec(tensor.shape, tf.as_dtype(tensor.dtype), name=_name(inputs, index))
        for index, tensor in enumerate(inputs)
    ]

    def predict(*tensors):
        return model(tensors[0] if len(tensors) == 1 else _arranged(model, list(tensors)), training=False)

    return _of_call(predict, signature, model, tf, sorts_outputs)


def _of_subclass(model: Any, tf: Any, sorts_outputs: bool) -> Source:
    """A model without declared inputs: tf_keras knows those that it was called with."""
    save_spec = getattr(model, "save_spec", None)
    arguments, keywords = (save_spec and save_spec()) or ([], {})
    if len(arguments) != 1 or keywords or not isinstance(arguments[0], tf.TensorSpec):
        raise InvalidValueError(
            "the Keras model has no inputs yet: build a Sequential model first; of a subclass of Model, convert "
            "tf.function(model).get_concrete_function(tf.TensorSpec(shape, name=...))",
            "noInput",
        )
    return _of_call(lambda tensor: model(tensor, training=False), [arguments[0]], model, tf, sorts_outputs)


def _of_call(predict: Callable[..., Any], signature: list[Any], model: Any, tf: Any, sorts_outputs: bool) -> Source:
    """What the model computes when it is called. Its outputs are in the model's order, or sorted by name."""
    names: list[str] = []

    def named(*tensors):
        outputs = predict(*tensors)
        known = getattr(model, "output_names", None) or []
        if isinstance(outputs, (list, tuple)) and 1 < len(outputs) == len(set(known)):
            names[:] = known
            return dict(zip(known, outputs))
        return outputs

    source = _graphs.of_function(tf.function(named).get_concrete_function(*signature))
    if names and not sorts_outputs:
        # TensorFlow sorts outputs by name, and numbers them in this order: coremltools has the same numbers.
        by_name = dict(zip(sorted(names), source.outputs))
        source.outputs = [by_name[name] for name in names]
    return source


def _inputs(model: Any) -> list[Any]:
    try:
        inputs = model.inputs
    except (AttributeError, ValueError):
        return []
    return list(inputs or [])


def _arranged(model: Any, tensors: list[Any]) -> Any:
    """The inputs in the structure with which the model was created: a list, or a dictionary by name."""
    structure = getattr(model, "_inputs_struct", None)
    if structure is None:
        structure = getattr(model, "_nested_inputs", None)
    if isinstance(structure, dict):
        # Keras lists the inputs of a dictionary in the order of its sorted keys.
        return dict(zip(sorted(structure), tensors))
    return tensors


def _name(inputs: list[Any], index: int) -> str:
    names = [(getattr(tensor, "name", None) or "input").split(":")[0] for tensor in inputs]
    return names[index] if names[index] not in names[:index] else f"{names[index]}_{index}"


def _require_tensorflow(model: Any) -> None:
    """Keras 3 has several backends; only TensorFlow's can be converted."""
    if not type(model).__module__.startswith("keras") and not any(
        base.__module__.startswith("keras.src") for base in type(model).__mro__
    ):
        return
    try:
        from keras import backend
    except ImportError:
        return
    name = backend.backend() if callable(getattr(backend, "backend", None)) else "tensorflow"
    if name != "tensorflow":
        raise MachineError(
            f"Keras computes with {name} here; set KERAS_BACKEND=tensorflow before keras is imported",
            "environment",
        )


# MARK: Graph mode


def _is_graph_tensor(model: Any) -> bool:
    """Whether the model consists of tensors of a tf.Graph, as in TensorFlow 1."""
    outputs = getattr(model, "outputs", None) or []
    graph = getattr(outputs[0], "graph", None) if outputs and not hasattr(outputs[0], "_keras_history_v3") else None
    return graph is not None and hasattr(graph, "as_graph_def") and not hasattr(graph, "captures")


def _of_session(model: Any, tf: Any) -> Source:
    v1 = getattr(getattr(tf, "compat", tf), "v1", tf)
    graph = model.outputs[0].graph
    default = v1.get_default_session()
    if default is not None and default.graph is graph:
        session = default
    else:
        # Keras' own session, which this also initializes.
        session = v1.keras.backend.get_session()
    source = _graphs.of_graph(graph, session if session.graph is graph else None)
    source.outputs = [_graphs._node_output(tensor.name) for tensor in model.outputs]
    return source


# MARK: Files


def of_file(path: str) -> Source:
    """A .keras or HDF5 file, opened by the Keras that wrote it if that is installed."""
    major = _version(path)
    if major == "2":
        try:
            import tf_keras as keras
        except ImportError:
            import tensorflow as tf

            keras = tf.keras
    elif major == "3":
        import keras
    else:
        import tensorflow as tf

        keras = tf.keras
    # coremltools keeps the order of a model's outputs, but sorts those of a file.
    return _in_own_graph(lambda: of_model(_load(keras, path), sorts_outputs=True))


def _load(keras: Any, path: str) -> Any:
    try:
        return keras.models.load_model(path, compile=False)
    except Exception as failure:
        raise InvalidValueError(f"{path}: Keras cannot open it: {failure}", "damaged") from failure


def _in_own_graph(body: Callable[[], Source]) -> Source:
    """If tensors belong to graphs, a loaded model must not mix with the caller's graph."""
    import tensorflow as tf

    if tf.executing_eagerly():
        return body()
    v1 = getattr(getattr(tf, "compat", tf), "v1", tf)
    backend = v1.keras.backend
    callers = backend.get_session()
    graph = tf.Graph()
    with graph.as_default(), v1.Session(graph=graph) as session:
        backend.set_session(session)
        try:
            return body()
        finally:
            backend.set_session(callers)


def _version(path: str) -> str:
    """The major version of the Keras that wrote a file; empty if it is unknown."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if "metadata.json" not in archive.namelist():
                return ""
            text = json.loads(archive.read("metadata.json").decode()).get("keras_version", "")
        return text.split(".")[0]
    import h5py

    try:
        with h5py.File(path, "r") as file:
            text = file.attrs.get("keras_version", "")
    except OSError as failure:
        raise InvalidValueError(f"{path}: the file is not an HDF5 file: {failure}", "damaged") from failure
    return (text.decode() if isinstance(text, bytes) else text).split(".")[0]
