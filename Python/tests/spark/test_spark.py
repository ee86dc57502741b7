"""Classification on a standalone cluster."""

import collections
import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

pytest.importorskip("pyspark")

from material import CAT, PHOTOS, ROOT  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty photos, and a damaged one."""
    folder = tmp_path_factory.mktemp("photos")
    names = sorted(name for name in os.listdir(PHOTOS) if name.endswith(".jpg"))
    for number in range(40):
        shutil.copy(os.path.join(PHOTOS, names[number % len(names)]), str(folder / f"{number:02}.jpg"))
    (folder / "damaged.jpg").write_bytes(b"\xff\xd8 nonsense")
    return str(folder)


@pytest.fixture(scope="module")
def expected(folder, model_path):
    import thaw

    return {os.path.basename(result.path): result for result in thaw.Classifier(model_path).classify(folder, top=3)}


def check(rows, expected):
    found = collections.defaultdict(list)
    for row in rows:
        found[os.path.basename(row.path)].append(row)
    assert set(found) == set(expected)
    for name, rows in found.items():
        result = expected[name]
        if result.error is not None:
            (row,) = rows
            assert row.error and (row.rank, row.label, row["index"], row.probability) == (None,) * 4
            continue
        rows.sort(key=lambda row: row.rank)
        assert [row.rank for row in rows] == [1, 2, 3]
        assert [(row.label, row["index"]) for row in rows] == [(part.label, part.index) for part in result.predictions]
        assert [row.probability for row in rows] == pytest.approx(
            [part.probability for part in result.predictions], abs=1e-6
        )
        assert all(row.error is None for row in rows)


def test_content(session, folder, model_path, expected):
    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    check(thaw.spark.classify(images, model_path, top=3).collect(), expected)


def test_paths(session, folder, model_path, expected):
    import thaw.spark

    paths = [(os.path.join(folder, name),) for name in os.listdir(folder)]
    images = session.createDataFrame(paths, "file string").repartition(3)
    check(thaw.spark.classify(images, model_path, top=3, path="file").collect(), expected)
    urls = session.read.format("binaryFile").load(folder).select("path")
    check(thaw.spark.classify(urls, model_path, top=3, path="path").collect(), expected)


def test_a_model_in_memory_and_a_package(session, folder, model_path, expected, tmp_path):
    import thaw
    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    model = thaw.models.MLModel(model_path)
    check(thaw.spark.classify(images, model, top=3).collect(), expected)
    package = tmp_path / "model.mlpackage"
    model.save(package)
    rows = thaw.spark.classify(images, package, top=1).collect()
    right = sum(row.error is not None or row.label == expected[os.path.basename(row.path)].label for row in rows)
    assert right >= len(rows) - 2


def test_empty_partitions_and_null_content(session, folder, model_path):
    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    assert thaw.spark.classify(images.limit(0), model_path).collect() == []
    few = images.limit(2).repartition(8)
    assert len(thaw.spark.classify(few, model_path, top=1).collect()) == 2
    with open(CAT, "rb") as file:
        data = [("a", bytearray(file.read())), ("b", None), ("c", bytearray(b"")), (None, None)]
    rows = thaw.spark.classify(
        session.createDataFrame(data, "path string, content binary"), model_path, top=1
    ).collect()
    assert sorted((row.path or "", row.label is not None, row.error is not None) for row in rows) == [
        ("", False, True), ("a", True, False), ("b", False, True), ("c", False, True),
    ]  # fmt: skip
    paths = session.createDataFrame([(CAT,), (None,), ("no such file.jpg",), (PHOTOS,)], "path string")
    rows = thaw.spark.classify(paths, model_path, top=1, path="path").collect()
    assert sum(row.error is None for row in rows) == 1 and len(rows) == 4


def test_wrong_columns_options_and_models(session, folder, model_path):
    import thaw
    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    with pytest.raises(TypeError, match="of type bigint, not binary"):
        thaw.spark.classify(images, model_path, content="length")
    with pytest.raises(TypeError, match="of type binary, not string"):
        thaw.spark.classify(images, model_path, path="content")
    with pytest.raises(ValueError, match="no column 'nonsense'"):
        thaw.spark.classify(images, model_path, content="nonsense")
    with pytest.raises(ValueError):
        thaw.spark.classify(images, model_path, crop="nonsense")
    for wrong in (0, 2_000_000):
        with pytest.raises(ValueError, match="top must be from 1 to"):
            thaw.spark.classify(images, model_path, top=wrong)
    with pytest.raises(FileNotFoundError):
        thaw.spark.classify(images, "no such model.mlmodel")
    with pytest.raises(ValueError, match="no column"):
        thaw.spark.evaluate(images, model_path, truth="nonsense")


def test_a_model_that_is_missing_on_a_worker_is_named(session, folder, model_path, monkeypatch):
    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    original = thaw.spark._Model.__init__

    def lost(self, *arguments):
        original(self, *arguments)
        self.name = "lost.mlmodel"

    monkeypatch.setattr(thaw.spark._Model, "__init__", lost)
    with pytest.raises(Exception, match="model's file is missing on this worker"):
        thaw.spark.classify(images, model_path).collect()


def test_a_confusion_matrix(session, folder, model_path, expected):
    from pyspark.sql import functions

    import thaw.spark

    images = session.read.format("binaryFile").load(folder)
    images = images.withColumn("truth", functions.when(images.path.contains("damaged"), "frog").otherwise("cat"))
    counts = {(row.truth, row.prediction): row["count"] for row in
              thaw.spark.evaluate(images, model_path, truth="truth").collect()}  # fmt: skip
    wanted = collections.Counter(
        ("frog", None) if result.error is not None else ("cat", result.label) for result in expected.values()
    )
    assert counts == wanted


def test_the_script(cluster, folder, model_path, expected, tmp_path):
    import pandas

    output = str(tmp_path / "out.parquet")
    script = os.path.join(ROOT, "Python", "scripts", "thaw_classify.py")
    submit = [os.path.join(cluster.home, "bin", "spark-submit"), "--master", cluster.url, "--conf", "spark.driver.host=127.0.0.1",
              "--conf", "spark.executorEnv.PYTHONPATH=" + os.environ.get("PYTHONPATH", ""),
              "--conf", "spark.cores.max=1", "--conf", "spark.executor.memory=512m"]  # fmt: skip
    child = subprocess.Popen(
        submit + [script, "--model", model_path, "--input", folder, "--output", output, "--top", "3"],
        env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        text = child.communicate(timeout=240)[0].decode()
    finally:
        child.kill()
    assert child.returncode == 0, text[-3000:]
    frame = pandas.read_parquet(output)
    assert list(frame.columns) == ["path", "rank", "label", "index", "probability", "error"]
    assert set(frame["path"].map(os.path.basename)) == set(expected)


def test_a_killed_worker_loses_and_repeats_no_photo(cluster, session, model_path, tmp_path):
    import thaw.spark

    for number in range(600):
        os.link(CAT, str(tmp_path / f"{number:03}.jpg"))
    paths = session.createDataFrame([(str(tmp_path / name),) for name in os.listdir(str(tmp_path))], "path string")
    killed = []

    def kill():
        for _ in range(400):
            for process in cluster.python_workers()[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    rows = thaw.spark.classify(paths.repartition(12), model_path, top=1, path="path").collect()
    thread.join()
    assert killed, "no worker was found at work"
    assert sorted(os.path.basename(row.path) for row in rows) == [f"{number:03}.jpg" for number in range(600)]
    assert all(row.error is None for row in rows)
