"""Frozen graphs of two inputs: `pairs/NAME.pb`, with the inputs, `NAME.INPUT.npy`, and TensorFlow's output, `NAME.output.npy`."""
import tensorflow as tf

from common import Draw, graph_bytes, graph_of, require_telling, save_array, save_bytes, save_table
from tiny import BIAS, DENSE, KERNEL

v1 = tf.compat.v1


def features(x):
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 2, "SAME"), BIAS))
    return tf.reduce_mean(x, [1, 2])


def siamese(left, right):
    """The distance between the features that one network computes from both images."""
    difference = tf.abs(features(left / 127.5 - 1) - features(right / 127.5 - 1))
    return tf.sigmoid(tf.matmul(difference, DENSE[:, :1]) + 0.1, name="output")


def masked(image, mask):
    """An image and a mask, whose scaling differs from the image's."""
    x = tf.concat([(image - 117.0) * 0.01, mask / 255], 3)
    kernel = tf.constant(Draw("pairs/masked")(3, 3, 4, 3, scale=0.3))
    return tf.nn.tanh(tf.nn.conv2d(x, kernel, 1, "SAME"), name="output")


def row(image, numbers):
    """An image and a vector."""
    x = tf.concat([features(image / 255), numbers], 1)
    return tf.nn.softmax(tf.matmul(x, tf.constant(Draw("pairs/row")(9, 3))), name="output")


def rows(first, second):
    """Two vectors, no image."""
    return tf.nn.softmax(first * 0.5 - second, name="output")


def added(first, second):
    """Two images, added."""
    return tf.add(first, second, name="output")


CASES = [
    ("added", added, {"first": (6, 6, 3), "second": (6, 6, 3)}, "-", "two images that are added"),
    ("siamese", siamese, {"left": (8, 8, 3), "right": (8, 8, 3)}, "-", "two images of one size"),
    ("siamese_open", siamese, {"left": (None, None, 3), "right": (None, None, 3)}, "--size left=8x8 --size right=6x10",
     "two images of open sizes, each of its own"),
    ("masked", masked, {"image": (8, 8, 3), "mask": (8, 8, 1)}, "-", "an image and a gray mask"),
    ("row", row, {"image": (8, 8, 3), "numbers": (5,)}, "-", "an image and a row of numbers"),
    ("rows", rows, {"first": (4,), "second": (4,)}, "-", "two rows of numbers"),
]


def write():
    table = []
    for name, build, inputs, options, note in CASES:
        definition = graph_of(lambda: build(*(v1.placeholder(tf.float32, [None, *shape], name=word) for word, shape in inputs.items())))
        sizes = {"left": (8, 8), "right": (6, 10)} if name == "siamese_open" else {}
        results = []
        for seed in (0, 1):
            draw = Draw(f"pairs/{name}{seed}")
            fed = {}
            for word, shape in inputs.items():
                if word in sizes:
                    shape = (sizes[word][1], sizes[word][0], 3)
                image = len(shape) == 3
                fed[word] = (draw.integers(0, 256, 1, *shape) if image else draw(1, *shape)).astype("f4")
            with tf.Graph().as_default(), v1.Session() as session:
                tf.import_graph_def(definition, name="")
                results.append(session.run("output:0", {word + ":0": array for word, array in fed.items()}))
        for word, array in fed.items():
            save_array(f"pairs/{name}.{word}.npy", array)
        require_telling(results, name)
        save_array(f"pairs/{name}.output.npy", results[-1])
        save_bytes(f"pairs/{name}.pb", graph_bytes(definition))
        table.append((name, ",".join(inputs), options, note))
    save_table("pairs/pairs.tsv", ("graph", "inputs", "options", "note"), table)
