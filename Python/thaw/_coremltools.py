"""What Thaw leaves to coremltools, if it is installed: its own functions, which here take and return Thaw's models."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from typing import Any, Callable

_NAME = "coremltools"

# Modules whose names are those of coremltools.
_MODULES = {
    "thaw.utils": "models.utils",
    "thaw.proto": "proto",
    "thaw.converters": "converters",
    "thaw.models.utils": "models.utils",
    "thaw.models.datatypes": "models.datatypes",
    "thaw.models.neural_network": "models.neural_network",
    "thaw.models.pipeline": "models.pipeline",
    "thaw.models.ml_program": "models.ml_program",
    "thaw.models.tree_ensemble": "models.tree_ensemble",
    "thaw.models.nearest_neighbors": "models.nearest_neighbors",
    "thaw.models.feature_vectorizer": "models.feature_vectorizer",
    "thaw.models.array_feature_extractor": "models.array_feature_extractor",
    "thaw.optimize.coreml.experimental": "optimize.coreml.experimental",
}
# The modules that other names come from.
_HOMES = {
    "thaw": "",
    "thaw.optimize.coreml": "optimize.coreml",
}


def is_installed() -> bool:
    try:
        importlib.import_module(_NAME)
    except ImportError:
        return False
    return True


def module(name: str) -> Any:
    """The module that is called `name` here; None if there is none in coremltools, or if it is not installed."""
    ours = name
    while ours not in _MODULES:
        ours = ours.rpartition(".")[0]
        if not ours:
            return None
    theirs = f"{_NAME}.{_MODULES[ours]}{name[len(ours) :]}"
    try:
        return _forwarded(importlib.import_module(theirs))
    except ImportError:
        return None


def attribute(home: str, name: str) -> Any:
    """The value of a name in one of Thaw's modules that is coremltools' own; None if it is not installed."""
    found = module(f"{home}.{name}")
    if found is not None or f"{home}.{name}" in _MODULES:
        return found
    try:
        theirs = importlib.import_module(".".join(filter(None, (_NAME, _HOMES[home]))))
    except ImportError:
        return None
    return _forwarded(getattr(theirs, name, None))


class _Forwarded(types.ModuleType):
    """A module of coremltools whose functions take and return Thaw's models."""

    # Python looks for its submodules with the finder of absent names.
    __path__: list[str] = []

    def __init__(self, theirs: types.ModuleType):
        super().__init__(theirs.__name__.replace(_NAME, "thaw", 1), theirs.__doc__)
        self._theirs = theirs

    def __getattr__(self, name: str) -> Any:
        thaw = sys.modules["thaw"]
        # coremltools has these in `converters`, too.
        if self.__name__ == "thaw.converters" and name in thaw.__all__:
            return getattr(thaw, name)
        value = _forwarded(getattr(self._theirs, name))
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(self._theirs)


@functools.lru_cache(maxsize=None)
def _module(theirs: types.ModuleType) -> Any:
    return _Forwarded(theirs)


def _forwarded(value: Any) -> Any:
    if isinstance(value, types.ModuleType):
        # The classes of messages are the same in both.
        is_wrapped = value.__name__.startswith(_NAME + ".") and not value.__name__.startswith(_NAME + ".proto")
        return _module(value) if is_wrapped else value
    is_function = isinstance(value, types.FunctionType) and value.__module__.startswith(_NAME)
    return _function(value) if is_function or getattr(value, "__name__", "") == "StateType" else value


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function, updated=())
    def call(*arguments: Any, **named: Any) -> Any:
        given = [theirs(argument) for argument in arguments]
        return ours(function(*given, **{name: theirs(argument) for name, argument in named.items()}))

    return call


def convert(model: Any, source: str, arguments: dict[str, Any]) -> Any:
    """The conversion of a model of PyTorch, or of another source that coremltools has."""
    converter = importlib.import_module(_NAME).convert
    given = {name: theirs(value) for name, value in arguments.items() if value is not None}
    return ours(converter(model, source=source, skip_model_load=True, **given))


# MARK: Conversion of objects


def ours(value: Any) -> Any:
    """A result of coremltools, with Thaw's models instead of its own."""
    from .models import MLModel

    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        parts = [ours(part) for part in value]
        return type(value)(parts) if any(new is not old for new, old in zip(parts, value)) else value
    return MLModel(value) if isinstance(value, importlib.import_module(_NAME).models.MLModel) else value


def theirs(value: Any) -> Any:
    """An argument for coremltools: one of its own objects for one of Thaw's."""
    if type(value) in (list, tuple):
        parts = [theirs(part) for part in value]
        return type(value)(parts) if any(new is not old for new, old in zip(parts, value)) else value
    make = next((_MAKERS[base.__name__] for base in type(value).__mro__ if base.__name__ in _MAKERS), None)
    if make is None or not type(value).__module__.startswith("thaw."):
        return value
    return make(value, importlib.import_module(_NAME))


def _model(model: Any, coremltools: Any) -> Any:
    spec, weights = model.get_spec(), model.weights_dir
    made = coremltools.models.MLModel(
        spec, weights_dir=weights, skip_model_load=True, function_name=model.function_name
    )
    # The folder of the weights is removed with the model.
    made._thaw_model = model
    return made


def _shape(shape: Any, coremltools: Any) -> Any:
    sizes = [theirs(size) for size in shape.shape]
    return coremltools.Shape(shape=sizes, default=list(shape.default) if shape.has_default else None)


def _image(image: Any, coremltools: Any) -> Any:
    return coremltools.ImageType(
        name=image.name,
        shape=theirs(image.shape),
        scale=image.scale,
        bias=image.bias,
        color_layout=theirs(image.color_layout),
        channel_first=image.channel_first,
        grayscale_use_uint8=image.grayscale_use_uint8,
    )


_MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "MLModel": _model,
    "Shape": _shape,
    "RangeDim": lambda dim, coremltools: coremltools.RangeDim(
        dim.lower_bound, dim.upper_bound, dim.default if dim.has_default else None, dim.symbol
    ),
    "EnumeratedShapes": lambda shapes, coremltools: coremltools.EnumeratedShapes(
        [list(shape.shape) for shape in shapes.shapes], list(shapes.default)
    ),
    "ImageType": _image,
    "TensorType": lambda tensor, coremltools: coremltools.TensorType(
        tensor.name, theirs(tensor.shape), tensor.dtype, tensor.default_value
    ),
    "ClassifierConfig": lambda config, coremltools: coremltools.ClassifierConfig(
        config.class_labels, config.predicted_feature_name, config.predicted_probabilities_output
    ),
    "OptimizationConfig": lambda config, coremltools: config.of_coremltools(coremltools.optimize.coreml),
    "_OpConfig": lambda config, coremltools: config.of_coremltools(coremltools.optimize.coreml),
    "target": lambda member, coremltools: coremltools.target[member.name],
    "precision": lambda member, coremltools: coremltools.precision[member.name],
    "colorlayout": lambda member, coremltools: coremltools.colorlayout[member.name],
    "ComputeUnit": lambda member, coremltools: coremltools.ComputeUnit[member.name],
}
