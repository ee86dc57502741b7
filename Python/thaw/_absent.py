"""Names that only coremltools has, with what to use instead."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Iterable
from typing import Any

from . import _coremltools

FORWARDED = "it works here, too, once coremltools 8 or newer is installed"
# The converters of coremltools before version 6. Versions without them have no other place for them.
_OLDER = "older versions of coremltools have it: "
_TAKES = "thaw.convert takes {}, and its errors say what replaces arguments such as image_input_names="
_MAC = "it is part of Core ML itself, which exists on macOS only"

# Per module, the names of attributes and submodules.
_NAMES: dict[str, dict[str, str]] = {
    "thaw": {
        **dict.fromkeys(
            (
                "utils", "proto", "StateType", "PassPipeline", "transform", "ReshapeFrequency",
                "SpecializationStrategy",
            ),
            FORWARDED,
        ),
        "converters": FORWARDED + "; the models of its older parts, keras and tensorflow, are converted by thaw.convert",
        "version": "thaw.__version__ is Thaw's own version",
        "SPECIFICATION_VERSION": "the version of a model's format is the lowest that supports it",
        "compression_utils": "thaw.optimize.coreml compresses weights",
        "libcoremlpython": "Core ML itself exists on macOS only",
        "libmodelpackage": "thaw.models.MLModel reads and writes packages",
        "libmilstoragepython": "thaw.models.MLModel reads and writes packages",
    },
    "thaw.converters": {
        "keras": _OLDER + _TAKES.format("Keras models and files"),
        "tensorflow": _OLDER + _TAKES.format("TensorFlow's models and files"),
        **dict.fromkeys(("caffe", "onnx"), _OLDER + "Thaw does not convert its models, nor does coremltools 8"),
    },
    "thaw.models": {
        **dict.fromkeys(
            (
                "utils", "datatypes", "neural_network", "pipeline", "ml_program", "tree_ensemble", "nearest_neighbors",
                "feature_vectorizer", "array_feature_extractor",
            ),
            FORWARDED,
        ),
        **dict.fromkeys(("compute_device", "compute_plan", "CompiledMLModel"), _MAC),
    },
    "thaw.optimize": {"torch": "import coremltools.optimize.torch, and convert the compressed model with thaw.convert"},
    "thaw.optimize.coreml": dict.fromkeys(
        (
            "prune_weights", "OpMagnitudePrunerConfig", "OpThresholdPrunerConfig", "decompress_weights",
            "get_weights_metadata", "CoreMLOpMetaData", "CoreMLWeightMetaData", "linear_quantize_activations",
            "experimental",
        ),
        FORWARDED,
    ),
}  # fmt: skip


# Arguments of tfcoreml's converter and of coremltools before version 4, with what to use instead.
_IMAGE = "inputs=[thaw.ImageType(name=, scale=, bias=[red, green, blue], color_layout=)]"
_CLASSES = "classifier_config=thaw.ClassifierConfig(labels)"
_OLDER_ARGUMENTS = {
    **dict.fromkeys(("tf_model_path", "model_path", "filename"), "the first argument"),
    **dict.fromkeys(("mlmodel_path", "coreml_model", "model_name"), "the result's save(path)"),
    **dict.fromkeys(
        (
            "image_input_names",
            "image_scale",
            "red_bias",
            "green_bias",
            "blue_bias",
            "gray_bias",
            "is_bgr",
            "image_format",
        ),
        _IMAGE,
    ),
    **dict.fromkeys(("class_labels", "predicted_feature_name", "predicted_probabilities_output"), _CLASSES),
    **dict.fromkeys(
        ("input_name_shape_dict", "input_name_shape_map", "input_names", "input_shapes", "input_name"),
        "inputs=[thaw.TensorType(name=, shape=)]",
    ),
    **dict.fromkeys(("output_feature_names", "output_names"), "outputs=[name]"),
    "minimum_ios_deployment_target": "minimum_deployment_target=thaw.target.iOS13",
    "model_precision": "compute_precision=",
}


def unknown_arguments_error(names: Iterable[str]) -> TypeError:
    """The exception for arguments that `convert` does not have."""
    parts = []
    for name in names:
        instead = _OLDER_ARGUMENTS.get(name)
        parts.append(f"{name!r}; use {instead}" if instead else repr(name))
    return TypeError("convert() has no argument " + ", and no argument ".join(parts))


def attribute(module: str, name: str) -> Any:
    """The value of a module's attribute that is coremltools' own.

    Raises an AttributeError for any other attribute.
    """
    absent = _NAMES[module]
    value = _coremltools.attribute(module, name) if _is_forwarded(absent.get(name)) else None
    if value is None:
        raise attribute_error(f"module {module!r}", name, absent)
    return value


def forwarded(module: str) -> set[str]:
    """The names of a module that are coremltools' own, if it is installed."""
    return {name for name, advice in names(module).items() if _is_forwarded(advice) and _coremltools.is_installed()}


def names(module: str) -> dict[str, str]:
    """The absent names of a module, with advice."""
    return _NAMES.get(module, {})


def _is_forwarded(advice: str | None) -> bool:
    return advice is not None and advice.startswith(FORWARDED)


def attribute_error(owner: str, name: str, absent: dict[str, str]) -> AttributeError:
    """The exception for a missing attribute. `absent` has advice for those that only coremltools has."""
    return AttributeError(f"{owner} has no attribute {name!r}" + _advice(name, absent))


def _advice(name: str, absent: dict[str, str]) -> str:
    if name not in absent:
        return ""
    return "; " + ("" if absent[name].startswith(_OLDER) else "coremltools has it: ") + absent[name]


class _Finder:
    """Explains imports of modules and names that only coremltools has. Python would drop the advice of an AttributeError."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> Any:
        module, _, name = fullname.rpartition(".")
        absent = names(module)
        # Nothing may be imported here: Python holds a lock that other imports wait for.
        is_theirs = _coremltools.name_of_module(fullname) is not None and _coremltools.is_installed()
        if is_theirs and (name not in absent or _is_forwarded(absent[name])):
            return importlib.machinery.ModuleSpec(fullname, _ForwardingLoader)  # type: ignore[arg-type]
        if name in absent:
            raise ImportError(f"{module!r} has no {name!r}" + _advice(name, absent), name=fullname)
        return None


class _ForwardingLoader:
    """Imports a module of coremltools under another name."""

    @staticmethod
    def create_module(spec: Any) -> None:
        return None

    @staticmethod
    def exec_module(module: Any) -> None:
        name = module.__name__
        found = _coremltools.module(name)
        if found is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        sys.modules[name] = found


def explain_imports() -> None:
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)  # type: ignore[arg-type]
