"""The kinds of values that may be given as a model, and their conversion for the library."""

from __future__ import annotations

import os
from typing import Any

from ._errors import InvalidTypeError, InvalidValueError, MachineError, NotFoundError
from ._library import expanded

_KERAS_ENDINGS = (".h5", ".hdf5", ".keras")


class Source:
    """A path, or a graph with the values of its variables."""

    def __init__(
        self,
        path: str | None = None,
        graph: bytes | None = None,
        variables: dict[str, Any] | None = None,
        outputs: list[str] | None = None,
    ):
        self.path = path
        self.graph = graph
        # NumPy arrays by the names of the nodes.
        self.variables = variables or {}
        # The names of the outputs, if the object has them.
        self.outputs = outputs or []


def read(model: Any, session: Any = None) -> Source:
    """Determines what `model` is. TensorFlow is imported only if one of its objects, or a Keras file, is given."""
    if isinstance(model, (list, tuple)):
        if len(model) != 1:
            message = "a list of one concrete function is supported, not a list of {}"
            raise InvalidValueError(message.format(len(model)), "unsupportedModel")
        model = model[0]
    if session is not None and not hasattr(model, "as_graph_def"):
        raise InvalidValueError("session= is for a tf.Graph, whose variables it holds")
    if isinstance(model, (str, os.PathLike)):
        return _file(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Source(graph=bytes(model))
    descriptor = getattr(type(model), "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", "") == "tensorflow.GraphDef":
        return Source(graph=model.SerializeToString())
    if hasattr(model, "as_graph_def"):
        from . import _graphs

        return _graphs.of_graph(model, session)
    if _is_from(model, "keras", "tf_keras", "tensorflow.python.keras", "tensorflow.keras", "tensorflow_core"):
        if hasattr(model, "layers"):
            from . import _keras

            return _keras.of_model(model)
    if hasattr(model, "captured_inputs") and hasattr(model, "graph"):
        from . import _graphs

        return _graphs.of_function(model)
    if hasattr(model, "get_concrete_function"):
        from . import _graphs

        return _graphs.of_function(_graphs.only_function(model))
    if hasattr(model, "signatures"):
        message = "a loaded SavedModel cannot be converted; pass its folder, or one of its signatures"
        raise InvalidTypeError(message, "unsupportedModel")
    expected = (
        "a path, the bytes of a GraphDef, a GraphDef, a tf.Graph, a ConcreteFunction or a Keras model is expected"
    )
    raise InvalidTypeError(f"a value of type {type(model).__name__} cannot be converted: {expected}", "wrongType")


def coremltools_source(model: Any, source: str) -> str | None:
    """The source, as coremltools names it, of a model that only coremltools converts; None for TensorFlow's."""
    is_path = isinstance(model, (str, os.PathLike))
    if source == "auto" and is_path and os.fsdecode(model).lower().endswith((".pt", ".pth")):
        return "pytorch"
    # Keras may compute with PyTorch.
    if source == "auto" and _is_from(model, "torch") and not _is_from(model, "keras"):
        return "pytorch"
    if source == "auto" and _is_from(model, "coremltools.converters.mil"):
        return "milinternal"
    return source if source in ("pytorch", "milinternal") else None


def _is_from(model: Any, *modules: str) -> bool:
    """Whether the class of `model`, or a base class, is from one of these packages."""
    names = [base.__module__ + "." for base in type(model).__mro__]
    return any(name.startswith(module + ".") for name in names for module in modules)


def _file(path: str | os.PathLike[str]) -> Source:
    path = expanded(path)
    if not path.lower().rstrip("/").endswith(_KERAS_ENDINGS):
        return Source(path=path)
    if not os.path.exists(path):
        raise NotFoundError(f"{path}: no such file", "noSuchFile", filename=path)
    try:
        from . import _keras

        return _keras.of_file(path)
    except ImportError as failure:
        message = "{}: opening Keras files needs TensorFlow and Keras, which cannot be imported here: {}"
        raise MachineError(message.format(path, failure), "environment") from failure
