"""A small Core ML network and, layer by layer, TensorFlow's output for it.

coremltools' builder writes the model. For each layer, TensorFlow computes with the same weights, so that model and output
come from different programs. Values are [image, height, width, channel]; Core ML's own layout is channels first.
"""
import math
from collections import namedtuple

import numpy as np
import tensorflow as tf
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

from common import Draw

Blob = namedtuple("Blob", "name value")


def edges(size, window, stride, mode, asymmetry="BOTTOM_RIGHT_HEAVY"):
    """The padding of a pool or convolution before and after a side of this size."""
    if mode == "VALID":
        return 0, 0
    if mode == "INCLUDE_LAST_PIXEL":
        return 0, max(0, (math.ceil((size - window) / stride)) * stride + window - size)
    total = max(0, (math.ceil(size / stride) - 1) * stride + window - size)
    small, large = total // 2, total - total // 2
    return (small, large) if asymmetry == "BOTTOM_RIGHT_HEAVY" else (large, small)


def half_exact(values):
    """The nearest values that half precision represents exactly."""
    return values.astype("f2").astype("f4")


class Twin:
    """A model being built. `shape` is the input's, channels first; `mapped` tells whether rank-5 mapping (version 1) is used."""

    def __init__(self, name, shape, output, classifier=True, mapped=True):
        self.draw, self.count = Draw("coreml/" + name), 0
        features = [("image", datatypes.Array(*shape))]
        self.builder = NeuralNetworkBuilder(features, [(output, None)], "classifier" if classifier else None,
                                            disable_rank5_shape_mapping=not mapped)
        self.output = output

    def weights(self, *shape, scale=1.0):
        return half_exact(self.draw(*shape, scale=scale))

    def new_name(self, kind):
        self.count += 1
        return f"{kind}_{self.count}"

    def layer(self, kind, add, value, output=None):
        """Adds one layer with the builder and returns its blob."""
        name = output or self.new_name(kind)
        add(name="layer_" + name, output_name=name)
        return Blob(name, value)

    def convolution(self, x, size, outputs, stride=1, mode="same", groups=1, asymmetry="BOTTOM_RIGHT_HEAVY", padding=(0, 0, 0, 0),
                    bias=True):
        """`padding` is top, bottom, left, right, with the mode valid."""
        channels = x.value.shape[-1]
        kernel = self.weights(*size, channels // groups, outputs, scale=1.4 / math.sqrt(size[0] * size[1] * channels / groups))
        offset = self.weights(outputs, scale=0.2) if bias else None
        if mode == "same":
            rows, columns = (edges(x.value.shape[a + 1], size[a], stride, "SAME", asymmetry) for a in (0, 1))
        else:
            rows, columns = padding[:2], padding[2:]
        value = tf.nn.conv2d(tf.pad(x.value, [(0, 0), rows, columns, (0, 0)]), kernel, stride, "VALID")

        def add(name, output_name):
            top, bottom, left, right = padding
            self.builder.add_convolution(name, channels // groups, outputs, *size, stride, stride, mode, groups, kernel, offset,
                                         bias,
                                         input_name=x.name, output_name=output_name, padding_top=top, padding_bottom=bottom,
                                         padding_left=left, padding_right=right, same_padding_asymmetry_mode=asymmetry)
        return self.layer("convolution", add, value + offset if bias else value)

    def batch_norm(self, x):
        channels = x.value.shape[-1]
        gamma, variance = (half_exact(self.draw.uniform(0.5, 1.5, channels)) for _ in range(2))
        beta, mean = self.weights(channels, scale=0.2), self.weights(channels, scale=0.2)
        value = (x.value - mean) / np.sqrt(variance + 1e-3) * gamma + beta
        return self.layer("batch_norm", lambda name, output_name: self.builder.add_batchnorm(
            name, channels, gamma, beta, mean, variance, x.name, output_name, epsilon=1e-3), value)

    def pool(self, x, kind, size, stride, mode="VALID", exclude=True):
        rows, columns = (edges(x.value.shape[a + 1], size, stride, mode) for a in (0, 1))
        padding = [(0, 0), rows, columns, (0, 0)]
        if kind == "MAX":
            value = tf.nn.max_pool2d(tf.pad(x.value, padding, constant_values=-np.inf), size, stride, "VALID")
        else:
            value = tf.nn.avg_pool2d(tf.pad(x.value, padding), size, stride, "VALID")
            if exclude:
                value /= tf.nn.avg_pool2d(tf.pad(tf.ones_like(x.value), padding), size, stride, "VALID")
        return self.layer("pool", lambda name, output_name: self.builder.add_pooling(
            name, size, size, stride, stride, kind, mode, x.name, output_name, exclude_pad_area=exclude), value)

    def global_pool(self, x, kind="AVERAGE"):
        reduce = tf.reduce_max if kind == "MAX" else tf.reduce_mean
        return self.layer("global_pool", lambda name, output_name: self.builder.add_pooling(
            name, 1, 1, 1, 1, kind, "VALID", x.name, output_name, is_global=True), reduce(x.value, [1, 2], keepdims=True))

    def activation(self, x, kind, params=None):
        functions = {"RELU": tf.nn.relu, "SIGMOID": tf.nn.sigmoid, "TANH": tf.nn.tanh,
                     "LEAKYRELU": lambda v: tf.nn.leaky_relu(v, params and params[0]),
                     "ELU": lambda v: tf.where(v > 0, v, params * (tf.exp(v) - 1)), "LINEAR": lambda v: params[0] * v + params[1]}
        return self.layer(kind.lower(), lambda name, output_name: self.builder.add_activation(
            name, kind, x.name, output_name, params), functions[kind](x.value))

    def relu6(self, x):
        """As coremltools itself writes it without the clip layer: relu, negate, threshold at -6, negate."""
        x = self.activation(self.activation(x, "RELU"), "LINEAR", [-1.0, 0.0])
        x = self.layer("threshold", lambda name, output_name: self.builder.add_unary(
            name, x.name, output_name, "threshold", alpha=-6.0), tf.maximum(x.value, -6.0))
        return self.activation(x, "LINEAR", [-1.0, 0.0])

    def clip(self, x, low, high):
        return self.layer("clip", lambda name, output_name: self.builder.add_clip(name, x.name, output_name, low, high),
                          tf.clip_by_value(x.value, low, high))

    def elementwise(self, values, mode):
        functions = {"ADD": tf.add_n, "MULTIPLY": lambda v: tf.reduce_prod(tf.stack(v), 0), "CONCAT": lambda v: tf.concat(v, 3)}
        return self.layer(mode.lower(), lambda name, output_name: self.builder.add_elementwise(
            name, [v.name for v in values], output_name, mode), functions[mode]([v.value for v in values]))

    def flatten(self, x, mode=0):
        """Mode 0 in Core ML's order, channel by channel; mode 1 with the channels last."""
        value = tf.transpose(x.value, [0, 3, 1, 2]) if mode == 0 else x.value
        return self.layer("flatten", lambda name, output_name: self.builder.add_flatten(
            name, mode, x.name, output_name), tf.reshape(value, [value.shape[0], -1]))

    def dense(self, x, outputs, spread=1.0, output=None):
        """`spread` is the difference between the outputs of different images."""
        value = tf.reshape(x.value, [x.value.shape[0], -1]).numpy()
        inputs = value.shape[-1]
        matrix = self.draw(outputs, inputs)
        raw = value @ matrix.T
        scale = spread / (raw - raw.mean(0)).std()
        matrix, bias = half_exact(matrix * scale), half_exact(-raw.mean(0) * scale)
        return self.layer("dense", lambda name, output_name: self.builder.add_inner_product(
            name, matrix, bias, inputs, outputs, True, x.name, output_name), value @ matrix.T + bias, output)

    def softmax(self, x):
        return self.layer("softmax", lambda name, output_name: self.builder.add_softmax(name, x.name, output_name),
                          tf.nn.softmax(x.value), self.output)

    def softmax_last(self, x):
        return self.layer("softmax", lambda name, output_name: self.builder.add_softmax_nd(
            name, x.name, output_name, axis=-1), tf.nn.softmax(x.value), self.output)
