"""Classification of many images on a Spark cluster.

    images = spark.read.format("binaryFile").load("photos/")
    thaw.spark.classify(images, "MobileNet.mlmodel").write.parquet("predictions.parquet")

Every executor needs this package: see docs/spark.md.
"""

from __future__ import annotations

import atexit
import collections
import hashlib
import itertools
import os
import shutil
import tempfile
from typing import Any, Iterator

from . import _batches
from ._errors import InvalidTypeError, InvalidValueError, error

# The schema of a row of results.
SCHEMA = "path string, rank int, label string, index int, probability float, error string"

# The rows of a batch of results.
_BATCH_ROWS = 4096

# The classifier of this worker process, and the arguments it was created with.
_current: tuple[Any, Any] | None = None

# The models that this driver has handed to Spark: the application and the name of the file.
_shipped: set[tuple[str, str]] = set()


def classify(
    dataframe: Any, model: Any, top: int = 5, content: str = "content", path: str | None = None, **options: Any
) -> Any:
    """A DataFrame with a row for each prediction: path, rank, label, index, probability and error.

    With `content`, images are the bytes in that column, as the format "binaryFile" reads them; their paths are in the
    column "path", if there is one. With `path`, they are files that the workers read themselves, at the paths in that
    column. An image that cannot be read is a row with its error. The options are those of thaw.Classifier.
    """
    top = _batches.count(top, "top")
    source = _Model(dataframe.sparkSession, model, options)
    columns = _columns(dataframe, content, path)
    reads_files = path is not None

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _rows(source, batches, top, reads_files)

    return dataframe.select(*columns).mapInArrow(work, SCHEMA)


def evaluate(
    dataframe: Any, model: Any, truth: str, content: str = "content", path: str | None = None, **options: Any
) -> Any:
    """A confusion matrix: a DataFrame with `truth`, `prediction` and `count` for each pair that occurs.

    `truth` is the column of the images' labels. An image that cannot be read counts as predicted null.
    """
    if truth not in dataframe.columns:
        raise InvalidValueError(_no_column(truth, dataframe), "invalidOption")
    source = _Model(dataframe.sparkSession, model, options)
    reads_files = path is not None
    columns = _columns(dataframe, content, path) + [dataframe[truth].cast("string").alias("truth")]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        yield from _pairs(source, batches, reads_files)

    pairs = dataframe.select(*columns).mapInArrow(work, "truth string, prediction string, count bigint")
    return pairs.groupBy("truth", "prediction").sum("count").withColumnRenamed("sum(count)", "count")


# MARK: On the driver


def _no_column(name: str, dataframe: Any) -> str:
    return "the DataFrame has no column '{}'; it has {}".format(name, ", ".join(dataframe.columns))


def _columns(dataframe: Any, content: str, path: str | None) -> list[Any]:
    """The columns to process: a path and a content, or a path."""
    types = dict(dataframe.dtypes)
    name, expected = (content, "binary") if path is None else (path, "string")
    if name not in types:
        raise InvalidValueError(_no_column(name, dataframe), "invalidOption")
    if types[name] != expected:
        message = "the column '{}' is of type {}, not {}"
        raise InvalidTypeError(message.format(name, types[name], expected), "wrongType")
    if path is not None:
        return [dataframe[path].alias("path")]
    from pyspark.sql import functions

    known = dataframe["path"].cast("string") if "path" in types else functions.lit(None).cast("string")
    return [known.alias("path"), dataframe[content].alias("content")]


class _Model:
    """A model on its way to the workers, each of which loads it once."""

    def __init__(self, session: Any, model: Any, options: dict[str, Any]):
        from ._classifier import Classifier
        from .models import MLModel

        self.options = options
        if not isinstance(model, MLModel):
            model = MLModel(model)
        # Invalid options fail here, not in a worker.
        Classifier(model, **options).close()
        context = session.sparkContext
        folder = tempfile.mkdtemp(prefix="thaw-")
        path = os.path.join(folder, "model" + model._extension())
        model.save(path)
        # Spark identifies files by name only, and refuses a second one with the same name.
        digest = _digest(path)
        self.name = f"thaw-{digest}-{os.path.basename(path)}"
        known = (context.applicationId, self.name)
        if known in _shipped:
            shutil.rmtree(folder)
            return
        # Workers fetch the file whenever a job needs it, so it stays until the driver ends.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        final = os.path.join(folder, self.name)
        if os.path.isdir(path):
            # Spark does not ship folders to a cluster, so a package travels as an archive, which it unpacks on each worker.
            context.addArchive(shutil.make_archive(final, "zip", path) + "#" + self.name)
        else:
            os.rename(path, final)
            context.addFile(final)
        _shipped.add(known)

    def classifier(self) -> Any:
        """The classifier of this process."""
        global _current
        key = (self.name, sorted(self.options.items()))
        if _current is None or _current[0] != key:
            from pyspark import SparkFiles

            from ._classifier import Classifier

            path = SparkFiles.get(self.name)
            if not os.path.exists(path):
                raise error("noSuchFile", f"{path}: the model's file is missing on this worker")
            _current = (key, Classifier(path, **self.options))
        return _current[1]


def _digest(path: str) -> str:
    """A digest of a file, or of the files in a folder."""
    digest = hashlib.sha256()
    paths = [path]
    if os.path.isdir(path):
        paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    for part in paths:
        digest.update(os.path.relpath(part, path).encode() + b"\0")
        with open(part, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()[:16]


# MARK: In the workers


def _threads() -> int:
    """The threads of a task: as many as Spark gives it cores."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return max(1, context.cpus() if context is not None and hasattr(context, "cpus") else 1)


def _images(batches: Iterator[Any], reads_files: bool, paths: Any) -> Iterator[Any]:
    """The images of batches, whose paths, and other columns, are put into `paths` as they are drawn."""
    for batch in batches:
        columns = batch.columns
        others = columns[1 if reads_files else 2 :]
        for row in range(batch.num_rows):
            path = columns[0][row].as_py()
            paths.append((path, [column[row].as_py() for column in others]))
            if reads_files:
                yield None if path is None else _local(path)
            else:
                content = columns[1][row]
                yield memoryview(content.as_buffer()) if content.is_valid else None


def _local(path: str) -> str:
    """The path of a file, which Spark writes as a URL: unescaped in "binaryFile", escaped in its functions."""
    if not path.startswith("file:"):
        return path
    from urllib.parse import unquote

    literal = "/" + path[len("file:") :].lstrip("/")
    return literal if os.path.exists(literal) else unquote(literal)


def _results(source: _Model, batches: Iterator[Any], top: int, reads_files: bool) -> Iterator[Any]:
    paths: Any = collections.deque()
    images = _images(batches, reads_files, paths)
    # An empty partition needs no model.
    try:
        first = next(images)
    except StopIteration:
        return
    results = source.classifier().classify(
        itertools.chain([first], images), top=top, threads=_threads(), progress=False
    )
    for result in results:
        path, others = paths.popleft()
        yield path, others, result


def _rows(source: _Model, batches: Iterator[Any], top: int, reads_files: bool) -> Iterator[Any]:
    """A row for each prediction, and one for each error."""
    rows: list[Any] = []
    for path, _, result in _results(source, batches, top, reads_files):
        if result.error is not None:
            rows.append((path, None, None, None, None, str(result.error)))
        for rank, part in enumerate(result.predictions, 1):
            rows.append((path, rank, str(part.label), part.index, part.probability, None))
        if len(rows) >= _BATCH_ROWS:
            yield _batch(rows)
            rows = []
    if rows:
        yield _batch(rows)


def _batch(rows: list[Any]) -> Any:
    import pyarrow

    types = [pyarrow.string(), pyarrow.int32(), pyarrow.string(), pyarrow.int32(), pyarrow.float32(), pyarrow.string()]
    names = ["path", "rank", "label", "index", "probability", "error"]
    columns = [pyarrow.array(values, type) for values, type in zip(zip(*rows), types)]
    return pyarrow.RecordBatch.from_arrays(columns, names)


def _pairs(source: _Model, batches: Iterator[Any], reads_files: bool) -> Iterator[Any]:
    """How often each label was predicted for each true label."""
    import pyarrow

    counts: Any = collections.Counter()
    for _, (truth,), result in _results(source, batches, 1, reads_files):
        counts[truth, None if result.error is not None else str(result.label)] += 1
    if counts:
        truths, predictions = zip(*counts)
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(truths, pyarrow.string()), pyarrow.array(predictions, pyarrow.string()),
             pyarrow.array(counts.values(), pyarrow.int64())],
            ["truth", "prediction", "count"],
        )  # fmt: skip
