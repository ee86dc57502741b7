"""Graphs with parts in a function library, as TensorFlow 2 writes them, and nodes changed by its optimizers."""
import tensorflow as tf

from tiny import BIAS, GAMMA, KERNEL, dense, pooled, tiny

op = tf.raw_ops


def function(body, *shapes):
    return tf.function(body, input_signature=[tf.TensorSpec(shape) for shape in shapes]).get_concrete_function()


def called(kind, function, arguments):
    return getattr(op, kind)(args=arguments, Tout=[spec.dtype for spec in function.structured_outputs]
                             if isinstance(function.structured_outputs, (list, tuple)) else [function.structured_outputs.dtype],
                             f=function, name="call")


def flat_call(x, kind="PartitionedCall"):
    return called(kind, function(tiny, [1, 8, 8, 3]), [x])[0]


def nested(x):
    inner = function(lambda x: op.Relu(features=op.Sub(x=x, y=0.1, name="less")), [1, 4, 4, 4])

    def outer(x):
        return tiny(x, lambda x: called("StatefulPartitionedCall", inner, [x])[0])
    return called("PartitionedCall", function(outer, [1, 8, 8, 3]), [x])[0]


def endpoints(x):
    """Outputs other than the first, inside a function and of the function itself."""
    def body(x):
        first, second, third = op.Split(axis=3, value=x, num_split=3, name="parts")
        norm = op.FusedBatchNormV3(x=tf.concat([third, first, second], 3), scale=GAMMA[:3], offset=BIAS[:3], mean=BIAS[1:],
                                   variance=GAMMA[1:], is_training=False, name="norm")
        values, places = op.TopKV2(input=op.Reshape(tensor=first, shape=[1, -1]), k=3, name="top")
        return norm.y, op.Reshape(tensor=values, shape=[1, 1, 1, 3]), op.Cast(x=places, DstT=tf.float32)
    image, values, places = called("PartitionedCall", function(body, [1, 8, 8, 3]), [x])
    return op.AddV2(x=tiny(op.AddV2(x=image, y=values)), y=op.Mul(x=places, y=1e-3))


def twice(x):
    half = function(lambda x: op.Tanh(x=op.Mul(x=x, y=GAMMA)), [1, 4, 4, 4])
    return tiny(x, lambda x: called("PartitionedCall", half, called("PartitionedCall", half, [x]))[0])


def directly(definition):
    """A node whose operation is the function's name, as TensorFlow 1 calls functions."""
    for node in definition.node:
        if node.op == "PartitionedCall":
            node.op = node.attr["f"].func.name
            for name in list(node.attr):
                del node.attr[name]


def controlled(definition):
    for function in definition.library.function:
        for node in function.node_def:
            if node.op == "Conv2D":
                node.input.append("^" + function.node_def[0].name)
    definition.node[-1].input.append("^input")


def fused(edits):
    """Nodes as Grappler's remapper writes them: the first replaces the others."""
    def edit(definition):
        for last, op_name, inputs, attributes in edits:
            node = next(node for node in definition.node if node.name == last)
            first = next(node for node in definition.node if node.name == inputs["of"])
            for name, value in first.attr.items():
                node.attr[name].CopyFrom(value)
            node.op = op_name
            node.input[:] = inputs["inputs"]
            for name, value in attributes.items():
                if isinstance(value, list):
                    node.attr[name].list.s.extend(value)
                elif isinstance(value, int):
                    node.attr[name].i = value
                else:
                    node.attr[name].f = value
    return edit


def normalized(x):
    x = op.Conv2D(input=x, filter=tf.constant(KERNEL, name="kernel"), strides=[1, 2, 2, 1], padding="SAME", name="conv")
    parameters = [tf.constant(value, name=name) for name, value in (("scale", GAMMA), ("offset", BIAS), ("mean", BIAS),
                                                                    ("variance", GAMMA))]
    x = op.FusedBatchNormV3(x=x, scale=parameters[0], offset=parameters[1], mean=parameters[2], variance=parameters[3],
                            epsilon=1e-3, is_training=False, name="norm").y
    x = op.LeakyRelu(features=x, alpha=0.3, name="leaky")
    x = op.BiasAdd(value=dense(pooled(x)), bias=tf.constant(BIAS[:3], name="dense_bias"), name="logits")
    return op.Softmax(logits=x, name="softmax")


def mirrored(x):
    x = op.MirrorPad(input=x, paddings=[[0, 0], [1, 1], [2, 1], [0, 0]], mode="REFLECT", name="mirror")
    x = op.Conv2D(input=x, filter=tf.constant(KERNEL, name="kernel"), strides=[1, 2, 2, 1], padding="VALID", name="conv")
    return op.Softmax(logits=dense(pooled(op.Relu(features=x))))


def write(ways):
    ways.add("call", flat_call, "PartitionedCall of the whole network")
    ways.add("call_stateful", lambda x: flat_call(x, "StatefulPartitionedCall"), "StatefulPartitionedCall")
    ways.add("call_direct", flat_call, "a node whose operation is the function's name", edit=directly, reference=tiny)
    ways.add("call_nested", nested, "a function that calls another")
    ways.add("call_twice", twice, "one function called twice in a row")
    ways.add("call_outputs", endpoints, "name:output:1 in a function, several outputs of it")
    ways.add("call_control", flat_call, "control inputs in and behind a function", edit=controlled)
    ways.add("outputs", lambda x: [tiny(x), op.Sigmoid(x=op.Tanh(x=x, name="other"))], "two outputs, named")
    ways.add("output_of_call", lambda x: [tiny(x), called("PartitionedCall", function(
        lambda x: (op.Tanh(x=x), op.Neg(x=x)), [1, 8, 8, 3]), [x])[1]], "an output that is a function's second")

    conv = {"fused_ops": [b"FusedBatchNorm", b"LeakyRelu"], "epsilon": 1e-3, "leakyrelu_alpha": 0.3, "num_args": 4}
    ways.add("fused", normalized, "_FusedConv2D with batch norm and LeakyRelu, _FusedMatMul", reference=normalized, edit=fused([
        ("leaky", "_FusedConv2D", {"of": "conv", "inputs": ["input", "kernel", "scale", "offset", "mean", "variance"]}, conv),
        ("logits", "_FusedMatMul", {"of": "dense", "inputs": ["pool", "weights", "dense_bias"]}, {"fused_ops": [b"BiasAdd"]})]))
    ways.add("fused_bias", tiny, "_FusedConv2D with bias and Relu", reference=tiny, edit=fused([
        ("relu", "_FusedConv2D", {"of": "conv", "inputs": ["input", "kernel", "bias"]}, {"fused_ops": [b"BiasAdd", b"Relu"]})]))
    ways.add("fused_batch_norm", normalized_relu, "_FusedBatchNormEx with Relu", reference=normalized_relu, edit=batch_norm_ex)
    ways.add("fused_pad", mirrored, "FusedPadConv2D", reference=mirrored, edit=pad_conv)


def normalized_relu(x):
    def middle(x):
        norm = op.FusedBatchNormV3(x=x, scale=GAMMA, offset=BIAS, mean=BIAS, variance=GAMMA, is_training=False, name="norm").y
        return op.Relu(features=norm, name="active")
    return tiny(x, middle)


def batch_norm_ex(definition):
    active = next(node for node in definition.node if node.name == "active")
    norm = next(node for node in definition.node if node.name == "norm")
    active.op = "_FusedBatchNormEx"
    active.input[:] = norm.input
    for name, value in norm.attr.items():
        active.attr[name].CopyFrom(value)
    active.attr["activation_mode"].s = b"Relu"


def pad_conv(definition):
    """As written by optimize_for_inference."""
    conv = next(node for node in definition.node if node.name == "conv")
    mirror = next(node for node in definition.node if node.name == "mirror")
    conv.op = "FusedPadConv2D"
    conv.input[:] = ["input", mirror.input[1], conv.input[1]]
    conv.attr["mode"].s = b"REFLECT"
