"""Images in memory, converted for the library."""

from __future__ import annotations

import contextlib
import os
from ctypes import POINTER, Structure, c_char_p, c_int64, c_void_p, cast, py_object, pythonapi
from typing import Any, Iterator

from . import _library
from ._errors import InvalidTypeError, InvalidValueError, error
from ._library import encoded_path


def name(image: Any) -> str | None:
    if isinstance(image, (str, os.PathLike)):
        return os.fsdecode(image)
    name = getattr(image, "filename", None)
    return name if isinstance(name, str) and name else None


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Pillow reads files lazily, so any use of an image may fail because it is corrupt or closed."""
    try:
        yield
    except Exception as failure:
        raise error("imageDamaged", f"the image cannot be read: {failure}") from failure


class _ArrowArray(Structure):
    """The beginning of Arrow's structure for an array in memory (the Arrow C data interface)."""


_ArrowArray._fields_ = [
    *((name, c_int64) for name in ("length", "null_count", "offset", "buffer_count", "child_count")),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_ArrowArray))),
]
_capsule_pointer = pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = POINTER(_ArrowArray), (py_object, c_char_p)


def shared_pixels(image: Any) -> tuple[Any, int, int] | None:
    """Pillow's own memory of an RGB image: its owner, its address, and its size in bytes, four for each pixel.

    None if this Pillow does not share it, or if the image is so large that Pillow keeps it in several pieces.
    """
    try:
        _, owner = image.__arrow_c_array__()
    except (AttributeError, ValueError):
        return None
    array = _capsule_pointer(owner, b"arrow_array").contents
    if array.offset != 0 or array.child_count != 1:
        return None
    values = array.children[0].contents
    byte_count = 4 * image.size[0] * image.size[1]
    if values.offset != 0 or values.buffer_count != 2 or values.length != byte_count:
        return None
    return owner, values.buffers[1], byte_count


def record(image: Any) -> Any:
    """An image for the library. It refers to memory that the record keeps alive."""
    if isinstance(image, (str, os.PathLike)):
        return _library.Image(path=encoded_path(image))
    if isinstance(image, (bytes, bytearray, memoryview)):
        data = bytes(image)
        return _library.Image(bytes=cast(c_char_p(data), c_void_p), byte_count=len(data))
    if hasattr(image, "mode") and hasattr(image, "tobytes"):
        with reading():
            if image.mode == "I" or image.mode.startswith("I;16"):
                return _of_16_bits(image)
            if image.mode not in ("L", "RGB", "RGBA"):
                image = image.convert("RGBA" if "transparency" in image.info or image.mode in ("LA", "PA") else "RGB")
            data = image.tobytes()
        channels = {"L": 1, "RGB": 3, "RGBA": 4}[image.mode]
        return _pixels(data, image.size[0], image.size[1], channels, name(image))
    if hasattr(image, "__array_interface__") or hasattr(image, "__array__"):
        return _array(image)
    if image is None:
        raise InvalidTypeError("there is no image: the value is null", "wrongType")
    message = "expected an image (a path, bytes, a PIL image or an array), not {}"
    raise InvalidTypeError(message.format(type(image).__name__), "wrongType")


def _of_16_bits(image: Any) -> Any:
    """A gray image of 16 bits, of which the library's readers of files use the high byte.

    Pillow opens some 16-bit files in mode I, which 8-bit images can also be converted to.
    """
    import numpy

    values = numpy.asarray(image).astype(numpy.int64)
    if image.mode != "I" or image.format is not None or values.max(initial=0) > 255:
        values >>= 8
    data = values.clip(0, 255).astype(numpy.uint8).tobytes()
    return _pixels(data, image.size[0], image.size[1], 1, name(image))


def _array(image: Any) -> Any:
    import numpy

    array = numpy.asarray(image)
    if array.dtype != numpy.uint8:
        message = "an image must be an array of uint8, from 0 to 255, not of {}"
        raise InvalidTypeError(message.format(array.dtype), "wrongType")
    channels = array.shape[2] if array.ndim == 3 else 1
    if array.ndim not in (2, 3) or channels not in (1, 3, 4) or array.size == 0:
        message = "an image must be an array of height, width, and 1, 3 or 4 channels, not of shape {}"
        raise InvalidValueError(message.format(array.shape), "wrongShape")
    return _pixels(array.tobytes(), array.shape[1], array.shape[0], channels, None)


def _pixels(data: bytes, width: int, height: int, channels: int, name: str | None) -> Any:
    path = None if name is None else os.fsencode(name)
    pixels = cast(c_char_p(data), c_void_p)
    return _library.Image(path=path, pixels=pixels, width=width, height=height, channels=channels)
