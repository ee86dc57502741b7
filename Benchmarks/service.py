#!/usr/bin/env python3
"""Times `thaw serve`, LitServe, and FastAPI with uvicorn, in turn, in one run, on JPEG photos that are posted to them.

usage: service.py [--thaw-serve BINARY] [--connections 1,8,64] [--rounds N] [--seconds S] GRAPH.pb NET.onnx PHOTOS/

The other two run ONNX Runtime and Pillow, as their documentation shows, with one worker and with two, without more threads
than there are cores; the better of the two is shown. Each server runs alone. The client, wrk, is on the same machine, which
should be otherwise idle. Results are the medians over the rounds.

NET.onnx is the same network, channels last, as `peers.py` converts it with tf2onnx. Needs Debian's wrk, and `pip install litserve
fastapi uvicorn python-multipart onnxruntime pillow numpy`.
"""
import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
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
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool

app, model = FastAPI(), Model()

@app.post("/classify")
async def classify(request: Request):
    return {"predictions": await run_in_threadpool(model.classify, await request.body())}

@app.get("/health")
def health():
    return {}
'''

LITSERVE = MODEL + '''
import litserve
from fastapi import Request, Response

class API(litserve.LitAPI):
    def setup(self, device):
        self.model = Model()

    async def decode_request(self, request: Request):
        return await request.body()

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

    def __init__(self, kind, workers, arguments, folder):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = os.environ | {
            "MODEL": os.path.abspath(arguments.onnx), "PORT": str(port), "WORKERS": str(workers),
            "THREADS": str(max(1, CORES // workers)), "OMP_NUM_THREADS": str(max(1, CORES // workers))}
        if kind == "thaw":
            words, health = [arguments.thaw_serve, "net=" + arguments.graph, "--port", str(port)], "/v2/health/ready"
        elif kind == "fastapi":
            words, health = [sys.executable, "-m", "uvicorn", "fast:app", "--port", str(port), "--workers", str(workers),
                             "--log-level", "error", "--no-access-log"], "/health"
        else:
            words, health = [sys.executable, "lit.py"], "/health"
        self.process = subprocess.Popen(words, cwd=folder, env=environment, start_new_session=True,
                                        stdout=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(self.url + health, timeout=1).read()
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        raise SystemExit(f"{kind} does not start")

    def load(self, connections, seconds, photos):
        threads = str(min(connections, CORES))
        words = ["wrk", "-t", threads, "-c", str(connections), "-d", f"{seconds}s", "--timeout", "60s", "-s",
                 os.path.join(HERE, "service.lua"), self.url + "/classify", "--", photos]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return json.loads(next(line for line in output.splitlines() if line.startswith("RESULT")).split(" ", 1)[1])

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thaw-serve", default=os.path.join(HERE, "../.build/release/thaw-serve"))
    parser.add_argument("--connections", default="1,8,64")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("graph")
    parser.add_argument("onnx")
    parser.add_argument("photos")
    arguments = parser.parse_args()
    arguments.thaw_serve, arguments.graph, arguments.photos = [
        os.path.abspath(path) for path in [arguments.thaw_serve, arguments.graph, arguments.photos]]
    kinds = [("thaw", 1), ("litserve", 1), ("litserve", 2), ("fastapi", 1), ("fastapi", 2)]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [("fast.py", FASTAPI), ("lit.py", LITSERVE)]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for _ in range(arguments.rounds):
            for kind, workers in kinds:
                server = Server(kind, workers, arguments, folder)
                try:
                    server.load(2, 2, arguments.photos)
                    for connections in map(int, arguments.connections.split(",")):
                        result = server.load(connections, arguments.seconds, arguments.photos)
                        results.setdefault((kind, workers, connections), []).append(result)
                finally:
                    server.stop()
    print("| server | connections | workers | requests/s | p50, ms | p99, ms | refused or broken |\n|---|---|---|---|---|---|---|")
    for connections in map(int, arguments.connections.split(",")):
        for kind in ["thaw", "litserve", "fastapi"]:
            def rate(workers):
                return statistics.median(r["requests"] / r["seconds"] for r in results[kind, workers, connections])
            best = max((workers for name, workers in kinds if name == kind), key=rate)
            runs = results[kind, best, connections]
            median = lambda key: statistics.median(run[key] for run in runs)
            print(f"| {kind} | {connections} | {best} | {rate(best):.1f} | {median('p50'):.1f} | {median('p99'):.1f} "
                  f"| {sum(run['refused'] + run['broken'] for run in runs)} |")


if __name__ == "__main__":
    main()
