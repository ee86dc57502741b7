"""Files that are not frozen graphs, or corrupt ones, which `convert` must identify."""
import io
import zipfile

import tensorflow as tf
from google.protobuf import text_format

from common import Draw, field, graph_bytes
from convolutions import convolution
from refusing import KERNEL, graph, values

op = tf.raw_ops


def nested_attributes(depth):
    """A graph whose only node has an attribute with a function with an attribute with a function…"""
    value = field(2, b"end")
    for _ in range(depth):
        value = field(10, field(2, field(1, b"a") + field(2, value)))
    attribute = field(1, b"deep") + field(2, value)
    return field(1, field(1, b"input") + field(2, b"Placeholder") + field(5, attribute))


def other_formats(add):
    good = graph(lambda x: op.Mul(x=op.BiasAdd(value=convolution(x, KERNEL), bias=values(4)), y=0.5))
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
    add("truncated.pb", data[:len(data) // 2], "the first half of a graph", "truncated or corrupt")
    add("truncated_by_a_byte.pb", data[:-1], "a graph without its last byte", "truncated or corrupt")
    add("nested_attributes.pb", nested_attributes(3000), "3000 nested attributes", "deep")
    add("length_past_end.pb", data + b"\x0a" + b"\xff" * 8 + b"\x7f", "a graph, then a node of 2^63 - 1 bytes", "truncated or corrupt")
    add("random.pb", Draw("refuse/random.pb").generator.bytes(1000), "random bytes")
    add("zeros.pb", bytes(1000), "zeros")
    add("empty.pb", b"", "an empty file", "empty")
    add("plain_text.pb", b"tench\ngoldfish\n", "a label file")
    add("model.tflite", b"\x1c\0\0\0TFL3" + bytes(56), "a TensorFlow Lite model", "TensorFlow Lite")
    add("model.onnx", onnx, "an ONNX model", "ONNX")
    add("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(56), "a Keras model in HDF5", "HDF5")
    add("model.keras", archive.getvalue(), "a Keras model, which is a zip archive", "zip")
    add("model.zip", archive.getvalue(), "a zip archive", "zip")
    add("model.mlmodel", coreml, "a Core ML model", "Core ML")
    add("picture.pb", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20), "a picture", "image")


def write(refusals):
    other_formats(refusals.add)
