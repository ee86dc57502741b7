"""Files that must be refused, each for one reason: `refuse/NAME`, listed in `refuse.tsv` with the words the message must hold.

Most are graphs of one placeholder `input` and a node `output`; what TensorFlow would not write is edited in afterwards.
"""
import io
import os
import shutil
import tempfile
import zipfile

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf import saved_model_pb2

from common import Draw, field, file_at, graph_bytes, graph_of, save_bytes, save_table
from convolutions import convolution

op = tf.raw_ops
PICTURE = [1, 6, 6, 3]
draw = Draw("refuse")


def graph(build, shape=PICTURE):
    """A GraphDef from placeholder to output."""
    return graph_of(lambda: tf.identity(build(tf.compat.v1.placeholder(tf.float32, shape, name="input")), name="output"))


def edited(build, name, change, shape=PICTURE):
    """The same, with one node changed afterwards."""
    definition = graph(build, shape)
    change(next(node for node in definition.node if node.name == name))
    return definition


def kernel(*shape):
    return draw(*(shape or (3, 3, 3, 4)))


class Refusals:
    """Writes files to refuse and keeps the rows of their index."""

    def __init__(self):
        self.rows = []

    def add(self, name, content, wrong, words=""):
        """`words`, separated by blanks, must stand in the message."""
        data = content if isinstance(content, bytes) else graph_bytes(content)
        save_bytes("refuse/" + name, data)
        self.rows.append((name, words or "-", wrong))


def unsupported(add):
    def twice(x, operation):
        return op.Relu(features=operation(op.Tanh(x=operation(x, "first/odd")), "second/odd"))

    def renamed(definition, old, new):
        for node in definition.node:
            node.op = new if node.op == old else node.op
        return definition

    def switch_on_data(x):
        off, on = op.Switch(data=x, pred=op.Cast(x=op.Max(input=x, axis=[0, 1, 2, 3]), DstT=tf.bool), name="choose")
        return op.Merge(inputs=[op.Tanh(x=off), op.Neg(x=on)]).output

    def loop(x):
        return tf.compat.v1.while_loop(lambda value: True, lambda value: [op.Tanh(x=value)], [x], name="loop")

    add("unsupported_twice.pb", graph(lambda x: twice(x, lambda y, name: op.Digamma(x=y, name=name))),
        "two nodes of an unsupported operation", "first/odd second/odd Digamma")
    add("custom_twice.pb", renamed(graph(lambda x: twice(x, lambda y, name: op.Digamma(x=y, name=name))), "Digamma", "MyCustomOperation"),
        "two nodes of an operation that TensorFlow does not know either", "first/odd second/odd MyCustomOperation")
    add("bitcast.pb", graph(lambda x: op.Bitcast(input=op.Bitcast(input=x, type=tf.int32, name="there"), type=tf.float32, name="back")),
        "Bitcast of activations", "there back Bitcast")
    add("switch_on_data.pb", graph(switch_on_data), "a Switch whose predicate depends on the picture", "choose")
    add("loop.pb", graph(loop), "a while loop")
    add("function_call.pb", renamed(graph(lambda x: op.Digamma(x=x, name="call")), "Digamma", "PartitionedCall"), "a function call", "call PartitionedCall")
    add("variable.pb", graph(lambda x: op.Mul(x=x, y=op.VariableV2(shape=[3], dtype=tf.float32, name="weights"))), "a variable: the graph is not frozen", "weights")
    add("resource_variable.pb", graph(lambda x: op.Mul(x=x, y=op.ReadVariableOp(
        resource=op.VarHandleOp(dtype=tf.float32, shape=[3], name="weights"), dtype=tf.float32))), "a resource variable: the graph is not frozen", "weights")


def attributes(add):
    def batch_norm(x, operation):
        return operation(x=x, scale=draw(3), offset=draw(3), mean=[], variance=[], is_training=True, name="norm")[0]

    def set_list(name, values):
        return lambda node: node.attr[name].list.i.__setitem__(slice(None), values)

    def named_conv(x):
        return op.Conv2D(input=x, filter=kernel(), strides=[1, 1, 1, 1], padding="SAME", name="conv")

    def pool(operation, key, size, strides):
        return lambda x: operation(**{key: x}, ksize=size, strides=strides, padding="VALID", name="pool")

    def dequantize(mode):
        numbers = np.array([3, 120, 250]).astype(tf.quint8.as_numpy_dtype)
        return lambda x: op.Mul(x=x, y=op.Dequantize(input=tf.constant(numbers, tf.quint8), min_range=-1.0, max_range=1.0, mode=mode, name="weights"))

    add("batch_norm_training.pb", graph(lambda x: batch_norm(x, op.FusedBatchNorm)), "FusedBatchNorm with is_training", "norm is_training")
    add("batch_norm_v3_training.pb", graph(lambda x: batch_norm(x, op.FusedBatchNormV3)), "FusedBatchNormV3 with is_training", "norm is_training")
    add("batch_norm_training_by_default.pb", edited(lambda x: batch_norm(x, op.FusedBatchNorm), "norm", lambda node: node.attr.pop("is_training")),
        "FusedBatchNorm without is_training, which is true by default", "norm is_training")
    add("conv_of_activation.pb", graph(lambda x: op.Conv2D(input=x, filter=op.Reshape(tensor=op.Tanh(x=x), shape=[3, 3, 3, 4]),
                                                          strides=[1, 1, 1, 1], padding="SAME", name="conv")), "a convolution whose filter depends on the picture", "conv")
    add("conv_stride_batch.pb", edited(named_conv, "conv", set_list("strides", [2, 1, 1, 1])), "a stride over the batch", "conv strides")
    add("conv_stride_channel.pb", edited(named_conv, "conv", set_list("strides", [1, 1, 1, 2])), "a stride over the channels", "conv strides")
    add("conv_stride_zero.pb", edited(named_conv, "conv", set_list("strides", [1, 0, 1, 1])), "a stride of zero", "conv strides")
    add("conv_stride_negative.pb", edited(named_conv, "conv", set_list("strides", [1, -1, 1, 1])), "a negative stride", "conv strides")
    add("conv_strides_three.pb", edited(named_conv, "conv", set_list("strides", [1, 1, 1])), "three strides in place of four", "conv strides")
    add("conv_dilation_channel.pb", edited(named_conv, "conv", set_list("dilations", [1, 1, 1, 2])), "a dilation over the channels", "conv dilations")
    add("conv_dilation_zero.pb", edited(named_conv, "conv", set_list("dilations", [1, 0, 0, 1])), "a dilation of zero", "conv dilations")
    add("conv_without_strides.pb", edited(named_conv, "conv", lambda node: node.attr.pop("strides")), "no attribute strides", "conv strides")
    add("conv_without_padding.pb", edited(named_conv, "conv", lambda node: node.attr.pop("padding")), "no attribute padding", "conv padding")
    add("conv_padding_unknown.pb", edited(named_conv, "conv", lambda node: setattr(node.attr["padding"], "s", b"FULL")), "padding FULL", "conv FULL")
    add("conv_padding_wrong_kind.pb", edited(named_conv, "conv", lambda node: setattr(node.attr["padding"], "i", 1)), "padding given as a number", "conv padding")
    add("conv_explicit_negative.pb", edited(lambda x: op.Identity(input=convolution(x, kernel(), explicit=((1, 1), (1, 1)))), "Conv2D",
                                            set_list("explicit_paddings", [0, 0, -1, 1, 1, 1, 0, 0])), "negative explicit padding", "explicit_paddings")
    add("conv_explicit_channel.pb", edited(lambda x: op.Identity(input=convolution(x, kernel(), explicit=((1, 1), (1, 1)))), "Conv2D",
                                           set_list("explicit_paddings", [0, 0, 1, 1, 1, 1, 0, 1])), "explicit padding of channels", "explicit_paddings")
    add("conv_vectorized_layout.pb", edited(named_conv, "conv", lambda node: setattr(node.attr["data_format"], "s", b"NCHW_VECT_C")),
        "data_format NCHW_VECT_C", "conv NCHW_VECT_C")
    add("pool_over_channels.pb", graph(pool(op.MaxPool, "input", [1, 1, 1, 3], [1, 1, 1, 3])), "a pool over the channels", "pool ksize")
    add("pool_over_batch.pb", edited(pool(op.AvgPool, "value", [1, 2, 2, 1], [1, 2, 2, 1]), "pool", set_list("ksize", [2, 2, 2, 1])), "a pool over the batch", "pool ksize")
    add("pool_size_zero.pb", edited(pool(op.MaxPool, "input", [1, 2, 2, 1], [1, 2, 2, 1]), "pool", set_list("ksize", [1, 0, 2, 1])), "a window of height zero", "pool ksize")
    add("pool_too_large.pb", edited(pool(op.MaxPool, "input", [1, 2, 2, 1], [1, 2, 2, 1]), "pool", set_list("ksize", [1, 7, 7, 1])),
        "a window larger than the picture, without padding", "pool")
    for mode in ("MIN_COMBINED", "SCALED"):
        add(f"dequantize_{mode.lower()}.pb", graph(dequantize(mode)), f"Dequantize in mode {mode}", f"weights {mode}")


def shapes(add):
    add("conv_channels.pb", edited(lambda x: op.Conv2D(input=x, filter=kernel(), strides=[1, 1, 1, 1], padding="SAME", name="conv"), "input",
                                   lambda node: setattr(node.attr["shape"].shape.dim[3], "size", 5)), "a picture of 5 channels, a filter of 3", "conv 5 3")
    add("conv_too_large.pb", edited(lambda x: op.Conv2D(input=x, filter=kernel(), strides=[1, 1, 1, 1], padding="VALID", name="conv"), "input",
                                    lambda node: setattr(node.attr["shape"].shape.dim[1], "size", 2)), "a filter larger than the picture, without padding", "conv")
    constants = {
        "bias_size": (lambda x: op.BiasAdd(value=x, bias=draw(3), name="bias"), "bias/bias", draw(4), "a bias of 4 for 3 channels", "bias"),
        "broadcast": (lambda x: op.AddV2(x=x, y=draw(3), name="sum"), "sum/y", draw(2), "shapes that do not broadcast", "sum"),
        "reshape_size": (lambda x: op.Reshape(tensor=x, shape=[1, 108], name="flat"), "flat/shape", np.array([1, 107], "i4"), "108 values into 107", "flat 108 107"),
        "reshape_two_unknown": (lambda x: op.Reshape(tensor=x, shape=[1, -1], name="flat"), "flat/shape", np.array([-1, -1], "i4"), "two unknown dimensions", "flat"),
        "transpose_twice_the_same": (lambda x: op.Transpose(x=x, perm=[0, 1, 3, 2], name="turn"), "turn/perm", np.array([0, 1, 1, 2], "i4"), "no permutation", "turn"),
        "mean_axis": (lambda x: op.Mean(input=x, axis=[1, 2], name="pool"), "pool/reduction_indices", np.array([1, 4], "i4"), "axis 4 of rank 4", "pool 4"),
        "concat_axis": (lambda x: op.ConcatV2(values=[x, x], axis=3, name="join"), "join/axis", np.array(-5, "i4"), "axis -5 of rank 4", "join -5"),
        "matmul_inner": (lambda x: op.MatMul(a=op.Reshape(tensor=x, shape=[1, 108]), b=draw(108, 2), name="dense"), "dense/b", draw(107, 2), "108 columns, 107 rows", "dense"),
        "slice_past_end": (lambda x: op.Slice(input=x, begin=[0, 0, 0, 0], size=[1, 6, 6, 3], name="cut"), "cut/size", np.array([1, 6, 7, 3], "i4"), "a slice past the end", "cut"),
        "strided_slice_stride_zero": (lambda x: op.StridedSlice(input=x, begin=[0, 0], end=[1, 6], strides=[1, 1], name="cut"), "cut/strides",
                                      np.array([1, 0], "i4"), "a stride of zero", "cut"),
        "pad_negative": (lambda x: op.Pad(input=x, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], name="pad"), "pad/paddings",
                         np.array([[0, 0], [-1, 1], [1, 1], [0, 0]], "i4"), "negative padding", "pad"),
        "pad_huge": (lambda x: op.Pad(input=x, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], name="pad"), "pad/paddings",
                     np.array([[0, 0], [1 << 30, 1], [1 << 30, 1], [0, 0]], "i4"), "padding to 2^60 values", "pad"),
        "fill_huge": (lambda x: op.AddV2(x=x, y=op.Fill(dims=[1, 1], value=1.0, name="fill")), "fill/dims", np.array([1 << 20, 1 << 20], "i4"), "a fill of 2^40 values", "fill"),
        "range_endless": (lambda x: op.AddV2(x=x, y=op.Cast(x=op.Range(start=0, limit=3, delta=1, name="range"), DstT=tf.float32)), "range/delta", np.array(0, "i4"),
                          "a range with step zero", "range"),
        "range_huge": (lambda x: op.AddV2(x=x, y=op.Cast(x=op.Range(start=0, limit=3, delta=1, name="range"), DstT=tf.float32)), "range/limit",
                       np.array(2**31 - 1, "i4"), "a range of 2^31 values", "range"),
    }
    for name, (build, constant, value, wrong, words) in constants.items():
        add(name + ".pb", edited(build, constant, lambda node: node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))), wrong, words)
    add("squeeze_of_six.pb", edited(lambda x: op.Squeeze(input=x[:, :1], axis=[1], name="thin"), "thin",
                                    lambda node: node.attr["squeeze_dims"].list.i.__setitem__(0, 2)), "a squeeze of a dimension of 6", "thin 6")
    add("split_uneven.pb", edited(lambda x: op.Split(axis=3, value=x, num_split=3, name="parts")[0], "parts",
                                  lambda node: setattr(node.attr["num_split"], "i", 2)), "3 channels into 2 parts", "parts")
    add("split_by_activation.pb", graph(lambda x: op.Split(axis=op.Cast(x=op.Max(input=x, axis=[0, 1, 2, 3]), DstT=tf.int32), value=x, num_split=3, name="parts")[0]),
        "a split whose axis depends on the picture", "parts")
    add("reshape_by_activation.pb", graph(lambda x: op.Reshape(tensor=x, shape=op.Cast(x=op.Max(input=x, axis=[0, 1, 2]), DstT=tf.int32), name="flat")),
        "a reshape whose shape depends on the picture", "flat")


def weights(add):
    def scaled(x):
        return op.Mul(x=x, y=tf.constant(draw(3), name="weights"))

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
    add("weights_without_value.pb", edited(scaled, "weights", lambda node: node.attr.pop("value")), "a constant without value", "weights value")
    add("weights_strings.pb", edited(scaled, "weights", typed(tf.string, [b"a", b"b", b"c"])), "weights of type string", "weights string")
    add("weights_complex.pb", edited(scaled, "weights", typed(tf.complex64, [1 + 1j, 2, 3])), "weights of type complex64", "weights complex64")
    add("weights_unknown_type.pb", edited(scaled, "weights", lambda node: setattr(node.attr["value"].tensor, "dtype", 99)), "weights of a type numbered 99", "weights 99")


def structures(add):
    def two(x):
        return op.AddV2(x=x, y=tf.compat.v1.placeholder(tf.float32, PICTURE, name="second"))

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
        return lambda node: (node.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto()), setattr(node.attr["dtype"], "type", dtype.as_datatype_enum))

    add("two_placeholders.pb", graph(two), "two placeholders, both needed", "input second --input")
    add("two_outputs.pb", graph_of(lambda: branches(tf.compat.v1.placeholder(tf.float32, PICTURE, name="input"))), "two nodes that nobody reads", "left right --output")
    add("no_placeholder.pb", graph_of(lambda: op.Neg(x=tf.constant(draw(1, 3)), name="output")), "no placeholder")
    add("unknown_size.pb", graph(chained, [None, None, None, 3]), "a placeholder of unknown size, without --size", "input --size")
    add("placeholder_2_40.pb", edited(chained, "input", placed([1, 1 << 20, 1 << 20, 3])), "a placeholder of 3 * 2^40 elements", "input")
    add("placeholder_empty.pb", edited(chained, "input", placed([1, 0, 6, 3])), "a placeholder without elements", "input")
    add("placeholder_string.pb", edited(chained, "input", placed([], tf.string)), "a placeholder of type string", "input string")
    add("missing_node.pb", without(graph(chained), "tanh"), "a node that reads another which is not there", "negative tanh")
    add("repeated_name.pb", repeated(graph(chained), "tanh"), "two nodes of one name", "tanh")
    add("unnamed_node.pb", edited(chained, "tanh", lambda node: node.ClearField("name")), "a node without a name")
    add("missing_port.pb", edited(chained, "negative", lambda node: node.input.__setitem__(0, "tanh:3")), "an output that the operation does not have", "tanh:3")
    add("too_few_inputs.pb", edited(chained, "tanh", lambda node: node.ClearField("input")), "an operation without its input", "tanh")
    add("too_many_inputs.pb", edited(chained, "tanh", lambda node: node.input.append("input")), "an operation with an input too many", "tanh")
    add("circle.pb", edited(chained, "tanh", lambda node: node.input.__setitem__(0, "negative")), "two nodes that read each other", "tanh negative")
    add("reads_itself.pb", edited(chained, "tanh", lambda node: node.input.__setitem__(0, "tanh")), "a node that reads itself", "tanh")


def branches(x):
    op.Tanh(x=x, name="left")
    op.Neg(x=x, name="right")


def nested_attributes(depth):
    """A graph whose only node has an attribute that holds a function with an attribute that holds a function…"""
    value = field(2, b"end")
    for _ in range(depth):
        value = field(10, field(2, field(1, b"a") + field(2, value)))
    attribute = field(1, b"deep") + field(2, value)
    return field(1, field(1, b"input") + field(2, b"Placeholder") + field(5, attribute))


def other_formats(add):
    good = graph(lambda x: op.Mul(x=op.BiasAdd(value=convolution(x, kernel()), bias=draw(4)), y=0.5))
    data = graph_bytes(good)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(zipfile.ZipInfo("config.json"), "{}")
    onnx_node = field(1, b"input") + field(2, b"output") + field(4, b"Relu")
    onnx = b"\x08\x07" + field(2, b"pytorch") + field(7, field(1, onnx_node) + field(2, b"main")) + field(8, b"\x10\x0d")
    image = field(1, b"image") + field(3, field(4, b"\x08\x20\x10\x20\x18\x14"))
    coreml = b"\x08\x01" + field(2, field(1, image)) + field(403, b"")
    add("graph.pbtxt", text_format.MessageToString(good).encode(), "a graph in text format", "text")
    add("text_called_graph.pb", text_format.MessageToString(good).encode(), "a graph in text format, named .pb", "text")
    add("truncated.pb", data[:len(data) // 2], "the first half of a graph", "truncated")
    add("truncated_by_a_byte.pb", data[:-1], "a graph without its last byte", "truncated")
    add("nested_attributes.pb", nested_attributes(3000), "3000 nested attributes", "deep")
    add("length_past_end.pb", data + b"\x0a" + b"\xff" * 8 + b"\x7f", "a graph, then a node of 2^63 - 1 bytes", "truncated")
    add("random.pb", draw.generator.bytes(1000), "random bytes")
    add("zeros.pb", bytes(1000), "zeros")
    add("empty.pb", b"", "an empty file", "empty")
    add("plain_text.pb", b"tench\ngoldfish\n", "a label file")
    add("model.tflite", b"\x1c\0\0\0TFL3" + bytes(56), "a TensorFlow Lite model", "TensorFlow Lite")
    add("model.onnx", onnx, "an ONNX model", "ONNX")
    add("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(56), "a Keras model in HDF5", "HDF5")
    add("model.keras", archive.getvalue(), "a Keras model, which is a zip archive", "Keras")
    add("model.zip", archive.getvalue(), "a zip archive", "zip")
    add("model.mlmodel", coreml, "a Core ML model", "Core ML")
    add("picture.pb", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20), "a picture", "PNG")
    saved = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    saved.meta_graphs.add().meta_info_def.tags.append("serve")
    saved.meta_graphs[0].graph_def.CopyFrom(good)
    add("saved_model/saved_model.pb", saved.SerializeToString(deterministic=True), "the file inside a SavedModel", "SavedModel")
    save_bytes("refuse/saved_model/variables/variables.index", b"")


def checkpoint(rows):
    """A folder as tf.train.Saver leaves it."""
    folder = file_at("refuse/checkpoint/checkpoint")
    with tempfile.TemporaryDirectory() as work, tf.Graph().as_default():
        tf.compat.v1.get_variable("weights", initializer=draw(3), use_resource=False)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.Saver().save(session, os.path.join(work, "model.ckpt"))
        for name in sorted(os.listdir(work)):
            shutil.copy(os.path.join(work, name), os.path.dirname(folder))
    save_bytes("refuse/checkpoint/checkpoint", b'model_checkpoint_path: "model.ckpt"\nall_model_checkpoint_paths: "model.ckpt"\n')
    rows.append(("checkpoint", "checkpoint", "a folder with a training checkpoint"))
    rows.append(("checkpoint/model.ckpt.meta", "checkpoint", "the graph of a training checkpoint"))
    rows.append(("checkpoint/model.ckpt.data-00000-of-00001", "checkpoint", "the weights of a training checkpoint"))
    rows.append(("checkpoint/model.ckpt.index", "checkpoint", "the index of a training checkpoint"))


def write():
    refusals = Refusals()
    for part in (unsupported, attributes, shapes, weights, structures, other_formats):
        part(refusals.add)
    refusals.rows.append(("saved_model", "SavedModel", "a folder with a SavedModel"))
    checkpoint(refusals.rows)
    save_table("refuse/refuse.tsv", ("file", "words", "wrong"), refusals.rows)
