"""Inputs and outputs of networks."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_size_t, c_void_p, cast, string_at
from struct import unpack
from typing import Any, Sequence

from . import _images, _library, _tensors
from ._errors import InvalidTypeError, InvalidValueError
from ._library import Tensor, encoded


class Interface:
    """The inputs and outputs of a network according to its description."""

    def __init__(self, description: dict[str, Any]):
        self.inputs = {
            feature["name"]: (_Image if feature["type"] == "image" else _Array)(feature)
            for feature in description["inputs"]
        }
        # The template for every run: the tensors without their data.
        self._template = (Tensor * len(self.inputs))(*[feature.tensor for feature in self.inputs.values()])
        self._features = {feature["name"]: feature for feature in description["inputs"]}
        self.outputs = {feature["name"]: feature for feature in description["outputs"]}
        self.labels = _tensors.labels_of(description["classifier"])
        self.label_name = self.probabilities_name = None
        if description["classifier"]:
            # Found by type: the names in the description of the classifier may be those of the graph.
            for name, feature in self.outputs.items():
                if feature["type"] == "dictionary":
                    self.probabilities_name = name
                elif feature["type"] in ("string", "int64"):
                    self.label_name = name
        self._probabilities = dict.fromkeys(self.labels, 0.0)
        # The keys of a dictionary are read faster than a list of the same labels.
        self._keys = self._probabilities if len(self._probabilities) == len(self.labels) else self.labels

    def predict(self, handle: Any, data: dict[str, Any], function: str = "thaw_model_run") -> dict[str, Any]:
        """Runs the model once, with the handle of a model or of a state."""
        _tensors.check_names(data, self._features)
        tensors = type(self._template).from_buffer_copy(self._template)
        owned, absent = [], []
        for index, (name, feature) in enumerate(self.inputs.items()):
            if name in data:
                owned.append(feature.fill(tensors[index], data[name]))
            else:
                absent.append(index)
        if absent:
            given = [tensor for index, tensor in enumerate(tensors) if index not in absent]
            owned.append(tensors)
            tensors = (Tensor * len(given))(*given)
        result = _library.call_for_handle(function, handle, tensors, len(tensors), 0)
        try:
            return self._outputs(result)
        finally:
            _library.library().thaw_result_free(result)

    def _outputs(self, result: Any) -> dict[str, Any]:
        outputs: dict[str, Any] = {}
        tensor = Tensor()
        for index in range(_library.library().thaw_result_output_count(result)):
            _library.call("thaw_result_output", result, index, byref(tensor))
            name = tensor.name.decode()
            if name == self.probabilities_name:
                values = unpack(f"{tensor.byte_count // 4}f", string_at(tensor.data, tensor.byte_count))
                # Copying a dictionary is faster than growing a new one.
                outputs[name] = self._probabilities.copy()
                outputs[name].update(zip(self._keys, values))
            elif self.outputs[name]["type"] == "image":
                outputs[name] = _image(tensor)
            else:
                outputs[name] = _tensors.to_numpy(tensor)
        if self.label_name is not None:
            best, found = c_size_t(), c_size_t()
            _library.call("thaw_result_top", result, 1, byref(best), byref(found))
            outputs[self.label_name] = self.labels[best.value]
        return outputs


class _Input:
    """An input. `tensor` has its name and shape; `fill` puts a value into a copy, and returns the memory in use."""

    def __init__(self, feature: dict[str, Any], shape: Sequence[int]):
        self.name = feature["name"]
        self.type = feature
        self.tensor = Tensor(name=encoded(self.name), rank=len(shape), shape=_tensors.sizes(shape))


class _Image(_Input):
    """An image input. As in Core ML, images must have the model's size and mode."""

    def __init__(self, feature: dict[str, Any]):
        is_gray = feature["color"] == "gray"
        self.mode = ("F" if feature["isFloat16"] else "L") if is_gray else "RGB"
        self._channels = () if is_gray else (3,)
        super().__init__(feature, (feature["height"], feature["width"], *self._channels))
        self._shared_shape = _tensors.sizes((feature["height"], feature["width"], 4))

    def fill(self, tensor: Any, image: Any) -> Any:
        size = _tensors.check_image(self.name, image, self.mode)
        if not self._takes(*size):
            raise _tensors.wrong_size(self.name, self._supported(), size)
        with _images.reading():
            shared = _images.shared_pixels(image) if self.mode == "RGB" else None
            if shared:
                owner, tensor.data, tensor.byte_count = shared
                tensor.type = _library.TYPES["uint8"]
                tensor.shape = _tensors.sizes((size[1], size[0], 4)) if self.type["sizes"] else self._shared_shape
                return owner
            if self.mode == "F":
                import numpy

                data, tensor.type = numpy.asarray(image, dtype=numpy.float16).tobytes(), _library.TYPES["float16"]
            else:
                data, tensor.type = image.tobytes(), _library.TYPES["uint8"]
        tensor.data, tensor.byte_count = cast(c_char_p(data), c_void_p), len(data)
        if self.type["sizes"]:
            tensor.shape = _tensors.sizes((size[1], size[0], *self._channels))
        return data

    def _takes(self, width: int, height: int) -> bool:
        sizes = self.type["sizes"]
        if not sizes:
            return (width, height) == (self.type["width"], self.type["height"])
        if "enumerated" in sizes:
            return [width, height] in sizes["enumerated"]
        sides = ((width, sizes["width"]), (height, sizes["height"]))
        return all(low <= side and (high < 0 or side <= high) for side, (low, high) in sides)

    def _supported(self) -> str:
        sizes = self.type["sizes"]
        if not sizes:
            return "{}x{}".format(self.type["width"], self.type["height"])
        if "enumerated" in sizes:
            return " or ".join("{}x{}".format(*size) for size in sizes["enumerated"])
        return "{}..{}x{}..{}".format(*sizes["width"], *sizes["height"])


class _Array(_Input):
    """An array input: of the shape in the description, and of any numeric type that can be converted meaningfully."""

    def __init__(self, feature: dict[str, Any]):
        super().__init__(feature, feature["shape"])

    def fill(self, tensor: Any, value: Any) -> Any:
        array = _tensors.numpy_array(value)
        takes_floats = self.type["dataType"].startswith("float")
        if array.dtype.kind not in ("fiub" if takes_floats else "iub"):
            message = "the input {!r} takes an array of {}, not {}"
            raise InvalidTypeError(message.format(self.name, self.type["dataType"], array.dtype), "wrongType")
        if list(array.shape) != list(self.type["shape"]):
            self._check(list(array.shape))
        return _tensors.fill(tensor, array, "float32" if takes_floats else "int64")

    def _check(self, shape: list[int]) -> None:
        """Refuses a shape that a flexible input does not have."""
        shapes = self.type["shapes"] or {}
        ranges = shapes.get("ranges")
        if shape in shapes.get("enumerated", []) or ranges is not None and _fits(shape, ranges):
            return
        supported = str(tuple(self.type["shape"]))
        if "enumerated" in shapes:
            supported = " or ".join(str(tuple(one)) for one in shapes["enumerated"])
        elif ranges is not None:
            sizes = [str(low) if low == high else f"{low}..{'' if high < 0 else high}" for low, high in ranges]
            supported = "({})".format(", ".join(sizes))
        message = "the input {!r} takes an array of shape {}, not {}"
        raise InvalidValueError(message.format(self.name, supported, tuple(shape)), "wrongShape")


def _fits(shape: list[int], ranges: list[list[int]]) -> bool:
    sizes = zip(shape, ranges)
    return len(shape) == len(ranges) and all(low <= size and (high < 0 or size <= high) for size, (low, high) in sizes)


def read_state(handle: Any, name: str) -> Any:
    """A copy of one of a state's arrays."""
    result = _library.call_for_handle("thaw_state_read", handle, encoded(name))
    try:
        tensor = Tensor()
        _library.call("thaw_result_output", result, 0, byref(tensor))
        return _tensors.to_numpy(tensor)
    finally:
        _library.library().thaw_result_free(result)


def write_state(handle: Any, name: str, value: Any) -> None:
    """Replaces one of a state's arrays."""
    array = _tensors.numpy_array(value)
    if array.dtype.kind not in "fiub":
        raise InvalidTypeError(f"the state {name!r} takes an array of numbers, not {array.dtype}", "wrongType")
    tensor = Tensor(name=encoded(name))
    array = _tensors.fill(tensor, array, "float32")
    _library.call("thaw_state_write", handle, byref(tensor))
    del array


def _image(tensor: Tensor) -> Any:
    if _library.TYPE_NAMES[tensor.type] == "float16":
        from PIL import Image

        return Image.fromarray(_tensors.to_numpy(tensor).astype("float32"), mode="F")
    return _tensors.to_pil(_tensors.shape_of(tensor), string_at(tensor.data, tensor.byte_count))
