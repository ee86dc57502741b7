#!/usr/bin/env python3
"""Writes MobileNet v1 and ResNet50 as frozen graphs with random weights: what the benchmarks run.

usage: networks.py FOLDER

Input `input` [1, 224, 224, 3], output `Identity`. Needs `pip install tensorflow-cpu tf_keras`.
"""
import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
import tf_keras
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2


def freeze(model, path):
    image = tf.TensorSpec([1, 224, 224, 3], tf.float32, name="input")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(image)
    with open(path, "wb") as file:
        file.write(convert_variables_to_constants_v2(function).graph.as_graph_def().SerializeToString())
    print(path)


tf.random.set_seed(1)
os.makedirs(sys.argv[1], exist_ok=True)
freeze(tf_keras.applications.MobileNet(weights=None), os.path.join(sys.argv[1], "mobilenet_v1.pb"))
freeze(tf_keras.applications.ResNet50(weights=None), os.path.join(sys.argv[1], "resnet50.pb"))
