#!/usr/bin/env python3
"""Measures `thaw serve` with posted JPEG photos. The machine should be otherwise idle.

usage: service.py compare [--rounds N] [--seconds S] [--connections 1,8,64] GRAPH NET.onnx PHOTOS/
       service.py cpu     [--seconds S] GRAPH PHOTOS/
       service.py endure  [--seconds S] [--connections N] GRAPH PHOTOS/
       service.py restart [--rounds N] GRAPH PHOTOS/
       service.py start   [--rounds N] GRAPH

compare  times thaw, LitServe, and FastAPI with uvicorn, in turn, in one run. The other two run ONNX Runtime and Pillow as in their
         documentation, with one worker and with two, which share the cores; the better result is shown. LitServe receives photos as
         forms. Only one server runs at a time. The client, wrk, is on the same machine. Results are medians over the rounds.
         A measurement that other programs disturb is repeated.
cpu      compares the CPU time per photo with that of `thaw classify` on the same photos.
endure   puts the service under load for a long time (600 seconds), with more connections than it has threads: reports errors,
         and memory growth since the first tenth.
restart  repeatedly kills the service under load and restarts it: clients may see refused and broken connections, but never an
         incomplete response that looks complete.
start    measures the time from process start until ready.

Each exits with 1 if its limit is exceeded. GRAPH is a frozen graph or a Core ML model; NET.onnx is the same network:

    python -m tf2onnx.convert --graphdef GRAPH.pb --inputs input:0 --outputs OUTPUT:0 --output NET.onnx

Needs Debian's wrk, and for `compare`: pip install litserve fastapi uvicorn python-multipart onnxruntime pillow numpy (and tf2onnx
tensorflow-cpu to make NET.onnx).
"""
import argparse
import collections
import glob
import http.client
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
CORES = os.cpu_count() or 1

MODEL = '''
import io, os
import numpy, onnxruntime
from PIL import Image

class Model:
    def __init__(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ["THREADS"])
        self.session = onnxruntime.InferenceSession(os.environ["MODEL"], options, providers=["CPUExecutionProvider"])
        given = self.session.get_inputs()[0]
        self.name, (_, self.height, self.width, _) = given.name, given.shape

    def classify(self, data):
        image = Image.open(io.BytesIO(data)).convert("RGB").resize((self.width, self.height), Image.BILINEAR)
        pixels = numpy.asarray(image, numpy.float32)[None] / 127.5 - 1
        row = self.session.run(None, {self.name: pixels})[0].ravel()
        return [{"index": int(index), "probability": float(row[index])} for index in numpy.argsort(-row)[:5]]
'''

FASTAPI = MODEL + '''
import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool

app, model = FastAPI(), Model()

@app.on_event("startup")
async def limit_threads():
    anyio.to_thread.current_default_thread_limiter().total_tokens = int(os.environ["THREADS"])

@app.post("/classify")
async def classify(request: Request):
    return {"predictions": await run_in_threadpool(model.classify, await request.body())}

@app.get("/health")
def health():
    return {}
'''

LITSERVE = MODEL + '''
import litserve

class API(litserve.LitAPI):
    def setup(self, device):
        self.model = Model()

    def decode_request(self, request):
        return request["file"].file.read()

    def predict(self, data):
        return self.model.classify(data)

    def encode_response(self, output):
        return {"predictions": output}

if __name__ == "__main__":
    server = litserve.LitServer(
        API(api_path="/classify"), accelerator="cpu", workers_per_device=int(os.environ["WORKERS"]))
    server.run(host="127.0.0.1", port=int(os.environ["PORT"]), generate_client_file=False, log_level="error")
'''


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server in a group of processes of its own."""

    def __init__(self, kind, workers, arguments, folder=None, port=None, options=()):
        port = port or free_port()
        self.kind = kind
        self.url = f"http://127.0.0.1:{port}"
        environment = os.environ | {
            "MODEL": os.path.abspath(getattr(arguments, "onnx", "")), "PORT": str(port), "WORKERS": str(workers),
            "THREADS": str(max(1, CORES // workers)), "OMP_NUM_THREADS": str(max(1, CORES // workers))}
        if kind == "thaw":
            words, health = [arguments.thaw_serve, "net=" + arguments.graph, "--port", str(port), *options], "/v2/health/ready"
        elif kind == "fastapi":
            words, health = [sys.executable, "-m", "uvicorn", "fast:app", "--port", str(port), "--workers", str(workers),
                             "--log-level", "error", "--no-access-log"], "/health"
        else:
            words, health = [sys.executable, "lit.py"], "/health"
        errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, cwd=folder, env=environment, start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=errors)
        began = time.monotonic()
        while time.monotonic() < began + 60:
            try:
                urllib.request.urlopen(self.url + health, timeout=1).read()
                self.seconds = time.monotonic() - began
                return
            except OSError:
                time.sleep(0.001 if kind == "thaw" else 0.1)
            if self.process.poll() is not None:
                break
        self.stop()
        errors.seek(0)
        raise SystemExit(f"{kind} does not start: {errors.read()}")

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def all_cpu_seconds(self):
        """The CPU seconds of the server and of clients that have ended, and those of all programs on the machine."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = used.ru_utime + used.ru_stime
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path) as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid:
                own += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        with open("/proc/stat") as file:
            user, nice, system = map(int, file.readline().split()[1:4])
        return own, (user + nice + system) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def load(self, connections, seconds, photos):
        threads = str(min(connections, CORES))
        form = ["form"] if self.kind == "litserve" else []
        words = ["wrk", "-t", threads, "-c", str(connections), "-d", f"{seconds}s", "--timeout", "60s", "-s",
                 os.path.join(HERE, "service.lua"), self.url + "/classify", "--", photos, *form]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return json.loads(next(line for line in output.splitlines() if line.startswith("RESULT")).split(" ", 1)[1])

    def undisturbed_load(self, connections, seconds, photos):
        """Repeats a measurement during which other programs used more than a fifteenth of the CPU time; gives up after five."""
        for _ in range(5):
            before = self.all_cpu_seconds()
            result = self.load(connections, seconds, photos)
            own, all = (after - before for after, before in zip(self.all_cpu_seconds(), before))
            if all - own < seconds * CORES / 15:
                return result
            time.sleep(5)
        sys.exit("other programs are using the CPU: the figures would mean nothing")

    def stop(self):
        if self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def photos_in(folder):
    return sorted(path for path in glob.glob(folder + "/*") if path.lower().endswith((".jpg", ".jpeg")))


def failed(result):
    return result["refused"] + result["broken"]


def compare(arguments):
    kinds = [("thaw", 1), ("litserve", 1), ("litserve", 2), ("fastapi", 1), ("fastapi", 2)]
    counts = [int(count) for count in arguments.connections.split(",")]
    results = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [("fast.py", FASTAPI), ("lit.py", LITSERVE)]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for _ in range(arguments.rounds):
            for kind, workers in kinds:
                server = Server(kind, workers, arguments, folder)
                try:
                    server.load(2, 2, arguments.photos)
                    for count in counts:
                        result = server.undisturbed_load(count, arguments.seconds, arguments.photos)
                        if kind != "thaw" and failed(result):
                            sys.exit(f"{kind} answers {failed(result)} requests with errors: its figures would mean nothing")
                        result["rate"] = result["requests"] / result["seconds"]
                        results[kind, workers, count].append(result)
                finally:
                    server.stop()

    def median(runs, key):
        return statistics.median(run[key] for run in runs)

    print("| server | connections | workers | requests/s | p50, ms | p99, ms | refused or broken |\n|---|---|---|---|---|---|---|")
    for count in counts:
        best = {}
        for kind, workers in kinds:
            runs = results[kind, workers, count]
            if kind not in best or median(runs, "rate") > median(best[kind][1], "rate"):
                best[kind] = workers, runs
        for kind, (workers, runs) in best.items():
            print(f"| {kind} | {count} | {workers} | {median(runs, 'rate'):.1f} | {median(runs, 'p50'):.1f} "
                  f"| {median(runs, 'p99'):.1f} | {sum(map(failed, runs))} |")
        own = best.pop("thaw")[1]
        rate = min(median(own, "rate") / median(runs, "rate") for _, runs in best.values())
        slow = max(median(own, "p99") / median(runs, "p99") for _, runs in best.values())
        print(f"| | | | at least {rate:.2f} times | | at most {slow:.2f} times | |")
    return any(failed(run) for (kind, _, _), runs in results.items() if kind == "thaw" for run in runs)


def cpu(arguments):
    """The same number of photos for both, so that the start of `thaw classify` does not count."""
    server = Server("thaw", 1, arguments)
    try:
        server.load(2, 1, arguments.photos)
        before = server.cpu_seconds()
        result = server.load(4, arguments.seconds, arguments.photos)
        serving = (server.cpu_seconds() - before) / result["requests"]
    finally:
        server.stop()
    with tempfile.TemporaryDirectory() as folder:
        photos = photos_in(arguments.photos)
        for index in range(result["requests"]):
            os.symlink(photos[index % len(photos)], os.path.join(folder, f"{index}.jpg"))
        words = [os.path.join(os.path.dirname(arguments.thaw_serve), "thaw"), "classify", arguments.graph, folder, "--format", "json"]
        subprocess.run(words, capture_output=True, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    classifying = (after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime) / result["requests"]
    print(f"{result['requests']} photos: thaw serve {1e3 * serving:.2f} ms of processor time each, thaw classify "
          f"{1e3 * classifying:.2f} ms: {serving / classifying:.2f} times")
    return serving > 1.15 * classifying


def endure(arguments):
    server = Server("thaw", 1, arguments)
    try:
        # Memory that is reused is taken first.
        first = server.load(int(arguments.connections), max(1, arguments.seconds // 10), arguments.photos)
        before = server.memory()
        result = server.load(int(arguments.connections), max(1, arguments.seconds - arguments.seconds // 10), arguments.photos)
        growth = server.memory() / before - 1
        errors = failed(first) + failed(result)
        print(f"{result['requests'] / result['seconds']:.1f} requests/s, {errors} errors, memory {before / 1e6:.1f} MB, growth {growth:.1%}")
        return errors > 0 or growth > 0.05
    finally:
        server.stop()


def restart(arguments):
    """Clients note what becomes of each request while the service is killed and started again."""
    photos = []
    for path in photos_in(arguments.photos)[:20]:
        with open(path, "rb") as file:
            photos.append(file.read())
    counts, wrong, stopped = collections.Counter(), [], threading.Event()
    port = free_port()

    def work(index):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while not stopped.is_set():
            index += 1
            try:
                connection.request("POST", "/classify", photos[index % len(photos)])
                response = connection.getresponse()
                body = response.read()
                # From here on the answer looks complete.
                answer = json.loads(body)
                counts["answered" if response.status == 200 else f"status {response.status}"] += 1
                if response.status == 200 and len(answer["predictions"]) != 5 or not body.endswith(b"\n"):
                    wrong.append(body)
                if index % 7:
                    continue
            except ConnectionRefusedError:
                counts["refused"] += 1
                time.sleep(0.01)
            except (OSError, http.client.HTTPException):
                counts["broken"] += 1
            except ValueError:
                wrong.append(body)
            connection.close()

    server = Server("thaw", 1, arguments, port=port)
    clients = [threading.Thread(target=work, args=[index]) for index in range(8)]
    for client in clients:
        client.start()
    try:
        for round in range(arguments.rounds):
            time.sleep(1)
            # Half of the rounds with notice, half without.
            os.killpg(server.process.pid, signal.SIGKILL if round % 2 else signal.SIGTERM)
            server.process.wait(60)
            server = Server("thaw", 1, arguments, port=port)
        time.sleep(1)
    finally:
        stopped.set()
        for client in clients:
            client.join()
        server.stop()
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())) + f", {len(wrong)} truncated: {wrong[:1]}")
    return bool(wrong) or not counts["answered"] or not counts["refused"] + counts["broken"]


def start(arguments):
    times = []
    for _ in range(arguments.rounds):
        server = Server("thaw", 1, arguments)
        times.append(1e3 * server.seconds)
        server.stop()
    print(f"ready after {statistics.median(times):.0f} ms, at most {max(times):.0f} ms ({len(times)} starts)")
    return statistics.median(times) > 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thaw-serve", default=os.path.join(HERE, "../.build/release/thaw-serve"))
    commands = parser.add_subparsers(required=True)
    for function, rounds, seconds, connections in [
        (compare, 3, 10, "1,8,64"), (cpu, None, 20, None), (endure, None, 600, "64"), (restart, 10, None, None),
        (start, 20, None, None),
    ]:
        command = commands.add_parser(function.__name__)
        command.set_defaults(run=function)
        if rounds: command.add_argument("--rounds", type=int, default=rounds)
        if seconds: command.add_argument("--seconds", type=int, default=seconds)
        if connections: command.add_argument("--connections", default=connections)
        command.add_argument("graph", type=os.path.abspath)
        if function is compare: command.add_argument("onnx")
        if function is not start: command.add_argument("photos", type=os.path.abspath)
    arguments = parser.parse_args()
    arguments.thaw_serve = os.path.abspath(arguments.thaw_serve)
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
