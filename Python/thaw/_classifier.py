"""thaw.Classifier: classifies many images on several threads."""

from __future__ import annotations

import collections
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_float, c_size_t, c_void_p, cast
from typing import Any, Iterable, Iterator, NamedTuple, Sized

from . import _images, _library
from ._errors import Error, InvalidTypeError, InvalidValueError, MachineError
from ._library import encoded
from ._owner import Owner
from ._types import _integer
from .models import MLModel


class Prediction(NamedTuple):
    """A class that an image may be of."""

    label: Any
    index: int  # type: ignore[assignment]
    probability: float


class Classification:
    """What a model says of one image: its `predictions`, or the `error` for which it could not be classified.

    `path` is the image's file, if it has one. `warning` says what is wrong with an image that could be read nevertheless.
    """

    __slots__ = ("path", "predictions", "error", "warning", "probabilities")

    def __init__(
        self,
        path: str | None,
        predictions: list[Prediction],
        error: Error | None = None,
        warning: str | None = None,
        probabilities: Any = None,
    ):
        self.path = path
        self.predictions = predictions
        self.error = error
        self.warning = warning
        self.probabilities = probabilities

    @property
    def label(self) -> Any:
        """The top label; None if there is an error."""
        return self.predictions[0].label if self.predictions else None

    @property
    def probability(self) -> float | None:
        """The probability of the top label; None if there is an error."""
        return self.predictions[0].probability if self.predictions else None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Classification({self.path!r}, error={self.error!r})"
        return f"Classification({self.path!r}, {self.predictions})"


class Classifier(Owner):
    """Classifies images of any size.

    `model` is an MLModel, or the path of a model or graph. The other arguments are the options of `thaw classify`.
    """

    _noun = "classifier"

    def __init__(
        self,
        model: Any,
        *,
        crop: str = "fill",
        resize: str = "pillow",
        background: str | None = None,
        max_pixels: int | None = None,
        strict: bool = False,
        fast: bool = False,
    ):
        self.model = model if isinstance(model, MLModel) else MLModel(model)
        self._labels = self.model._interface.labels
        options = _library.ClassifierOptions(
            crop=encoded(crop),
            resize=encoded(resize),
            background=encoded(background),
            maximum_pixels=max_pixels or 0,
            is_strict=bool(strict),
            is_fast=bool(fast),
        )
        self._handle = _library.handle("thaw_classifier_create", self.model._live(), byref(options))

    def classify(
        self,
        images: Any,
        top: int = 5,
        threads: int | None = None,
        probabilities: bool = False,
        progress: bool | None = None,
    ) -> Results:
        """Classifies images, in their order.

        `images` is the path of a file or folder, the bytes of an image file, a PIL image, an array of bytes (height, width,
        and 1, 3 or 4 channels), or an iterable of such, which is read as results are taken: memory does not grow with
        their number. With `probabilities`, results have the probabilities of all classes as an array. `progress` shows a
        bar of tqdm; without it, it does if tqdm is installed and standard error is a terminal.
        """
        return Results(self, images, _count(top, "top"), 0 if threads is None else _count(threads, "threads"),
                       probabilities, progress)  # fmt: skip


def _count(value: Any, what: str) -> int:
    number = _integer(value, what)
    if not 1 <= number <= 1 << 20:
        raise InvalidValueError(f"{what} must be at least 1, not {number}")
    return number


class Results(Owner, Iterator[Classification]):
    """The classifications of images, in their order. `close` ends the work; images without a result yet get none."""

    _noun = "batch"
    # A progress bar of tqdm.
    _bar: Any = None

    def __init__(
        self, classifier: Classifier, images: Any, top: int, threads: int, probabilities: bool, progress: bool | None
    ):
        self._labels = classifier._labels
        self._top = top
        self._has_probabilities = probabilities
        self._indices = (c_size_t * top)()
        options = _library.BatchOptions(threads=threads)
        paths, total = _paths(images)
        # What was given to the library and not taken back: an error, or None for what the library works on.
        self._pending: collections.deque[Any] = collections.deque()
        self._images: Iterator[Any] | None = None
        if paths is not None:
            strings = (c_char_p * len(paths))(*paths)
            options.paths, options.path_count = cast(strings, POINTER(c_char_p)), len(paths)
        else:
            if isinstance(images, (bytes, bytearray, memoryview)) or hasattr(images, "tobytes"):
                images = [images]
            if not isinstance(images, Iterable):
                message = "classify takes paths, bytes, images or arrays, not a {}"
                raise InvalidTypeError(message.format(type(images).__name__), "wrongType")
            total = len(images) if isinstance(images, Sized) else None
            self._images = iter(images)
        if paths is None or paths:
            self._handle = _library.handle("thaw_batch_create", classifier._live(), byref(options))
            self._window = _library.library().thaw_batch_window(self._handle)
        self._bar = _bar(progress, total)

    def __iter__(self) -> Results:
        return self

    def __next__(self) -> Classification:
        if self._handle is None:
            raise StopIteration
        if self._images is not None:
            self._fill()
            if not self._pending:
                self.close()
                raise StopIteration
            failure = self._pending.popleft()
            if failure is not None:
                return self._counted(failure)
        result = c_void_p()
        # In short turns, between which Python sees Control-C.
        while _library.call("thaw_batch_next", self._handle, 100, byref(result)) == _library.TIMED_OUT:
            pass
        if not result:
            self.close()
            raise StopIteration
        try:
            return self._counted(self._classification(result))
        finally:
            _library.library().thaw_result_free(result)

    def _counted(self, classification: Classification) -> Classification:
        if self._bar is not None:
            self._bar.update()
        return classification

    def _fill(self) -> None:
        """Hands images to the library while it has room for them."""
        assert self._images is not None
        while len(self._pending) < self._window:
            try:
                image = next(self._images)
            except StopIteration:
                return
            try:
                record = _images.record(image)
            except Error as failure:
                self._pending.append(Classification(_images.name(image), [], failure))
                continue
            _library.call("thaw_batch_add", self._handle, byref(record))
            self._pending.append(None)

    def _classification(self, result: Any) -> Classification:
        record = _library.ClassificationRecord()
        _library.call("thaw_result_classification", result, byref(record))
        path = None if record.path is None else os.fsdecode(record.path)
        if record.error:
            return Classification(path, [], _library.exception(record.error))
        found = c_size_t()
        _library.call("thaw_result_top", result, self._top, self._indices, byref(found))
        values, labels = record.probabilities, self._labels
        predictions = [
            Prediction(labels[index] if labels else str(index), index, values[index])
            for index in self._indices[: found.value]
        ]
        warning = None if record.warning is None else record.warning.decode("utf-8", "replace")
        return Classification(path, predictions, None, warning, self._all(record) if self._has_probabilities else None)

    def _all(self, record: Any) -> Any:
        import numpy

        memory = (c_float * record.count).from_address(cast(record.probabilities, c_void_p).value or 0)
        return numpy.frombuffer(memory, dtype=numpy.float32).copy()

    def to_pandas(self) -> Any:
        """What is left of the results as a pandas.DataFrame: a row per prediction, and one per error."""
        try:
            import pandas
        except ImportError as failure:
            raise MachineError("to_pandas() needs pandas, which is not installed", "environment") from failure
        rows: list[tuple[Any, ...]] = []
        for result in self:
            if result.error is not None:
                rows.append((result.path, None, None, None, None, str(result.error)))
            for rank, prediction in enumerate(result.predictions, 1):
                rows.append((result.path, rank, *prediction, None))
        frame = pandas.DataFrame(rows, columns=["path", "rank", "label", "index", "probability", "error"])
        return frame.astype({"rank": "Int64", "index": "Int64", "probability": "float64"})

    def close(self) -> None:
        super().close()
        bar, self._bar = self._bar, None
        if bar is not None:
            bar.close()


def _bar(progress: bool | None, total: int | None) -> Any:
    if progress is False or progress is None and not (sys.stderr is not None and sys.stderr.isatty()):
        return None
    try:
        import tqdm
    except ImportError:
        return None
    return tqdm.tqdm(total=total, unit="image")


def _paths(images: Any) -> tuple[list[bytes] | None, int | None]:
    """The paths that are given, and the number of images if it is known; no paths if anything else is given."""
    if isinstance(images, (str, os.PathLike)):
        return [os.fsencode(images)], None
    if isinstance(images, (list, tuple)) and all(isinstance(image, (str, os.PathLike)) for image in images):
        return [os.fsencode(image) for image in images], len(images)
    return None, None
