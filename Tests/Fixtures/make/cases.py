"""One graph for each operation and attribute variant: `graphs/FAMILY/CASE.pb` with `CASE.input.npy` and `CASE.output.npy`.

Every graph has one placeholder `input` and ends in a node `output`.
"""
import tensorflow as tf

import arithmetic
import blocks
import constants
import convolutions
import empties
import images
import named
import operations
import patterns
import quantized
import shapes
from common import (Draw, expected_outputs, graph_bytes, graph_of, require_telling, save_array, save_bytes, save_table,
                    strip_defaults)

UNTOLD = {"Placeholder", "Const", "Identity"}


class Cases:
    """Writes cases and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def family(self, name):
        def add(case, shape, build, note="", placeholder="fixed", values=None, strip=False, edit=None,
                serialize=graph_bytes):
            """Writes one case.

            build(x, draw) returns the result for the placeholder x. `placeholder` is its shape if that differs from
            the input's, None for no shape at all. `values` is the range of uniform inputs; without one they are normal
            with deviation 2. `edit` may change the finished GraphDef, and `serialize` its bytes, for forms that this
            version of TensorFlow no longer writes.
            """
            path = f"{name}/{case}"
            draw = Draw(path)
            declared = shape if placeholder == "fixed" else placeholder

            def whole():
                x = tf.compat.v1.placeholder(tf.float32, declared, name="input")
                tf.identity(build(x, draw), name="output")

            definition = graph_of(whole)
            if strip:
                strip_defaults(definition)
            if edit:
                edit(definition)
            data = serialize(definition)
            definition = tf.compat.v1.GraphDef.FromString(data)
            inputs = [draw.uniform(*values, *shape) if values else draw(*shape, scale=2) for _ in range(2)]
            outputs = expected_outputs(definition, inputs)
            require_telling(outputs, path)
            save_bytes(f"graphs/{path}.pb", data)
            save_array(f"graphs/{path}.input.npy", inputs[0])
            save_array(f"graphs/{path}.output.npy", outputs[0])
            operations = sorted({node.op for node in definition.node} - UNTOLD)
            self.rows.append((path, ",".join(operations) or "Identity", "output", note))
        return add

    def save_index(self):
        save_table("graphs/cases.tsv", ("case", "operations", "output", "note"), self.rows)


def write():
    cases = Cases()
    for module in (arithmetic, blocks, constants, convolutions, empties, images, named, operations, patterns, quantized, shapes):
        module.write(cases)
    cases.save_index()
