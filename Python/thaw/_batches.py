"""The common part of Classifier and Detector: the results of many images, in order."""

from __future__ import annotations

import collections
import os
import sys
import threading
from ctypes import POINTER, byref, c_char_p, c_void_p, cast
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sized, TypeVar

from . import _images, _library
from ._errors import Error, InvalidTypeError, InvalidValueError, MachineError
from ._library import encoded, encoded_path
from ._owner import Owner
from ._types import _integer, name_of

if TYPE_CHECKING:
    import pandas

Answer = TypeVar("Answer")


def count(value: Any, what: str) -> int:
    number = _integer(value, what)
    if not 1 <= number <= 1 << 20:
        raise InvalidValueError(f"{what} must be from 1 to {1 << 20:,}, not {number}")
    return number


def pixels(value: Any) -> int:
    """The argument `max_pixels` for the library."""
    number = 0 if value is None else _integer(value, "max_pixels")
    if value is not None and not 1 <= number < 1 << 64:
        raise InvalidValueError(f"max_pixels must be positive, not {number}")
    return number


class Batch(Owner, Iterator[Answer]):
    """The results of images, in order. `close` ends the work; images without a result yet get none.

    Several threads may take results from it.
    """

    _noun = "batch"
    _instead = "list() collects its results"
    # The name of the method that creates it, and of the library's function.
    _method = ""
    _function = ""
    # A tqdm progress bar.
    _bar: Any = None
    # The result that the library returns next.
    _result = c_void_p()

    def __init__(self, owner: Owner, images: Any, threads: int | None, progress: bool | None):
        options = _library.BatchOptions(threads=0 if threads is None else count(threads, "threads"))
        paths, total = _paths(images)
        # Held while a result is taken. The thread that holds it may take another, if its iterable of images does so.
        self._lock, self._process = threading.RLock(), os.getpid()
        # In the order of the images: a result that is ready, an exception of the iterable, or None for an image that the
        # library is working on.
        self._pending: collections.deque[Any] = collections.deque()
        self._images: Iterator[Any] | None = None
        self._result = c_void_p()
        if paths is not None:
            strings = (c_char_p * len(paths))(*paths)
            options.paths, options.path_count = cast(strings, POINTER(c_char_p)), len(paths)
        else:
            if isinstance(images, (bytes, bytearray, memoryview)) or hasattr(images, "tobytes"):
                images = [images]
            if not isinstance(images, Iterable):
                message = "{} takes paths, bytes, images or arrays, not {}"
                raise InvalidTypeError(message.format(self._method, type(images).__name__), "wrongType")
            total = len(images) if isinstance(images, Sized) else None
            self._images = iter(images)
        if paths is None or paths:
            self._handle = _library.call_for_handle(self._function, owner._live(), byref(options))
            self._window = _library.library().thaw_batch_window(self._handle)
        self._bar = _new_bar(progress, total)

    def _answer(self, result: Any) -> Answer:
        """Converts a result of the library."""
        raise NotImplementedError

    def _failed(self, path: str | None, failure: Error) -> Answer:
        """The result for an image that is not passed to the library."""
        raise NotImplementedError

    def __next__(self) -> Answer:
        if self._process != os.getpid():
            # Another thread, which this forked process does not have, may have held the lock.
            self._lock, self._process = threading.RLock(), os.getpid()
        with self._lock:
            return self._next()

    def _next(self) -> Answer:
        if self._handle is None:
            raise StopIteration
        if self._images is not None:
            self._fill()
            if not self._pending:
                self.close()
                raise StopIteration
            ready = self._pending[0]
            if ready is not None:
                self._pending.popleft()
                if isinstance(ready, Exception):
                    raise ready
                return self._counted(ready)
        # A result is left if Control-C interrupted the previous call after the library had returned it.
        result = self._result
        # With short timeouts, between which Python handles Control-C.
        while not result and _library.call("thaw_batch_next", self._handle, 100, byref(result)) == _library.TIMED_OUT:
            pass
        # Only now: if Control-C interrupts the wait, the next call waits for the same result.
        self._result = c_void_p()
        if self._images is not None:
            self._pending.popleft()
        if not result:
            self.close()
            raise StopIteration
        try:
            return self._counted(self._answer(result))
        finally:
            _library.library().thaw_result_free(result)

    def _counted(self, answer: Answer) -> Answer:
        if self._bar is not None:
            self._bar.update()
        return answer

    def _fill(self) -> None:
        """Passes images to the library while it has room for them."""
        assert self._images is not None
        while len(self._pending) < self._window:
            # An iterable that raises is read on only if the caller goes on after the exception.
            if self._pending and isinstance(self._pending[-1], Exception):
                return
            try:
                image = next(self._images)
            except StopIteration:
                return
            except Exception as failure:
                # Raised in its position, after the results of the images before it.
                self._pending.append(failure)
                return
            try:
                record = _images.record(image)
            except Error as failure:
                self._pending.append(self._failed(_images.name(image), failure))
                continue
            _library.call("thaw_batch_add", self._handle, byref(record))
            self._pending.append(None)

    def close(self) -> None:
        super().close()
        result, self._result = self._result, c_void_p()
        if result:
            _library.library().thaw_result_free(result)
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.close()


def image_options(
    crop: str, resize: str, background: str | None, max_pixels: int | None, strict: bool, precision: str
) -> dict[str, Any]:
    """The members of the library's options that classifiers and detectors have in common."""
    return {
        "crop": encoded(name_of(crop, "crop")),
        "resize": encoded(name_of(resize, "resize")),
        "background": encoded(background if background is None else name_of(background, "background")),
        "maximum_pixels": pixels(max_pixels),
        "is_strict": bool(strict),
        "precision": encoded(name_of(precision, "precision")),
    }


def frame(rows: list[tuple[Any, ...]], columns: dict[str, str | None]) -> pandas.DataFrame:
    """A pandas.DataFrame of these columns, each with its data type."""
    try:
        import pandas
    except ImportError as failure:
        raise MachineError("to_pandas() needs pandas, which is not installed", "environment") from failure
    return pandas.DataFrame(rows, columns=list(columns)).astype({name: kind for name, kind in columns.items() if kind})


def decoded_path(path: bytes | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def decoded_text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def _new_bar(progress: bool | None, total: int | None) -> Any:
    if progress is False or progress is None and not (sys.stderr is not None and sys.stderr.isatty()):
        return None
    try:
        import tqdm
    except ImportError as failure:
        if progress:
            raise MachineError("progress=True needs tqdm, which is not installed", "environment") from failure
        return None
    return tqdm.tqdm(total=total, unit="image")


def _paths(images: Any) -> tuple[list[bytes] | None, int | None]:
    """The given paths, and the number of images if it is known; no paths if anything else is given."""
    if isinstance(images, (str, os.PathLike)):
        return [encoded_path(images)], None
    if isinstance(images, (list, tuple)) and all(isinstance(image, (str, os.PathLike)) for image in images):
        return [encoded_path(image) for image in images], len(images)
    return None, None
