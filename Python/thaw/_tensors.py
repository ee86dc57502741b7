"""What inputs and outputs of networks and pipelines have in common: tensors, images, names and labels."""

from __future__ import annotations

from ctypes import c_char, c_int64
from typing import Any, Mapping, Sequence

from . import _library
from ._errors import InvalidTypeError, InvalidValueError, UnknownNameError
from ._library import Tensor


def labels_of(classifier: dict[str, Any] | None) -> list[Any]:
    """A classifier's labels, as strings or integers."""
    if not classifier:
        return []
    return [int(label) for label in classifier["labels"]] if classifier["hasIntegerLabels"] else classifier["labels"]


def check_names(data: Mapping[str, Any], inputs: Mapping[str, dict[str, Any]]) -> None:
    """Refuses unknown and missing inputs. `inputs` has their descriptions."""
    for name in data:
        if name not in inputs:
            names = ", ".join(repr(name) for name in inputs)
            message = f"the model has no input {name!r}; its inputs are {names}"
            raise UnknownNameError(message, "noSuchFeature", names=[name])
    for name, feature in inputs.items():
        if name not in data and not feature["isOptional"]:
            raise InvalidValueError(f"the input {name!r} has no value", "noInput", names=[name])


# MARK: Tensors


def numpy_array(value: Any) -> Any:
    """`value` as a NumPy array; a PyTorch tensor is copied to the CPU."""
    import numpy

    return numpy.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value)


def sizes(shape: Sequence[int]) -> Any:
    """A shape for the library."""
    return (c_int64 * len(shape))(*shape)


def fill(tensor: Tensor, array: Any, fallback: str) -> Any:
    """Makes a tensor refer to the elements of an array, and returns the array that must be kept.

    This is a copy if the library needs one: of the type `fallback` if it does not have the array's.
    """
    import numpy

    if array.dtype.name not in _library.TYPES:
        array = array.astype(fallback)
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    shape = array.shape
    # ascontiguousarray makes an axis for a scalar.
    array = numpy.ascontiguousarray(array).reshape(shape)
    tensor.data, tensor.byte_count = array.ctypes.data, array.nbytes
    tensor.type = _library.TYPES[array.dtype.name]
    tensor.rank, tensor.shape = len(shape), sizes(shape)
    return array


def shape_of(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape[: tensor.rank])


def to_numpy(tensor: Tensor) -> Any:
    """A NumPy array with a copy of the elements."""
    import numpy

    memory = (c_char * tensor.byte_count).from_address(tensor.data) if tensor.byte_count else b""
    values = numpy.frombuffer(memory, dtype=_library.TYPE_NAMES[tensor.type])
    return values.reshape(shape_of(tensor)).copy()


# MARK: Images


def check_image(name: str, image: Any, expected: str) -> tuple[int, int]:
    """The width and height of a value for an image input; refuses anything but a PIL image of the expected mode."""
    mode, size = getattr(image, "mode", None), getattr(image, "size", None)
    if not isinstance(mode, str) or not isinstance(size, tuple):
        message = "the input {!r} takes a PIL image, not {}"
        raise InvalidTypeError(message.format(name, type(image).__name__), "wrongType")
    if mode != expected:
        message = "the input {!r} takes images of mode {}, not {}; image.convert({!r}) changes it"
        raise InvalidTypeError(message.format(name, expected, mode, expected), "wrongType")
    return size[0], size[1]


def wrong_size(name: str, supported: str, size: tuple[int, int]) -> InvalidValueError:
    """The exception for an image of an unsupported size."""
    message = "the input {!r} takes images of {} pixels, not {}x{}; image.resize changes it"
    return InvalidValueError(message.format(name, supported, *size), "wrongSize")


def to_pil(shape: Sequence[int], data: bytes) -> Any:
    """A PIL image of the bytes of pixels: gray if the shape has no channels."""
    from PIL import Image

    size = (shape[1], shape[0])
    if len(shape) == 2:
        return Image.frombytes("L", size, data)
    # Core ML returns color images with an alpha channel.
    return Image.frombytes("RGB", size, data).convert("RGBA")
