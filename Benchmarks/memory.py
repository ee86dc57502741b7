#!/usr/bin/env python3
"""Measures the memory of a conversion: its peak resident size relative to the size of its source.

usage: memory.py [--thaw BINARY] [--folder FOLDER] [NAME ...]

Creates SavedModels and a frozen graph of about 500 MB with random weights, which stay in FOLDER, and converts each to a neural
network and to an ML Program. The exit code is 1 if a conversion takes 1.2 times the size of its source or more.

Needs `pip install tensorflow-cpu tf_keras`.
"""
import argparse
import os
import subprocess
import sys

LIMIT = 1.2
# A small process starts and measures the others, because a child begins with the peak memory of its parent.
MEASURE = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def vgg16(path):
    """Most of its weights are one matrix."""
    import tensorflow as tf
    import tf_keras
    model = tf_keras.applications.VGG16(weights=None)
    tf.saved_model.save(model, path, signatures=tf.function(lambda x: {"classes": model(x, training=False)}).get_concrete_function(
        tf.TensorSpec([1, 224, 224, 3], tf.float32, name="input")))


def frozen_vgg16(path):
    import tf_keras
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
    import tensorflow as tf
    model = tf_keras.applications.VGG16(weights=None)
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(
        tf.TensorSpec([1, 224, 224, 3], tf.float32, name="input"))
    with open(path, "wb") as file:
        file.write(convert_variables_to_constants_v2(function).graph.as_graph_def().SerializeToString())


def convolutions(path):
    """Wide convolutions, each with a batch norm that will be folded into its weights."""
    import tensorflow as tf
    import tf_keras
    image = x = tf_keras.Input([64, 64, 3])
    for width in [256, 512, 1024] + [1024] * 12:
        x = tf_keras.layers.Conv2D(width, 3, padding="same", use_bias=False, strides=2 if width < 1024 else 1)(x)
        x = tf_keras.layers.ReLU()(tf_keras.layers.BatchNormalization()(x))
    x = tf_keras.layers.Dense(1000, activation="softmax")(tf_keras.layers.GlobalAveragePooling2D()(x))
    model = tf_keras.Model(image, x)
    tf.saved_model.save(model, path, signatures=tf.function(lambda x: {"classes": model(x, training=False)}).get_concrete_function(
        tf.TensorSpec([1, 64, 64, 3], tf.float32, name="input")))


def partitioned(path):
    """As TensorFlow 1 writes it: matrices in four parts each."""
    import tensorflow.compat.v1 as tf
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        image = tf.placeholder(tf.float32, [1, 64, 64, 3], name="input")
        x = tf.reshape(tf.nn.avg_pool2d(image, 2, 2, "VALID"), [1, 3072])
        for index, width in enumerate([8192, 8192, 4096, 1000]):
            matrix = tf.get_variable(f"matrix{index}", [x.shape[1], width], partitioner=tf.fixed_size_partitioner(4),
                                     initializer=tf.random_normal_initializer(0, 0.01), use_resource=False)
            x = tf.nn.relu(tf.matmul(x, tf.convert_to_tensor(matrix)))
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, path, {"image": image}, {"classes": tf.nn.softmax(x)})


SOURCES = {"vgg16": vgg16, "vgg16.pb": frozen_vgg16, "convolutions": convolutions, "partitioned": partitioned}


def make(name, path):
    os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3")
    SOURCES[name](path)


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="default: all of " + ", ".join(SOURCES))
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--folder", default=".build/memory")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        return make(arguments.make, os.path.join(arguments.folder, arguments.make))
    os.makedirs(arguments.folder, exist_ok=True)
    print("| source | MB | result | resident, MB | of the source |\n|---|---|---|---|---|")
    failed = False
    for name in arguments.names or SOURCES:
        path = os.path.join(arguments.folder, name)
        if not os.path.exists(path):
            command = [sys.executable, __file__, "--folder", arguments.folder, "--make", name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for ending in ("mlmodel", "mlpackage"):
            result = os.path.join(arguments.folder, "converted." + ending)
            command = [sys.executable, "-c", MEASURE, os.path.abspath(arguments.thaw), "convert", path, "-o", result]
            answer = subprocess.run(command, capture_output=True, text=True)
            status, kilobytes = map(int, answer.stdout.split())
            if status:
                sys.exit(f"{name}: {answer.stderr}")
            share = kilobytes * 1024 / size(path)
            failed |= share >= LIMIT
            print(f"| {name} | {size(path) / 1e6:.0f} | {ending} | {kilobytes * 1024 / 1e6:.0f} | {share:.2f} |", flush=True)
    sys.exit(failed)


main()
