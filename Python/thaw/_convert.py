"""thaw.convert: coremltools' function of this name, for TensorFlow's models."""

from __future__ import annotations

import logging
import os
import re
from ctypes import byref
from typing import Any, Mapping, Sequence

from . import _absent, _coremltools, _library, _options, _sources
from ._enums import ComputeUnit, precision, target
from ._errors import InvalidTypeError, InvalidValueError, MachineError, UnsupportedError
from ._types import ClassifierConfig, ImageType, TensorType, member, own
from ._wording import of_library
from .models import MLModel

_log = logging.getLogger("thaw")


def convert(
    model: Any = None,
    source: str = "auto",
    inputs: Sequence[ImageType | TensorType] | None = None,
    outputs: Sequence[str | ImageType | TensorType] | None = None,
    classifier_config: ClassifierConfig | None = None,
    minimum_deployment_target: target | None = None,
    convert_to: str | None = None,
    compute_precision: precision | None = None,
    skip_model_load: bool = False,
    compute_units: ComputeUnit = ComputeUnit.ALL,
    package_dir: str | None = None,
    debug: bool = False,
    pass_pipeline: Any = None,
    states: Any = None,
    *,
    session: Any = None,
    signature: str | None = None,
    tag: str | None = None,
    placeholder_values: Mapping[str, Any] | None = None,
    batch_norm: str | None = None,
    moving_averages: bool = False,
    **older: Any,
) -> MLModel:
    """Converts a TensorFlow model to a Core ML model.

    `model` is the path of a frozen graph (.pb), SavedModel, checkpoint or Keras file, the bytes of a GraphDef, a GraphDef,
    a tf.Graph, a ConcreteFunction or a list of one, or a Keras model. A tf.Graph with variables takes their values from
    `session`, from the default session, or from its only open session. `signature` and `tag` select a graph of a SavedModel.
    `placeholder_values` replaces placeholders by constants. `batch_norm="inference"` converts batch normalizations in training
    mode as those of inference. `moving_averages` uses the moving averages of variables that training stored in a checkpoint.

    Without `inputs`, an input with the shape of an image becomes an image, and its preprocessing is inferred. Without
    `minimum_deployment_target`, `convert_to` and `compute_precision`, the extension given to `save` selects the kind of
    model. An ML Program is also written to `package_dir`. `skip_model_load`, `compute_units` and `debug` have no effect.

    coremltools, if it is installed, converts models of PyTorch and MIL programs, with `pass_pipeline` and `states`. If Thaw
    cannot run the result, it is a model of coremltools.
    """
    if older:
        raise _absent.unknown_arguments_error(older)
    compute_units = member(ComputeUnit, compute_units, "compute_units", "thaw.ComputeUnit")
    about_graph = _options.GraphOptions(signature, tag, placeholder_values, batch_norm, moving_averages or None)
    coremltools_source = _sources.coremltools_source(model, source)
    if coremltools_source is not None:
        arguments = {
            "inputs": inputs,
            "outputs": outputs,
            "classifier_config": classifier_config,
            "minimum_deployment_target": minimum_deployment_target,
            "convert_to": convert_to,
            "compute_precision": compute_precision,
            "compute_units": compute_units,
            "package_dir": package_dir,
            "pass_pipeline": pass_pipeline,
            "states": states,
        }
        return _by_coremltools(model, coremltools_source, arguments, {"session": session, **about_graph._asdict()})
    _check(source, package_dir, {"pass_pipeline": pass_pipeline, "states": states or None})
    save_format = _options.SaveFormat.of_arguments(convert_to, minimum_deployment_target, compute_precision)
    inputs = _features(inputs, "inputs", (ImageType, TensorType))
    outputs = _features(outputs, "outputs", (str, ImageType, TensorType))
    save_format.set_types(inputs, outputs)
    graph = _sources.read(model, session)
    options = _options.conversion(graph, inputs, outputs, classifier_config, about_graph, save_format.kind)
    result = MLModel._of_handle(_handle(graph, options), save_format, compute_units)
    for note in result._description["notes"]:
        _log.info(of_library(note["parts"]))
    result._log_warnings()
    _check_types(inputs, result._description["inputs"], "input", save_format)
    _check_types(outputs, result._description["outputs"], "output", save_format)
    # 16-bit images and arrays exist only in a written ML Program.
    if save_format.input_type or save_format.output_type:
        result = result._as_written()
    # Only ML Programs are packages in coremltools.
    if package_dir is not None and save_format.kind != "neuralNetwork":
        result.save(package_dir)
    return result


def _by_coremltools(model: Any, source: str, arguments: Mapping[str, Any], own: Mapping[str, Any]) -> MLModel:
    """The conversion of a model that is not TensorFlow's. `own` has the arguments that coremltools does not have."""
    for name, value in own.items():
        if value is not None:
            raise InvalidValueError(f"{name}= is for TensorFlow's models")
    if not _coremltools.is_installed():
        message = "coremltools, which converts models of PyTorch and MIL programs, is not installed"
        raise MachineError(message, "environment")
    return _coremltools.convert(model, source, arguments)


def _check(source: str, package_dir: Any, theirs: Mapping[str, Any]) -> None:
    """Refuses arguments. `theirs` has those that only coremltools' conversions have."""
    if source not in ("auto", "tensorflow"):
        raise InvalidValueError(f"source={source!r} is unsupported; expected 'auto', 'tensorflow' or 'pytorch'")
    for name, value in theirs.items():
        if value is not None:
            raise UnsupportedError(
                f"{name}= is for models that coremltools converts, such as PyTorch's", "invalidOption"
            )
    if package_dir is None:
        return
    if not isinstance(package_dir, (str, os.PathLike)):
        raise InvalidTypeError(f"package_dir must be a path, not {package_dir!r}", "wrongType")
    if os.path.splitext(os.fsdecode(package_dir))[1] != ".mlpackage":
        raise InvalidValueError(f"package_dir={package_dir!r} must end in .mlpackage", "unknownFormat")


def _handle(graph: _sources.Source, options: _library.ConvertOptions) -> Any:
    """The handle of the converted graph."""

    def run() -> Any:
        if graph.path is not None:
            return _library.call_for_handle("thaw_convert", _library.encoded_path(graph.path), byref(options))
        variables, arrays = _options.tensors(graph.variables)
        data = graph.graph
        handle = _library.call_for_handle(
            "thaw_convert_bytes", data, len(data or b""), variables, len(variables), byref(options)
        )
        # The variables point to the arrays.
        del arrays
        return handle

    return _library.in_background(run)


def _features(given: Any, what: str, kinds: tuple[type, ...]) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, (list, tuple)):
        raise InvalidTypeError(f"{what}= must be a list, not {given!r}", "wrongType")
    features = [own(feature) for feature in given]
    for feature in features:
        if not isinstance(feature, kinds):
            names = " or ".join("thaw." + kind.__name__ if kind is not str else "str" for kind in kinds)
            raise InvalidTypeError(f"{what}= takes {names}, not {feature!r}", "wrongType")
    return features


# The types of arrays in the description of a graph, by types that `dtype` also selects.
_SAME = {
    "input": {"float16": "float32", "float64": "float32", "int64": "int32"},
    "output": {"float16": "float32", "int64": "int32"},
}


def _check_types(
    features: list[Any], described: list[dict[str, Any]], what: str, save_format: _options.SaveFormat
) -> None:
    """The type of an array is that of the graph; a script that asks for another one must fail."""
    types = {feature["name"]: feature.get("dataType") for feature in described}
    for feature in features:
        if not isinstance(feature, TensorType) or feature.type_name() is None:
            continue
        name = (feature.name or next(iter(types))).split(":")[0]
        # The characters that names of features have.
        found = types.get(name) or types.get(re.sub(r"^(?=\d)|[^A-Za-z0-9_]", "_", name))
        given = str(feature.type_name())
        # A neural network's outputs are all float32 in its file.
        is_written = what == "output" and save_format.kind == "neuralNetwork" and given == "float32"
        if found is not None and found != _SAME[what].get(given, given) and not is_written:
            message = "the {} '{}' is of type {}, not {}"
            raise InvalidTypeError(message.format(what, name, found, given), "wrongType")
