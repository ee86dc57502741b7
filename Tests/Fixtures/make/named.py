"""Normalizations and activations as the libraries spell them out, and near misses."""
import numpy as np
import tensorflow as tf

from convolutions import convolution

op = tf.raw_ops
IMAGE = [1, 5, 6, 8]


def layer_normalization(x, gamma, beta, epsilon):
    """tf_keras's layer over the last axis with an epsilon that batch normalization's kernel accepts: rows as pixels of channels."""
    width = x.shape[-1]
    shape = op.Shape(input=x)
    pieces = [op.StridedSlice(input=shape, begin=[i], end=[i + 1], strides=[1], shrink_axis_mask=1) for i in range(len(x.shape))]
    rows = pieces[0]
    for piece in pieces[1:-1]:
        rows = op.Mul(x=rows, y=piece)
    y = op.Reshape(tensor=x, shape=op.Pack(values=[1, rows, pieces[-1], 1]))
    y = op.FusedBatchNormV3(x=y, scale=op.Fill(dims=op.Pack(values=[rows]), value=1.0),
                            offset=op.Fill(dims=op.Pack(values=[rows]), value=0.0), mean=[], variance=[], epsilon=epsilon,
                            is_training=True, data_format="NCHW").y
    y = op.Reshape(tensor=y, shape=shape)
    return op.AddV2(x=op.Mul(x=y, y=gamma), y=beta)


def normalizations(cases):
    add = cases.family("normalization")

    def moments(axes, gamma=None, beta=None, epsilon=1e-3):
        """tf.nn.moments and tf.nn.batch_normalization, as tf.contrib's and Keras's layers use them."""
        def build(x, r):
            mean, variance = tf.nn.moments(x, axes, keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, beta and r(*beta), gamma and r.uniform(0.5, 1.5, *gamma), epsilon)
        return build

    def quotient(x, r):
        """As in style transfer repositories of 2016."""
        mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
        normal = op.RealDiv(x=op.Sub(x=x, y=mean), y=op.Pow(x=op.Add(x=variance, y=1e-3), y=0.5))
        return op.Add(x=op.Mul(x=r(8), y=normal), y=r(8))

    def by_hand(x, r):
        centered = op.Sub(x=x, y=op.Mean(input=x, axis=[3], keep_dims=True))
        variance = op.Mean(input=op.Square(x=centered), axis=[3], keep_dims=True)
        return op.Mul(x=centered, y=op.Rsqrt(x=op.AddV2(x=variance, y=1e-6)))

    def groups(x, r):
        """Keras's GroupNormalization with two groups."""
        y = op.Reshape(tensor=x, shape=[1, 5, 6, 2, 4])
        mean, variance = tf.nn.moments(y, [1, 2, 4], keepdims=True)
        y = tf.nn.batch_normalization(y, mean, variance, r(1, 1, 1, 2, 4), r.uniform(0.5, 1.5, 1, 1, 1, 2, 4), 1e-3)
        return op.Reshape(tensor=y, shape=[1, 5, 6, 8])

    def between_convolutions(x, r):
        y = moments([1, 2], [8], [8])(convolution(x, r(3, 3, 8, 8)), r)
        return convolution(op.Relu(features=y), r(3, 3, 8, 8))

    def lengths(axes, **options):
        return lambda x, r: tf.nn.l2_normalize(x, axes, **options)

    def channels_first(x, r):
        mean, variance = tf.nn.moments(x, [2, 3], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, r(1, 8, 1, 1), r.uniform(0.5, 1.5, 1, 8, 1, 1), 1e-6)

    def two_readers(x, r):
        mean, variance = tf.nn.moments(x, [1, 2], keepdims=True)
        y = op.Mul(x=op.Sub(x=x, y=mean), y=op.Rsqrt(x=op.AddV2(x=variance, y=1e-3)))
        return op.AddV2(x=y, y=variance)

    def other_axes(x, r):
        centered = op.Sub(x=x, y=op.Mean(input=x, axis=[1, 2, 3], keep_dims=True))
        variance = op.Mean(input=op.Square(x=centered), axis=[1, 2], keep_dims=True)
        return op.Mul(x=centered, y=op.Rsqrt(x=op.AddV2(x=variance, y=1e-3)))

    def added_epsilon(x, r):
        total = op.Sum(input=op.Square(x=x), axis=[3], keep_dims=True)
        return op.Mul(x=x, y=op.Rsqrt(x=op.AddV2(x=total, y=0.5)))

    builds = [
        ("instance", moments([1, 2], [8], [8]), "tf.contrib's instance_norm"),
        ("instance_plain", moments([1, 2]), "neither scale nor offset"),
        ("instance_scale_only", moments([1, 2], [8]), ""),
        ("instance_offset_only", moments([1, 2], beta=[8]), ""),
        ("instance_quotient", quotient, "(x - mean) / (variance + epsilon) ** 0.5"),
        ("layer_image", moments([1, 2, 3], [8], [8], 1e-12), "tf.contrib's layer_norm: over the image, a scale by channel"),
        ("layer_image_scale_by_place", moments([1, 2, 3], [5, 6, 8], [5, 6, 8]), ""),
        ("layer_channels", moments([3], [8], [8], 1e-6), "Keras's LayerNormalization, as ConvNeXt has it"),
        ("layer_fused", lambda x, r: layer_normalization(x, r.uniform(0.5, 1.5, 8), r(8), 1e-3),
         "Keras's LayerNormalization by batch normalization's kernel"),
        ("layer_by_hand", by_hand, ""),
        ("group", groups, ""),
        ("between_convolutions", between_convolutions, ""),
        ("length", lengths([3]), "tf.nn.l2_normalize"),
        ("length_image", lengths([1, 2, 3], epsilon=1e-3), ""),
        ("two_readers", two_readers, "the variance is read elsewhere, too"),
        ("other_axes", other_axes, "mean and variance are not of the same elements"),
        ("length_added_epsilon", added_epsilon, "epsilon is added, not a bound"),
    ]
    for name, build, note in builds:
        add(name, IMAGE, build, note)
    add("nchw_instance", [1, 8, 5, 6], channels_first)
    add("layer_rows", [3, 12], lambda x, r: layer_normalization(x, r.uniform(0.5, 1.5, 12), r(12), 1e-3), "")
    add("layer_tokens", [1, 7, 12], moments([2], [12], [12], 1e-6), "")
    add("length_rows", [3, 12], lengths([1]), "")


def activations(cases):
    add = cases.family("activation")

    def leaky(x, r):
        return op.Sub(x=op.Relu(features=x), y=op.Mul(x=0.2, y=op.Relu(features=op.Neg(x=x))))

    def relu6_of_sum(x):
        return op.Relu6(features=op.AddV2(x=x, y=3.0))

    def gelu_by_hand(x, r):
        return op.Mul(x=op.Mul(x=0.5, y=x), y=op.AddV2(x=1.0, y=op.Erf(x=op.RealDiv(x=x, y=1.4142135))))

    def rounded_gelu(x, r):
        return op.Mul(x=op.Mul(x=0.5, y=x), y=op.AddV2(x=1.0, y=op.Erf(x=op.RealDiv(x=x, y=1.41))))

    def squeezed(x, r):
        share = op.Sigmoid(x=op.Mean(input=x, axis=[1, 2], keep_dims=True))
        return op.Mul(x=x, y=share)

    def shared(x, r):
        share = op.Sigmoid(x=x)
        return op.AddV2(x=op.Mul(x=x, y=share), y=share)

    def behind_convolution(x, r):
        y = convolution(x, r(3, 3, 8, 12))
        return convolution(op.Mul(x=y, y=op.Sigmoid(x=y)), r(1, 1, 12, 4))

    builds = [
        ("silu", lambda x, r: tf.nn.silu(x), "tf.nn.silu, a custom gradient around it"),
        ("silu_beta", lambda x, r: tf.nn.silu(x, beta=1.702), ""),
        ("hard_swish", lambda x, r: op.Mul(x=op.Mul(x=x, y=relu6_of_sum(x)), y=0.16666667), "MobileNet v3"),
        ("hard_swish_divided", lambda x, r: op.Mul(x=x, y=op.RealDiv(x=relu6_of_sum(x), y=6.0)), ""),
        ("hard_sigmoid", lambda x, r: op.Mul(x=relu6_of_sum(x), y=0.16666667), ""),
        ("hard_sigmoid_keras",
         lambda x, r: op.ClipByValue(t=op.AddV2(x=op.Mul(x=0.2, y=x), y=0.5), clip_value_min=0.0, clip_value_max=1.0), ""),
        ("gelu", lambda x, r: tf.nn.gelu(x), "tf.nn.gelu"),
        ("gelu_tanh", lambda x, r: tf.nn.gelu(x, approximate=True), ""),
        ("gelu_by_hand", gelu_by_hand, ""),
        ("mish", lambda x, r: op.Mul(x=x, y=op.Tanh(x=op.Softplus(features=x))), ""),
        ("leaky_relu_of_two", leaky, "relu(x) - 0.2 relu(-x)"),
        ("silu_behind_convolution", behind_convolution, ""),
        ("gelu_rounded", rounded_gelu, "a root of two with two digits: no GELU"),
        ("squeezed", squeezed, "the sigmoid of the mean"),
        ("shared", shared, "the sigmoid is read elsewhere, too"),
    ]
    for name, build, note in builds:
        add(name, IMAGE, build, note)


def write(cases):
    normalizations(cases)
    activations(cases)
