"""Networks at full size as TensorFlow's slim library wrote them, with the layers of the small ones in the fixtures:
weights read through Identity, batch norm unfolded into Mul, Add, Rsqrt, Sub."""
import tensorflow as tf

op = tf.raw_ops
CLASSES = 1001


def predictions(x, scope):
    """The last convolution's output as a vector of probabilities."""
    x = op.Squeeze(input=x, axis=[1, 2], name=scope + "/Logits/SpatialSqueeze")
    return op.Softmax(logits=x, name=scope + "/Predictions/Softmax")


def mobilenet_v1(net, x):
    """Howard et al., MobileNets, 2017, table 1."""
    x = net.convolution(x, "MobilenetV1/MobilenetV1/Conv2d_0", (3, 3), 32, stride=2, activation="Relu6")
    widths = [64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024]
    for index, width in enumerate(widths, 1):
        scope = f"MobilenetV1/MobilenetV1/Conv2d_{index}"
        stride = 2 if index in (2, 4, 6, 12) else 1
        x = net.convolution(x, scope + "_depthwise", (3, 3), stride=stride, activation="Relu6")
        x = net.convolution(x, scope + "_pointwise", (1, 1), width, activation="Relu6")
    x = net.average_pool(x, "MobilenetV1/Logits/AvgPool_1a/AvgPool", 7, stride=2)
    x = net.convolution(x, "MobilenetV1/Logits/Conv2d_1c_1x1", (1, 1), CLASSES, activation=None, normalized=False, spread=2.0)
    return predictions(x, "MobilenetV1")


def resnet_v1_50(net, x):
    """He et al., Deep Residual Learning, 2015, table 1; as in slim, the last unit of a block has the stride."""
    def same(x, scope, width, stride):
        """slim's conv2d_same: explicit padding for strides."""
        if stride == 1:
            return net.convolution(x, scope, (3, 3), width)
        return net.convolution(net.pad(x, scope + "/Pad", 1), scope, (3, 3), width, stride=stride, padding="VALID")

    def unit(x, scope, width, stride):
        if x.shape[-1] == 4 * width:
            shortcut = x if stride == 1 else net.max_pool(x, scope + "/shortcut/MaxPool", 1, stride)
        else:
            shortcut = net.convolution(x, scope + "/shortcut", (1, 1), 4 * width, stride=stride, activation=None)
        x = net.convolution(x, scope + "/conv1", (1, 1), width)
        x = same(x, scope + "/conv2", width, stride)
        x = net.convolution(x, scope + "/conv3", (1, 1), 4 * width, activation=None)
        return op.Relu(features=op.Add(x=shortcut, y=x, name=scope + "/add"), name=scope + "/Relu")

    x = net.convolution(net.pad(x, "resnet_v1_50/Pad", 3), "resnet_v1_50/conv1", (7, 7), 64, stride=2, padding="VALID")
    x = net.max_pool(x, "resnet_v1_50/pool1/MaxPool", 3, 2, "SAME")
    for block, (width, units, stride) in enumerate([(64, 3, 2), (128, 4, 2), (256, 6, 2), (512, 3, 1)], 1):
        for index in range(1, units + 1):
            scope = f"resnet_v1_50/block{block}/unit_{index}/bottleneck_v1"
            x = unit(x, scope, width, stride if index == units else 1)
    x = op.Mean(input=x, axis=[1, 2], keep_dims=True, name="resnet_v1_50/pool5")
    x = net.convolution(x, "resnet_v1_50/logits", (1, 1), CLASSES, activation=None, normalized=False, spread=2.0)
    return predictions(x, "resnet_v1_50")
