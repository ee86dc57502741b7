#!/usr/bin/env python3
"""Compares damaged graphs that Thaw reads with TensorFlow's outputs: `make damage-tensorflow`.

usage: damaged.py [--thaw PROGRAM] FOLDER

FOLDER has the damaged graphs that `make damage-tensorflow` keeps. Each is run on random arrays, in Thaw and in
TensorFlow. Their outputs must agree if TensorFlow's are finite. Graphs that TensorFlow refuses are counted: it checks
attributes and nodes that do not affect the output. TensorFlow runs in a process of its own for each graph, because some
graphs end it. It is installed as for `make conformance`.
"""
import argparse
import collections
import glob
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile

from conformance import use_tensorflow

use_tensorflow()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
# Its own kernels: those of oneDNN skip the products of padding.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.types_pb2 import DataType

# The size of an axis that a graph leaves open.
OPEN = 16
# Relative to the larger of 1 and the largest value: sums of large values have large errors.
TOLERANCE = 1e-4
# Thaw computes quantized operations with floats, so each may be a step of its range away.
QUANTIZED_TOLERANCE = 0.05
# Larger values come from damaged weights, and their differences are meaningless.
LARGEST = 1e4
# Larger inputs take too long.
ELEMENTS = 1_000_000
SECONDS = 60


def placeholders(definition):
    """The names, types and shapes of the graph's inputs."""
    for node in definition.node:
        if node.op not in ("Placeholder", "PlaceholderV2"):
            continue
        shape = node.attr["shape"].shape
        sizes = [axis.size for axis in shape.dim]
        if not sizes or shape.unknown_rank:
            sizes = [1, OPEN, OPEN, 3]
        if sizes[0] < 0:
            sizes[0] = 1
        # TensorFlow refuses unknown types later.
        kind = node.attr["dtype"].type or DataType.DT_FLOAT
        kind = tf.as_dtype(kind) if kind in DataType.values() else tf.float32
        yield node.name, kind, [OPEN if size < 0 else size for size in sizes]


def thaw_outputs(program, path, arrays, folder):
    """The outputs by the names of their files; the message if there are none."""
    words = [program, "run", path, "-o", os.path.join(folder, "outputs")]
    for name, array in arrays.items():
        file = os.path.join(folder, f"{len(words)}.npy")
        np.save(file, array.astype(np.float32))
        words.append(file if len(arrays) == 1 else f"{name}={file}")
    outcome = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
    if outcome.returncode != 0 and "--size" in outcome.stderr:
        outcome = subprocess.run(
            words + ["--size", f"{OPEN}x{OPEN}"], capture_output=True, text=True, timeout=SECONDS
        )
    if outcome.returncode != 0:
        return outcome.stderr
    return {os.path.basename(file)[:-4]: np.load(file) for file in glob.glob(os.path.join(folder, "outputs", "*.npy"))}


def file_name(name):
    """The name of an output's file: identifiers have no other characters."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def outputs_here(definition, arrays, names):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    tensors = {}
    for operation in graph.get_operations():
        for index, tensor in enumerate(operation.outputs):
            tensors.setdefault(file_name(operation.name + (f":{index}" if index else "")), tensor)
    missing = [name for name in names if name not in tensors]
    if missing:
        return f"there is no tensor {missing[0]}"
    feeds = {graph.get_tensor_by_name(name + ":0"): array for name, array in arrays.items()}
    with tf.compat.v1.Session(graph=graph) as session:
        results = session.run([tensors[name] for name in names], feeds)
    return dict(zip(names, results))


def tensorflow_outputs(definition, arrays, names, folder):
    """TensorFlow's outputs by these names; the message if it refuses the graph, or ends."""
    file = os.path.join(folder, "expected")
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            result = outputs_here(definition, arrays, names)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        with open(file, "wb") as stream:
            pickle.dump(result, stream)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        return f"TensorFlow ended with status {status}"
    with open(file, "rb") as stream:
        return pickle.load(stream)


def comparison(actual, expected, tolerance):
    """The kind of outcome for an output, and a description."""
    expected = np.asarray(expected)
    if expected.dtype.kind not in "fiub":
        return "without comparison", f"the type is {expected.dtype}"
    expected = expected.astype(np.float64)
    if not np.isfinite(expected).all() or np.abs(expected).max(initial=0) > LARGEST:
        return "without comparison", "TensorFlow's output is not finite, or large"
    if actual.size != expected.size:
        return "different", f"the shape is {actual.shape}, not {expected.shape}"
    worst = np.abs(actual.ravel() - expected.ravel()).max(initial=0)
    # A comparison with NaN is false.
    if worst <= tolerance * max(1, np.abs(expected).max(initial=0)):
        return "equal", ""
    return "different", f"it differs by {worst:.2g} of {np.abs(expected).max():.2g}"


def outcome_of(program, path):
    """The kind of outcome, and a description."""
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as stream:
        content = stream.read()
    try:
        definition.ParseFromString(content)
    except Exception as error:
        return "refused by TensorFlow", str(error)
    if any("Random" in node.op or node.op == "Multinomial" for node in definition.node):
        return "random", "dropout, which TensorFlow computes and Thaw removes"
    random = np.random.RandomState(1)
    arrays = {}
    for name, kind, shape in placeholders(definition):
        if kind == tf.string or np.prod(shape, dtype=np.float64) > ELEMENTS:
            return "not run", f"the input is {kind.name} of shape {shape}"
        values = random.rand(*shape)
        if kind.is_integer or kind.is_bool:
            values = values * 3
        arrays[name] = values.astype(kind.as_numpy_dtype)
    with tempfile.TemporaryDirectory() as folder:
        outputs = thaw_outputs(program, path, arrays, folder)
        if isinstance(outputs, str):
            return "not run", outputs
        expected = tensorflow_outputs(definition, arrays, sorted(outputs), folder)
    if isinstance(expected, str):
        return "refused by TensorFlow", expected
    is_quantized = any("Quantize" in node.op for node in definition.node)
    tolerance = QUANTIZED_TOLERANCE if is_quantized else TOLERANCE
    outcomes = {name: comparison(outputs[name], values, tolerance) for name, values in expected.items()}
    # One output that differs decides, and so does one that is not compared if all others are equal.
    for wanted in ("different", "without comparison"):
        for name, (kind, text) in outcomes.items():
            if kind == wanted:
                return kind, f"{name}: {text}"
    return "equal", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--verbose", action="store_true", help="print every outcome")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    counts = collections.Counter()
    for path in sorted(glob.glob(os.path.join(arguments.folder, "*.pb"))):
        kind, text = outcome_of(arguments.thaw, path)
        counts[kind] += 1
        if kind == "different" or arguments.verbose:
            print(f"{os.path.basename(path)}: {kind}: {text.strip()[:300]}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    sys.exit(1 if counts["different"] or not counts["equal"] else 0)


if __name__ == "__main__":
    main()
