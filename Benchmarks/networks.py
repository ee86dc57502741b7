#!/usr/bin/env python3
"""Writes seven well-known networks as frozen graphs with random weights, for the benchmarks.

usage: networks.py FOLDER [NAME ...]

Input `input` [1, side, side, 3], output `Identity`. Needs `pip install tensorflow-cpu tf_keras`.
"""
import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
import tf_keras
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2


Keras = tf_keras.applications
# The constructor of each network, and the side of its images.
NETWORKS = {
    "mobilenet_v1": (Keras.MobileNet, 224),
    "mobilenet_v2": (Keras.MobileNetV2, 224),
    "resnet50": (Keras.ResNet50, 224),
    "inception_v3": (Keras.InceptionV3, 299),
    "densenet121": (Keras.DenseNet121, 224),
    "efficientnet_b0": (Keras.EfficientNetB0, 224),
    "vgg16": (Keras.VGG16, 224),
}


def freeze(model, side, path):
    image = tf.TensorSpec([1, side, side, 3], tf.float32, name="input")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(image)
    with open(path, "wb") as file:
        file.write(convert_variables_to_constants_v2(function).graph.as_graph_def().SerializeToString())
    print(path)


tf.random.set_seed(1)
os.makedirs(sys.argv[1], exist_ok=True)
for name in sys.argv[2:] or NETWORKS:
    build, side = NETWORKS[name]
    freeze(build(weights=None), side, os.path.join(sys.argv[1], name + ".pb"))
