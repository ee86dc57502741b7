"""Checkpoints whose graph and variables do not match."""
import glob
import os
import shutil
import tempfile

import tensorflow as tf

from common import save_bytes
from refusing import values

v1 = tf.compat.v1


def saved(folder, variables):
    """A graph with these variables, as a checkpoint: its files by extension."""
    with tf.Graph().as_default(), v1.Session() as session:
        y = v1.placeholder(tf.float32, [1, 6, 6, 3], name="input")
        for name, value in variables.items():
            y = tf.add(y, v1.get_variable(name, initializer=value, use_resource=False)[:3])
        tf.identity(y, name="output")
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, os.path.join(folder, "model.ckpt"))
    return {path[len(prefix):]: open(path, "rb").read() for path in glob.glob(prefix + "*")}


def write(refusals):
    for name, stored, wrong, words in [
            ("checkpoint_lacking", {"gain": values(3)}, "a checkpoint without a variable of its graph",
             "shift VariableV2 {} graph variables match"),
            ("checkpoint_shape", {"gain": values(3), "shift": values(4)}, "a variable of 4 numbers where the graph has 3",
             "shift VariableV2 {} [3] [4]")]:
        folder = tempfile.mkdtemp()
        files = saved(folder, stored)
        files[".meta"] = saved(folder, {"gain": values(3), "shift": values(3)})[".meta"]
        shutil.rmtree(folder)
        for ending, content in files.items():
            save_bytes(f"refuse/{name}/model.ckpt{ending}", content)
        refusals.row(name, wrong, words.format(f"{name}/model.ckpt"))
    without_signature(refusals)


def without_signature(refusals):
    """The result of `tf.saved_model.save` for a module whose functions were never called with known shapes."""
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.gain = tf.Variable(values(3), name="gain")

        @tf.function
        def __call__(self, x):
            return x * self.gain
    folder = tempfile.mkdtemp()
    tf.saved_model.save(Scaled(), folder)
    for name in ("saved_model.pb", "variables/variables.index", "variables/variables.data-00000-of-00001"):
        save_bytes(f"refuse/saved_without_signature/{name}", open(os.path.join(folder, name), "rb").read())
    shutil.rmtree(folder)
    refusals.row("saved_without_signature", "a SavedModel without a signature", "no signature tf.saved_model.save")
