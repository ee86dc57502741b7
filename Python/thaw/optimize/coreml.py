"""coremltools' functions that compress the weights of a model, by the methods of `thaw compress`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _absent
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

# What to use instead of names that only coremltools has.
_ONE_FOR_ALL = "in Thaw, one configuration is for all layers"
_ABSENT_IN_CONFIG = dict.fromkeys(("set_op_type", "set_op_name"), _ONE_FOR_ALL)


def __getattr__(name: str) -> Any:
    return _absent.attribute(__name__, name)


def _only(name: str, value: Any, *supported: Any) -> None:
    if value not in supported:
        names = ", ".join(repr(choice) for choice in supported)
        raise UnsupportedError(f"{name}={value!r} is unsupported; supported: {names}", "invalidOption")


def _threshold(value: Any) -> int:
    number = 1 if value is None else _integer(value, "weight_threshold")
    if number < 0:
        raise InvalidValueError(f"weight_threshold must not be negative, but is {number}")
    # The library takes 0 for its default.
    return max(1, number)


class OpPalettizerConfig:
    """Weights become indices into lookup tables that k-means finds.

    If this improves accuracy, the library uses several tables for a layer, and keeps layers at 8 bits if a table does
    not suit them.
    """

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
        _only("mode", mode.lower() if isinstance(mode, str) else mode, "kmeans")
        _only("nbits", nbits, 4, 6, 8)
        _only("lut_function", lut_function, None)
        _only("granularity", getattr(granularity, "value", granularity), "per_tensor")
        _only("channel_axis", channel_axis, None)
        _only("cluster_dim", cluster_dim, 1)
        _only("enable_per_channel_scale", enable_per_channel_scale, False)
        self.mode = mode
        self.nbits = nbits
        self.weight_threshold = weight_threshold
        self._minimum_count = _threshold(weight_threshold)
        self._weights = f"palette{nbits}"


class OpLinearQuantizerConfig:
    """Weights become 8-bit integers, with a scale and a zero point for each output channel."""

    def __init__(
        self,
        mode: str = "linear_symmetric",
        dtype: Any = "int8",
        granularity: Any = "per_channel",
        block_size: Any = 32,
        weight_threshold: int | None = 2048,
    ):
        _only("mode", mode.lower() if isinstance(mode, str) else mode, "linear", "linear_symmetric")
        is_theirs = hasattr(dtype, "get_bitwidth")
        name = TensorType(dtype=dtype).type_name() if is_theirs else getattr(dtype, "__name__", None)
        _only("dtype", name or getattr(dtype, "name", dtype), "int8")
        _only("granularity", getattr(granularity, "value", granularity), "per_channel")
        self.mode = mode
        self.dtype = dtype
        self.weight_threshold = weight_threshold
        self._minimum_count = _threshold(weight_threshold)
        self._weights = "int8"


class OptimizationConfig:
    """How weights are compressed: `global_config` is for all of them."""

    def __init__(
        self,
        global_config: Any = None,
        op_type_configs: Any = None,
        op_name_configs: Any = None,
        op_selector: Any = None,
    ):
        others = {
            "op_type_configs": op_type_configs, "op_name_configs": op_name_configs, "op_selector": op_selector,
        }  # fmt: skip
        for name, value in others.items():
            if value:
                raise UnsupportedError(f"{name} is unsupported: {_ONE_FOR_ALL}", "invalidOption")
        self.global_config = global_config

    @classmethod
    def from_dict(cls, config_dict: Any) -> OptimizationConfig:
        """Raises the advice to use `global_config`."""
        raise UnsupportedError(f"from_dict is unsupported: {_ONE_FOR_ALL}; use global_config", "invalidOption")

    @classmethod
    def from_yaml(cls, yml: Any) -> OptimizationConfig:
        """Raises the advice to use `global_config`."""
        raise UnsupportedError(f"from_yaml is unsupported: {_ONE_FOR_ALL}; use global_config", "invalidOption")

    def set_global(self, op_config: Any) -> None:
        """Replaces the configuration for all weights."""
        self.global_config = op_config

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise _absent.of("'OptimizationConfig' object", name, _ABSENT_IN_CONFIG)


def palettize_weights(mlmodel: Any, config: OptimizationConfig, joint_compression: bool = False) -> MLModel:
    """A model whose weights are indices into lookup tables. It predicts with these weights."""
    return _compressed(mlmodel, config, OpPalettizerConfig, joint_compression)


def linear_quantize_weights(mlmodel: Any, config: OptimizationConfig, joint_compression: bool = False) -> MLModel:
    """A model whose weights are 8-bit integers. It predicts with these weights."""
    return _compressed(mlmodel, config, OpLinearQuantizerConfig, joint_compression)


def _compressed(mlmodel: Any, config: Any, kind: Any, joint_compression: bool) -> MLModel:
    _only("joint_compression", joint_compression, False)
    if not isinstance(config, OptimizationConfig) or not isinstance(config.global_config, kind):
        message = (
            "config must be a thaw.optimize.coreml.OptimizationConfig(global_config={}(...)), not coremltools' own"
        )
        raise InvalidTypeError(message.format(kind.__name__), "wrongType")
    model = mlmodel if isinstance(mlmodel, MLModel) else MLModel(mlmodel)
    return model._compressed(config.global_config._weights, config.global_config._minimum_count)
