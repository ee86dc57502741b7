"""Layers for small random networks whose activations keep their scale and whose outputs distinguish images.

A network is a function of a Network and an image. It runs twice: eagerly over a batch of images, which calibrates the
weights and the batch-norm statistics, and then in a graph, where the same weights are written as by an exporter.
"""
import numpy as np
import tensorflow as tf

from common import CHANNELS_FIRST, Draw

op = tf.raw_ops
EPSILON = 1e-3


class Network:
    """The weights of one network, and their form in the graph.

    spelling: "chain" (TF-slim: Identity reads, batch norm as Mul, Add, Rsqrt, Sub), "fused" (FusedBatchNormV3), "fused_v1"
    (FusedBatchNorm), "folded" (batch norm inside weights and biases) or "resource" (as TensorFlow 2 freezes variables).
    """

    def __init__(self, seed, spelling="fused", eight_bit=False, channels_first=False):
        self.draw = Draw("networks/" + seed)
        self.spelling, self.eight_bit, self.channels_first = spelling, eight_bit, channels_first
        self.measuring = True
        self.weights = {}

    def write(self):
        """Ends the calibration: from now on, layers are added to the current graph."""
        self.measuring = False

    @property
    def layout(self):
        return "NCHW" if self.channels_first and not self.measuring else "NHWC"

    def spatial(self, height, width):
        """Strides, window sizes in the network's layout."""
        return [1, height, width, 1] if self.layout == "NHWC" else [1, 1, height, width]

    def constant(self, name, values):
        values = np.asarray(values, "f4")
        if self.measuring:
            return values
        if self.eight_bit and values.size >= 100:
            return self.dequantized(name, values)
        if self.spelling == "chain":
            return tf.identity(tf.constant(values, name=name), name=name + "/read")
        if self.spelling == "resource":
            return tf.identity(tf.constant(values, name=name + "/ReadVariableOp/resource"), name=name + "/ReadVariableOp")
        return tf.constant(values, name=name)

    def dequantized(self, name, values):
        """The values as 8-bit integers followed by a Dequantize, as the graph transforms of TensorFlow 1 wrote them."""
        low, high = min(values.min(), 0), max(values.max(), 0)
        numbers = np.round((values - low) / (high - low) * 255).astype(tf.quint8.as_numpy_dtype)
        return op.Dequantize(input=tf.constant(numbers, tf.quint8, name=name + "_quint8_const"),
                             min_range=tf.constant(low, name=name + "_min"), max_range=tf.constant(high, name=name + "_max"),
                             mode="MIN_FIRST", name=name)

    def settle(self, scope, shape, apply, normalized, spread):
        """Draws a layer's weights and calibrates them so that its output on the current images has the wanted scale.

        With batch norm, the statistics are measured; without it, weights and bias are scaled so that the output has
        mean 0 and deviation `spread`.
        """
        kernel = self.draw(*shape)
        output = np.asarray(apply(kernel)).reshape(-1, apply(kernel).shape[-1])
        count = output.shape[-1]
        if normalized:
            self.weights[scope] = {"kernel": kernel, "mean": output.mean(0), "variance": output.var(0),
                                   "gamma": self.draw.uniform(0.6, 1.4, count), "beta": self.draw(count, scale=0.2)}
        else:
            scale = spread / max((output - output.mean(0)).std(), 1e-6)
            self.weights[scope] = {"kernel": kernel * scale, "bias": -output.mean(0) * scale + self.draw(count, scale=0.05)}

    def folded(self, weights, is_depthwise):
        """Kernel and bias of a layer with its batch norm inside."""
        factor = weights["gamma"] / np.sqrt(weights["variance"] + EPSILON)
        kernel = weights["kernel"] * (factor[:, None] if is_depthwise else factor)
        return kernel, weights["beta"] - weights["mean"] * factor

    def bias_added(self, y, scope, bias):
        return op.BiasAdd(value=y, bias=self.constant(scope + "/biases", bias),
                          data_format=self.layout if len(y.shape) == 4 else "NHWC",
                          name=scope + "/BiasAdd")

    def normalized(self, y, scope, weights):
        """Batch norm after a convolution, spelled out."""
        gamma, beta, mean, variance = (self.constant(f"{scope}/BatchNorm/{name}", weights[part]) for name, part in (
            ("gamma", "gamma"), ("beta", "beta"), ("moving_mean", "mean"), ("moving_variance", "variance")))
        name = scope + "/BatchNorm/batchnorm/"
        if self.spelling == "chain":
            factor = op.Mul(x=op.Rsqrt(x=op.Add(x=variance, y=tf.constant(EPSILON, name=name + "add/y"), name=name + "add"),
                                       name=name + "Rsqrt"), y=gamma, name=name + "mul")
            shift = op.Sub(x=beta, y=op.Mul(x=mean, y=factor, name=name + "mul_2"), name=name + "sub")
            return op.Add(x=op.Mul(x=y, y=factor, name=name + "mul_1"), y=shift, name=name + "add_1")
        operation = op.FusedBatchNorm if self.spelling == "fused_v1" else op.FusedBatchNormV3
        return operation(x=y, scale=gamma, offset=beta, mean=mean, variance=variance, epsilon=EPSILON, is_training=False,
                         data_format=self.layout, name=scope + "/BatchNorm/FusedBatchNorm").y

    def convolution(self, x, scope, kernel, outputs=None, stride=1, padding="SAME", activation="Relu", normalized=True,
                    spread=1.0):
        """A convolution, depthwise if `outputs` is not given, with batch norm or bias, and its activation."""
        is_depthwise = outputs is None

        def apply(values):
            operation = op.DepthwiseConv2dNative if is_depthwise else op.Conv2D
            return operation(input=x, filter=values, strides=self.spatial(stride, stride), padding=padding,
                             data_format=self.layout,
                             name=scope + ("/depthwise" if is_depthwise else "/convolution"))

        if self.measuring:
            inputs = x.shape[-1]
            shape = (*kernel, inputs, 1) if is_depthwise else (*kernel, inputs, outputs)
            self.settle(scope, shape, apply, normalized, spread)
        weights = self.weights[scope]
        name = scope + ("/depthwise_weights" if is_depthwise else "/weights")
        if not normalized:
            y = self.bias_added(apply(self.constant(name, weights["kernel"])), scope, weights["bias"])
        elif self.measuring or self.spelling == "folded":
            values, bias = self.folded(weights, is_depthwise)
            y = self.bias_added(apply(self.constant(name, values)), scope, bias)
        else:
            y = self.normalized(apply(self.constant(name, weights["kernel"])), scope, weights)
        return getattr(op, activation)(features=y, name=f"{scope}/{activation}") if activation else y

    def dense(self, x, scope, outputs, spread=1.0):
        def apply(values):
            return op.MatMul(a=x, b=values, name=scope + "/MatMul")

        if self.measuring:
            self.settle(scope, (x.shape[-1], outputs), apply, False, spread)
        weights = self.weights[scope]
        return self.bias_added(apply(self.constant(scope + "/weights", weights["kernel"])), scope, weights["bias"])

    def max_pool(self, x, name, size, stride, padding="VALID"):
        return op.MaxPool(input=x, ksize=self.spatial(size, size), strides=self.spatial(stride, stride), padding=padding,
                          data_format=self.layout, name=name)

    def average_pool(self, x, name, size, stride=1, padding="VALID"):
        return op.AvgPool(value=x, ksize=self.spatial(size, size), strides=self.spatial(stride, stride), padding=padding,
                          data_format=self.layout, name=name)

    def pad(self, x, name, amount):
        edges = [[0, 0], [amount, amount], [amount, amount], [0, 0]]
        return op.Pad(input=x, paddings=edges if self.layout == "NHWC" else [edges[a] for a in CHANNELS_FIRST], name=name)

    def concat(self, values, name):
        return op.ConcatV2(values=values, axis=3 if self.layout == "NHWC" else 1, name=name)

    def mean(self, x, name):
        """Global average pooling, to rank 2."""
        return op.Mean(input=x, axis=[1, 2] if self.layout == "NHWC" else [2, 3], name=name)
