"""Narrow versions of well-known architectures, for 32 x 32 images and ten classes."""
import tensorflow as tf

op = tf.raw_ops
CLASSES = 10
SPREAD = 2.0  # of the logits: enough that one class stands out


def mobilenet(net, x):
    """MobileNet v1 as TF-slim writes it, cut down to four separable blocks."""
    x = net.convolution(x, "MobilenetV1/Conv2d_0", (3, 3), 8, stride=2, activation="Relu6")
    for index, (outputs, stride) in enumerate([(12, 1), (16, 2), (16, 1), (24, 2)], 1):
        scope = f"MobilenetV1/Conv2d_{index}"
        x = net.convolution(x, scope + "_depthwise", (3, 3), stride=stride, activation="Relu6")
        x = net.convolution(x, scope + "_pointwise", (1, 1), outputs, activation="Relu6")
    x = net.average_pool(x, "MobilenetV1/Logits/AvgPool_1a", 4, stride=2)
    x = net.convolution(x, "MobilenetV1/Logits/Conv2d_1c_1x1", (1, 1), CLASSES, activation=None, normalized=False, spread=SPREAD)
    x = op.Squeeze(input=x, axis=[1, 2], name="MobilenetV1/Logits/SpatialSqueeze")
    shape = tf.constant([-1, CLASSES], name="MobilenetV1/Predictions/Reshape/shape")
    x = op.Softmax(logits=op.Reshape(tensor=x, shape=shape, name="MobilenetV1/Predictions/Reshape"),
                   name="MobilenetV1/Predictions/Softmax")
    return op.Reshape(tensor=x, shape=shape, name="MobilenetV1/Predictions/Reshape_1")


def squeezenet(net, x):
    """SqueezeNet: fire modules without batch norm."""
    def fire(x, scope, squeezed, expanded):
        x = net.convolution(x, scope + "/squeeze", (1, 1), squeezed, normalized=False)
        return net.concat([net.convolution(x, scope + "/expand1x1", (1, 1), expanded, normalized=False),
                           net.convolution(x, scope + "/expand3x3", (3, 3), expanded, normalized=False)], scope + "/concat")

    x = net.convolution(x, "conv1", (3, 3), 12, stride=2, padding="VALID", normalized=False)
    x = net.max_pool(x, "pool1", 3, 2)
    x = fire(x, "fire2", 4, 8)
    x = fire(x, "fire3", 6, 8)
    x = net.max_pool(x, "pool3", 3, 2)
    x = fire(x, "fire4", 6, 12)
    x = net.convolution(x, "conv10", (1, 1), CLASSES, normalized=False, activation=None, spread=2 * SPREAD)
    return op.Softmax(logits=net.mean(x, "pool10"), name="softmax")


def inception(net, x):
    """An Inception block with factorized convolutions, a reduction block, and another block."""
    def block(x, scope, width):
        ways = [net.convolution(x, scope + "/Branch_0/1x1", (1, 1), width)]
        y = net.convolution(x, scope + "/Branch_1/1x1", (1, 1), width // 2)
        ways.append(net.convolution(y, scope + "/Branch_1/3x3", (3, 3), width))
        y = net.convolution(x, scope + "/Branch_2/1x1", (1, 1), width // 2)
        y = net.convolution(y, scope + "/Branch_2/1x7", (1, 7), width // 2)
        ways.append(net.convolution(y, scope + "/Branch_2/7x1", (7, 1), width))
        y = net.average_pool(x, scope + "/Branch_3/AvgPool", 3, padding="SAME")
        ways.append(net.convolution(y, scope + "/Branch_3/1x1", (1, 1), width // 2))
        return net.concat(ways, scope + "/concat")

    x = net.convolution(x, "InceptionV3/Conv2d_1a", (3, 3), 8, stride=2, padding="VALID")
    x = block(x, "InceptionV3/Mixed_5b", 8)
    x = net.concat([net.convolution(x, "InceptionV3/Mixed_6a/3x3", (3, 3), 8, stride=2, padding="VALID"),
                    net.max_pool(x, "InceptionV3/Mixed_6a/MaxPool", 3, 2)], "InceptionV3/Mixed_6a/concat")
    x = net.mean(block(x, "InceptionV3/Mixed_6b", 10), "InceptionV3/Logits/GlobalPool")
    return op.Softmax(logits=net.dense(x, "InceptionV3/Logits/dense", CLASSES, SPREAD), name="InceptionV3/Predictions/Softmax")


def resnet(net, x):
    """A residual network: one block with identity, two with projection, one of them padded beforehand."""
    def block(x, scope, outputs, stride, padded=False):
        shortcut = x
        if stride > 1:
            shortcut = net.convolution(x, scope + "/shortcut", (1, 1), outputs, stride=stride, activation=None)
        if padded:
            x = net.pad(x, scope + "/Pad", 1)
        x = net.convolution(x, scope + "/conv1", (3, 3), outputs, stride=stride, padding="VALID" if padded else "SAME")
        x = net.convolution(x, scope + "/conv2", (3, 3), outputs, activation=None)
        return op.Relu(features=op.AddV2(x=x, y=shortcut, name=scope + "/add"), name=scope + "/Relu")

    x = net.convolution(x, "resnet/conv0", (3, 3), 8)
    x = block(x, "resnet/block1", 8, 1)
    x = block(x, "resnet/block2", 12, 2)
    x = block(x, "resnet/block3", 16, 2, padded=True)
    x = net.dense(net.mean(x, "resnet/pool"), "resnet/logits", CLASSES, SPREAD)
    return op.Softmax(logits=x, name="resnet/softmax")


def small(net, x, before_dense=lambda x: x, after_conv=lambda x: x):
    """Two convolutions and a dense layer, for unusual wirings."""
    x = after_conv(net.convolution(x, "conv1", (3, 3), 8, stride=2))
    x = net.mean(net.convolution(x, "conv2", (3, 3), 16, stride=2), "pool")
    return op.Softmax(logits=net.dense(before_dense(x), "logits", CLASSES, SPREAD), name="softmax")


def dense_digits(net, x):
    """Two dense layers on a flattened gray image."""
    x = op.Relu(features=net.dense(x, "hidden", 12), name="hidden/Relu")
    return op.Softmax(logits=net.dense(x, "logits", CLASSES, SPREAD), name="softmax")


def convolved_digits(net, x):
    """The tutorials' digits network: a flat image is reshaped to an image, and flattened again before the dense layer."""
    x = net.convolution(op.Reshape(tensor=x, shape=[-1, 28, 28, 1], name="reshape"), "conv1", (5, 5), 4, normalized=False)
    x = net.convolution(net.max_pool(x, "pool1", 2, 2, "SAME"), "conv2", (5, 5), 4, normalized=False)
    x = op.Reshape(tensor=net.max_pool(x, "pool2", 2, 2, "SAME"), shape=[-1, 196], name="flatten")
    return op.Softmax(logits=net.dense(x, "logits", CLASSES, SPREAD), name="softmax")
