#!/usr/bin/env python3
"""Runs the command, the Python package and the service for a long time, and checks that memory and throughput stay constant.

usage: endurance.py [--thaw BINARY] [--python PYTHON] [--images N] [--seconds N] [--photos FOLDER] [PART ...]

PARTs, all by default: `classify` and `python` classify N images, `service` answers N requests from 4 clients, `benchmark` runs
for the given number of seconds. The images are links to at most 500 photos of FOLDER. PYTHON must have the package, unless
THAW_LIBRARY is set.

For each part it prints the memory after a tenth of the work and at the end, and the rates in the second and last tenths; for
`benchmark`, those of a one-minute run and of the long run. Exits with 1 if memory grew by more than 4 MB. The rates are
meaningful only on an idle machine.
"""
import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GRAPH, LABELS = os.path.join(ROOT, "Models", "cifar10.pb"), os.path.join(ROOT, "labels", "cifar10.txt")
PYTHON = """
import sys, thaw
classifier = thaw.Classifier(sys.argv[1])
for number, _ in enumerate(classifier.classify(sys.argv[2]), 1):
    if number % 100 == 0: print(100, flush=True)
"""
MOST_GROWTH = 4e6
grown = []


def memory(process):
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Watch:
    """Records memory and time after each tenth of the work."""

    def __init__(self, part, process, total):
        self.part, self.process, self.total, self.done = part, process, total, 0
        self.notes, self.lock = [], threading.Lock()
        self.start = time.monotonic()

    def add(self, count=1):
        with self.lock:
            self.done += count
            while len(self.notes) < 10 and self.done >= (len(self.notes) + 1) * self.total // 10:
                self.notes.append((memory(self.process), time.monotonic() - self.start))

    def report(self):
        memories, times = zip(*self.notes)
        rates = [self.total / 10 / (after - before) for before, after in zip(times, times[1:])]
        growth = memories[-1] - memories[0]
        print(f"{self.part:10}{self.done:9}{memories[0] / 1e6:10.1f}{memories[-1] / 1e6:8.1f}{rates[0]:10.0f}{rates[-1]:8.0f}",
              flush=True)
        if growth > MOST_GROWTH:
            grown.append(self.part)


def classify(options, images, model):
    command = [options.thaw, "classify", model, images, "--format", "json", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    watch = Watch("classify", process.pid, options.images)
    for _ in process.stdout:
        watch.add()
    process.wait()
    watch.report()


def python(options, images, model):
    environment = os.environ | {"PYTHONPATH": os.path.join(ROOT, "Python")} if "THAW_LIBRARY" in os.environ else None
    process = subprocess.Popen(
        [options.python, "-c", PYTHON, model, images], stdout=subprocess.PIPE, env=environment)
    watch = Watch("python", process.pid, options.images)
    for _ in process.stdout:
        watch.add(100)
    if process.wait() != 0:
        sys.exit("python failed")
    watch.report()


def service(options, images, model):
    process = subprocess.Popen(
        [options.thaw + "-serve", model, "--port", "0", "--queue", "100"], stdout=subprocess.PIPE, text=True)
    port = int(process.stdout.readline().rsplit(":")[-1].strip("/\n"))
    watch = Watch("service", process.pid, options.images)
    photos = []
    for entry in sorted(os.scandir(images), key=lambda item: item.name)[:500]:
        with open(entry.path, "rb") as file:
            photos.append(file.read())

    def ask(client):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for number in range(client, options.images, 4):
            connection.request("POST", "/classify", photos[number % len(photos)])
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            watch.add()

    clients = [threading.Thread(target=ask, args=(client,)) for client in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    process.terminate()
    process.wait()
    watch.report()


def measure(options, model, seconds):
    """The number of images per second at the median time, and the memory of the process after a tenth of the time and at its end."""
    process = subprocess.Popen(
        [options.thaw, "benchmark", model, "--seconds", str(seconds), "--format", "json"], stdout=subprocess.PIPE)
    memories = []
    for share in (0.1, 0.8):
        time.sleep(share * seconds)
        memories.append(memory(process.pid))
    return 1000 / json.loads(process.communicate()[0])["median_ms"], *memories


def benchmark(options, images, model):
    """A long measurement, whose median is compared with that of a separate one-minute run."""
    first, *_ = measure(options, model, min(60, options.seconds))
    rate, before, after = measure(options, model, options.seconds)
    print(f"{'benchmark':10}{options.seconds:8}s{before / 1e6:10.1f}{after / 1e6:8.1f}{first:10.0f}{rate:8.0f}", flush=True)
    if after - before > MOST_GROWTH:
        grown.append("benchmark")


def main():
    parts = {"classify": classify, "python": python, "service": service, "benchmark": benchmark}
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--thaw", default=os.path.join(ROOT, ".build", "release", "thaw"))
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--images", type=int, default=200_000)
    options.add_argument("--seconds", type=int, default=600)
    options.add_argument("--photos", default=os.path.join(ROOT, "Tests", "Fixtures", "photographs"))
    options.add_argument("parts", nargs="*", choices=[[], *parts])
    options = options.parse_args()
    photos = sorted(
        os.path.join(root, name) for root, _, names in os.walk(options.photos) for name in names
        if name.lower().endswith((".jpg", ".jpeg", ".png")))[:500]
    with tempfile.TemporaryDirectory() as folder:
        images, model = os.path.join(folder, "images"), os.path.join(folder, "model.mlmodel")
        os.mkdir(images)
        for number in range(options.images):
            photo = os.path.abspath(photos[number % len(photos)])
            os.symlink(photo, os.path.join(images, f"{number:06}{os.path.splitext(photo)[1]}"))
        subprocess.run([options.thaw, "convert", GRAPH, "--labels", LABELS, "-o", model, "--quiet"], check=True)
        print(f"{'':10}{'':9}{'MB at a':>10}{'at the':>8}{'per second':>11}{'at the':>8}")
        print(f"{'part':10}{'images':>9}{'tenth':>10}{'end':>8}{'at first':>10}{'end':>8}", flush=True)
        for part in options.parts or parts:
            parts[part](options, images, model)
    if grown:
        sys.exit("memory grew: " + ", ".join(grown))


main()
