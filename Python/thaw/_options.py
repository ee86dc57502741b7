"""The options of a conversion, converted for the library."""

from __future__ import annotations

import os
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, cast
from typing import Any, Mapping, NamedTuple

from . import _library, _tensors
from ._enums import colorlayout, precision, target
from ._errors import InvalidTypeError, InvalidValueError, UnsupportedError
from ._library import array, encoded, encoded_path
from ._sources import Source
from ._types import ClassifierConfig, EnumeratedShapes, ImageType, RangeDim, TensorType, _integer, member, name_of

_COLORS = {
    colorlayout.RGB: b"rgb",
    colorlayout.BGR: b"bgr",
    colorlayout.GRAYSCALE: b"gray",
    colorlayout.GRAYSCALE_FLOAT16: b"gray",
}


class SaveFormat:
    """The format of a written model: its kind, the oldest system, and the precision of an ML Program."""

    def __init__(self, kind: str | None = None, system: str | None = None, compute: str | None = None):
        # "neuralNetwork" or "mlProgram"; None if the extension determines it.
        self.kind = kind
        self.target = system
        self.compute_precision = compute
        self.input_type: str | None = None
        self.output_type: str | None = None

    @classmethod
    def of_arguments(cls, convert_to: Any, minimum_target: Any, compute_precision: Any) -> SaveFormat:
        """The format according to the arguments of `convert`."""
        kinds = {None: None, "neuralnetwork": "neuralNetwork", "mlprogram": "mlProgram"}
        if convert_to not in kinds:
            message = "convert_to must be 'neuralnetwork' or 'mlprogram', not {!r}"
            raise InvalidValueError(message.format(convert_to))
        save_format = cls(kinds[convert_to])
        if minimum_target is not None:
            system = member(target, minimum_target, "minimum_deployment_target", "thaw.target")
            save_format.target = system.name
            fitting = "mlProgram" if system >= target.iOS15 else "neuralNetwork"
            if save_format.kind not in (None, fitting):
                message = "convert_to={!r} cannot be combined with minimum_deployment_target={}"
                raise InvalidValueError(message.format(convert_to, system.name), "unsupportedTarget")
            save_format.kind = fitting
        if type(compute_precision).__name__ == "FP16ComputePrecision":
            message = (
                "compute_precision=FP16ComputePrecision(...) is for models that coremltools converts, such as PyTorch's; "
                "others take thaw.precision.FLOAT16 or thaw.precision.FLOAT32"
            )
            raise UnsupportedError(message, "invalidOption")
        if compute_precision is not None:
            if save_format.kind == "neuralNetwork":
                raise InvalidValueError("compute_precision is for ML Programs; a neural network has none")
            save_format.kind = "mlProgram"
            save_format.compute_precision = member(
                precision, compute_precision, "compute_precision", "thaw.precision"
            ).value
        return save_format

    def set_types(self, inputs: list[Any], outputs: list[Any]) -> None:
        """Determines whether inputs and outputs have 16 bits."""
        self.input_type = self._type(inputs, "inputs")
        self.output_type = self._type(outputs, "outputs")

    def _type(self, features: list[Any], what: str) -> str | None:
        half = [
            getattr(feature, "color_layout", None) is colorlayout.GRAYSCALE_FLOAT16
            or isinstance(feature, TensorType)
            and feature.type_name() == "float16"
            for feature in features
            # Images in color always have 8 bits a channel.
            if not isinstance(feature, ImageType)
            or feature.color_layout in (colorlayout.GRAYSCALE, colorlayout.GRAYSCALE_FLOAT16)
        ]
        if not any(half):
            return None
        if not all(half):
            raise UnsupportedError(f"either all {what} must be 16-bit, or none", "unsupportedModel")
        if self.kind == "neuralNetwork":
            message = (
                "a neural network has no 16-bit {}; minimum_deployment_target=thaw.target.iOS16 makes an ML Program"
            )
            raise InvalidValueError(message.format(what), "unsupportedTarget")
        self.kind = "mlProgram"
        return "float16"

    def save_options(self, weights: str | None = None, kind: str | None = None) -> _library.SaveOptions:
        compute = self.compute_precision
        system = self.target
        if weights is None and compute == "float32":
            weights = "float32"
        elif weights is not None and system == target.iOS15.name:
            # As in coremltools, compression raises the version of an ML Program.
            system = target.iOS16.name
        return _library.SaveOptions(
            kind=encoded(kind or self.kind),
            target=encoded(system),
            weights=encoded(weights),
            compute_precision=encoded(compute),
            input_type=encoded(self.input_type),
            output_type=encoded(self.output_type),
        )


def tensors(values: dict[str, Any]) -> tuple[Any, list[Any]]:
    """NumPy arrays by name as the library's tensors, with the arrays that they point to."""
    import numpy

    arrays: list[Any] = []
    records = (_library.Tensor * len(values))()
    for record, (name, value) in zip(records, values.items()):
        value = numpy.asarray(value)
        if value.dtype.name == "bfloat16":
            # TensorFlow's bfloat16, whose values are all representable as float32.
            value = value.astype(numpy.float32)
        if value.dtype.name not in _library.TYPES:
            message = "the variable '{}' is of type {}, which is unsupported"
            raise InvalidTypeError(message.format(name, value.dtype), "wrongType")
        _library.Tensor.__init__(record, name=encoded(name))
        arrays.append(_tensors.fill(record, value, value.dtype.name))
    return records, arrays


# MARK: All options


class GraphOptions(NamedTuple):
    """The arguments of `convert` about what a graph computes, which coremltools does not have."""

    signature: str | None
    tag: str | None
    placeholder_values: Mapping[str, Any] | None
    batch_norm: str | None
    moving_averages: bool | None


def conversion(
    source: Source,
    inputs: list[Any],
    outputs: list[Any],
    labels: ClassifierConfig | None,
    graph: GraphOptions,
    kind: str | None = None,
) -> _library.ConvertOptions:
    """The library's options for the arguments of `convert`. `kind` is that of the format.

    Like all structures of ctypes, they keep what is assigned to their pointers.
    """
    options = _library.ConvertOptions()
    _set_graph(options, graph)
    _set_inputs(options, source, inputs)
    names = _set_outputs(options, source, outputs)
    if labels is not None:
        if options.image_output > 0:
            message = "an output of a classifier cannot be an image{}"
            name = options.image_output_name
            raise UnsupportedError(message.format(f": '{name.decode()}'" if name else ""), "unsupportedModel")
        names = _set_labels(options, labels, names)
        if kind == "mlProgram":
            # coremltools' name, with predicted_probabilities_output or without.
            options.probabilities = encoded((labels.predicted_feature_name or "classLabel") + "_probs")
    if names:
        options.outputs, options.output_count = _strings(names), len(names)
    return options


def _set_graph(options: Any, given: GraphOptions) -> None:
    for name, value in (("signature", given.signature), ("tag", given.tag), ("batch_norm", given.batch_norm)):
        if value is not None:
            if not isinstance(value, str):
                raise InvalidTypeError(f"{name}= must be a string, not {value!r}", "wrongType")
            setattr(options, name, encoded(value))
    options.uses_moving_averages = bool(given.moving_averages)
    settings = []
    values_by_name = given.placeholder_values or {}
    if not isinstance(values_by_name, Mapping):
        raise InvalidTypeError(f"placeholder_values must be a dictionary, not {values_by_name!r}", "wrongType")
    for name, value in values_by_name.items():
        values = _placeholder(name_of(name, "the name of a placeholder"), value)
        settings.append(_library.Setting(encoded(name), _numbers(c_double, values), len(values)))
    if settings:
        options.settings, options.setting_count = array(_library.Setting, settings), len(settings)


def _placeholder(name: str, given: Any) -> list[float]:
    """The values of a placeholder."""
    given = given.tolist() if hasattr(given, "tolist") else given
    values = list(given) if isinstance(given, (list, tuple)) else [given]
    try:
        # Python would also parse text.
        if not any(isinstance(value, (str, bytes, bytearray)) for value in values):
            return [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        pass
    message = "placeholder_values: {!r} has the value {!r}; expected a number, a Boolean, or a list of them"
    raise InvalidTypeError(message.format(name, given), "wrongType")


def _strings(texts: list[str]) -> Any:
    return cast(array(c_char_p, [encoded(text) for text in texts]), POINTER(c_char_p))


def _numbers(kind: Any, values: Any) -> Any:
    return cast(array(kind, values), POINTER(kind))


def _plain(name: str) -> str:
    """The name of a node, for that of its first output."""
    return name[:-2] if name.endswith(":0") else name


def _set_inputs(options: Any, source: Source, inputs: list[Any]) -> None:
    if len(inputs) > 1 and any(feature.name is None for feature in inputs):
        raise InvalidValueError("each of several inputs needs a name", "ambiguousInputs")
    names = [_plain(feature.name) for feature in inputs if feature.name is not None]
    for name in names:
        if names.count(name) > 1:
            raise InvalidValueError(f"inputs= names {name!r} twice; omit one of them")
    records = (_library.InputOptions * (len(inputs) + 1))()
    # An input that is not listed is an array; with a single one that has no name, there are no others.
    others = 1 if names else 0
    if names:
        _library.InputOptions.__init__(records[0], is_tensor=1)
    for record, feature in zip(records[others:], inputs):
        _library.InputOptions.__init__(record, name=encoded(feature.name and _plain(feature.name)))
        if isinstance(feature, ImageType):
            _set_image(record, feature)
        else:
            _set_array(record, feature)
    options.inputs, options.input_count = cast(records, POINTER(_library.InputOptions)), len(inputs) + others
    channels = {feature.channel_first for feature in inputs if isinstance(feature, ImageType)} - {None}
    if len(channels) > 1:
        raise UnsupportedError("channel_first differs between the inputs", "unsupportedModel")
    if channels:
        options.channels = b"first" if channels.pop() else b"last"


def _set_array(record: Any, feature: TensorType) -> None:
    if feature.default_value is not None:
        raise InvalidValueError("default_value is unsupported: every input must be given", "unsupportedModel")
    record.is_tensor = 1
    record.keeps_integers = feature.type_name() in ("int32", "int64")
    if feature.shape is None:
        return
    if isinstance(feature.shape, EnumeratedShapes) or feature.shape.is_flexible:
        message = "the shape {} is unsupported: only images may have several sizes"
        raise UnsupportedError(message.format(feature.shape), "unsupportedModel")
    record.shape, record.rank = _numbers(c_int64, feature.shape.shape), len(feature.shape.shape)


def _set_image(record: Any, feature: ImageType) -> None:
    scale, bias = feature.numbers()
    record.color = _COLORS[feature.color_layout]
    record.scale, record.scale_count = _numbers(c_double, scale), len(scale)
    record.bias, record.bias_count = _numbers(c_double, bias), len(bias)
    shape = feature.shape
    if shape is None:
        return
    if isinstance(shape, EnumeratedShapes):
        others = [_size(feature, other.shape) for other in shape.shapes if other.shape != shape.default]
        sizes = [_size(feature, shape.default)] + others
        record.sizes = _numbers(c_int32, [side for size in sizes for side in size])
        record.size_count = len(sizes)
        return
    width, height = _size(feature, shape.shape)
    if not isinstance(width, RangeDim) and not isinstance(height, RangeDim):
        record.width, record.height = width, height
        return
    record.minimum_width, record.maximum_width = _bounds(width)
    record.minimum_height, record.maximum_height = _bounds(height)
    # As in coremltools, a side without a default begins at its lower bound if the other one has a default.
    if shape.has_default or any(isinstance(side, RangeDim) and side.has_default for side in (width, height)):
        record.width, record.height = _size(feature, shape.shape, shape.default)


def _bounds(side: Any) -> tuple[int, int]:
    if not isinstance(side, RangeDim):
        return side, side
    if side.upper_bound == -1:
        message = "{} has no upper bound; Thaw's ranges need one, as those of ML Programs do"
        raise InvalidValueError(message.format(side), "unknownSize")
    return side.lower_bound, side.upper_bound


def _size(feature: ImageType, shape: Any, values: Any = None) -> tuple[Any, Any]:
    """Width and height of an image's shape, or of `values` in the same order."""
    channels = 1 if feature.is_gray else 3
    sizes = list(shape)
    values = list(shape if values is None else values)
    if len(sizes) == 4 and (sizes[0] == 1 or isinstance(sizes[0], RangeDim) and sizes[0].lower_bound == 1):
        sizes, values = sizes[1:], values[1:]
    is_first = feature.channel_first
    if is_first is None and len(sizes) == 3:
        is_first = sizes[0] == channels and sizes[2] != channels
    if len(sizes) != 3 or sizes[0 if is_first else 2] != channels:
        layout = "1, {0}, height, width" if is_first else "1, height, width, {0}"
        message = "the shape of an image with color_layout={} is ({}), not {}"
        raise InvalidValueError(
            message.format(feature.color_layout.name, layout.format(channels), tuple(shape)), "wrongShape"
        )
    height, width = values[1:] if is_first else values[:2]
    return width, height


def _set_outputs(options: Any, source: Source, outputs: list[Any]) -> list[str]:
    names = []
    for feature in outputs:
        name = feature if isinstance(feature, str) else feature.name
        if name is not None:
            names.append(_plain(name))
        elif len(outputs) > 1:
            raise InvalidValueError("each of several outputs needs a name", "ambiguousOutputs")
        if isinstance(feature, TensorType) and feature.shape is not None:
            message = "outputs= has a TensorType of shape {}; omit it: the shape of an output follows from the graph"
            raise InvalidValueError(message.format(feature.shape), "wrongShape")
        if isinstance(feature, ImageType):
            if feature.shape is not None or set(feature.numbers()[0]) != {1.0} or set(feature.numbers()[1]) != {0.0}:
                raise InvalidValueError("an image output has neither shape, scale nor bias: its values are pixels")
            if options.image_output:
                message = "a model may have one image output: '{}' and '{}' are two"
                first = options.image_output_name.decode()
                raise UnsupportedError(message.format(first, _plain(name)), "unsupportedModel")
            options.image_output = 1
            options.image_output_name = encoded(name and _plain(name))
            options.output_color = _COLORS[feature.color_layout]
            one, zero = (c_double * 1)(1.0), (c_double * 1)(0.0)
            options.output_scale, options.output_scale_count = cast(one, POINTER(c_double)), 1
            options.output_bias, options.output_bias_count = cast(zero, POINTER(c_double)), 1
    if not options.image_output:
        # As in coremltools, only an ImageType makes an image. The command infers them.
        options.image_output = -1
    return names or source.outputs


def _set_labels(options: Any, config: Any, outputs: list[str]) -> list[str]:
    """Sets the labels, and puts the output of the probabilities first."""
    if not hasattr(config, "class_labels"):
        raise InvalidTypeError(f"classifier_config must be a thaw.ClassifierConfig, not {config!r}", "wrongType")
    labels = config.class_labels
    if isinstance(labels, (str, os.PathLike)):
        options.label_file = encoded_path(labels)
    else:
        labels = labels.tolist() if hasattr(labels, "tolist") else labels
        if not isinstance(labels, (list, tuple)) or not labels:
            raise InvalidValueError("class_labels must be a list of labels, or the path of a file", "wrongLabels")
        try:
            texts = [label.decode("utf-8") if isinstance(label, bytes) else label for label in labels]
        except UnicodeDecodeError as failure:
            raise InvalidValueError(f"the class label {failure.object!r} is not UTF-8", "wrongLabels") from failure
        if all(isinstance(label, str) for label in texts):
            options.labels, options.label_count = _strings(texts), len(texts)
        elif any(isinstance(label, str) for label in texts):
            raise InvalidTypeError("class_labels are all strings or all integers, not both", "wrongLabels")
        else:
            numbers = [_integer(label, "a class label") for label in texts]
            wide = [number for number in numbers if not -(1 << 63) <= number < 1 << 63]
            if wide:
                raise InvalidValueError(f"the class label {wide[0]} does not fit into 64 bits", "wrongLabels")
            options.integer_labels, options.integer_label_count = _numbers(c_int64, numbers), len(numbers)
    options.class_label = encoded(config.predicted_feature_name)
    first = config.predicted_probabilities_output
    if not first:
        return outputs
    first = _plain(first)
    return [first] + [name for name in outputs if name != first]
