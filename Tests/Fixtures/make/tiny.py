"""A network of a few hundred bytes, for tests of a graph's wiring, and images for it."""
import numpy as np
import tensorflow as tf

from common import Draw

op = tf.raw_ops
KERNEL, BIAS, DENSE = (Draw("ways/tiny")(*shape) for shape in ((3, 3, 3, 4), (4,), (4, 3)))
GAMMA = Draw("ways/gamma").uniform(0.6, 1.4, 4)


def sample_images(kind):
    """Two images of 8 x 8 pixels: `color` from -1 to 1, `pixels` integers from 0 to 255."""
    draw = Draw("ways/" + kind)
    if kind == "pixels":
        return [draw.integers(0, 256, 1, 8, 8, 3).astype("f4") for _ in range(2)]
    return [draw.uniform(-1, 1, 1, 8, 8, 3) for _ in range(2)]


def convolved(x, scope=""):
    x = op.Conv2D(input=x, filter=tf.constant(KERNEL, name=scope + "kernel"), strides=[1, 2, 2, 1], padding="SAME",
                  name=scope + "conv")
    return op.Relu(features=op.BiasAdd(value=x, bias=tf.constant(BIAS, name=scope + "bias")), name=scope + "relu")


def dense(x, scope=""):
    return op.MatMul(a=x, b=tf.constant(DENSE, name=scope + "weights"), name=scope + "dense")


def pooled(x, scope=""):
    return op.Mean(input=x, axis=np.array([1, 2], "i4"), name=scope + "pool")


def tiny(x, middle=lambda x: x, scope=""):
    """Convolution, pool, dense layer, softmax; `middle` is inserted before the pool."""
    return op.Softmax(logits=dense(pooled(middle(convolved(x, scope)), scope), scope), name=scope + "softmax")
