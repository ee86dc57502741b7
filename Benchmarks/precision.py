#!/usr/bin/env python3
"""Measures size, accuracy and speed of a model in float32, bf16 and int8.

usage: precision.py [--thaw BINARY] [--labels FILE] [--offset N] [--rounds N] MODEL TRUTH PHOTOS

TRUTH is a folder with a subfolder of photos per class, or a table of photos and classes, as for `thaw evaluate`; --offset is added
to the indices in a table. `thaw quantize` measures the int8 ranges on PHOTOS, or the first 100 if it is a folder. Prints rows of a
Markdown table: the size of the model file in MB, photos with the correct label, photos with the same label as in float32, and
milliseconds per run with one and two threads, as the median of the rounds' medians. With --rounds 0, nothing is timed. The
precisions run in turn. The machine should be otherwise idle.
"""
import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile


def run(*words):
    child = subprocess.run(words, capture_output=True, text=True)
    # 1: some photos could not be read.
    if child.returncode > 1: sys.exit(child.stderr)
    return child.stdout, child.stderr


def some(photos, count):
    found = (os.path.join(folder, name) for folder, _, names in sorted(os.walk(photos)) for name in sorted(names))
    images = [path for path in found if path.lower().endswith((".jpg", ".jpeg", ".png"))]
    # Spread over the class folders.
    return images[:: max(1, len(images) // count)][:count] if os.path.isdir(photos) else [photos]


def name(model):
    """The name of the file, or of its folder if the file is just called graph."""
    stem = os.path.splitext(os.path.basename(model))[0]
    return stem if stem != "graph" else os.path.basename(os.path.dirname(os.path.abspath(model)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--labels")
    parser.add_argument("--offset", default="0")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("model")
    parser.add_argument("truth")
    parser.add_argument("photos")
    options = parser.parse_args()
    labels = ["--labels", options.labels] if options.labels else []
    with tempfile.TemporaryDirectory() as folder:
        plain, short = os.path.join(folder, "plain.mlmodel"), os.path.join(folder, "short.mlmodel")
        run(options.thaw, "convert", options.model, *labels, "-o", plain)
        run(options.thaw, "quantize", options.model, *some(options.photos, 100), *labels, "-o", short)
        files = {"float32": plain, "bf16": plain, "int8": short}
        answers, notes = {}, set()
        for precision, file in files.items():
            text, errors = run(
                options.thaw, "evaluate", file, options.truth, "--offset", options.offset, "--precision", precision,
                "--format", "csv")  # fmt: skip
            answers[precision] = {row["image"]: row for row in csv.DictReader(io.StringIO(text)) if not row["error"]}
            notes |= {line for line in errors.splitlines() if "this machine" in line}
        times = {}
        for _ in range(options.rounds):
            for threads in ("1", "2"):
                for precision, file in files.items():
                    text, _ = run(
                        options.thaw, "benchmark", file, "--threads", threads, "--precision", precision, "--seconds",
                        "0.5", "--format", "json")  # fmt: skip
                    times.setdefault((precision, threads), []).append(json.loads(text)["median_ms"])
        for precision, file in files.items():
            rows = answers[precision]
            right = sum(row["right"] == "true" for row in rows.values())
            same = sum(row["prediction_index"] == answers["float32"][image]["prediction_index"] for image, row in rows.items())
            cells = [
                name(options.model), precision,
                f"{os.path.getsize(file) / 1e6:.2f}", f"{right} of {len(rows)}", f"{same}",
            ]  # fmt: skip
            for threads in ("1", "2"):
                measured = times.get((precision, threads))
                cells.append(f"{statistics.median(measured):.2f}" if measured else "")
            print("| " + " | ".join(cells) + " |")
        for note in sorted(notes): print(note, file=sys.stderr)


if __name__ == "__main__":
    main()
