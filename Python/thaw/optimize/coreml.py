"""coremltools' functions that compress the weights of a model, by the methods of `thaw compress`.

Configurations that Thaw does not have are left to coremltools, if it is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _absent, _coremltools
from .._errors import InvalidTypeError, InvalidValueError, UnsupportedError
from .._types import TensorType, _integer
from ..models import MLModel

__all__ = [
    "OpLinearQuantizerConfig",
    "OpPalettizerConfig",
    "OptimizationConfig",
    "linear_quantize_weights",
    "palettize_weights",
]

# Python then looks for submodules, and finds the advice for those that only coremltools has.
__path__: list[str] = []

_ONE_FOR_ALL = "Thaw applies one configuration to all layers"


if TYPE_CHECKING:
    # coremltools' own.
    CoreMLOpMetaData: Any
    CoreMLWeightMetaData: Any
    OpMagnitudePrunerConfig: Any
    OpThresholdPrunerConfig: Any
    decompress_weights: Any
    experimental: Any
    get_weights_metadata: Any
    linear_quantize_activations: Any
    prune_weights: Any
else:

    def __getattr__(name: str) -> Any:
        return _absent.attribute(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_absent.forwarded(__name__)})


def _refused(problem: str) -> UnsupportedError:
    return UnsupportedError(f"{problem}; {_absent.FORWARDED}", "invalidOption")


def _threshold(value: Any) -> int:
    number = 1 if value is None else _integer(value, "weight_threshold")
    if number < 0:
        raise InvalidValueError(f"weight_threshold must not be negative, but is {number}")
    # The library takes 0 for its default.
    return max(1, number)


def _plain(value: Any) -> Any:
    """The value of an argument that may be an enumeration's member, a type, or text."""
    if isinstance(value, str):
        return value.lower()
    if hasattr(value, "get_bitwidth"):
        return TensorType(dtype=value).type_name()
    return getattr(value, "value", getattr(value, "__name__", getattr(value, "name", value)))


class _OpConfig:
    """How weights are compressed. It has the arguments of coremltools' class of the same name as attributes."""

    # The values of arguments that Thaw has.
    _SUPPORTED: dict[str, tuple[Any, ...]] = {}

    def __init__(self, **arguments: Any):
        self.__dict__.update(arguments)
        _threshold(self.weight_threshold)
        problem = self._problem()
        if problem is not None:
            if not _coremltools.is_installed():
                raise _refused(problem)
            # It checks the arguments.
            _coremltools.theirs(self)

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    weight_threshold: int | None

    def _problem(self) -> str | None:
        """What Thaw does not have; None if it has it all."""
        for name, supported in self._SUPPORTED.items():
            value = getattr(self, name)
            if _plain(value) not in supported:
                names = ", ".join(repr(choice) for choice in supported)
                return f"{name}={value!r} is unsupported; supported: {names}"
        return None

    def _weights(self) -> str:
        """The library's name of the method."""
        raise NotImplementedError

    def counterpart(self, module: Any) -> Any:
        """The configuration of the same name in coremltools' module."""
        return getattr(module, type(self).__name__)(**vars(self))


class OpPalettizerConfig(_OpConfig):
    """Weights become indices into lookup tables that k-means finds.

    If this improves accuracy, the library uses several tables for a layer, and keeps layers at 8 bits if a table does
    not suit them.
    """

    _SUPPORTED = {
        "mode": ("kmeans",),
        "nbits": (4, 6, 8),
        "lut_function": (None,),
        "granularity": ("per_tensor",),
        "channel_axis": (None,),
        "cluster_dim": (1,),
        "enable_per_channel_scale": (False,),
    }

    def __init__(
        self,
        mode: str = "kmeans",
        nbits: int | None = None,
        lut_function: Any = None,
        granularity: Any = "per_tensor",
        group_size: int = 32,
        channel_axis: int | None = None,
        cluster_dim: int = 1,
        enable_per_channel_scale: bool = False,
        num_kmeans_workers: int = 1,
        weight_threshold: int | None = 2048,
    ):
        super().__init__(
            mode=mode,
            nbits=nbits,
            lut_function=lut_function,
            granularity=granularity,
            group_size=group_size,
            channel_axis=channel_axis,
            cluster_dim=cluster_dim,
            enable_per_channel_scale=enable_per_channel_scale,
            num_kmeans_workers=num_kmeans_workers,
            weight_threshold=weight_threshold,
        )

    nbits: int | None

    def _weights(self) -> str:
        return f"palette{self.nbits}"


class OpLinearQuantizerConfig(_OpConfig):
    """Weights become 8-bit integers, with a scale and a zero point for each output channel."""

    _SUPPORTED = {"mode": ("linear", "linear_symmetric"), "dtype": ("int8",), "granularity": ("per_channel",)}

    def __init__(
        self,
        mode: str = "linear_symmetric",
        dtype: Any = "int8",
        granularity: Any = "per_channel",
        block_size: Any = 32,
        weight_threshold: int | None = 2048,
    ):
        super().__init__(
            mode=mode, dtype=dtype, granularity=granularity, block_size=block_size, weight_threshold=weight_threshold
        )

    def _weights(self) -> str:
        return "int8"


class OptimizationConfig:
    """How weights are compressed. `global_config` is for all of them; the other configurations are left to coremltools."""

    def __init__(
        self,
        global_config: Any = None,
        op_type_configs: Any = None,
        op_name_configs: Any = None,
        op_selector: Any = None,
    ):
        self.global_config = global_config
        self.op_type_configs = dict(op_type_configs or {})
        self.op_name_configs = dict(op_name_configs or {})
        if self.op_type_configs:
            self._check("op_type_configs")
        if self.op_name_configs:
            self._check("op_name_configs")
        if op_selector:
            raise UnsupportedError(f"op_selector is unsupported: {_ONE_FOR_ALL}", "invalidOption")

    @staticmethod
    def _check(name: str) -> None:
        if not _coremltools.is_installed():
            raise _refused(f"{name} is unsupported: {_ONE_FOR_ALL}")

    @classmethod
    def from_dict(cls, config_dict: Any) -> OptimizationConfig:
        """The configuration that coremltools reads from this dictionary."""
        return cls._of_theirs("from_dict", config_dict)

    @classmethod
    def from_yaml(cls, yml: Any) -> OptimizationConfig:
        """The configuration that coremltools reads from this YAML file."""
        return cls._of_theirs("from_yaml", yml)

    @classmethod
    def _of_theirs(cls, name: str, source: Any) -> OptimizationConfig:
        cls._check(name)
        theirs = getattr(_coremltools.attribute(__name__, cls.__name__), name)(source)
        return cls(theirs.global_config, theirs.op_type_configs, theirs.op_name_configs)

    def set_global(self, op_config: Any) -> None:
        """Replaces the configuration for all weights."""
        self.global_config = op_config

    def set_op_type(self, op_type: str, op_config: Any) -> None:
        """Sets the configuration for operations of a type, such as "conv". None leaves them as they are."""
        self._check("set_op_type")
        self.op_type_configs[op_type] = op_config

    def set_op_name(self, op_name: str, op_config: Any) -> None:
        """Sets the configuration for an operation by its name. None leaves it as it is."""
        self._check("set_op_name")
        self.op_name_configs[op_name] = op_config

    def counterpart(self, module: Any) -> Any:
        """The configuration of the same name in coremltools' module."""
        parts = (self.op_type_configs, self.op_name_configs)
        types, names = ({key: _coremltools.theirs(value) for key, value in part.items()} for part in parts)
        return module.OptimizationConfig(_coremltools.theirs(self.global_config), types, names)

    def _is_for(self, kind: type[_OpConfig]) -> bool:
        """Whether it configures one of Thaw's methods, for all weights."""
        own = self.global_config
        others = self.op_type_configs or self.op_name_configs
        return isinstance(own, kind) and own._problem() is None and not others


def palettize_weights(mlmodel: Any, config: Any, joint_compression: bool = False) -> MLModel:
    """A model whose weights are indices into lookup tables. It predicts with these weights."""
    return _compressed("palettize_weights", mlmodel, config, OpPalettizerConfig, joint_compression)


def linear_quantize_weights(mlmodel: Any, config: Any, joint_compression: bool = False) -> MLModel:
    """A model whose weights are 8-bit integers. It predicts with these weights."""
    return _compressed("linear_quantize_weights", mlmodel, config, OpLinearQuantizerConfig, joint_compression)


def _compressed(function: str, mlmodel: Any, config: Any, kind: Any, joint_compression: bool) -> MLModel:
    is_own = isinstance(config, OptimizationConfig)
    if type(config).__name__ != "OptimizationConfig" or is_own and not _configures(config, kind):
        message = "config must be a thaw.optimize.coreml.OptimizationConfig(global_config={}(...)), not {}"
        found = "one of " + type(config.global_config).__name__ if is_own else type(config).__name__
        raise InvalidTypeError(message.format(kind.__name__, found), "wrongType")
    if is_own and config._is_for(kind) and not joint_compression:
        model = mlmodel if isinstance(mlmodel, MLModel) else MLModel(mlmodel)
        own = config.global_config
        return model._compressed(own._weights(), _threshold(own.weight_threshold))
    theirs = _coremltools.attribute(__name__, function)
    if theirs is None:
        raise _refused(f"joint_compression={joint_compression!r} is unsupported")
    return theirs(mlmodel, config, joint_compression)


def _configures(config: OptimizationConfig, kind: type) -> bool:
    """Whether a configuration has something for this kind of compression."""
    others = [*config.op_type_configs.values(), *config.op_name_configs.values()]
    return any(type(part).__name__ == kind.__name__ for part in [config.global_config, *others])
