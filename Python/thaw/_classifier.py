"""thaw.Classifier: classifies many images on several threads."""

from __future__ import annotations

from ctypes import byref, c_float, c_size_t, c_void_p, cast
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _batches, _library
from ._batches import count
from ._errors import Error
from ._owner import Owner
from .models import MLModel

if TYPE_CHECKING:
    import numpy
    import pandas


class Prediction(NamedTuple):
    """A predicted class."""

    label: str | int
    index: int  # type: ignore[assignment]
    probability: float


class Classification:
    """A model's `predictions` for one image, or the `error` that prevented its classification.

    `path` is the image's file, if it has one. `warning` describes a problem found in an image that could still be read.
    """

    __slots__ = ("path", "predictions", "error", "warning", "probabilities")

    def __init__(
        self,
        path: str | None,
        predictions: list[Prediction],
        error: Error | None = None,
        warning: str | None = None,
        probabilities: numpy.ndarray | None = None,
    ):
        self.path = path
        self.predictions = predictions
        self.error = error
        self.warning = warning
        self.probabilities = probabilities

    @property
    def label(self) -> str | int | None:
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

    `model` is an MLModel, or the path of a model or graph. The other arguments have the meaning of
    `thaw classify`'s options.
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
        precision: str = "float32",
    ):
        self.model = model if isinstance(model, MLModel) else MLModel(model)
        self._labels = self.model._interface.labels
        fitting = _batches.image_options(crop, resize, background, max_pixels, strict, precision)
        options = _library.ClassifierOptions(**fitting, is_fast=bool(fast))
        self._handle = _library.call_for_handle("thaw_classifier_create", self.model._live(), byref(options))
        _library.warn_of_precision(precision)

    def classify(
        self,
        images: Any,
        *,
        top: int = 5,
        threads: int | None = None,
        probabilities: bool = False,
        progress: bool | None = None,
    ) -> Results:
        """Classifies images, in order.

        `images` is the path of a file or folder, the bytes of an image file, a PIL image, an array of bytes (height, width,
        and 1, 3 or 4 channels), or an iterable of these, which is read as results are taken, 16 images per thread
        ahead: memory does not grow with their number. With `probabilities`, results have the probabilities of all classes as
        an array. `progress` shows a tqdm progress bar; by default, one is shown if tqdm is installed and standard error is a
        terminal.
        """
        return Results(self, images, count(top, "top"), threads, probabilities, progress)


class Results(_batches.Batch[Classification]):
    """The classifications of images, in order. `close` ends the work; images without a result yet get none."""

    _method = "classify"
    _function = "thaw_batch_create"

    def __init__(
        self,
        classifier: Classifier,
        images: Any,
        top: int,
        threads: int | None,
        probabilities: bool,
        progress: bool | None,
    ):
        self._labels = classifier._labels
        self._top = top
        self._has_probabilities = probabilities
        self._indices = (c_size_t * top)()
        super().__init__(classifier, images, threads, progress)

    def _failed(self, path: str | None, failure: Error) -> Classification:
        return Classification(path, [], failure)

    def _answer(self, result: Any) -> Classification:
        record = _library.ClassificationRecord()
        _library.call("thaw_result_classification", result, byref(record))
        path = _batches.decoded_path(record.path)
        if record.error:
            return Classification(path, [], _library.exception(record.error))
        found = c_size_t()
        _library.call("thaw_result_top", result, self._top, self._indices, byref(found))
        values, labels = record.probabilities, self._labels
        predictions = [
            Prediction(labels[index] if labels else str(index), index, values[index])
            for index in self._indices[: found.value]
        ]
        warning = _batches.decoded_text(record.warning)
        return Classification(path, predictions, None, warning, self._all(record) if self._has_probabilities else None)

    def _all(self, record: Any) -> numpy.ndarray:
        import numpy

        memory = (c_float * record.count).from_address(cast(record.probabilities, c_void_p).value or 0)
        return numpy.frombuffer(memory, dtype=numpy.float32).copy()

    def to_pandas(self) -> pandas.DataFrame:
        """The remaining results as a pandas.DataFrame: a row per prediction, and one per error."""
        rows: list[tuple[Any, ...]] = []
        for result in self:
            if result.error is not None:
                rows.append((result.path, None, None, None, None, str(result.error)))
            for rank, prediction in enumerate(result.predictions, 1):
                rows.append((result.path, rank, *prediction, None))
        columns = {
            "path": None,
            "rank": "Int64",
            "label": None,
            "index": "Int64",
            "probability": "float64",
            "error": None,
        }
        return _batches.frame(rows, columns)
