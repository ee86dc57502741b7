"""Descriptions of inputs and outputs of a conversion, as in coremltools."""

from __future__ import annotations

import operator
from typing import Any, Sequence

from ._enums import colorlayout
from ._errors import InvalidTypeError, InvalidValueError


def _integer(value: Any, what: str) -> int:
    """`value` as an int; NumPy's integers are accepted, Booleans and floats are not."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise InvalidTypeError(f"{what} must be an integer, not {value!r}", "wrongType")


def name_of(value: Any, what: str) -> str:
    """`value` if it is a string."""
    if not isinstance(value, str):
        raise InvalidTypeError(f"{what} must be a string, not {value!r}", "wrongType")
    return value


def member(kind: Any, value: Any, what: str, name: str) -> Any:
    """A member of an enumeration, or of coremltools' enumeration with the same name."""
    if isinstance(value, kind):
        return value
    try:
        return kind[getattr(value, "name", value)]
    except (KeyError, TypeError):
        raise InvalidTypeError(f"{what} must be a {name}, not {value!r}", "wrongType") from None


class RangeDim:
    """A dimension with a range of sizes. An `upper_bound` of -1 means no limit."""

    def __init__(
        self, lower_bound: int = 1, upper_bound: int = -1, default: int | None = None, symbol: str | None = None
    ):
        self.lower_bound = _integer(lower_bound, "lower_bound")
        self.upper_bound = _integer(upper_bound, "upper_bound")
        self.symbol = symbol
        if self.lower_bound < 1 or self.upper_bound != -1 and self.upper_bound < self.lower_bound:
            raise InvalidValueError(f"the range {lower_bound}..{upper_bound} is empty", "wrongShape")
        self.has_default = default is not None
        self.default = self.lower_bound if default is None else _integer(default, "default")
        # coremltools' object for it, once there is one.
        self.counterpart: Any = None
        self._check(self.default)

    def _check(self, default: int) -> None:
        if default < self.lower_bound or default > self.upper_bound != -1:
            message = "the default {} is outside of the range {}..{}"
            raise InvalidValueError(message.format(default, self.lower_bound, self.upper_bound), "wrongShape")

    def __repr__(self) -> str:
        return f"RangeDim({self.lower_bound}, {self.upper_bound}, default={self.default})"


class Shape:
    """The shape of an input. Its dimensions are integers or RangeDims."""

    def __init__(self, shape: Sequence[int | RangeDim], default: Sequence[int] | None = None):
        if not isinstance(shape, (list, tuple)):
            raise InvalidValueError(f"a shape must be a list or a tuple, not {shape!r}", "wrongShape")
        if any(size is None or (not isinstance(size, RangeDim) and size == -1) for size in shape):
            message = "the shape {} has an open dimension; RangeDim(1, 512) gives it a range"
            raise InvalidValueError(message.format(tuple(shape)), "wrongShape")
        sizes = [own(size) for size in shape]
        self.shape = tuple(
            size if isinstance(size, RangeDim) else _integer(size, "a dimension of a shape") for size in sizes
        )
        if any(isinstance(size, int) and size < 1 for size in self.shape):
            raise InvalidValueError(f"the shape {self.shape} has an empty dimension", "wrongShape")
        self.has_default = default is not None
        if default is None:
            self.default = tuple(size.default if isinstance(size, RangeDim) else size for size in self.shape)
        else:
            self.default = tuple(_integer(size, "a dimension of a default shape") for size in default)
            if len(self.default) != len(self.shape):
                message = "the default shape {} has another rank than the shape {}"
                raise InvalidValueError(message.format(self.default, self.shape), "wrongShape")
            for size, value in zip(self.shape, self.default):
                if isinstance(size, RangeDim):
                    size._check(value)
                elif self.is_flexible and size != value:
                    message = "the default shape {} does not fit the shape {}"
                    raise InvalidValueError(message.format(self.default, self.shape), "wrongShape")

    @property
    def is_flexible(self) -> bool:
        return any(isinstance(size, RangeDim) for size in self.shape)

    def __repr__(self) -> str:
        return f"Shape({self.shape})"


class EnumeratedShapes:
    """Several shapes that an input may have. The default is the first, unless specified."""

    def __init__(self, shapes: Sequence[Shape | Sequence[int]], default: Sequence[int] | None = None):
        if not isinstance(shapes, (list, tuple)) or len(shapes) < 2:
            raise InvalidValueError("EnumeratedShapes needs a list of two shapes or more", "wrongShape")
        self.shapes = [shape if isinstance(shape, Shape) else Shape(shape) for shape in map(own, shapes)]
        if any(shape.is_flexible for shape in self.shapes):
            raise InvalidValueError("a RangeDim cannot be in one of several EnumeratedShapes", "wrongShape")
        if len({len(shape.shape) for shape in self.shapes}) > 1:
            raise InvalidValueError("EnumeratedShapes must have the same rank", "wrongShape")
        self.default = self.shapes[0].shape if default is None else Shape(default).shape
        if all(shape.shape != self.default for shape in self.shapes):
            raise InvalidValueError(f"the default {self.default} is not one of the shapes", "wrongShape")

    def __repr__(self) -> str:
        return f"EnumeratedShapes({[shape.shape for shape in self.shapes]}, default={self.default})"


class _Feature:
    """The common base of inputs and outputs."""

    def __init__(self, name: str | None, shape: Any):
        if name is not None and not isinstance(name, str):
            raise InvalidTypeError(f"the name of an input or output must be a string, not {name!r}", "wrongType")
        self.name = name
        shape = own(shape)
        known = shape is None or isinstance(shape, (Shape, EnumeratedShapes))
        self.shape = shape if known else Shape(shape)


class ImageType(_Feature):
    """An image: the network gets scale * pixel + bias of pixels from 0 to 255.

    `scale` is one number or one per channel; `bias` too, in the order of `color_layout`.
    """

    def __init__(
        self,
        name: str | None = None,
        shape: Any = None,
        scale: float | Sequence[float] = 1.0,
        bias: float | Sequence[float] | None = None,
        color_layout: colorlayout | str = colorlayout.RGB,
        channel_first: bool | None = None,
        grayscale_use_uint8: bool = False,
    ):
        super().__init__(name, shape)
        try:
            is_string = isinstance(color_layout, str)
            self.color_layout = (
                colorlayout(color_layout)
                if is_string
                else member(colorlayout, color_layout, "color_layout", "thaw.colorlayout")
            )
        except (ValueError, InvalidTypeError):
            names = ", ".join("colorlayout." + layout.name for layout in colorlayout)
            raise InvalidValueError(f"color_layout must be one of {names}, not {color_layout!r}") from None
        self.is_gray = self.color_layout in (colorlayout.GRAYSCALE, colorlayout.GRAYSCALE_FLOAT16)
        self.scale = scale
        self.bias = (0.0 if self.is_gray else [0.0, 0.0, 0.0]) if bias is None else bias
        self.channel_first = channel_first
        if grayscale_use_uint8 and self.color_layout is not colorlayout.GRAYSCALE:
            raise InvalidValueError("grayscale_use_uint8 is for color_layout=colorlayout.GRAYSCALE")
        self.grayscale_use_uint8 = grayscale_use_uint8
        # Errors in numbers are reported here, not during the conversion.
        self.numbers()

    def numbers(self) -> tuple[list[float], list[float]]:
        """Scale and bias as lists of one number, or of one per channel."""
        return self._list(self.scale, "scale"), self._list(self.bias, "bias")

    def _list(self, value: Any, what: str) -> list[float]:
        # NumPy's arrays of one element convert to numbers, which is deprecated.
        value = value.tolist() if hasattr(value, "tolist") else value
        try:
            numbers = [float(value)]
        except (TypeError, ValueError):
            try:
                numbers = [float(number) for number in value]
            except (TypeError, ValueError):
                message = "{} must be a number or a list of numbers, not {!r}"
                raise InvalidTypeError(message.format(what, value), "wrongType") from None
        if len(numbers) not in (1, 1 if self.is_gray else 3):
            message = "{} has {} numbers; the image has {}"
            channels = "1 channel" if self.is_gray else "3 channels"
            raise InvalidValueError(message.format(what, len(numbers), channels))
        if any(number != number or abs(number) == float("inf") for number in numbers):
            raise InvalidValueError(f"{what} must be finite, not {value!r}")
        return numbers

    def __repr__(self) -> str:
        parts = (self.name, self.shape, self.scale, self.bias, self.color_layout)
        return "ImageType(name={!r}, shape={}, scale={}, bias={}, color_layout={})".format(*parts)


class TensorType(_Feature):
    """An array. `dtype` is a NumPy type: float32 (the default), int32, or float16, for inputs and outputs of an ML Program."""

    def __init__(self, name: str | None = None, shape: Any = None, dtype: Any = None, default_value: Any = None):
        super().__init__(name, shape)
        self.dtype = dtype
        self.default_value = default_value

    def type_name(self) -> str | None:
        """The name of the NumPy type, or None."""
        if self.dtype is None:
            return None
        import numpy

        if hasattr(self.dtype, "get_bitwidth"):
            # coremltools' own types: classes that are named fp16, int and so on.
            kind = {"fp16": "float", "fp32": "float", "fp64": "float", "int": "int"}.get(self.dtype.__name__)
            if kind is not None:
                return f"{kind}{self.dtype.get_bitwidth()}"
        else:
            try:
                name = numpy.dtype(self.dtype).name
            except TypeError:
                name = "object"
            # NumPy maps any other class to dtype object.
            if name != "object":
                return name
        raise InvalidTypeError(f"the dtype {self.dtype!r} is unsupported", "wrongType")

    def __repr__(self) -> str:
        return f"TensorType(name={self.name!r}, shape={self.shape}, dtype={self.dtype})"


def own(value: Any) -> Any:
    """A description of Thaw for one of coremltools; any other value is returned as it is."""
    if not type(value).__module__.startswith("coremltools."):
        return value
    name = type(value).__name__
    if name == "RangeDim":
        dim = RangeDim(value.lower_bound, value.upper_bound, value.default)
        dim.counterpart = value
        return dim
    if name == "Shape":
        return Shape(list(value.shape), value.default)
    if name == "EnumeratedShapes":
        return EnumeratedShapes([list(shape.shape) for shape in value.shapes], list(value.default))
    if name == "ImageType":
        scale, bias, layout = value.scale, value.bias, value.color_layout
        return ImageType(value.name, value.shape, scale, bias, layout, value.channel_first, value.grayscale_use_uint8)
    if name == "TensorType":
        return TensorType(value.name, value.shape, value.dtype, value.default_value)
    return value


class ClassifierConfig:
    """The labels of a classifier: a list of strings, bytes or integers, or the path of a file with a label per line."""

    def __init__(
        self,
        class_labels: Any,
        predicted_feature_name: str = "classLabel",
        predicted_probabilities_output: str | None = None,
    ):
        for value, what in (
            (predicted_feature_name, "predicted_feature_name"),
            (predicted_probabilities_output, "predicted_probabilities_output"),
        ):
            if value is not None:
                name_of(value, what)
        self.class_labels = class_labels
        self.predicted_feature_name = predicted_feature_name
        self.predicted_probabilities_output = predicted_probabilities_output

    def __repr__(self) -> str:
        labels = self.class_labels
        is_path = isinstance(labels, (str, bytes)) or not hasattr(labels, "__len__")
        return f"ClassifierConfig({repr(labels) if is_path else f'{len(labels)} labels'})"
