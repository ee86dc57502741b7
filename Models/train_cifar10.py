#!/usr/bin/env python3
"""Trains the demo network and writes it as a frozen TensorFlow 1 graph.

usage: train_cifar10.py PHOTOS OUT.pb [--epochs N] [--threads N]

PHOTOS holds `train/` and `test/`, each with a folder of 32x32 photos for every class; the folder's name is
the label. CIFAR-10 (Krizhevsky, 2009) is published at https://www.cs.toronto.edu/~kriz/cifar.html; its images,
written out one file each, give that structure. Needs `pip install tensorflow-cpu pillow numpy`.

The network is the ResNet-20 of He et al., "Deep Residual Learning for Image Recognition", section 4.2: a 3x3
convolution, three stages of three residual blocks with 16, 32 and 64 channels, a global mean and a dense layer.
Where a stage halves the image, the shortcut is a strided 1x1 convolution. The graph takes raw pixels, 0 to 255:
its first two nodes scale them to -1..1, which is what `thaw convert` lifts into the image input.
"""
import argparse
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from PIL import Image

BATCH = 128
PEAK_RATE = 0.25  # of the one-cycle schedule
MOMENTUM = 0.9
WEIGHT_DECAY = 3e-4
STAGES = [16, 32, 64]
BLOCKS = 3


def read_images(folder):
    """All images below `folder` as uint8 [N, 32, 32, 3], their class indices, and the class names."""
    names = sorted(d for d in os.listdir(folder) if os.path.isdir(os.path.join(folder, d)))
    images, labels = [], []
    for index, name in enumerate(names):
        for file in sorted(os.listdir(os.path.join(folder, name))):
            images.append(np.asarray(Image.open(os.path.join(folder, name, file)).convert("RGB")))
            labels.append(index)
    return np.stack(images), np.array(labels, np.int32), names


def parameters():
    """The trainable weights and the running statistics, by name, with He's initialization."""
    weights, statistics = {}, {}

    def convolution(name, size, inputs, outputs):
        deviation = np.sqrt(2.0 / (size * size * inputs))
        weights[name + "/kernel"] = tf.Variable(tf.random.normal([size, size, inputs, outputs], stddev=deviation))
        weights[name + "/gamma"] = tf.Variable(tf.ones([outputs]))
        weights[name + "/beta"] = tf.Variable(tf.zeros([outputs]))
        statistics[name + "/mean"] = tf.Variable(tf.zeros([outputs]), trainable=False)
        statistics[name + "/variance"] = tf.Variable(tf.ones([outputs]), trainable=False)

    convolution("stem", 3, 3, STAGES[0])
    inputs = STAGES[0]
    for stage, outputs in enumerate(STAGES):
        for block in range(BLOCKS):
            name = f"stage{stage + 1}/block{block + 1}"
            convolution(name + "/conv1", 3, inputs, outputs)
            convolution(name + "/conv2", 3, outputs, outputs)
            if inputs != outputs:
                convolution(name + "/shortcut", 1, inputs, outputs)
            inputs = outputs
    weights["logits/kernel"] = tf.Variable(tf.random.normal([inputs, 10], stddev=np.sqrt(1.0 / inputs)))
    weights["logits/bias"] = tf.Variable(tf.zeros([10]))
    return weights, statistics


def network(x, get, training=False, update=None):
    """Logits for pixels 0..255. `get` gives a parameter by name; `update` takes the batch statistics when training."""
    x = tf.subtract(tf.multiply(x, tf.constant(1 / 127.5, tf.float32), name="scaled"), tf.constant(1.0), name="centred")

    def convolution(x, name, stride=1):
        x = tf.nn.conv2d(x, get(name + "/kernel"), strides=stride, padding="SAME", name=name + "/conv")
        mean, variance = get(name + "/mean"), get(name + "/variance")
        gamma, beta = get(name + "/gamma"), get(name + "/beta")
        if training:
            x, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3, is_training=True)
            update(name, mean, variance)
            return x
        return tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, mean, variance, epsilon=1e-3, is_training=False, name=name + "/norm")[0]

    x = tf.nn.relu(convolution(x, "stem"), name="stem/relu")
    inputs = STAGES[0]
    for stage, outputs in enumerate(STAGES):
        for block in range(BLOCKS):
            name = f"stage{stage + 1}/block{block + 1}"
            stride = 2 if inputs != outputs else 1
            y = tf.nn.relu(convolution(x, name + "/conv1", stride), name=name + "/relu1")
            y = convolution(y, name + "/conv2")
            if inputs != outputs:
                x = convolution(x, name + "/shortcut", stride)
            x = tf.nn.relu(tf.add(x, y, name=name + "/add"), name=name + "/relu2")
            inputs = outputs
    x = tf.reduce_mean(x, [1, 2], name="pool")
    return tf.nn.bias_add(tf.matmul(x, get("logits/kernel"), name="logits/matmul"), get("logits/bias"), name="logits")


def freeze(values, path):
    """Writes the inference graph with its weights as constants."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 32, 32, 3], name="input")
        tf.nn.softmax(network(x, lambda name: tf.constant(values[name], name=name)), name="probabilities")
        with open(path, "wb") as file:
            file.write(graph.as_graph_def().SerializeToString())


def frozen_accuracy(path, images, labels):
    """The accuracy of the file that was written, read back."""
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            right = 0
            for start in range(0, len(images), 500):
                answer = session.run("probabilities:0", {"input:0": images[start:start + 500].astype(np.float32)})
                right += int((answer.argmax(1) == labels[start:start + 500]).sum())
    return right / len(images)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("photos")
    parser.add_argument("out")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(arguments.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.random.set_seed(1)
    rng = np.random.default_rng(1)

    images, labels, names = read_images(os.path.join(arguments.photos, "train"))
    test_images, test_labels, _ = read_images(os.path.join(arguments.photos, "test"))
    print(len(images), "to train,", len(test_images), "to test:", ", ".join(names), flush=True)

    weights, statistics = parameters()
    every = {**weights, **statistics}
    velocity = {name: tf.Variable(tf.zeros_like(value)) for name, value in weights.items()}

    @tf.function
    def step(x, y, rate):
        def update(name, mean, variance):
            statistics[name + "/mean"].assign(0.9 * statistics[name + "/mean"] + 0.1 * mean)
            statistics[name + "/variance"].assign(0.9 * statistics[name + "/variance"] + 0.1 * variance)

        with tf.GradientTape() as tape:
            logits = network(x, every.__getitem__, training=True, update=update)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        gradients = tape.gradient(loss, list(weights.values()))
        for (name, value), gradient in zip(weights.items(), gradients):
            if name.endswith("kernel"):
                gradient += WEIGHT_DECAY * value
            velocity[name].assign(MOMENTUM * velocity[name] + gradient)
            value.assign_sub(rate * (gradient + MOMENTUM * velocity[name]))
        return loss

    steps = len(images) // BATCH
    total = steps * arguments.epochs
    padded = np.pad(images, [(0, 0), (4, 4), (4, 4), (0, 0)], mode="reflect")
    done = 0
    for epoch in range(arguments.epochs):
        order, began, losses = rng.permutation(len(images)), time.time(), []
        for start in range(0, steps * BATCH, BATCH):
            chosen = order[start:start + BATCH]
            batch = np.empty((BATCH, 32, 32, 3), np.float32)
            for i, index in enumerate(chosen):
                top, left = rng.integers(0, 9, 2)
                crop = padded[index, top:top + 32, left:left + 32]
                batch[i] = crop[:, ::-1] if rng.random() < 0.5 else crop
            progress = done / total
            rate = PEAK_RATE * (progress / 0.25 if progress < 0.25 else (1 - progress) / 0.75)
            losses.append(step(batch, labels[chosen], tf.constant(rate, tf.float32)))
            done += 1
        print(f"epoch {epoch + 1}: loss {np.mean([float(l) for l in losses]):.3f}, {time.time() - began:.0f} s", flush=True)
        freeze({name: value.numpy() for name, value in every.items()}, arguments.out)
    print(f"accuracy on the test photos: {100 * frozen_accuracy(arguments.out, test_images, test_labels):.2f}%")


if __name__ == "__main__":
    main()
