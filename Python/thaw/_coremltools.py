"""What Thaw leaves to coremltools, if it is installed: its own functions, which here take and return Thaw's models."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import inspect
import logging
import os
import shutil
import sys
import types
from typing import Any, Callable, Mapping

_log = logging.getLogger("thaw")

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
    "thaw": _NAME,
    "thaw.optimize.coreml": _NAME + ".optimize.coreml",
}
# Methods whose arguments may be objects of Thaw, by class.
_METHODS = {
    "StateType": ("__init__",),
    "Pipeline": ("add_model",),
    "PipelineClassifier": ("add_model",),
    "PipelineRegressor": ("add_model",),
    "Builder": ("function", "program"),
    "Function": ("__init__",),
}
# The modules of functions on layers, and of pipelines of them, which take the neural network of a model of undecided kind.
_NEURAL_NETWORK_MODULES = (_NAME + ".models.neural_network", _NAME + ".models.pipeline")
# Thaw's own names, which `coremltools.converters` has as well.
_OWN_NAMES = ("convert", "ImageType", "TensorType", "ClassifierConfig", "RangeDim", "EnumeratedShapes", "Shape")


def is_installed() -> bool:
    """Whether it is installed; it is not imported."""
    if _NAME in sys.modules:
        return sys.modules[_NAME] is not None
    return importlib.machinery.PathFinder.find_spec(_NAME) is not None


def name_of_module(name: str) -> str | None:
    """coremltools' name of the module that is called `name` here; None if it is not one of coremltools."""
    ours = name
    while ours not in _MODULES:
        ours = ours.rpartition(".")[0]
        if not ours:
            return None
    return f"{_NAME}.{_MODULES[ours]}{name[len(ours) :]}"


def module(name: str) -> Any:
    """The module that is called `name` here; None if coremltools does not have it, or is not installed."""
    theirs = name_of_module(name)
    return None if theirs is None else _forwarded(_imported(theirs))


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as failure:
        # The reason for any other failure is coremltools' own.
        if failure.name is None or not (name + ".").startswith(failure.name + "."):
            raise
        return None


def attribute(home: str, name: str) -> Any:
    """The value of a name in one of Thaw's modules that is coremltools' own; None if it is not installed."""
    if f"{home}.{name}" in _MODULES:
        return module(f"{home}.{name}")
    return _forwarded(getattr(_imported(_HOMES[home]), name, None))


class _Forwarded(types.ModuleType):
    """A module of coremltools whose functions take and return Thaw's models."""

    # Python looks for its submodules with the finder of absent names.
    __path__: list[str] = []

    def __init__(self, theirs: types.ModuleType):
        super().__init__(theirs.__name__.replace(_NAME, "thaw", 1), theirs.__doc__)
        self._theirs = theirs

    def __getattr__(self, name: str) -> Any:
        if name in _OWN_NAMES and self.__name__.startswith("thaw.converters") and hasattr(self._theirs, name):
            # The converters of other libraries have a `convert` of their own.
            if name != "convert" or self.__name__ == "thaw.converters":
                return getattr(sys.modules["thaw"], name)
        try:
            value = _forwarded(getattr(self._theirs, name))
        except AttributeError:
            from . import _absent

            raise _absent.attribute_error(f"module {self.__name__!r}", name, _absent.names(self.__name__)) from None
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
    if isinstance(value, types.FunctionType) and value.__module__.startswith(_NAME):
        return _function(value)
    if isinstance(value, type) and value.__name__ in _METHODS and value.__module__.startswith(_NAME + "."):
        return _class(value)
    return value


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    kind = "neuralNetwork" if function.__module__.startswith(_NEURAL_NETWORK_MODULES) else None

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        models: list[Any] = []
        given = [theirs(argument, kind, models) for argument in arguments]
        given_by_name = {name: theirs(argument, kind, models) for name, argument in named.items()}
        result = ours(function(*given, **given_by_name))
        for model in models:
            _remove_package(model)
        return result

    return call


@functools.lru_cache(maxsize=None)
def _class(theirs_own: Any) -> type:
    """coremltools' class, with methods that take objects of Thaw."""
    members: dict[str, Any] = {"__module__": theirs_own.__module__, "__doc__": theirs_own.__doc__}
    for name in _METHODS[theirs_own.__name__]:
        is_static = isinstance(inspect.getattr_static(theirs_own, name), staticmethod)
        method = _function(getattr(theirs_own, name))
        members[name] = staticmethod(method) if is_static else method
    return type(theirs_own.__name__, (theirs_own,), members)


def convert(model: Any, source: str, arguments: Mapping[str, Any]) -> Any:
    """The conversion of a model of PyTorch, or of another source that coremltools has."""
    if isinstance(model, (str, os.PathLike)):
        from ._library import expanded

        model = expanded(model)
    converter = importlib.import_module(_NAME).convert
    given = {name: theirs(value) for name, value in arguments.items() if value is not None}
    return ours(converter(model, source=source, skip_model_load=True, **given))


# MARK: Conversion of objects


def ours(value: Any) -> Any:
    """A result of coremltools, with Thaw's models instead of its own, except those that Thaw cannot run."""
    from ._errors import UnsupportedError
    from .models import MLModel

    if type(value) in (list, tuple):
        return _each(value, ours)
    if not isinstance(value, importlib.import_module(_NAME).models.MLModel):
        return value
    try:
        model = MLModel._of_coremltools(value)
    except UnsupportedError as failure:
        _log.warning("Thaw cannot run this model, so it remains one of coremltools: %s", failure)
        return value
    _remove_package(value)
    return model


def _remove_package(model: Any) -> None:
    """Removes the temporary package of a model that is not needed anymore. coremltools would keep it until Python exits."""
    path = getattr(model, "package_path", None)
    if path is not None and getattr(model, "is_temp_package", False):
        shutil.rmtree(path, ignore_errors=True)


def theirs(value: Any, kind: str | None = None, models: list[Any] | None = None) -> Any:
    """An argument for coremltools: one of its own objects for one of Thaw's.

    `kind` is that of the specification of a model whose kind is undecided. New models of coremltools are added to `models`.
    """
    if type(value) in (list, tuple):
        return _each(value, lambda part: theirs(part, kind, models))
    if not type(value).__module__.startswith("thaw."):
        return value
    name = next((base.__name__ for base in type(value).__mro__ if base.__name__ in _MAKERS), None)
    if name is None:
        return value
    coremltools = importlib.import_module(_NAME)
    if name != "MLModel":
        return _MAKERS[name](value, coremltools)
    model = _model(value, coremltools, kind)
    if models is not None:
        models.append(model)
    return model


def _each(values: Any, convert: Callable[[Any], Any]) -> Any:
    """A list or tuple of converted values; the same object if none changes."""
    parts = [convert(value) for value in values]
    return type(values)(parts) if any(new is not old for new, old in zip(parts, values)) else values


def _model(model: Any, coremltools: Any, kind: str | None = None) -> Any:
    spec, weights = model._specification(kind)
    options = {"function_name": model.function_name} if model.function_name is not None else {}
    return coremltools.models.MLModel(spec, weights_dir=weights, skip_model_load=True, **options)


def _shape(shape: Any, coremltools: Any) -> Any:
    sizes = [theirs(size) for size in shape.shape]
    return coremltools.Shape(shape=sizes, default=list(shape.default) if shape.has_default else None)


def _range(dim: Any, coremltools: Any) -> Any:
    # The same object each time, because inputs with the same symbol have the same size.
    if dim.counterpart is None:
        default = dim.default if dim.has_default else None
        dim.counterpart = coremltools.RangeDim(dim.lower_bound, dim.upper_bound, default, dim.symbol)
    return dim.counterpart


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


def _member(member: Any, coremltools: Any) -> Any:
    members = getattr(coremltools, type(member).__name__)
    try:
        return members[member.name]
    except KeyError:
        from ._errors import UnsupportedError

        message = f"coremltools {coremltools.__version__} has no {type(member).__name__}.{member.name}"
        raise UnsupportedError(message, "unsupportedTarget") from None


_MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "MLModel": _model,
    "Shape": _shape,
    "RangeDim": _range,
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
    "OptimizationConfig": lambda config, coremltools: config.counterpart(coremltools.optimize.coreml),
    "_OpConfig": lambda config, coremltools: config.counterpart(coremltools.optimize.coreml),
    **dict.fromkeys(("target", "precision", "colorlayout", "ComputeUnit"), _member),
}
