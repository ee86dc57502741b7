"""Images in memory, as the library takes them."""

from __future__ import annotations

import contextlib
import os
from ctypes import c_char_p, c_void_p, cast
from typing import Any, Iterator

from . import _library
from ._errors import InvalidTypeError, InvalidValueError, error
from ._library import encoded


def name(image: Any) -> str | None:
    if isinstance(image, (str, os.PathLike)):
        return os.fsdecode(image)
    name = getattr(image, "filename", None)
    return name if isinstance(name, str) and name else None


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Pillow reads files late, so that any use of an image may find that it is damaged, or closed."""
    try:
        yield
    except Exception as failure:
        raise error("imageDamaged", f"the image cannot be read: {failure}") from failure


def record(image: Any) -> Any:
    """An image for the library. It refers to memory that the record keeps alive."""
    if isinstance(image, (str, os.PathLike)):
        return _library.Image(path=os.fsencode(image))
    if isinstance(image, (bytes, bytearray, memoryview)):
        data = bytes(image)
        return _library.Image(bytes=cast(c_char_p(data), c_void_p), byte_count=len(data))
    if hasattr(image, "mode") and hasattr(image, "tobytes"):
        with reading():
            if image.mode not in ("L", "RGB", "RGBA"):
                image = image.convert("RGBA" if "transparency" in image.info or image.mode in ("LA", "PA") else "RGB")
            data = image.tobytes()
        channels = {"L": 1, "RGB": 3, "RGBA": 4}[image.mode]
        return _pixels(data, image.size[0], image.size[1], channels, name(image))
    if hasattr(image, "__array_interface__") or hasattr(image, "__array__"):
        return _array(image)
    if image is None:
        raise InvalidTypeError("there is no image: the value is null", "wrongType")
    message = "a {} is no image: a path, bytes, a PIL image or an array is expected"
    raise InvalidTypeError(message.format(type(image).__name__), "wrongType")


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
    return _library.Image(
        path=encoded(name), pixels=cast(c_char_p(data), c_void_p), width=width, height=height, channels=channels
    )
