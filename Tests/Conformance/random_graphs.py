#!/usr/bin/env python3
"""Compares random graphs with TensorFlow's outputs: `make conformance-random`.

usage: random_graphs.py [--thaw PROGRAM] [--count COUNT] [--first SEED] [--keep FOLDER]

Each graph has up to sixteen operations with random attributes (random_operations.py) on an image. `thaw run` must give
TensorFlow's output for the graph and for its conversion to both dialects of Core ML, within 2e-4 of the larger of 1 and
the largest value: errors add up over the operations. Elements that a slightly different input changes as much in TensorFlow,
because a value is rounded to an integer, are not compared. Graphs that differ are kept. TensorFlow is installed as for
`make conformance`.
"""
import argparse
import collections
import os
import shutil
import sys
import tempfile

from conformance import run, use_tensorflow

if __name__ == "__main__":
    use_tensorflow()
# The outputs of oneDNN are wrong for some convolutions with a single channel.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from random_operations import OPERATIONS, Choices, Unsuitable

OPERATIONS_PER_GRAPH = (3, 16)
ATTEMPTS = 200
ELEMENTS = 20_000
RANK = 5
TOLERANCE = 2e-4
# Relative changes of the input that show where the output jumps.
NUDGES = (1 - 1e-6, 1 + 1e-6)
# Larger values have larger errors.
LARGEST = 1e5
# TensorFlow's optimizer removes functions such as Rint and Sign before ArgMax, although they make different values equal.
UNCHANGED = tf.compat.v1.ConfigProto()
UNCHANGED.graph_options.rewrite_options.disable_meta_optimizer = True
FORMS = {"model.mlmodel": [], "model.mlpackage": ["--compute-precision", "float32"]}
PLAIN = ["--channels", "last", "--output", "output"]


def is_usable(tensor):
    shape = tensor.shape.as_list() if tensor.shape.rank is not None else [None]
    return None not in shape and len(shape) <= RANK and 0 < np.prod(shape, dtype=np.float64) <= ELEMENTS


def random_graph(choose):
    """A graph from an image named 'x' to a tensor named 'output', and the image's shape; None if the image is not used."""
    with tf.Graph().as_default() as graph:
        shape = [1, choose.integer(2, 9), choose.integer(2, 9), choose.one(1, 3, 3)]
        choose.tensors = [tf.compat.v1.placeholder(tf.float32, shape, name="x")]
        count = choose.integer(*OPERATIONS_PER_GRAPH)
        for _ in range(ATTEMPTS):
            start = choose.tensors[-4:] if choose.chance(0.7) else choose.tensors
            try:
                results = choose.one(*OPERATIONS)(choose, choose.one(*start))
            except (Unsuitable, ValueError, tf.errors.InvalidArgumentError):
                continue
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            usable = [result for result in results if is_usable(result)]
            choose.tensors += usable
            count -= len(usable) > 0
            if count == 0:
                break
        tf.identity(choose.tensors[-1], name="output")
    definition = tf.compat.v1.graph_util.extract_sub_graph(graph.as_graph_def(), ["output"])
    return (definition, shape) if any(node.name == "x" for node in definition.node) and len(definition.node) > 2 else None


def expected_output(definition, pixels):
    """TensorFlow's output, and which elements of it are compared; none if TensorFlow cannot compute it."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    inputs = [pixels * np.float32(factor) for factor in (1, *NUDGES)]
    with tf.compat.v1.Session(graph=graph, config=UNCHANGED) as session:
        try:
            output, *nudged = [session.run("output:0", {"x:0": values}) for values in inputs]
        except tf.errors.OpError:
            return np.zeros(1), np.zeros(1, bool)
    if not np.isfinite(output).all() or np.abs(output).max() > LARGEST:
        return output, np.zeros(output.shape, bool)
    tolerance = TOLERANCE * max(1, np.abs(output).max())
    return output, np.all([np.abs(other - output) <= tolerance / 10 for other in nudged], axis=0)


class Folder:
    """One graph with its input, in a folder."""

    def __init__(self, path, thaw, definition, pixels):
        self.path, self.thaw = path, thaw
        with open(self.file("graph.pb"), "wb") as stream:
            stream.write(definition.SerializeToString())
        np.save(self.file("pixels.npy"), pixels)

    def file(self, name):
        return os.path.join(self.path, name)

    def failure(self, *words):
        """`refused`, or a description of how the command ended; None if it succeeds."""
        status, text = run(self.thaw, *words)
        return {0: None, 2: "refused"}.get(status, f"it ends with {status}: {text}")

    def outcome(self, model, expected, compared, options):
        """`equal`, `refused`, or a description of the difference."""
        output = self.file("output.npy")
        failure = self.failure("run", self.file(model), self.file("pixels.npy"), "-o", output, "--threads", "1", *options)
        if failure:
            return failure
        actual = np.load(output)
        # Arrays of a neural network may lack axes of size 1.
        if [size for size in actual.shape if size > 1] != [size for size in expected.shape if size > 1]:
            return f"the shape is {list(actual.shape)}, not {list(expected.shape)}"
        errors = np.where(compared, np.abs(actual.reshape(expected.shape) - expected), 0) / max(1, np.abs(expected).max())
        # A comparison with NaN is false.
        return "equal" if errors.max() <= TOLERANCE else f"it differs by {errors.max():.2g}"

    def outcomes(self, expected, compared):
        """The outcomes for the graph and its conversions."""
        yield "graph", self.outcome("graph.pb", expected, compared, PLAIN)
        for form, options in FORMS.items():
            failure = self.failure(
                "convert", self.file("graph.pb"), "-o", self.file(form), "--weights", "float32", "--preprocess", "none",
                "--no-image-output", *PLAIN, *options)
            yield form, failure or self.outcome(form, expected, compared, ["--layout", "graph"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--count", type=int, default=1000, help="the number of graphs (1000)")
    parser.add_argument("--first", type=int, default=1, help="the first graph's seed (1)")
    parser.add_argument("--keep", default=".build/random-graphs", help="where to keep graphs that differ")
    arguments = parser.parse_args()
    tf.compat.v1.disable_eager_execution()
    counts, operations = collections.Counter(), collections.Counter()
    for seed in range(arguments.first, arguments.first + arguments.count):
        choose = Choices(seed)
        made = random_graph(choose)
        if made is None:
            counts["without operations"] += 1
            continue
        definition, shape = made
        pixels = choose.numbers.randn(*shape).astype(np.float32)
        expected, compared = expected_output(definition, pixels)
        if compared.mean() < 0.5:
            counts["without comparison"] += 1
            continue
        names = {node.op for node in definition.node} - {"Const", "Identity", "Placeholder"}
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, arguments.thaw, definition, pixels)
            for form, outcome in folder.outcomes(expected, compared):
                kind = outcome if outcome in ("equal", "refused") else "different"
                counts[f"{form} {kind}"] += 1
                if kind == "different":
                    print(f"{seed}, {form}: {outcome}; {', '.join(sorted(names))}", flush=True)
                    os.makedirs(arguments.keep, exist_ok=True)
                    shutil.copy(folder.file("graph.pb"), os.path.join(arguments.keep, f"{seed}.pb"))
                elif kind == "equal" and form == "graph":
                    operations.update(names)
    print(f"{len(operations)} kinds of operations:", ", ".join(f"{name} {operations[name]}" for name in sorted(operations)))
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())))
    different = sum(count for kind, count in counts.items() if kind.endswith("different"))
    sys.exit(1 if different or not counts["graph equal"] else 0)


if __name__ == "__main__":
    main()
