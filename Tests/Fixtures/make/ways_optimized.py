"""Graphs written by TensorFlow's own optimize_for_inference, with TensorFlow's outputs for them."""
import numpy as np
import tensorflow as tf
from tensorflow.python.tools import optimize_for_inference_lib

from tiny import BIAS, DENSE, GAMMA, KERNEL

op = tf.raw_ops


def optimized(definition):
    definition.CopyFrom(optimize_for_inference_lib.optimize_for_inference(
        definition, ["input"], ["softmax"], tf.float32.as_datatype_enum))


def fused_norm(x):
    row = {name: tf.constant(value, name="norm/" + name) for name, value in
           (("scale", GAMMA), ("offset", BIAS), ("mean", BIAS / 2), ("variance", GAMMA / 2))}
    return op.FusedBatchNorm(x=x, epsilon=1e-3, is_training=False, name="norm/FusedBatchNorm", **row).y


def written_norm(x):
    """tf.nn.batch_normalization, with factors computed in the graph."""
    raised = op.Add(x=tf.constant(GAMMA / 2, name="norm/variance"), y=tf.constant(np.float32(1e-3), name="norm/epsilon"), name="norm/add")
    factor = op.Mul(x=op.Rsqrt(x=raised, name="norm/Rsqrt"), y=tf.constant(GAMMA, name="norm/gamma"), name="norm/mul")
    shift = op.Sub(x=tf.constant(BIAS, name="norm/beta"),
                   y=op.Mul(x=tf.constant(BIAS / 2, name="norm/mean"), y=factor, name="norm/mul_2"), name="norm/sub")
    return op.Add(x=op.Mul(x=x, y=factor, name="norm/mul_1"), y=shift, name="norm/add_1")


def network(norm, resized, mirrored):
    def build(x):
        if resized:
            x = op.ResizeBilinear(images=x, size=tf.constant([11, 10], name="size"), name="resized")
        if mirrored:
            x = op.MirrorPad(input=x, paddings=tf.constant([[0, 0], [1, 1], [2, 0], [0, 0]], name="edges"), mode="REFLECT", name="mirror")
        x = op.Conv2D(input=x, filter=op.Identity(input=tf.constant(KERNEL, name="kernel"), name="kernel/read"),
                      strides=[1, 1, 1, 1], padding="VALID", name="conv")
        x = op.Relu(features=norm(x), name="relu")
        x = op.Mean(input=op.Identity(input=x, name="dropout"), axis=tf.constant([1, 2], name="axes"), name="pool")
        return op.Softmax(logits=op.MatMul(a=x, b=tf.constant(DENSE, name="weights"), name="dense"), name="softmax")
    return build


def write(ways):
    for name, build, note in [
            ("optimized", network(fused_norm, True, True), "its batch norm folded, FusedResizeAndPadConv2D"),
            ("optimized_resize", network(fused_norm, True, False), "its batch norm folded, a resize fused"),
            ("optimized_pad", network(written_norm, False, True), "its written batch norm folded, FusedPadConv2D")]:
        ways.add(name, build, "optimize_for_inference: " + note, edit=optimized)
