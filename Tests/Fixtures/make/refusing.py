"""Shared by the scripts for files that must be refused."""
import numpy as np
import tensorflow as tf

from common import graph_bytes, graph_of, save_bytes

op = tf.raw_ops
IMAGE = [1, 6, 6, 3]


def values(*shape):
    """Some float32 values; which ones does not matter."""
    return np.linspace(-1, 1, int(np.prod(shape)), dtype="f4").reshape(shape)


KERNEL, BIAS = values(3, 3, 3, 4), values(3)


def graph(build, shape=IMAGE):
    """A GraphDef from placeholder to output."""
    return graph_of(lambda: tf.identity(build(tf.compat.v1.placeholder(tf.float32, shape, name="input")), name="output"))


def edited(build, name, change):
    """The same, with one node changed afterwards."""
    definition = graph(build)
    change(next(node for node in definition.node if node.name == name))
    return definition


class Refusals:
    """Writes files to refuse and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def add(self, name, content, wrong, words=""):
        """The message must contain `words`, separated by spaces."""
        save_bytes("refuse/" + name, content if isinstance(content, bytes) else graph_bytes(content))
        self.row(name, wrong, words)

    def row(self, name, wrong, words=""):
        """Adds an existing file or folder to the index."""
        self.rows.append((name, words or "-", wrong))
