#!/usr/bin/env python3
"""Times Thaw and OpenVINO (fp32) on the same frozen graph, in turn, in one run.

usage: peers.py [--thaw BINARY] [--threads N] [--rounds N] [--seconds S] GRAPH.pb N,H,W,C [GRAPH.pb N,H,W,C ...]

In each round each engine runs for S seconds; what counts is the ratio of the medians over all rounds. The machine
should do nothing else meanwhile. Needs `pip install openvino numpy`. Prints a line of JSON a graph, and a Markdown table.
"""
import argparse
import json
import os
import subprocess
import time

import numpy as np
import openvino


def openvino_model(graph, shape, threads):
    core = openvino.Core()
    model = core.read_model(graph)
    model.reshape({model.inputs[0].any_name: shape})
    compiled = core.compile_model(
        model, "CPU",
        {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.set_input_tensor(0, openvino.Tensor(np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)))
    return request.infer


def thaw_milliseconds(binary, graph, threads, seconds):
    command = [binary, "benchmark", graph, "--threads", str(threads), "--seconds", str(seconds), "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["median_ms"]


def openvino_milliseconds(infer, seconds):
    infer()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        infer()
        times.append((time.perf_counter() - start) * 1e3)
    return float(np.median(times))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    rows = []
    for place in range(0, len(arguments.graphs), 2):
        graph, shape = arguments.graphs[place:place + 2]
        infer = openvino_model(graph, [int(size) for size in shape.split(",")], arguments.threads)
        thaw, other = [], []
        for _ in range(arguments.rounds):
            thaw.append(thaw_milliseconds(arguments.thaw, graph, arguments.threads, arguments.seconds))
            other.append(openvino_milliseconds(infer, arguments.seconds))
        row = {"graph": os.path.basename(graph), "threads": arguments.threads, "thaw_ms": round(float(np.median(thaw)), 3),
               "openvino_ms": round(float(np.median(other)), 3),
               "ratio": round(float(np.median(thaw) / np.median(other)), 3)}
        print(json.dumps(row), flush=True)
        rows.append(row)
    print("\n| network | threads | Thaw, ms | OpenVINO, ms | ratio |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['graph']} | {row['threads']} | {row['thaw_ms']} | {row['openvino_ms']} | {row['ratio']} |")


main()
