#!/usr/bin/env python3
"""Measures thaw.spark on a standalone cluster of this machine, whose workers have one core each.

usage: spark.py [--parts speed,scaling,kill,memory] [--thaw BINARY] [--count N] [--rounds N] [--small FOLDER]
                [--resnet MODEL] [--scaling-count N] [--memory-counts N,N] MODEL PHOTOS

Run it with a Python that has the wheel, PySpark, pandas and pyarrow; Java must be installed. PHOTOS is a folder of JPEG files;
links to them are created until there are N.

- speed: two workers on N photos relative to `thaw classify --threads 2`, with a column of paths and with `binaryFile`. A job
  before warms the workers up, so that start-up is excluded on both sides. --small is a folder of small files, for which the
  same is reported.
- scaling: the speed of two workers relative to one, each bound to a core, with the model of --resnet
- kill: whether each photo is classified exactly once if a Python worker is ended by SIGKILL while it works
- memory: the largest resident size of a Python worker for the larger number of photos relative to the smaller one

Times are medians of rounds. Each figure has a limit, and the exit code is 1 if one is missed. The machine should be otherwise
idle.
"""
import argparse
import contextlib
import itertools
import os
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "Python", "tests", "spark"))
missed = []


def report(what, value, limit=None, lowest=True, unit=""):
    bound = "" if limit is None else f"{'at least' if lowest else 'at most':>9} {limit:g}"
    print(f"{what:60}{value:8.2f} {unit:3}{bound}", flush=True)
    if limit is not None and (value < limit if lowest else value > limit):
        missed.append(what)


@contextlib.contextmanager
def session(workers, is_pinned=False):
    """A cluster of one-core workers, and a session that uses all of them."""
    from cluster import Cluster
    from pyspark.sql import SparkSession
    with tempfile.TemporaryDirectory(prefix="thaw-spark-") as folder:
        cluster = Cluster(folder, cores=1, workers=workers, is_pinned=is_pinned)
        os.environ.update({name: cluster.environment[name] for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON")})
        builder = SparkSession.builder.master(cluster.url).appName("benchmark")
        for name, value in {
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.executor.memory": "1g", "spark.executor.cores": "1", "spark.cores.max": str(workers),
            "spark.scheduler.minRegisteredResourcesRatio": "1.0", "spark.sql.files.openCostInBytes": "65536",
            # As docs/spark.md advises.
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield cluster, spark
        finally:
            spark.stop()
            cluster.stop()


def links(photos, count, folder):
    """A folder with links to photos, and the paths of these."""
    names = sorted(name for name in os.listdir(photos) if name.lower().endswith((".jpg", ".jpeg", ".png")))
    if not names:
        sys.exit(f"{photos}: there are no photos")
    paths = []
    for index, name in zip(range(count), itertools.cycle(names)):
        paths.append(os.path.join(folder, f"{index:07}{os.path.splitext(name)[1]}"))
        os.symlink(os.path.abspath(os.path.join(photos, name)), paths[-1])
    return paths


def by_path(spark, paths, model):
    import thaw.spark
    parts = max(2, min(64, len(paths) // 1000))
    column = spark.createDataFrame([(path,) for path in paths], "path string").repartition(parts)
    return thaw.spark.classify(column, model, top=1, path="path")


def by_content(spark, paths, model):
    import thaw.spark
    return thaw.spark.classify(spark.read.format("binaryFile").load(os.path.dirname(paths[0])), model, top=1)


def seconds(body):
    start = time.perf_counter()
    body()
    return time.perf_counter() - start


def run(frame):
    """Computes all rows, and keeps none."""
    frame.write.format("noop").mode("overwrite").save()


def command_seconds(given, folder, single):
    def classify(images):
        words = [given.thaw, "classify", given.model, images, "--threads", "2", "--top", "1", "--quiet"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return seconds(lambda: classify(folder)) - seconds(lambda: classify(single))


def measure_speed(given, photos, count, limits, what):
    with tempfile.TemporaryDirectory() as folder, session(2) as (_, spark):
        paths = links(photos, count, folder)
        frames = {"a column of paths": by_path, "binaryFile": by_content}
        for make in frames.values():
            run(make(spark, paths, given.model))
        times = {name: [] for name in ["thaw classify", *frames]}
        for _ in range(given.rounds):
            times["thaw classify"].append(command_seconds(given, folder, paths[0]))
            for name, make in frames.items():
                times[name].append(seconds(lambda: run(make(spark, paths, given.model))))
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name, median in medians.items():
        print(f"{what}, {name}: {count} in {median:.2f} s, {count / median:.0f} a second")
    for name, limit in zip(frames, limits):
        report(f"{what}, {name}: of the command's speed", medians["thaw classify"] / medians[name], limit)


def measure_scaling(given):
    times = []
    with tempfile.TemporaryDirectory() as folder:
        paths = links(given.photos, given.scaling_count, folder)
        for workers in (1, 2):
            with session(workers, is_pinned=True) as (_, spark):
                frame = by_path(spark, paths, given.resnet)
                run(frame)
                times.append(statistics.median(seconds(lambda: run(frame)) for _ in range(given.rounds)))
                print(f"{workers} pinned: {given.scaling_count} photos in {times[-1]:.2f} s")
    report("two pinned workers, of one's speed", times[0] / times[1], 1.7)


def measure_kill(given):
    killed = []
    with tempfile.TemporaryDirectory() as folder, session(2) as (cluster, spark):
        paths = links(given.photos, given.count, folder)
        ended = threading.Event()

        def kill():
            while not killed and not ended.wait(0.05):
                for process in cluster.python_workers()[:1]:
                    # In the midst of its work, and not while it loads the model.
                    time.sleep(1)
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
        thread = threading.Thread(target=kill)
        thread.start()
        rows = by_path(spark, paths, given.model).select("path", "error").collect()
        ended.set()
        thread.join()
    if not killed:
        sys.exit("no worker was found at work; raise --count")
    exact = sorted(row.path for row in rows) == sorted(paths) and all(row.error is None for row in rows)
    report(f"a worker killed: each of {len(paths)} photos exactly once", float(exact), 1)


def resident(process):
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0


def measure_memory(given):
    for name, make in {"a column of paths": by_path, "binaryFile": by_content}.items():
        largest = []
        for count in given.memory_counts:
            with tempfile.TemporaryDirectory() as folder, session(2) as (cluster, spark):
                frame = make(spark, links(given.photos, count, folder), given.model)
                thread = threading.Thread(target=run, args=(frame,))
                thread.start()
                sizes = [0]
                while thread.is_alive():
                    sizes += map(resident, cluster.python_workers())
                    thread.join(0.25)
                largest.append(max(sizes))
                print(f"{name}, {count} photos: at most {largest[-1]:.0f} MB in a Python worker")
        report(f"memory with {name}, of that with fewer photos", largest[-1] / largest[0], 1.1, lowest=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("photos")
    parser.add_argument("--parts", default="speed,scaling,kill,memory")
    parser.add_argument("--thaw", default=os.path.join(sysconfig.get_path("scripts"), "thaw"))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small")
    parser.add_argument("--resnet")
    parser.add_argument("--scaling-count", type=int, default=400)
    parser.add_argument("--memory-counts", type=lambda text: [int(part) for part in text.split(",")],
                        default=[10_000, 100_000])
    given = parser.parse_args()
    parts = given.parts.split(",")
    if "speed" in parts:
        measure_speed(given, given.photos, given.count, (0.9, 0.6), "photos")
        if given.small:
            measure_speed(given, given.small, given.count, (None, None), "small files")
    if "scaling" in parts:
        if given.resnet:
            measure_scaling(given)
        else:
            print("scaling is not measured: --resnet is missing")
    if "kill" in parts:
        measure_kill(given)
    if "memory" in parts:
        measure_memory(given)
    if missed:
        sys.exit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
