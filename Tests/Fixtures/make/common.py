"""Shared by all fixtures: seeded random numbers, TensorFlow's output for a graph, and reproducible files.

A fixture never depends on earlier ones: each uses a generator seeded with its own path.
"""
import os
import zlib

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"  # the other kernels do not support dilated depthwise convolutions
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

FIXTURES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("THAW_SHARED") or os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(FIXTURES))), "shared")
# Reference interpreters of Core ML models, which are not published.
INTERPRETERS = os.path.join(SHARED, "judges")
CHANNELS_LAST = [0, 2, 3, 1]
CHANNELS_FIRST = [0, 3, 1, 2]


class Draw:
    """Float32 arrays from a generator seeded with a fixture's path."""

    def __init__(self, path):
        self.generator = np.random.default_rng(zlib.crc32(path.encode()))

    def __call__(self, *shape, scale=1.0):
        """Normally distributed values."""
        return self.generator.normal(0, scale, shape).astype("f4")

    def uniform(self, low, high, *shape):
        return self.generator.uniform(low, high, shape).astype("f4")

    def integers(self, low, high, *shape):
        return self.generator.integers(low, high, shape)


def graph_of(build, library=False):
    """The GraphDef that `build` creates in an empty graph, with its functions if requested."""
    with tf.Graph().as_default() as graph:
        build()
        definition = graph.as_graph_def()
    if not library:
        definition.ClearField("library")
    return definition


def strip_defaults(definition):
    """Removes every attribute with its default value, as TensorFlow does in graphs for older readers."""
    for node in definition.node:
        for attribute in op_def_registry.get(node.op).attr:
            given = attribute.name in node.attr
            if given and attribute.HasField("default_value") and node.attr[attribute.name] == attribute.default_value:
                del node.attr[attribute.name]


def integers(definition, name, values):
    """Adds a constant of 32-bit integers."""
    node = definition.node.add(name=name, op="Const")
    node.attr["dtype"].type = tf.int32.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(values, tf.int32))
    return node


def channels_last_twin(definition):
    """The same graph with every NCHW operation run as NHWC between two transposes: TensorFlow's CPU kernels support only NHWC."""
    twin = tf.compat.v1.GraphDef(versions=definition.versions, library=definition.library)
    for node in definition.node:
        if "data_format" not in node.attr or node.attr["data_format"].s != b"NCHW":
            twin.node.add().CopyFrom(node)
            continue
        forward, operation, backward = twin.node.add(), twin.node.add(), twin.node.add()
        operation.CopyFrom(node)
        image = 2 if node.op == "Conv2DBackpropInput" else 0
        operation.name, operation.input[image] = node.name + "/nhwc", node.name + "/to_nhwc"
        operation.attr["data_format"].s = b"NHWC"
        for name in ("strides", "ksize", "dilations"):
            if name in node.attr:
                values = list(node.attr[name].list.i)
                operation.attr[name].list.i[:] = [values[axis] for axis in CHANNELS_LAST]
        if "explicit_paddings" in node.attr and node.attr["explicit_paddings"].list.i:
            explicit = node.attr["explicit_paddings"].list.i
            operation.attr["explicit_paddings"].list.i[:] = [explicit[2 * a + e] for a in CHANNELS_LAST for e in (0, 1)]
        if image == 2:
            order, picked = integers(twin, node.name + "/sizes/order", CHANNELS_LAST), twin.node.add()
            picked.op, picked.name = "Gather", node.name + "/sizes"
            picked.input.extend([node.input[0], order.name])
            for key in ("Tparams", "Tindices"):
                picked.attr[key].type = tf.int32.as_datatype_enum
            operation.input[0] = picked.name
        for transpose, name, source, order in ((forward, node.name + "/to_nhwc", node.input[image], CHANNELS_LAST),
                                               (backward, node.name, operation.name, CHANNELS_FIRST)):
            permutation = integers(twin, name + "/permutation", order)
            transpose.op, transpose.name = "Transpose", name
            transpose.input.extend([source, permutation.name])
            transpose.attr["T"].type, transpose.attr["Tperm"].type = tf.float32.as_datatype_enum, tf.int32.as_datatype_enum
    return twin


def varint(number):
    """A protobuf varint: seven bits per byte, the lowest first."""
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes(data + bytes([number]))


def field(number, payload):
    """A length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def expected_outputs(definition, inputs, feed="input", fetch="output"):
    """TensorFlow's output for each input, without optimizations and on one thread, so that the bytes are reproducible."""
    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(channels_last_twin(definition), name="")
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            feed, fetch = (name if ":" in name else name + ":0" for name in (feed, fetch))
            return [np.asarray(session.run(fetch, {feed: x}), "f4") for x in inputs]


def require_telling(outputs, path):
    """A fixture whose output does not depend on its input would prove nothing."""
    first, second = outputs
    if not np.isfinite(first).all():
        raise ValueError(path + ": the output is not finite")
    if np.abs(first - second).max() < 1e-3:
        raise ValueError(path + ": the output does not depend on the input")


def file_at(path):
    """The full path of a fixture; its folder is created."""
    full = os.path.join(FIXTURES, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    return full


def save_bytes(path, data):
    with open(file_at(path), "wb") as file:
        file.write(data)


def graph_bytes(definition):
    return definition.SerializeToString(deterministic=True)


def save_array(path, array):
    """A `.npy` file: little-endian float32 in C order."""
    np.save(file_at(path), np.asarray(array, "<f4", order="C"))


def save_table(path, header, rows):
    """A tab-separated table, sorted by its first column."""
    lines = ["\t".join(row) for row in [header] + sorted(rows)]
    save_bytes(path, ("\n".join(lines) + "\n").encode())
