"""A standalone cluster of Spark on this machine: a master and two workers with a core for the session and a spare one."""

import glob
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

pyspark = pytest.importorskip("pyspark")

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TESTS)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Cluster:
    """The master and its workers, each a process of its own."""

    def __init__(self, folder, cores=2, workers=2):
        self.home = os.path.dirname(pyspark.__file__)
        self.folder = str(folder)
        self.processes = []
        port, page = free_port(), free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self.environment = dict(
            os.environ, SPARK_HOME=self.home, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable
        )
        self.start("master", "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page))
        self.wait(port)
        for number in range(workers):
            work = os.path.join(self.folder, f"work-{number}")
            self.start(
                f"worker-{number}", "worker.Worker", "--host", "127.0.0.1", "--cores", str(cores), "--memory", "2g",
                "--work-dir", work, "--webui-port", str(free_port()), self.url,
            )  # fmt: skip

    def start(self, name, kind, *arguments):
        command = [os.path.join(self.home, "bin", "spark-class"), "org.apache.spark.deploy." + kind]
        log = open(os.path.join(self.folder, name + ".log"), "wb")
        process = subprocess.Popen(
            command + list(arguments), stdout=log, stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder
        )
        self.processes.append(process)
        log.close()

    def wait(self, port):
        for _ in range(240):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.5)
        raise RuntimeError("Spark's master does not answer")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
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
