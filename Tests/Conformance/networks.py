#!/usr/bin/env python3
"""Creates one network of the conformance run: a frozen graph, a hundred inputs, and TensorFlow's outputs.

usage: networks.py NAME FOLDER

Writes FOLDER/NAME.pb, NAME_expected.npy (last, which marks a finished network) and the inputs, which networks of the
same kind share: FOLDER/KIND_SIZE.npy. The weights are random, and calibrated so that activations keep their scale and
the outputs distinguish inputs. Needs `pip install tensorflow-cpu tf_keras`.
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# TensorFlow's own kernels. oneDNN approximates some functions: ConvNeXt's outputs differ from float64 by 5e-4 of their range with
# them, and 2e-6 without.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "make"))

import slim
from keras_graphs import frozen, frozen_with_learning_phase, settle

import numpy as np
import tensorflow as tf
import tf_keras

COUNT = 100
SETTLING = 16
LEARNING_PHASE = "keras_learning_phase"

Keras = tf_keras.applications
# The constructor of each network, the side of its images, and their values: from -1 to 1, or pixels from 0 to 255.
KERAS = {
    "mobilenet_v1": (Keras.MobileNet, 224, "unit"),
    "mobilenet_v2": (Keras.MobileNetV2, 224, "unit"),
    "mobilenet_v3_small": (Keras.MobileNetV3Small, 224, "pixels"),
    "mobilenet_v3_large": (Keras.MobileNetV3Large, 224, "pixels"),
    "inception_v3": (Keras.InceptionV3, 299, "unit"),
    "inception_resnet_v2": (Keras.InceptionResNetV2, 299, "unit"),
    "resnet50_v1": (Keras.ResNet50, 224, "unit"),
    "resnet50_v2": (Keras.ResNet50V2, 224, "unit"),
    "densenet121": (Keras.DenseNet121, 224, "unit"),
    "xception": (Keras.Xception, 299, "unit"),
    "nasnet_mobile": (Keras.NASNetMobile, 224, "unit"),
    "efficientnet_b0": (Keras.EfficientNetB0, 224, "pixels"),
    "efficientnet_v2_b0": (Keras.EfficientNetV2B0, 224, "pixels"),
    "vgg16": (Keras.VGG16, 224, "unit"),
    "convnext_tiny": (Keras.ConvNeXtTiny, 224, "pixels"),
}
SLIM = {"slim_mobilenet_v1": (slim.mobilenet_v1, 224, "unit"), "slim_resnet_v1_50": (slim.resnet_v1_50, 224, "unit")}
# Graphs as Keras wrote them with TensorFlow 1: batch norm and dropout depend on a placeholder.
PHASED = {LEARNING_PHASE: (Keras.MobileNet, 224, "unit")}
ALL = KERAS | SLIM | PHASED


def sample_images(count, size, kind, seed):
    """Smooth random images: upscaled coarse noise with some fine noise added."""
    generator = np.random.default_rng([seed, size])
    coarse = tf.image.resize(generator.uniform(-1, 1, (count, 8, 8, 3)), (size, size), "bicubic").numpy()
    x = np.clip(coarse + generator.normal(0, 0.1, coarse.shape), -1, 1).astype("f4")
    return np.round((x + 1) * 127.5) if kind == "pixels" else x


def keras_graph(build, size, kind):
    model = build(weights=None, input_shape=(size, size, 3))
    settle(model, sample_images(SETTLING, size, kind, 0))
    return frozen(model), "input", "Identity"


def slim_graph(build, size, kind):
    from common import graph_of
    from layers import Network

    network = Network("conformance", "chain")
    build(network, tf.constant(sample_images(SETTLING, size, kind, 0)))
    network.write()
    output = []
    definition = graph_of(lambda: output.append(
        build(network, tf.compat.v1.placeholder(tf.float32, [None, size, size, 3], name="input")).op.name))
    return definition, "input", output[0]


def phased_graph(build, size, kind):
    model = build(weights=None, input_shape=(size, size, 3))
    settle(model, sample_images(SETTLING, size, kind, 0))
    definition, output = frozen_with_learning_phase(lambda image: build(weights=None, input_tensor=image), model)
    return definition, "input", output


def expected_outputs(definition, feed, fetch, x):
    """TensorFlow's outputs, one image at a time to save memory."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            return np.concatenate([session.run(fetch + ":0", {feed + ":0": image[None]}) for image in x])


def save(path, array):
    """Writes atomically: several networks may write the same inputs."""
    part = f"{path[:-4]}.{os.getpid()}.npy"
    np.save(part, np.asarray(array, "<f4"))
    os.replace(part, path)


def make(name, folder):
    build, size, kind = ALL[name]
    graph = keras_graph if name in KERAS else slim_graph if name in SLIM else phased_graph
    definition, feed, fetch = graph(build, size, kind)
    x = sample_images(COUNT, size, kind, 1)
    y = expected_outputs(definition, feed, fetch, x)
    labels = y.argmax(1)
    if not np.isfinite(y).all() or len(set(labels)) < 10:
        raise SystemExit(f"{name}: the outputs do not distinguish the inputs: {sorted(set(labels))}")
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(definition.SerializeToString())
    if not os.path.exists(inputs_of(name, folder)):
        save(inputs_of(name, folder), x)
    save(os.path.join(folder, name + "_expected.npy"), y)


def inputs_of(name, folder):
    _, size, kind = ALL[name]
    return os.path.join(folder, f"{kind}_{size}.npy")


if __name__ == "__main__":
    make(*sys.argv[1:])
