"""Image-to-image networks of any size: `generators/NAME.pb`, and for two images of different sizes the
input, `NAME.input0.npy`, and TensorFlow's output, `NAME.output0.npy`.

The weights are random, scaled so that an image remains one: every layer's output has about the deviation of its input.
"""
import os

import numpy as np
import tensorflow as tf
from PIL import Image

from common import (FIXTURES, Draw, expected_outputs, file_at, graph_bytes, graph_of, require_telling, save_array, save_bytes,
                    save_table)
from sample_images import sample_images

op = tf.raw_ops
SIZES = [(24, 32), (40, 28)]  # height and width; multiples of four


class Weights:
    """Draws each layer's weights from a separate generator."""

    def __init__(self, network):
        self.network = network

    def draw(self, scope):
        return Draw(f"generators/{self.network}/{scope}")

    def filters(self, scope, *shape, fan_in=None):
        fan_in = fan_in or shape[0] * shape[1] * shape[2]
        return tf.constant(self.draw(scope)(*shape, scale=1.4 / fan_in ** 0.5), name=scope + "/weights")

    def row(self, scope, name, count, middle, scale):
        return tf.constant(middle + self.draw(scope + name)(count, scale=scale), name=f"{scope}/{name}")


def convolution(weights, x, scope, size, outputs, stride=1, padding="SAME"):
    filters = weights.filters(scope, size, size, x.shape[-1], outputs)
    return op.Conv2D(input=x, filter=filters, strides=[1, stride, stride, 1], padding=padding, name=scope + "/Conv2D")


def moments(x, axes, scope):
    """tf.nn.moments as in TensorFlow 1."""
    mean = op.Mean(input=x, axis=axes, keep_dims=True, name=scope + "/moments/mean")
    still = op.StopGradient(input=mean, name=scope + "/moments/StopGradient")
    squares = op.SquaredDifference(x=x, y=still, name=scope + "/moments/SquaredDifference")
    return mean, op.Mean(input=squares, axis=axes, keep_dims=True, name=scope + "/moments/variance")


def instance_norm(weights, x, scope):
    """As in the fast style transfer networks: each channel is normalized by its own mean and deviation over the image."""
    mean, variance = moments(x, [1, 2], scope)
    deviation = op.Pow(x=op.Add(x=variance, y=tf.constant(1e-3), name=scope + "/add"), y=tf.constant(0.5), name=scope + "/pow")
    y = op.RealDiv(x=op.Sub(x=x, y=mean, name=scope + "/sub"), y=deviation, name=scope + "/div")
    y = op.Mul(x=weights.row(scope, "scale", x.shape[-1], 1, 0.2), y=y, name=scope + "/mul")
    return op.Add(x=y, y=weights.row(scope, "shift", x.shape[-1], 0, 0.2), name=scope + "/shifted")


def layer_norm(weights, x, scope):
    """tf.contrib.layers.layer_norm: all channels are normalized by one mean and deviation over the image."""
    mean, variance = moments(x, [1, 2, 3], scope)
    name = scope + "/batchnorm/"
    factor = op.Rsqrt(x=op.Add(x=variance, y=tf.constant(1e-12, name=name + "add/y"), name=name + "add"), name=name + "Rsqrt")
    factor = op.Mul(x=factor, y=weights.row(scope, "gamma", x.shape[-1], 1, 0.2), name=name + "mul")
    shift = op.Sub(x=weights.row(scope, "beta", x.shape[-1], 0, 0.2), y=op.Mul(x=mean, y=factor, name=name + "mul_2"), name=name + "sub")
    return op.Add(x=op.Mul(x=x, y=factor, name=name + "mul_1"), y=shift, name=name + "add_1")


def twice_as_large(x, scope):
    """Height and width times two, computed from the image's shape."""
    shape = op.Shape(input=x, name=scope + "/Shape")
    sides = [op.StridedSlice(input=shape, begin=[axis], end=[axis + 1], strides=[1], shrink_axis_mask=1, name=f"{scope}/side{axis}")
             for axis in (1, 2)]
    return [op.Mul(x=side, y=tf.constant(2), name=f"{scope}/doubled{index}") for index, side in enumerate(sides)]


def style():
    """Fast style transfer: no batch axis, strides, a residual block, transposed convolutions, tanh x 150 + 127.5."""
    weights = Weights("style")

    def normalized(x, scope, outputs, size=3, stride=1, relu=True):
        y = instance_norm(weights, convolution(weights, x, scope, size, outputs, stride), scope + "/norm")
        return op.Relu(features=y, name=scope + "/Relu") if relu else y

    def spread(x, scope, outputs):
        height, width = twice_as_large(x, scope)
        shape = op.Pack(values=[tf.constant(1), height, width, tf.constant(outputs)], name=scope + "/shape")
        filters = weights.filters(scope, 3, 3, outputs, x.shape[-1], fan_in=9 * x.shape[-1] / 4)
        y = op.Conv2DBackpropInput(input_sizes=shape, filter=filters, out_backprop=x, strides=[1, 2, 2, 1], padding="SAME", name=scope)
        y.set_shape([1, None, None, outputs])
        return op.Relu(features=instance_norm(weights, y, scope + "/norm"), name=scope + "/Relu")

    x = tf.compat.v1.placeholder(tf.float32, [None, None, 3], name="picture")
    x = op.ExpandDims(input=x, axis=0, name="ExpandDims")
    x = normalized(x, "conv1", 6, size=5)
    x = normalized(normalized(x, "conv2", 8, stride=2), "conv3", 12, stride=2)
    x = op.Add(x=x, y=normalized(normalized(x, "block/a", 12), "block/b", 12, relu=False), name="block/add")
    x = spread(spread(x, "spread1", 8), "spread2", 6)
    x = op.Tanh(x=normalized(x, "conv4", 3, size=5, relu=False), name="Tanh")
    op.Add(x=op.Mul(x=x, y=tf.constant(150.0), name="scaled"), y=tf.constant(127.5), name="styled")


def super_resolution():
    """FSRCNN-like: a gray placeholder without a shape, depth_to_space, clipped to 0 to 1."""
    weights = Weights("super_resolution")
    x = tf.compat.v1.placeholder(tf.float32, None, name="luma")
    x.set_shape([None, None, None, 1])
    y = op.Relu(features=convolution(weights, x, "conv1", 5, 8), name="relu1")
    y = op.LeakyRelu(features=convolution(weights, y, "conv2", 3, 8), alpha=0.1, name="relu2")
    y = op.DepthToSpace(input=convolution(weights, y, "conv3", 3, 4), block_size=2, name="DepthToSpace")
    y = op.AddV2(x=op.Mul(x=y, y=tf.constant(0.3), name="less"), y=tf.constant(0.4), name="lighter")
    op.Minimum(x=op.Maximum(x=y, y=tf.constant(0.0), name="low"), y=tf.constant(1.0), name="enlarged")


def generator():
    """AnimeGANv2-like: mirrored borders, depthwise blocks, spelled-out layer norm, resize, tanh."""
    weights = Weights("generator")

    def mirrored(x, scope):
        return op.MirrorPad(input=x, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT", name=scope + "/MirrorPad")

    def activated(x, scope):
        return op.LeakyRelu(features=layer_norm(weights, x, scope + "/LayerNorm"), alpha=0.2, name=scope + "/LeakyRelu")

    def block(x, scope, outputs, size=3, stride=1):
        y = mirrored(x, scope) if size == 3 else x
        return activated(convolution(weights, y, scope, size, outputs, stride, "VALID"), scope)

    def inverted(x, scope, outputs):
        y = block(x, scope + "/expand", 2 * x.shape[-1], size=1)
        filters = weights.filters(scope + "/depthwise", 3, 3, y.shape[-1], 1, fan_in=9)
        y = op.DepthwiseConv2dNative(input=mirrored(y, scope), filter=filters, strides=[1, 1, 1, 1], padding="VALID", name=scope + "/depthwise")
        y = convolution(weights, activated(y, scope), scope + "/project", 1, outputs)
        y = layer_norm(weights, y, scope + "/project/LayerNorm")
        return op.AddV2(x=x, y=y, name=scope + "/add") if x.shape[-1] == outputs else y

    def enlarged(x, scope, outputs):
        size = op.Pack(values=twice_as_large(x, scope), name=scope + "/size")
        y = op.ResizeBilinear(images=x, size=size, align_corners=False, name=scope + "/ResizeBilinear")
        y.set_shape([None, None, None, x.shape[-1]])
        return block(y, scope, outputs)

    x = tf.compat.v1.placeholder(tf.float32, [1, None, None, 3], name="generator_input")
    x = block(block(x, "generator/A/Conv", 6), "generator/A/Conv_1", 8, stride=2)
    x = block(x, "generator/B/Conv", 12, stride=2)
    x = inverted(inverted(x, "generator/C/r1", 16), "generator/C/r2", 16)
    x = enlarged(enlarged(x, "generator/D/Conv", 8), "generator/E/Conv", 6)
    op.Tanh(x=convolution(weights, x, "generator/out_layer/Conv", 1, 3), name="generator/out_layer/Tanh")


RANGES = {"unit": (1 / 255, 0), "pixels": (1, 0), "centered": (1 / 127.5, -1)}  # a network's input: scale and bias


def photograph(name, width=48):
    """A small copy of a photo in RGB."""
    image = Image.open(os.path.join(FIXTURES, "photographs", name + ".jpg")).convert("RGB")
    return image.resize((width, round(image.height * width / image.width)), Image.BILINEAR)


def features(x, filters, biases):
    """A convolution and relu on images: [batch, height, width, feature], in float64."""
    padded = np.pad(x, [(0, 0), (2, 2), (2, 2)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 5), (1, 2))
    return np.maximum(np.einsum("bhwij,ijf->bhwf", windows, filters) + biases, 0)


def enlarging(kind):
    """A network that upscales luma by 2 like ESPCN: random features, followed by a layer that is fitted to
    photos. Its biases have the magnitude of its range, so that it works only in that range; `centered` ends in a tanh."""
    scale, bias = RANGES[kind]
    draw, size = Draw("generators/luma_" + kind), 255 * scale
    filters, biases = draw(5, 5, 1, 24, scale=0.3), draw(24, scale=0.5 * size)
    large = [photograph(name).convert("L") for name in ("cat", "coffee", "rocket", "photographer")]
    large = [image.resize((48, 32), Image.BICUBIC) for image in large]
    small = np.array([np.asarray(image.resize((24, 16), Image.BICUBIC), "f8") for image in large]) * scale + bias
    wanted = np.array([np.asarray(image, "f8") for image in large]) * scale + bias
    if kind == "centered":
        wanted = np.arctanh(np.clip(wanted, -0.98, 0.98))
    wanted = wanted.reshape(-1, 16, 2, 24, 2).transpose(0, 1, 3, 2, 4).reshape(-1, 4)
    known = features(small, filters[:, :, 0].astype("f8"), biases).reshape(-1, 24)
    known = np.concatenate([known, np.full((len(known), 1), size)], 1)
    fitted = np.linalg.solve(known.T @ known + 1e-3 * size * size * np.eye(25), known.T @ wanted).astype("f4")

    def build():
        x = tf.compat.v1.placeholder(tf.float32, [None, None, None, 1], name="luma")
        y = op.Conv2D(input=x, filter=tf.constant(filters), strides=[1, 1, 1, 1], padding="SAME", name="features/Conv2D")
        y = op.Relu(features=op.BiasAdd(value=y, bias=tf.constant(biases), name="features/BiasAdd"), name="features/Relu")
        y = op.Conv2D(input=y, filter=tf.constant(fitted[None, None, :24]), strides=[1, 1, 1, 1], padding="SAME", name="blocks/Conv2D")
        y = op.BiasAdd(value=y, bias=tf.constant(fitted[24] * np.float32(size)), name="blocks/BiasAdd")
        if kind == "centered":
            y = op.Tanh(x=y, name="blocks/Tanh")
        op.DepthToSpace(input=y, block_size=2, name="enlarged")

    return graph_of(build)


def write_luma():
    """`luma_KIND.pb`, one for each range; for two photos, their small copies as PNG, and the outputs for their luma as pixels."""
    rows = []
    for kind, (scale, bias) in RANGES.items():
        definition = enlarging(kind)
        save_bytes(f"generators/luma_{kind}.pb", graph_bytes(definition))
        for name in ("cat", "coffee"):
            image = photograph(name, 32)
            image.save(file_at(f"generators/{name}.png"))
            luma = np.asarray(image.convert("YCbCr"), "f8")[None, ..., :1]
            [output] = expected_outputs(definition, [(luma * scale + bias).astype("f4")], "luma", "enlarged")
            pixels = np.clip((output - bias) / scale, 0, 255)
            save_array(f"generators/luma_{kind}.{name}.npy", pixels[0, ..., 0])
        rows.append((f"luma_{kind}", repr(scale), repr(bias)))
    save_table("generators/luma.tsv", ("network", "scale", "bias"), rows)


def write():
    write_luma()
    rows = []
    for name, build, feed, output, options, prepared in (
            ("style", style, "picture", "styled", "-", lambda x: np.round((x + 1) * 127.5)),
            ("super_resolution", super_resolution, "luma", "enlarged", "gray", lambda x: (x[None, ..., :1] + 1) / 2),
            ("generator", generator, "generator_input", "generator/out_layer/Tanh", "-", lambda x: x[None])):
        definition = graph_of(build)
        inputs = [prepared(sample_images(name, 1, 40, 3)[0, :height, :width]) for height, width in SIZES]
        results = [expected_outputs(definition, [x], feed, output)[0] for x in inputs]
        require_telling([result.ravel()[:500] for result in results], name)
        save_bytes(f"generators/{name}.pb", graph_bytes(definition))
        for index, (x, result) in enumerate(zip(inputs, results)):
            save_array(f"generators/{name}.input{index}.npy", x)
            save_array(f"generators/{name}.output{index}.npy", result)
        rows.append((name, feed, output, options))
    save_table("generators/generators.tsv", ("network", "input", "output", "color"), rows)
