"""A standalone cluster of Spark on this machine: a master and workers on the loopback interface."""

import os
import socket
import subprocess
import sys
import time

import pyspark


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


class Cluster:
    """The master and its workers, each a process of its own."""

    def __init__(self, folder, cores=2, workers=2, is_pinned=False):
        """With `is_pinned`, all that the worker of index n starts is bound to the core of index n."""
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
                prefix=["taskset", "-c", str(number)] if is_pinned else [],
            )  # fmt: skip

    def start(self, name, kind, *arguments, prefix=()):
        command = [*prefix, os.path.join(self.home, "bin", "spark-class"), "org.apache.spark.deploy." + kind]
        log = open(os.path.join(self.folder, name + ".log"), "wb")
        process = subprocess.Popen(
            command + list(arguments), stdout=log, stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder
        )
        self.processes.append(process)
        log.close()

    def python_workers(self):
        """The processes that Spark's workers run Python in, and that have loaded the library."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
        own = {process.pid for process in self.processes}

        def is_own(process):
            while process in parents and process not in own:
                process = parents[process]
            return process in own

        found = []
        for process in filter(is_own, parents):
            try:
                with open(f"/proc/{process}/cmdline") as line, open(f"/proc/{process}/maps") as maps:
                    if "pyspark.daemon" in line.read() and "libthaw" in maps.read():
                        found.append(process)
            except OSError:
                continue
        return found

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
