#!/usr/bin/env python3
"""Times whole conversions: process start, reading, writing, process end.

usage: conversion.py [--thaw BINARY] [--runs N] GRAPH.pb [GRAPH.pb ...]

Prints for each graph the median wall time and the largest resident memory of a process.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time


def measure(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command}: status {status}")
    return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for graph in arguments.graphs:
            command = [arguments.thaw, "convert", graph, "-o", os.path.join(folder, "model.mlmodel")]
            measure(command)
            runs = [measure(command) for _ in range(arguments.runs)]
            print(f"{graph}: {statistics.median(time for time, _ in runs):.1f} ms, {max(memory for _, memory in runs):.1f} MB", flush=True)


main()
