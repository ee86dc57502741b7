"""Graphs that must be refused, each for one reason.

Most have one placeholder `input` and a node `output`; invalid parts that TensorFlow would not write are edited in afterwards.
"""
import numpy as np
import tensorflow as tf

from common import graph_of
from refusing import BIAS, IMAGE, KERNEL, edited, graph, values

op = tf.raw_ops


def unsupported(add):
    def twice(x):
        return op.Relu(features=op.Digamma(x=op.Tanh(x=op.Digamma(x=x, name="first/odd")), name="second/odd"))

    def renamed(definition, new):
        for node in definition.node:
            node.op = new if node.op == "Digamma" else node.op
        return definition

    def bitcast(x):
        return op.Bitcast(input=op.Bitcast(input=x, type=tf.int32, name="there"), type=tf.float32, name="back")

    def variable(x):
        return op.Mul(x=x, y=op.VariableV2(shape=[3], dtype=tf.float32, name="weights"))

    def resource_variable(x):
        return op.Mul(x=x, y=op.ReadVariableOp(resource=op.VarHandleOp(dtype=tf.float32, shape=[3], name="weights"),
                                               dtype=tf.float32))

    def switch_on_data(x):
        off, on = op.Switch(data=x, pred=op.Cast(x=op.Max(input=x, axis=[0, 1, 2, 3]), DstT=tf.bool), name="choose")
        return op.Merge(inputs=[op.Tanh(x=off), op.Neg(x=on)]).output

    def loop(x):
        """A loop as in frozen graphs: Enter, Merge, Switch, NextIteration, Exit."""
        tf.compat.v1.disable_control_flow_v2()
        result = tf.compat.v1.while_loop(lambda value: True, lambda value: [op.Tanh(x=value)], [x], name="loop")
        tf.compat.v1.enable_control_flow_v2()
        return result

    add("unsupported_twice.pb", graph(twice), "two nodes of an unsupported operation", "first/odd second/odd Digamma")
    add("custom_twice.pb", renamed(graph(twice), "MyCustomOperation"),
        "two nodes of an operation that TensorFlow does not know either",
        "first/odd second/odd MyCustomOperation")
    add("bitcast.pb", graph(bitcast), "Bitcast of activations", "there Bitcast")
    add("switch_on_data.pb", graph(switch_on_data), "a Switch whose predicate depends on the picture", "choose")
    add("loop.pb", graph(loop), "a while loop", "loop")
    add("function_call.pb", renamed(graph(lambda x: op.Digamma(x=x, name="call")), "PartitionedCall"), "a function call",
        "call PartitionedCall")
    add("variable.pb", graph(variable), "a variable: the graph is not frozen", "weights")
    add("resource_variable.pb", graph(resource_variable), "a resource variable: the graph is not frozen", "weights")


def places_and_sizes(add):
    """Indices out of range, and tensors too large for memory."""
    def numbers(x):
        return op.Reshape(tensor=x, shape=[1, -1])

    def huge_product(x):
        ones = op.Fill(dims=[1198, 3500], value=1.0)
        return op.Mul(x=x, y=op.Sum(input=op.MatMul(a=ones, b=ones, transpose_a=True, name="product"), axis=[0, 1]))

    def vectors(x, name):
        return op.OneHot(indices=op.Cast(x=x, DstT=tf.int32), depth=(1 << 31) - 1, on_value=1.0, off_value=0.0, name=name)

    for name, build, wrong, words in [
            ("gather_outside", lambda x: op.GatherV2(params=x, indices=[0, 3], axis=3, name="pick"),
             "a channel that the picture has not", "pick 3"),
            ("gather_batch_outside", lambda x: op.GatherV2(params=x, indices=[[3]], axis=3, batch_dims=1, name="pick"),
             "a channel that the picture has not, picture by picture", "pick 3"),
            ("tile_huge", lambda x: op.Tile(input=x, multiples=[1 << 20] * 4, name="repeat"), "a picture 2^80 times", "repeat"),
            ("broadcast_huge", lambda x: op.BroadcastTo(input=op.Sum(input=x, axis=[0, 1, 2, 3]), shape=[1 << 30] * 2, name="wide"),
             "one number 2^60 times", "wide"),
            ("one_hot_huge", lambda x: vectors(vectors(x, None), "vectors"), "vectors of vectors of 2^31 - 1 numbers", "2^29 elements"),
            ("product_huge", huge_product, "constants whose product takes 2^33.8 multiplications", "product"),
            ("einsum_diagonal", lambda x: op.Einsum(inputs=[op.MatMul(a=numbers(x), b=numbers(x), transpose_b=True)],
                                                    equation="ii->i", name="diagonal"),
             "an axis named twice", "diagonal ii->i")]:
        add(name + ".pb", graph(build), wrong, words)


def attributes(add):
    """Attributes and constants that are not supported: one row each."""
    def conv(x):
        return op.Conv2D(input=x, filter=KERNEL, strides=[1, 1, 1, 1], padding="SAME", name="conv")

    def valid_conv(x):
        return op.Conv2D(input=x, filter=KERNEL, strides=[1, 1, 1, 1], padding="VALID", name="conv")

    def explicit_conv(x):
        return op.Conv2D(input=x, filter=KERNEL, strides=[1, 1, 1, 1], padding="EXPLICIT",
                         explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0], name="conv")

    def max_pool(x):
        return op.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool")

    def average_pool(x):
        return op.AvgPool(value=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool")

    def norm(x):
        return op.FusedBatchNorm(x=x, scale=BIAS, offset=BIAS, mean=[], variance=[], is_training=True, name="norm").y

    def norm_v3(x):
        return op.FusedBatchNormV3(x=x, scale=BIAS, offset=BIAS, mean=[], variance=[], is_training=True, name="norm").y

    def dequantized(x):
        numbers = tf.constant(np.array([3, 120, 250]).astype(tf.quint8.as_numpy_dtype), tf.quint8)
        return op.Mul(x=x, y=op.Dequantize(input=numbers, min_range=-1.0, max_range=1.0, mode="MIN_FIRST", name="weights"))

    def thin(x):
        return op.Squeeze(input=x[:, :1], axis=[1], name="thin")

    def parts(x):
        return op.Split(axis=3, value=x, num_split=3, name="parts")[0]

    for name, build, node, attribute, value, wrong in [
            ("batch_norm_training", norm, "norm", "is_training", True, "FusedBatchNorm with is_training"),
            ("batch_norm_v3_training", norm_v3, "norm", "is_training", True, "FusedBatchNormV3 with is_training"),
            ("batch_norm_training_by_default", norm, "norm", "is_training", None,
             "FusedBatchNorm without is_training, which is true by default"),
            ("conv_stride_batch", conv, "conv", "strides", [2, 1, 1, 1], "a stride over the batch"),
            ("conv_stride_channel", conv, "conv", "strides", [1, 1, 1, 2], "a stride over the channels"),
            ("conv_stride_zero", conv, "conv", "strides", [1, 0, 1, 1], "a stride of zero"),
            ("conv_stride_negative", conv, "conv", "strides", [1, -1, 1, 1], "a negative stride"),
            ("conv_strides_three", conv, "conv", "strides", [1, 1, 1], "three strides in place of four"),
            ("conv_without_strides", conv, "conv", "strides", None, "no attribute strides"),
            ("conv_dilation_channel", conv, "conv", "dilations", [1, 1, 1, 2], "a dilation over the channels"),
            ("conv_dilation_zero", conv, "conv", "dilations", [1, 0, 0, 1], "a dilation of zero"),
            ("conv_without_padding", conv, "conv", "padding", None, "no attribute padding"),
            ("conv_padding_unknown", conv, "conv", "padding", b"FULL", "padding FULL"),
            ("conv_padding_wrong_kind", conv, "conv", "padding", 1, "padding given as a number"),
            ("conv_explicit_negative", explicit_conv, "conv", "explicit_paddings", [0, 0, -1, 1, 1, 1, 0, 0],
             "negative explicit padding"),
            ("conv_explicit_channel", explicit_conv, "conv", "explicit_paddings", [0, 0, 1, 1, 1, 1, 0, 1],
             "explicit padding of channels"),
            ("conv_explicit_four", explicit_conv, "conv", "explicit_paddings", [1, 1, 1, 1],
             "four explicit paddings in place of eight"),
            ("conv_vectorized_layout", conv, "conv", "data_format", b"NCHW_VECT_C", "data_format NCHW_VECT_C"),
            ("pool_over_channels", max_pool, "pool", "ksize", [1, 1, 1, 3], "a pool over the channels"),
            ("pool_over_batch", average_pool, "pool", "ksize", [2, 2, 2, 1], "a pool over the batch"),
            ("pool_size_zero", max_pool, "pool", "ksize", [1, 0, 2, 1], "a window of height zero"),
            ("pool_too_large", max_pool, "pool", "ksize", [1, 7, 7, 1], "a window larger than the picture, without padding"),
            ("dequantize_unknown", dequantized, "weights", "mode", b"ROUNDED", "Dequantize in a mode that there is not"),
            ("squeeze_of_six", thin, "thin", "squeeze_dims", [2], "a squeeze of a dimension of 6"),
            ("split_uneven", parts, "parts", "num_split", 2, "3 channels into 2 parts")]:
        shown = value.decode() if isinstance(value, bytes) else attribute
        words = node if name in ("pool_too_large", "squeeze_of_six", "split_uneven") else f"{node} {shown}"
        add(name + ".pb", edited(build, node, lambda node: set_attribute(node, attribute, value)), wrong, words)

    for name, build, size, wrong in [("conv_channels", conv, [1, 6, 6, 5], "a picture of 5 channels, a filter of 3"),
                                     ("conv_too_large", valid_conv, [1, 2, 6, 3],
                                      "a filter larger than the picture, without padding")]:
        add(name + ".pb", edited(build, "input", lambda node: node.attr["shape"].shape.CopyFrom(tf.TensorShape(size).as_proto())),
            wrong, "conv")


def set_attribute(node, name, value):
    """Sets an attribute: a list, bytes, a Boolean, a number; None removes it."""
    node.attr.pop(name, None)
    if isinstance(value, list):
        node.attr[name].list.i.extend(value)
    elif value is not None:
        setattr(node.attr[name], {bytes: "s", bool: "b", int: "i"}[type(value)], value)


def shapes(add):
    """Constants with impossible shapes, axes and sizes: one row each."""
    def flat(x):
        return op.Reshape(tensor=x, shape=[1, 108], name="flat")

    def padded(x):
        return op.Pad(input=x, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], name="pad")

    def ranged(x):
        return op.AddV2(x=x, y=op.Cast(x=op.Range(start=0, limit=3, delta=1, name="range"), DstT=tf.float32))

    def spread(x):
        return op.AddV2(x=x, y=op.LinSpace(start=0.0, stop=1.0, num=3, name="spread"))

    def cut(x):
        return op.StridedSlice(input=x, begin=[0, 0], end=[1, 6], strides=[1, 1], name="cut")

    for name, build, constant, value, wrong in [
            ("bias_size", lambda x: op.BiasAdd(value=x, bias=BIAS, name="bias"), "bias/bias", values(4),
             "a bias of 4 for 3 channels"),
            ("broadcast", lambda x: op.AddV2(x=x, y=BIAS, name="sum"), "sum/y", values(2), "shapes that do not broadcast"),
            ("reshape_size", flat, "flat/shape", [1, 107], "108 values into 107"),
            ("reshape_two_unknown", flat, "flat/shape", [-1, -1], "two unknown dimensions"),
            ("reshape_negative", flat, "flat/shape", [-2, -54], "negative dimensions"),
            ("transpose_twice_the_same", lambda x: op.Transpose(x=x, perm=[0, 1, 3, 2], name="turn"), "turn/perm", [0, 1, 1, 2],
             "no permutation"),
            ("transpose_of_three", lambda x: op.Transpose(x=x, perm=[0, 1, 3, 2], name="turn"), "turn/perm", [0, 2, 1],
             "a permutation of 3 for rank 4"),
            ("mean_axis", lambda x: op.Mean(input=x, axis=[1, 2], name="pool"), "pool/reduction_indices", [1, 4],
             "axis 4 of rank 4"),
            ("concat_axis", lambda x: op.ConcatV2(values=[x, x], axis=3, name="join"), "join/axis", -5, "axis -5 of rank 4"),
            ("expand_axis", lambda x: op.ExpandDims(input=x, axis=0, name="more"), "more/dim", 5, "axis 5 of rank 4"),
            ("matmul_inner", lambda x: op.MatMul(a=flat(x), b=values(108, 2), name="dense"), "dense/b", values(107, 2),
             "108 columns, 107 rows"),
            ("slice_past_end", lambda x: op.Slice(input=x, begin=[0, 0, 0, 0], size=IMAGE, name="cut"), "cut/size",
             [1, 6, 7, 3], "a slice past the end"),
            ("strided_slice_stride_zero", cut, "cut/strides", [1, 0], "a stride of zero"),
            ("pad_negative", padded, "pad/paddings", [[0, 0], [-1, 1], [1, 1], [0, 0]], "negative padding"),
            ("pad_huge", padded, "pad/paddings", [[0, 0], [1 << 30, 1], [1 << 30, 1], [0, 0]], "padding to 2^60 values"),
            ("fill_huge", lambda x: op.AddV2(x=x, y=op.Fill(dims=[1, 1], value=1.0, name="fill")), "fill/dims",
             [1 << 20, 1 << 20], "a fill of 2^40 values"),
            ("linspace_of_none", spread, "spread/num", 0, "no number over an interval"),
            ("linspace_of_two", spread, "spread/start", [0.0, 1.0], "an interval with two starts"),
            ("range_endless", ranged, "range/delta", 0, "a range with step zero"),
            ("range_huge", ranged, "range/limit", 2**31 - 1, "a range of 2^31 values")]:
        add(name + ".pb", edited(build, constant, lambda node: node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))),
            wrong, constant.split("/")[0])


def by_activation(add):
    """Inputs that must be constant, but depend on the image."""
    def whole_number(x):
        return op.Cast(x=op.Max(input=x, axis=[0, 1, 2, 3]), DstT=tf.int32)

    def conv(x):
        kernel = op.Reshape(tensor=op.Tanh(x=x), shape=[3, 3, 3, 4])
        return op.DepthwiseConv2dNative(input=x, filter=kernel, strides=[1, 1, 1, 1], padding="SAME", name="conv")

    for name, build, node, wrong in [
            ("depthwise_of_activation", conv, "conv", "a depthwise convolution's filter"),
            ("split_by_activation", lambda x: op.Split(axis=whole_number(x), value=x, num_split=3, name="parts")[0], "parts",
             "a split's axis"),
            ("reshape_by_activation", lambda x: op.Reshape(tensor=x, shape=op.Cast(x=x[0, 0, 0], DstT=tf.int32), name="flat"),
             "flat", "a reshape's shape")]:
        add(name + ".pb", graph(build), wrong + " depends on the picture", node)


def weights(add):
    def scaled(x):
        return op.Mul(x=x, y=tf.constant(BIAS, name="weights"))

    def tensor(change):
        return edited(scaled, "weights", lambda node: change(node.attr["value"].tensor))

    def sized(*sizes):
        def change(tensor):
            del tensor.tensor_shape.dim[:]
            for size in sizes:
                tensor.tensor_shape.dim.add(size=size)
        return change

    def in_content(data):
        return lambda tensor: setattr(tensor, "tensor_content", data)

    def splat(*sizes):
        def change(tensor):
            sized(*sizes)(tensor)
            tensor.tensor_content = b""
            tensor.float_val.append(1)
        return change

    def typed(dtype, value):
        def change(node):
            node.attr["dtype"].type = dtype.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype))
        return change

    add("weights_too_short.pb", tensor(in_content(bytes(8))), "12 bytes wanted, 8 there", "weights 12 8")
    add("weights_too_long.pb", tensor(in_content(bytes(16))), "12 bytes wanted, 16 there", "weights 12 16")
    add("weights_half_a_number.pb", tensor(in_content(bytes(11))), "12 bytes wanted, 11 there", "weights 12 11")
    add("weights_2_40.pb", tensor(sized(1 << 20, 1 << 20)), "a shape of 2^40 elements, 12 bytes", "weights")
    add("weights_2_40_splat.pb", tensor(splat(1 << 20, 1 << 20)), "one value for 2^40 elements", "weights")
    add("weights_overflow.pb", tensor(sized(1 << 62, 4, 3)), "a shape whose product overflows", "weights")
    add("weights_negative_size.pb", tensor(sized(-3)), "a constant of size -3", "weights")
    add("weights_without_value.pb", edited(scaled, "weights", lambda node: node.attr.pop("value")), "a constant without value",
        "weights value")
    add("weights_strings.pb", edited(scaled, "weights", typed(tf.string, [b"a", b"b", b"c"])), "weights of type string",
        "weights string")
    add("weights_complex.pb", edited(scaled, "weights", typed(tf.complex64, [1 + 1j, 2, 3])), "weights of type complex64",
        "weights complex64")
    add("weights_unknown_type.pb", edited(scaled, "weights", lambda node: setattr(node.attr["value"].tensor, "dtype", 99)),
        "weights of a type numbered 99", "weights value")


def structures(add):
    def branches():
        x = tf.compat.v1.placeholder(tf.float32, IMAGE, name="input")
        op.Tanh(x=x, name="left")
        op.Neg(x=x, name="right")

    def without(definition, name):
        kept = [node for node in definition.node if node.name != name]
        definition.ClearField("node")
        definition.node.extend(kept)
        return definition

    def repeated(definition, name):
        definition.node.add().CopyFrom(next(node for node in definition.node if node.name == name))
        return definition

    def chained(x):
        return op.Neg(x=op.Tanh(x=x, name="tanh"), name="negative")

    def placed(shape, dtype=tf.float32):
        def change(node):
            node.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())
            node.attr["dtype"].type = dtype.as_datatype_enum
        return change

    add("two_outputs.pb", graph_of(branches), "two nodes that nobody reads", "left right --output")
    add("no_placeholder.pb", graph_of(lambda: op.Neg(x=tf.constant(BIAS), name="output")), "no placeholder")
    add("unknown_size.pb", graph(chained, [None, None, None, 3]), "a placeholder of unknown size, without --size", "input --size")
    add("placeholder_2_40.pb", edited(chained, "input", placed([1, 1 << 20, 1 << 20, 3])), "a placeholder of 3 * 2^40 elements",
        "input")
    add("placeholder_empty.pb", edited(chained, "input", placed([1, 0, 6, 3])), "a placeholder without elements", "input")
    add("placeholder_string.pb", edited(chained, "input", placed([], tf.string)), "a placeholder of type string", "input string")
    add("missing_node.pb", without(graph(chained), "tanh"), "a node that reads another which is not there", "negative tanh")
    add("repeated_name.pb", repeated(graph(chained), "tanh"), "two nodes of one name", "tanh")
    add("unnamed_node.pb", edited(chained, "tanh", lambda node: node.ClearField("name")), "a node without a name")
    add("missing_port.pb", edited(chained, "negative", lambda node: node.input.__setitem__(0, "tanh:3")),
        "an output that the operation does not have", "tanh:3")
    add("too_few_inputs.pb", edited(chained, "tanh", lambda node: node.ClearField("input")), "an operation without its input",
        "placeholder")
    add("circle.pb", edited(chained, "tanh", lambda node: node.input.__setitem__(0, "negative")),
        "two nodes that read each other", "tanh")
    add("reads_itself.pb", edited(chained, "tanh", lambda node: node.input.__setitem__(0, "tanh")), "a node that reads itself",
        "tanh")


def write(refusals):
    for part in (unsupported, places_and_sizes, attributes, shapes, by_activation, weights, structures):
        part(refusals.add)
