"""Cases of tensors without elements, which TensorFlow computes like any others."""
import numpy as np
import tensorflow as tf

op = tf.raw_ops
SHAPE = [1, 6, 5, 3]


def nothing(*shape):
    return tf.constant(np.zeros(shape, "f4"))


def joined(axis, *parts):
    return op.ConcatV2(values=parts, axis=axis)


def write(cases):
    add = cases.family("empty")
    add("concat_constant", SHAPE, lambda x, r: joined(3, x, nothing(1, 6, 5, 0)))
    add("concat_slice", SHAPE, lambda x, r: joined(3, x[..., :0], op.Neg(x=x)))
    add("concat_slices", SHAPE, lambda x, r: joined(1, joined(1, x[:, :0], x[:, 3:3]), x, x))
    add("concat_batch", SHAPE, lambda x, r: joined(0, x[:0], x))
    add("sum", SHAPE, lambda x, r: x + op.Sum(input=x[:, :0], axis=[1], keep_dims=True))
    add("product", SHAPE, lambda x, r: x + op.Prod(input=x[:, :0], axis=[1], keep_dims=True), "of nothing: 1")
    add("largest", SHAPE, lambda x, r: op.Maximum(x=x, y=op.Max(input=x[:, :0], axis=[1], keep_dims=True)))
    add("matmul", [6, 5], lambda x, r: joined(1, op.AddV2(x=op.MatMul(a=x[:, :0], b=nothing(0, 4)), y=1.0), x),
        "a product over no columns: 0")
    add("pad", SHAPE, lambda x, r: x + op.PadV2(input=x[:, :0], paddings=[[0, 0], [2, 4], [0, 0], [0, 0]], constant_values=3.0))

    def parts(x, r):
        first, second, third = op.SplitV(value=x, size_splits=[0, 2, 1], axis=3, num_split=3)
        return joined(3, third, second, first)

    add("split", SHAPE, parts)
    add("split_one", SHAPE, lambda x, r: op.Neg(x=op.SplitV(value=x, size_splits=[3, 0], axis=3, num_split=2)[0]))
    for name, build in {
            "gather": lambda x: op.GatherV2(params=x, indices=np.zeros(0, "i4"), axis=2),
            "tile": lambda x: op.Tile(input=x, multiples=[1, 1, 0, 1]),
            "relu": lambda x: op.Relu(features=x[:, :, 5:]),
            "binary": lambda x: x[:, :, 5:] * x[:, :, :0] + 1.0,
            "slice": lambda x: op.Slice(input=x, begin=[0, 0, 1, 0], size=[1, 6, 0, 3]),
            "softmax": lambda x: op.Softmax(logits=x[:, :, :0]),
            "reshape": lambda x: op.Reshape(tensor=x[:, :0], shape=[1, 6, 0, 3]),
            "transpose": lambda x: op.Transpose(x=op.Transpose(x=x, perm=[0, 2, 1, 3])[:, :0], perm=[0, 2, 1, 3]),
            "convolution": lambda x: op.Conv2D(input=x[:, :, :0], filter=np.ones((3, 3, 3, 3), "f4"), strides=[1, 1, 1, 1],
                                               padding="SAME")}.items():
        add(name, SHAPE, lambda x, r: joined(2, build(x), x))
    add("stack", SHAPE, lambda x, r: joined(1, op.Reshape(tensor=op.Pack(values=[x[:, :0], x[:, :0]], axis=1), shape=[1, 0, 5, 3]), x))
    add("sizes", SHAPE, lambda x, r: op.Neg(x=op.Reshape(tensor=x, shape=op.Pack(values=[
        op.Prod(input=op.Shape(input=x)[:0], axis=[0]), tf.constant(-1)]))), "the product of no sizes")
