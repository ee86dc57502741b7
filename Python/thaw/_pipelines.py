"""Inputs and outputs of pipelines: numbers, strings, arrays, dictionaries and images."""

from __future__ import annotations

import numbers
from ctypes import POINTER, byref, cast, pointer, string_at
from typing import Any

from . import _images, _library, _tensors
from ._errors import InvalidTypeError, InvalidValueError
from ._library import Entry, Tensor, Value, encoded


class Interface:
    """The inputs and outputs of a pipeline according to its description."""

    def __init__(self, description: dict[str, Any]):
        self.inputs = {feature["name"]: feature for feature in description["inputs"]}
        self.labels = _tensors.labels_of(description["classifier"])

    def predict(self, handle: Any, data: dict[str, Any]) -> dict[str, Any]:
        """Runs the pipeline once."""
        _tensors.check_names(data, self.inputs)
        # Keeps the memory alive that the structures point to.
        values = [(Value(name=encoded(name)), self.inputs[name], given) for name, given in data.items()]
        owned = [_FILL[feature["type"]](value, feature, given) for value, feature, given in values]
        records = (Value * len(values))(*[value for value, _, _ in values])
        result = _library.call_for_handle("thaw_model_predict", handle, records, len(records), 0)
        del owned
        try:
            return outputs_of(result)
        finally:
            _library.library().thaw_result_free(result)


# MARK: Inputs


def _refused(feature: dict[str, Any], expected: str, given: Any) -> InvalidTypeError:
    message = "the input {!r} takes {}, not {}"
    kind = type(given).__name__
    return InvalidTypeError(message.format(feature["name"], expected, kind), "wrongType")


def _integer(value: Value, feature: dict[str, Any], given: Any) -> None:
    if not isinstance(given, numbers.Integral):
        raise _refused(feature, "an integer", given)
    value.kind, value.integer = _library.INTEGER, _int64(feature, given)


def _int64(feature: dict[str, Any], given: Any) -> int:
    # ctypes would drop the upper bits.
    number = int(given)
    if not -(1 << 63) <= number < 1 << 63:
        raise InvalidValueError(f"the input {feature['name']!r}: an integer does not fit into 64 bits")
    return number


def _number(value: Value, feature: dict[str, Any], given: Any) -> None:
    if not isinstance(given, numbers.Real):
        raise _refused(feature, "a number", given)
    value.kind, value.number = _library.NUMBER, _float(feature, given)


def _float(feature: dict[str, Any], given: Any) -> float:
    try:
        return float(given)
    except OverflowError as failure:
        raise InvalidValueError(f"the input {feature['name']!r}: a number is too large") from failure


def _string(value: Value, feature: dict[str, Any], given: Any) -> None:
    if not isinstance(given, str):
        raise _refused(feature, "a string", given)
    value.kind, value.string = _library.STRING, encoded(given)


def _array(value: Value, feature: dict[str, Any], given: Any) -> Any:
    array = _tensors.numpy_array(given)
    if array.dtype.kind not in "fiub":
        message = "the input {!r} takes an array of numbers, not of {}"
        raise InvalidTypeError(message.format(feature["name"], array.dtype), "wrongType")
    tensor = Tensor()
    array = _tensors.fill(tensor, array, "float64")
    value.kind, value.array = _library.ARRAY, pointer(tensor)
    return array


def _dictionary(value: Value, feature: dict[str, Any], given: Any) -> Any:
    takes_integers = feature["keyType"] == "int64"
    kind: Any = numbers.Integral if takes_integers else str
    if not isinstance(given, dict):
        raise _refused(feature, "a dictionary", given)
    entries = (Entry * len(given))()
    for entry, (key, number) in zip(entries, given.items()):
        if not isinstance(key, kind):
            raise _refused(feature, "keys that are integers" if takes_integers else "keys that are strings", key)
        if not isinstance(number, numbers.Real):
            raise _refused(feature, "values that are numbers", number)
        entry.value = _float(feature, number)
        if takes_integers:
            entry.integer = _int64(feature, key)
        else:
            entry.string = encoded(key)
    value.kind, value.entry_count = _library.DICTIONARY, len(entries)
    value.entries = cast(entries, POINTER(Entry))
    return entries


def _image(value: Value, feature: dict[str, Any], given: Any) -> Any:
    size = _tensors.check_image(feature["name"], given, "L" if feature["color"] == "gray" else "RGB")
    expected = (feature["width"], feature["height"])
    if size != expected:
        raise _tensors.wrong_size(feature["name"], "{}x{}".format(*expected), size)
    record = _images.record(given)
    value.kind, value.image = _library.IMAGE, pointer(record)
    return record


_FILL = {
    "int64": _integer,
    "double": _number,
    "string": _string,
    "multiArray": _array,
    "dictionary": _dictionary,
    "image": _image,
}


# MARK: Outputs


def outputs_of(result: Any) -> dict[str, Any]:
    """The outputs of a prediction by name."""
    outputs: dict[str, Any] = {}
    value = Value()
    for index in range(_library.library().thaw_result_value_count(result)):
        _library.call("thaw_result_value", result, index, byref(value))
        outputs[value.name.decode()] = _python(value)
    return outputs


def _python(value: Value) -> Any:
    if value.kind == _library.INTEGER:
        return value.integer
    if value.kind == _library.NUMBER:
        return value.number
    if value.kind == _library.STRING:
        return value.string.decode()
    if value.kind == _library.ARRAY:
        return _tensors.to_numpy(value.array.contents)
    if value.kind == _library.DICTIONARY:
        entries = value.entries[: value.entry_count]
        return {entry.integer if entry.string is None else entry.string.decode(): entry.value for entry in entries}
    image = value.image.contents
    shape = (image.height, image.width) + ((image.channels,) if image.channels > 1 else ())
    return _tensors.to_pil(shape, string_at(image.pixels, image.width * image.height * image.channels))
