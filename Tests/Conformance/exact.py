#!/usr/bin/env python3
"""Computes a network of the conformance run in float64: TensorFlow on the graph with float64 instead of float32.

usage: exact.py NAME FOLDER

Reads FOLDER/NAME.pb and its inputs, and writes NAME_exact.npy, which shows the cause of a difference: TensorFlow's outputs in
float32 differ from these by their rounding errors. Needs `pip install tensorflow-cpu tf_keras`.
"""
import os
import sys

import networks

import numpy as np
import tensorflow as tf

SINGLE, DOUBLE = tf.float32.as_datatype_enum, tf.float64.as_datatype_enum


def written_norm(node):
    """The nodes of (x - mean) / sqrt(variance + epsilon) * scale + offset: FusedBatchNorm does not support float64."""
    x, scale, offset, mean, variance = node.input
    nodes = []

    def add(op, name, *inputs):
        made = tf.compat.v1.NodeDef(op=op, name=name, input=inputs)
        made.attr["T"].type = DOUBLE
        nodes.append(made)
        return name

    epsilon = tf.compat.v1.NodeDef(op="Const", name=node.name + "/epsilon")
    epsilon.attr["dtype"].type = DOUBLE
    epsilon.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.float64(node.attr["epsilon"].f)))
    nodes.append(epsilon)
    inverse = add("Rsqrt", node.name + "/inverse", add("AddV2", node.name + "/raised", variance, epsilon.name))
    factor = add("Mul", node.name + "/factor", inverse, scale)
    centered = add("Sub", node.name + "/centered", x, mean)
    add("AddV2", node.name, add("Mul", node.name + "/scaled", centered, factor), offset)
    return nodes


def write_depthwise(definition):
    """Keras compiles convolutions with one group per channel by XLA, which takes minutes in float64."""
    inner = {function.signature.name: function.node_def for function in definition.library.function}
    for node in list(definition.node):
        if node.op != "PartitionedCall":
            continue
        convolution = next(part for part in inner[node.attr["f"].func.name] if part.op == "Conv2D")
        shape = definition.node.add(op="Const", name=node.name + "/shape")
        shape.attr["dtype"].type = tf.int32.as_datatype_enum
        shape.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([7, 7, -1, 1], tf.int32))
        filters = definition.node.add(op="Reshape", name=node.name + "/filters", input=[node.input[1], shape.name])
        filters.attr["T"].type = SINGLE
        filters.attr["Tshape"].type = tf.int32.as_datatype_enum
        node.op = "DepthwiseConv2dNative"
        node.input[1] = filters.name
        node.attr.clear()
        node.attr["T"].type = SINGLE
        for name in ("strides", "padding"):
            node.attr[name].CopyFrom(convolution.attr[name])
    definition.ClearField("library")


def widen(nodes):
    """Changes every float32 in the nodes to float64."""
    for node in list(nodes):
        if node.op.startswith("FusedBatchNorm"):
            assert not node.attr["is_training"].b
            nodes.extend(written_norm(node))
            nodes.remove(node)
            continue
        for attribute in node.attr.values():
            if attribute.type == SINGLE:
                attribute.type = DOUBLE
            for place, kind in enumerate(attribute.list.type):
                if kind == SINGLE:
                    attribute.list.type[place] = DOUBLE
            if attribute.HasField("tensor") and attribute.tensor.dtype == SINGLE:
                attribute.tensor.CopyFrom(tf.make_tensor_proto(tf.make_ndarray(attribute.tensor).astype("f8")))


def make(name, folder):
    definition = tf.compat.v1.GraphDef()
    with open(os.path.join(folder, name + ".pb"), "rb") as file:
        definition.ParseFromString(file.read())
    write_depthwise(definition)
    widen(definition.node)
    inputs = np.load(networks.inputs_of(name, folder)).astype("f8")
    read = {word.split(":")[0].lstrip("^") for node in definition.node for word in node.input}
    output = next(node.name for node in definition.node if node.name not in read and node.op not in ("Const", "NoOp"))
    np.save(os.path.join(folder, name + "_exact.npy"), networks.expected_outputs(definition, "input", output, inputs))


if __name__ == "__main__":
    make(*sys.argv[1:])
