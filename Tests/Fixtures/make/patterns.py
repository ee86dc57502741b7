"""Cases of sequences of operations that passes recognize, and of unusual wirings."""
import tensorflow as tf

from convolutions import convolution, depthwise

op = tf.raw_ops
IMAGE = [1, 5, 6, 3]


def fused(x, r, channels=4, **options):
    return op.FusedBatchNormV3(x=x, scale=r.uniform(0.5, 1.5, channels), offset=r(channels), mean=r(channels),
                               variance=r.uniform(0.3, 2, channels), epsilon=1e-3, is_training=False, **options).y


def fusions(cases):
    add = cases.family("fusion")

    def conv(x, r, outputs=4, **options):
        return convolution(x, r(3, 3, x.shape[-1], outputs), **options)

    def read_twice(x, r):
        y = conv(x, r)
        return op.AddV2(x=op.Mul(x=y, y=r(4)), y=op.Relu(features=y))

    def shared_filter(x, r):
        kernel = tf.constant(r(3, 3, 3, 3))
        y = op.Mul(x=convolution(x, kernel), y=r(3))
        return op.BiasAdd(value=convolution(y, kernel), bias=r(3))

    def residual(x, r):
        y = op.Relu(features=conv(x, r))
        return op.Relu(features=op.AddV2(x=op.BiasAdd(value=conv(y, r), bias=r(4)), y=y))

    def hard_swish(x, r):
        return op.Mul(x=x, y=op.Mul(x=op.Relu6(features=op.AddV2(x=x, y=3.0)), y=1 / 6))

    def channels_first_network(x, r):
        y = op.Relu(features=fused(convolution(x, r(3, 3, 3, 4), data_format="NCHW"), r, data_format="NCHW"))
        y = op.MaxPool(input=y, ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW")
        y = op.ConcatV2(values=[y, convolution(y, r(1, 1, 4, 2), data_format="NCHW")], axis=1)
        y = op.Mul(x=y, y=op.Sigmoid(x=op.Mean(input=y, axis=[2, 3], keep_dims=True)))
        return op.MatMul(a=op.Reshape(tensor=y, shape=[-1, 54]), b=r(54, 3))

    spatial = [[0, 0], [1, 1], [2, 0], [0, 0]]
    builds = [
        ("conv_bias_relu", lambda x, r: op.Relu(features=op.BiasAdd(value=conv(x, r), bias=r(4))), ""),
        ("conv_bias_relu6", lambda x, r: op.Relu6(features=op.BiasAdd(value=conv(x, r), bias=r(4))), ""),
        ("conv_add_left", lambda x, r: op.Add(x=r(4), y=conv(x, r)), "the bias is the left operand"),
        ("conv_sub_left", lambda x, r: op.Sub(x=r(4), y=conv(x, r)), "constant minus convolution"),
        ("conv_mul_add", lambda x, r: op.AddV2(x=op.Mul(x=conv(x, r), y=r(4)), y=r(4)), ""),
        ("conv_mul_scalar", lambda x, r: op.Mul(x=conv(x, r), y=0.3), ""),
        ("conv_mul_rank4", lambda x, r: op.Mul(x=conv(x, r), y=r(1, 1, 1, 4)), ""),
        ("conv_mul_plane", lambda x, r: op.Mul(x=conv(x, r), y=r(5, 6, 1)), "varies over the picture: no filter can hold it"),
        ("conv_mul_activation", lambda x, r: op.Mul(x=conv(x, r), y=op.Max(input=x, axis=[3], keep_dims=True)), ""),
        ("conv_add_widens", lambda x, r: op.AddV2(x=conv(x, r, outputs=1), y=r(4)), "one channel becomes four"),
        ("conv_div", lambda x, r: op.RealDiv(x=conv(x, r), y=r.uniform(0.5, 2, 4)), ""),
        ("conv_bias_batch_norm", lambda x, r: fused(op.BiasAdd(value=conv(x, r), bias=r(4)), r), ""),
        ("conv_batch_norm_twice", lambda x, r: fused(fused(conv(x, r), r), r), ""),
        ("conv_relu_batch_norm", lambda x, r: fused(op.Relu(features=conv(x, r)), r),
         "the batch norm cannot go into the filter before it"),
        ("batch_norm_conv_same", lambda x, r: conv(fused(x, r, 3), r), "the offset cannot go through zero padding"),
        ("batch_norm_conv_valid", lambda x, r: conv(fused(x, r, 3), r, padding="VALID"), ""),
        ("depthwise_batch_norm", lambda x, r: fused(depthwise(x, r(3, 3, 3, 1)), r, 3), ""),
        ("depthwise_multiplier_batch_norm", lambda x, r: fused(depthwise(x, r(3, 3, 3, 2)), r, 6), ""),
        ("dense_mul_add", lambda x, r: op.AddV2(x=op.Mul(x=op.MatMul(a=op.Reshape(tensor=x, shape=[-1, 90]), b=r(90, 4)), y=r(4)),
                                                y=r(4)), ""),
        ("conv_read_twice", read_twice, "the product cannot go into a filter that someone else reads"),
        ("shared_filter", shared_filter, "two convolutions read one constant"),
        ("residual", residual, ""),
        ("pad_conv", lambda x, r: conv(op.Pad(input=x, paddings=spatial), r, padding="VALID"), ""),
        ("pad_conv_stride2", lambda x, r: conv(op.Pad(input=x, paddings=spatial), r, padding="VALID", stride=(2, 2)), ""),
        ("pad_conv_same", lambda x, r: conv(op.Pad(input=x, paddings=spatial), r, stride=(2, 2)), "SAME counts the padded size"),
        ("pad_depthwise", lambda x, r: depthwise(op.Pad(input=x, paddings=spatial), r(3, 3, 3, 1), padding="VALID"), ""),
        ("pad_value_conv", lambda x, r: conv(op.PadV2(input=x, paddings=spatial, constant_values=1.5), r, padding="VALID"),
         "padding with 1.5"),
        ("pad_channels_conv", lambda x, r: conv(op.Pad(input=x, paddings=[[0, 0], [0, 0], [0, 0], [1, 0]]), r), ""),
        ("pad_max_pool", lambda x, r: op.MaxPool(input=op.Pad(input=op.Sub(x=x, y=9.0), paddings=spatial), ksize=[1, 3, 3, 1],
                                                 strides=[1, 2, 2, 1], padding="VALID"),
                                                 "the zeros win: no padding of the pool's own"),
        ("pad_average_pool", lambda x, r: op.AvgPool(value=op.Pad(input=x, paddings=spatial), ksize=[1, 3, 3, 1],
                                                     strides=[1, 2, 2, 1], padding="VALID"), "the zeros count"),
        ("relu6_as_minimum_maximum", lambda x, r: op.Minimum(x=op.Maximum(x=conv(x, r), y=0.0), y=6.0), ""),
        ("leaky_relu_as_maximum", lambda x, r: op.Maximum(x=x, y=op.Mul(x=x, y=0.1)), ""),
        ("hard_swish", hard_swish, ""),
        ("swish", lambda x, r: op.Mul(x=x, y=op.Sigmoid(x=x)), ""),
        ("softmax_of_reshaped", lambda x, r: op.Reshape(tensor=op.Softmax(logits=op.Reshape(tensor=x, shape=[-1, 3])),
                                                        shape=[1, 5, 6, 3]), ""),
        ("preprocess_sub_mul_conv_same", lambda x, r: conv(op.Mul(x=op.Sub(x=x, y=0.5), y=2.0), r),
         "the bias cannot go through zero padding"),
        ("preprocess_per_channel_conv_same", lambda x, r: conv(op.Mul(x=op.Sub(x=x, y=r(3)), y=r(3)), r), ""),
        ("preprocess_div_sub", lambda x, r: conv(op.Sub(x=op.RealDiv(x=x, y=127.5), y=1.0), r), ""),
    ]
    for name, build, note in builds:
        add(name, IMAGE, build, note)
    add("channels_first_network", [1, 3, 5, 6], channels_first_network, "channel order must be kept through the flatten")


def wirings(cases):
    add = cases.family("wiring")

    def two_steps(x, r):
        first = op.Mul(x=x, y=r(3), name="block/first")
        return op.AddV2(x=first, y=r(3), name="block/second")

    def reverse_order(definition):
        nodes = list(definition.node)[::-1]
        definition.ClearField("node")
        definition.node.extend(nodes)

    def name_ports(definition):
        for node in definition.node:
            node.input[:] = [name + ":0" for name in node.input]

    def add_control_inputs(definition):
        definition.node.add(name="init", op="NoOp").input.append("^block/first")
        definition.node[-2].input.append("^init")

    def annotate(definition):
        definition.node[0].attr["_output_shapes"].list.shape.add().CopyFrom(definition.node[0].attr["shape"].shape)
        for node in definition.node:
            node.device = "/device:CPU:0"

    def drop_versions(definition):
        definition.ClearField("versions")

    for name, edit, note in [("reverse_order", reverse_order, "every node stands before what it reads"),
                             ("ports_named", name_ports, "inputs written as name:0"),
                             ("control_inputs", add_control_inputs, "a NoOp between control inputs"),
                             ("annotated", annotate, "_output_shapes and devices"), ("no_versions", drop_versions, "")]:
        add(name, IMAGE, two_steps, note, edit=edit)
    add("no_shape", IMAGE, two_steps, "a placeholder without a shape: the size must be told", placeholder=None)
    add("unknown_size", IMAGE, two_steps, "placeholder [?,?,?,3]: the size must be told", placeholder=[None, None, None, 3])
    add("many_readers", IMAGE, lambda x, r: op.AddN(inputs=[x, op.Neg(x=x), op.Tanh(x=x), op.Mul(x=x, y=x)]))
    add("dead_end", IMAGE, lambda x, r: (op.Sqrt(x=x), op.Tanh(x=x))[1], "an unread Sqrt beside the output")
    add("chain_of_identities", IMAGE, lambda x, r: op.Identity(input=op.Identity(input=op.Identity(input=op.Neg(x=x)))))
    add("unsupported_unread", IMAGE, lambda x, r: (op.Lgamma(x=x), op.Tanh(x=x))[1],
        "an unsupported operation that the output does not need")


def write(cases):
    fusions(cases)
    wirings(cases)
