"""thaw.Detector: finds objects in many images on several threads."""

from __future__ import annotations

from ctypes import byref, c_double, pointer
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _batches, _library
from ._errors import Error, InvalidTypeError
from ._owner import Owner
from .models import MLModel

if TYPE_CHECKING:
    import pandas


class DetectedObject(NamedTuple):
    """An object in an image. `x` and `y` are the top left corner of its box, in pixels of the upright original."""

    label: str
    index: int  # type: ignore[assignment]
    confidence: float
    x: float
    y: float
    width: float
    height: float


class Detection:
    """The `objects` in one image, the most confident first, or the `error` that prevented their detection.

    `path` is the image's file, if it has one, `width` and `height` its size in pixels, upright. `warning` describes
    a problem found in an image that could still be read.
    """

    __slots__ = ("path", "objects", "width", "height", "error", "warning")

    def __init__(
        self,
        path: str | None,
        objects: list[DetectedObject],
        width: int = 0,
        height: int = 0,
        error: Error | None = None,
        warning: str | None = None,
    ):
        self.path = path
        self.objects = objects
        self.width = width
        self.height = height
        self.error = error
        self.warning = warning

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Detection({self.path!r}, error={self.error!r})"
        return f"Detection({self.path!r}, {self.objects})"


class Detector(Owner):
    """Finds objects in images of any size.

    `model` is an MLModel, or the path of a model: a pipeline with a non-maximum suppression stage, such as the
    exports of Ultralytics and Create ML. The other arguments are the options of `thaw detect`; thresholds default to the
    model's.
    """

    _noun = "detector"

    def __init__(
        self,
        model: Any,
        *,
        crop: str = "fill",
        resize: str = "pillow",
        background: str | None = None,
        max_pixels: int | None = None,
        strict: bool = False,
        confidence: float | None = None,
        iou: float | None = None,
        precision: str = "float32",
    ):
        self.model = model if isinstance(model, MLModel) else MLModel(model)
        fitting = _batches.image_options(crop, resize, background, max_pixels, strict, precision)
        options = _library.DetectorOptions(**fitting)
        if confidence is not None:
            options.confidence = pointer(c_double(_threshold(confidence, "confidence")))
        if iou is not None:
            options.iou = pointer(c_double(_threshold(iou, "iou")))
        self._handle = _library.call_for_handle("thaw_detector_create", self.model._live(), byref(options))
        _library.warn_of_precision(precision)

    @property
    def labels(self) -> list[str] | None:
        """The labels of the classes; None if the model has none."""
        return self.model._description["detector"]["labels"]

    def detect(self, images: Any, *, threads: int | None = None, progress: bool | None = None) -> Detections:
        """Finds objects in images, in the order of the images.

        `images` is the path of a file or folder, the bytes of an image file, a PIL image, an array of bytes (height, width,
        and 1, 3 or 4 channels), or an iterable of these, which is read as results are taken, 16 images per thread
        ahead: memory does not grow with their number. `progress` shows a tqdm progress bar; by default, one is shown if tqdm
        is installed and standard error is a terminal.
        """
        return Detections(self, images, threads, progress)


def _threshold(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as failure:
        raise InvalidTypeError(f"{what} must be a number, not {value!r}", "wrongType") from failure


class Detections(_batches.Batch[Detection]):
    """The objects in images, in order. `close` ends the work; images without a result yet get none."""

    _method = "detect"
    _function = "thaw_detector_batch_create"

    def _failed(self, path: str | None, failure: Error) -> Detection:
        return Detection(path, [], error=failure)

    def _answer(self, result: Any) -> Detection:
        record = _library.DetectionRecord()
        _library.call("thaw_result_detection", result, byref(record))
        path = _batches.decoded_path(record.path)
        if record.error:
            return Detection(path, [], error=_library.exception(record.error))
        objects = [
            DetectedObject(item.label.decode(), item.index, item.confidence, item.x, item.y, item.width, item.height)
            for item in record.objects[: record.count]
        ]
        return Detection(path, objects, record.width, record.height, None, _batches.decoded_text(record.warning))

    def to_pandas(self) -> pandas.DataFrame:
        """The remaining results as a pandas.DataFrame: a row per object, and one per error."""
        rows: list[tuple[Any, ...]] = []
        for result in self:
            if result.error is not None:
                rows.append((result.path, *[None] * 8, str(result.error)))
            for rank, found in enumerate(result.objects, 1):
                rows.append((result.path, rank, *found, None))
        numbers = dict.fromkeys(["confidence", "x", "y", "width", "height"], "float64")
        columns = {"path": None, "rank": "Int64", "label": None, "index": "Int64", **numbers, "error": None}
        return _batches.frame(rows, columns)
