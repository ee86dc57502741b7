"""A cluster of two workers, with a core for the session and a spare one each."""

import glob
import os
import shutil
import sys

import pytest

pytest.importorskip("pyspark")

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [TESTS, os.path.dirname(os.path.abspath(__file__))]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    from cluster import Cluster

    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def session(cluster):
    from pyspark.sql import SparkSession

    for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        os.environ[name] = cluster.environment[name]
    session = (
        SparkSession.builder.master(cluster.url)
        .appName("tests")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "1g")
        # An executor on each worker. The other cores are for applications that tests submit.
        .config("spark.executor.cores", "1")
        .config("spark.cores.max", "2")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.files.openCostInBytes", "65536")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def model_path(tmp_path_factory):
    from material import GRAPH, LABELS

    import thaw

    path = tmp_path_factory.mktemp("model") / "cifar10.mlmodel"
    thaw.convert(GRAPH, classifier_config=thaw.ClassifierConfig(LABELS)).save(path)
    return str(path)


def work_folders(cluster):
    """The folders in which the workers keep what applications brought."""
    return glob.glob(os.path.join(cluster.folder, "work-*", "app-*", "*"))
