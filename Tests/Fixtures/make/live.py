"""Graphs with separate variables: SavedModels and checkpoints, as TensorFlow 1 and 2 write them.

`live/NAME/` is the folder, `live/NAME.output0.npy` and `1` are TensorFlow's outputs for `ways/color0.npy` and `1`. Run by
TensorFlow 1.15, this writes `live1/` from sessions.
"""
import os
import re
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.training import moving_averages, saver

from common import file_at, save_array, save_table
from tiny import BIAS, DENSE, GAMMA, KERNEL, sample_images

v1 = tf.compat.v1
FIRST = tf.__version__.startswith("1.")
HOME = "live1" if FIRST else "live"


def variable(name, value, resource, partitions=None):
    """A variable, in this many parts along its next-to-last axis."""
    partitioner = v1.fixed_size_partitioner(partitions, axis=len(value.shape) - 2) if partitions else None
    return v1.get_variable(name, shape=value.shape, initializer=part_of(value), use_resource=resource, partitioner=partitioner)


def part_of(value):
    """An initializer of a variable, or of each of its parts."""
    def initialize(shape, dtype, partition_info=None):
        offset = partition_info.var_offset if partition_info else [0] * value.ndim
        return tf.constant(value[tuple(slice(o, o + s) for o, s in zip(offset, shape))])
    return initialize


def network(x, resource=False, partitions=None, devices=("/cpu:0", "/cpu:0"), softmax="softmax"):
    """Convolution, batch norm, dense layer; the variables alternate between the devices."""
    with tf.device(devices[0]):
        kernel = variable("conv/kernel", KERNEL, resource, partitions)
        gamma, beta = variable("norm/gamma", GAMMA, resource), variable("norm/beta", BIAS, resource)
    with tf.device(devices[1]):
        mean = v1.get_variable("norm/moving_mean", initializer=BIAS / 2, trainable=False, use_resource=resource)
        variance = v1.get_variable("norm/moving_variance", initializer=GAMMA / 2, trainable=False, use_resource=resource)
        weights = variable("dense/weights", DENSE, resource, partitions)
    x = tf.nn.conv2d(x, tf.convert_to_tensor(kernel), 2, "SAME", name="conv/Conv2D")
    x = v1.nn.fused_batch_norm(x, gamma, beta, mean, variance, 1e-3, is_training=False, name="norm/FusedBatchNorm")[0]
    x = tf.reduce_mean(tf.nn.relu(x), [1, 2], name="pool")
    logits = tf.matmul(x, tf.convert_to_tensor(weights), name="dense/MatMul")
    return tf.nn.softmax(logits, name=softmax) if softmax else logits


class Live:
    """Writes folders and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def add(self, name, write, note, options="-", path="", folder=None):
        """`write(folder)` fills the folder and returns the outputs for the two images. `folder` already has the same content."""
        with tempfile.TemporaryDirectory() as work:
            results = write(os.path.join(work, "model"))
            if not folder:
                target = os.path.dirname(file_at(f"{HOME}/{name}/x"))
                shutil.rmtree(target)
                shutil.copytree(os.path.join(work, "model"), target)
        for index, result in enumerate(results):
            save_array(f"{HOME}/{name}.output{index}.npy", result)
        self.rows.append((name, (folder or name) + "/" + path, options, note))

    def session(self, name, note, save, resource=False, training=None, options="-", path="", folder=None, build=None,
                shape=(8, 8, 3), **how):
        """A graph of TensorFlow 1 and its session; `save(session, x, y, folder)` writes it. `training(y)` adds training nodes."""
        def write(folder):
            config = v1.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
            with tf.Graph().as_default(), v1.Session(config=config) as session:
                x = v1.placeholder(tf.float32, [None, *shape], name="image")
                y = build(x) if build else network(x, resource, **how)
                if training:
                    training(y)
                session.run(v1.global_variables_initializer())
                save(session, x, y, folder)
                return [session.run(y, {x: image.reshape(1, *shape)}) for image in sample_images("color")]
        self.add(name, write, note, options, path, folder)


def train(y):
    """A spelled-out loss, an optimizer with its slots, the accuracy."""
    labels = v1.placeholder(tf.int64, [None], name="labels")
    chosen = tf.reduce_sum(tf.one_hot(labels, 3) * tf.math.log(y), 1)
    loss = -tf.reduce_mean(chosen, name="loss")
    v1.train.AdamOptimizer(0.0).minimize(loss, global_step=v1.train.get_or_create_global_step())
    tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), labels), tf.float32), name="accuracy")


def train_softmax(logits):
    """One-hot labels, a loss with a softmax that the graph itself does not have, the accuracy, a summary, a saver."""
    labels = v1.placeholder(tf.float32, [None, 3], name="truth")
    loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    v1.summary.scalar("accuracy", accuracy)
    v1.summary.merge_all()


def train_sparse(y):
    """Class indices as labels, sample weights, the top class next to its probabilities, metrics in variables."""
    logits = y.op.inputs[0]
    labels = v1.placeholder(tf.int64, [None], name="truth")
    weights = v1.placeholder_with_default(tf.ones([1]), [None], name="sample_weights")
    best = tf.argmax(logits, 1, output_type=tf.int32, name="classes")
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits, weights)
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    v1.metrics.accuracy(labels, best)
    tf.reduce_mean(tf.cast(tf.nn.in_top_k(targets=labels, predictions=logits, k=2), tf.float32), name="top2")


def train_sigmoid(logits):
    """Multi-label classes, and a penalty for large weights."""
    labels = v1.placeholder(tf.float32, name="truth")
    rate = v1.placeholder(tf.float32, [], name="rate")
    loss = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
    loss += 0.01 * tf.add_n([tf.nn.l2_loss(v) for v in v1.trainable_variables()])
    v1.train.AdamOptimizer(rate).minimize(loss)
    right = tf.equal(tf.cast(logits > 0, tf.float32), labels)
    tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")


def rows(x):
    """One layer on flat pixels, with the names of the tutorials of its time."""
    weights = v1.get_variable("W", initializer=np.tile(DENSE, (48, 1)) / 16)
    return tf.nn.softmax(tf.matmul(x, weights) + v1.get_variable("b", initializer=BIAS[:3]), name="y")


def train_rows(y):
    """A spelled-out loss, with a bound that keeps the logarithm finite."""
    labels = v1.placeholder(tf.float32, [None, 3], name="y_")
    loss = -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(y, 1e-10, 1.0)) + (1 - labels) * tf.math.log(1 - y + 1e-10))
    v1.train.GradientDescentOptimizer(0.01).minimize(loss)
    tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1)), tf.float32))


def trained_norm(x, training, spelled):
    """A layer as `tf.layers` writes it: in training, statistics of the batch, which its averages move towards."""
    mean = v1.get_variable("norm/moving_mean", initializer=BIAS / 2, trainable=False, use_resource=not spelled)
    variance = v1.get_variable("norm/moving_variance", initializer=GAMMA / 2, trainable=False, use_resource=not spelled)
    gamma, beta = (v1.get_variable("norm/" + name, initializer=value, use_resource=not spelled)
                   for name, value in (("gamma", GAMMA), ("beta", BIAS)))
    statistics = mean, variance
    if spelled:
        if training:
            statistics = tf.nn.moments(x, [0], name="norm/moments")
        y = tf.nn.batch_normalization(x, *statistics, beta, gamma, 1e-3, name="norm/batchnorm")
    elif training:
        y, *statistics = v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3, is_training=True, name="norm/FusedBatchNorm")
    else:
        y = v1.nn.fused_batch_norm(x, gamma, beta, mean, variance, 1e-3, is_training=False)[0]
    if training:
        for average, value in zip((mean, variance), statistics):
            update = moving_averages.assign_moving_average(average, value, 0.99, zero_debias=False, name="AssignMovingAvg")
            v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update)
    return y


def averages(spelled):
    """The checkpoint of a training script whose graph has batch normalization in training mode only; the outputs are those
    of the same network built for inference."""
    def build(x, training):
        x = tf.nn.conv2d(x, v1.get_variable("conv/kernel", initializer=KERNEL), 2, "SAME")
        if spelled:
            x = trained_norm(tf.reduce_mean(tf.nn.relu(x), [1, 2]), training, True)
        else:
            x = tf.reduce_mean(tf.nn.relu(trained_norm(x, training, False)), [1, 2])
        logits = tf.matmul(x, v1.get_variable("dense/weights", initializer=DENSE))
        if training:
            with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
                train_softmax(logits)
        return logits

    def write(folder):
        outputs = []
        for training in (True, False):
            with tf.Graph().as_default(), v1.Session() as session:
                x = v1.placeholder(tf.float32, [None, 8, 8, 3], name="image")
                y = build(x, training)
                session.run(v1.global_variables_initializer())
                if training:
                    checkpoint(session, x, y, folder)
                outputs.append([session.run(y, {x: image}) for image in sample_images("color")])
        assert all(abs(batch - moving).max() > 0.1 for batch, moving in zip(*outputs))
        return outputs[1]
    return write


def averaged(are_used):
    """The checkpoint of a training script with moving averages of its variables; the outputs are those of the averages if they
    are used, as in an evaluation script."""
    def outputs_of(session, x, y):
        return [session.run(y, {x: image}) for image in sample_images("color")]

    def write(folder):
        average = v1.train.ExponentialMovingAverage(0.5)
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 8, 8, 3], name="image")
            y = network(x, resource=True)
            update = average.apply(v1.trainable_variables())
            session.run(v1.global_variables_initializer())
            session.run([variable.assign(-variable) for variable in v1.trainable_variables()])
            session.run(update)
            checkpoint(session, x, y, folder)
            own = outputs_of(session, x, y)
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 8, 8, 3], name="image")
            y = network(x, resource=True)
            v1.train.Saver(average.variables_to_restore()).restore(session, os.path.join(folder, "model.ckpt-7"))
            averaged = outputs_of(session, x, y)
        assert all(abs(one - other).max() > 0.01 for one, other in zip(own, averaged))
        return averaged if are_used else own
    return write


def checkpoint(session, x, y, folder, **options):
    os.makedirs(folder)
    v1.train.Saver(**options).save(session, os.path.join(folder, "model.ckpt"), global_step=7)
    text = re.sub(r'"/[^"]*/', '"', open(os.path.join(folder, "checkpoint")).read())
    open(os.path.join(folder, "checkpoint"), "w").write(text)


def checkpoint_first(session, x, y, folder, **options):
    """A checkpoint in the first format."""
    checkpoint(session, x, y, folder, write_version=v1.train.SaverDef.V1, **options)


def checkpoint_oldest(session, x, y, folder):
    """A checkpoint of TensorFlow before 0.12: a node restores one variable or part, here stored under another name."""
    class Builder(saver.BaseSaverBuilder):
        def restore_op(self, filename, saveable, shard):
            return [v1.raw_ops.RestoreSlice(file_pattern=filename, tensor_name=spec.name, shape_and_slice=spec.slice_spec,
                                            dt=spec.dtype) if spec.slice_spec
                    else v1.raw_ops.Restore(file_pattern=filename, tensor_name=spec.name, dt=spec.dtype)
                    for spec in saveable.specs]
    groups = {}
    for variable in v1.global_variables():
        groups.setdefault("net/" + variable.op.name.split("/part_")[0], []).append(variable)
    names = {name: parts if len(parts) > 1 else parts[0] for name, parts in groups.items()}
    checkpoint_first(session, x, y, folder, var_list=names, builder=Builder(v1.train.SaverDef.V1))


def saved(session, x, y, folder):
    v1.saved_model.simple_save(session, folder, {"picture": x}, {"probabilities": y})


def saved_doubled(session, x, y, folder):
    """One tensor under two names."""
    v1.saved_model.simple_save(session, folder, {"picture": x}, {"scores": y, "probabilities": y})


def saved_text(session, x, y, folder):
    """The label as text next to the scores, as an Estimator exports them."""
    label = tf.gather(tf.constant(["a", "b", "c"]), tf.argmax(y, 1))
    v1.saved_model.simple_save(session, folder, {"picture": x}, {"classes": label, "scores": y})


def saved_twice(session, x, y, folder):
    """Two graphs by tags, the first with two signatures."""
    builder = v1.saved_model.Builder(folder)

    def signature(y):
        return v1.saved_model.predict_signature_def({"picture": x}, {"result": y})
    builder.add_meta_graph_and_variables(session, ["serve"], {
        "classes": signature(tf.argmax(y, 1)), "other": signature(y)})
    builder.add_meta_graph(["gpu", "serve"], {"serving_default": signature(y)})
    builder.save()


def layers(x):
    """A tf.layers network for training: batch norms with moving averages and dropout, with switches."""
    def constant(value):
        return v1.constant_initializer(value)
    training = v1.placeholder_with_default(False, [], name="training")
    x = v1.layers.conv2d(x, 4, 3, 2, "same", kernel_initializer=constant(KERNEL), bias_initializer=constant(BIAS))
    for fused in (True, False):
        x = tf.nn.relu(v1.layers.batch_normalization(
            x, training=training, fused=fused, gamma_initializer=constant(GAMMA), beta_initializer=constant(BIAS),
            moving_mean_initializer=constant(BIAS / 2), moving_variance_initializer=constant(GAMMA / 2)))
    x = v1.layers.dropout(tf.reduce_mean(x, [1, 2]), 0.4, training=training, seed=1)
    return tf.nn.softmax(v1.layers.dense(x, 3, kernel_initializer=constant(DENSE)), name="softmax")


def keras(folder):
    """Batch norm and dropout controlled by Keras's learning phase."""
    model = tf.keras.Sequential([
        tf.keras.layers.Conv2D(4, 3, 2, "same", use_bias=False, input_shape=[8, 8, 3]), tf.keras.layers.BatchNormalization(),
        tf.keras.layers.ReLU(), tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dropout(0.4, seed=1),
        tf.keras.layers.Dense(3, "softmax", use_bias=False)])
    model.set_weights([KERNEL, GAMMA, BIAS, BIAS / 2, GAMMA / 2, DENSE])
    tf.keras.experimental.export_saved_model(model, folder)
    return [model.predict(image) for image in sample_images("color")]


class Module(tf.Module):
    """A classifier of TensorFlow 2: variables with equal names, functions that call each other, two signatures."""

    class Part(tf.Module):
        def __init__(self, value):
            super().__init__()
            self.value = tf.Variable(value, name="value")

    def __init__(self):
        super().__init__()
        self.kernel, self.weights = Module.Part(KERNEL), Module.Part(DENSE)
        self.norm = [tf.Variable(value, name=name) for name, value in (("gamma", GAMMA), ("beta", BIAS), ("mean", BIAS / 2),
                                                                       ("variance", GAMMA / 2))]

    @tf.function
    def features(self, x):
        x = tf.nn.conv2d(x, self.kernel.value, 2, "SAME")
        return tf.nn.relu(v1.nn.fused_batch_norm(x, *self.norm, 1e-3, is_training=False)[0])

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3])])
    def classify(self, picture):
        logits = tf.matmul(tf.reduce_mean(self.features(picture), [1, 2]), self.weights.value)
        return {"best": tf.argmax(logits, 1), "probabilities": tf.nn.softmax(logits)}

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3])])
    def energies(self, picture):
        return {"energy": tf.reduce_sum(self.features(picture), [1, 2])}


def module(key):
    def write(folder):
        built = Module()
        tf.saved_model.save(built, folder, signatures={"serving_default": built.classify, "energies": built.energies})
        for name in ("assets", "fingerprint.pb"):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
        method = built.energies if key == "energy" else built.classify
        return [method(tf.constant(image))[key].numpy() for image in sample_images("color")]
    return write


def exported(inference):
    """Keras 3's `model.export` of a model with a Resizing layer: batch normalization in training mode."""
    import keras

    def write(folder):
        model = keras.Sequential([
            keras.Input([8, 8, 3]), keras.layers.Resizing(6, 6), keras.layers.Conv2D(4, 3, 2, "same", use_bias=False),
            keras.layers.BatchNormalization(), keras.layers.ReLU(), keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(3, "softmax", use_bias=False)])
        model.set_weights([KERNEL, GAMMA, BIAS, BIAS / 2, GAMMA / 2, DENSE])
        model.export(folder, verbose=False)
        loaded = tf.saved_model.load(folder)
        path = os.path.join(folder, "saved_model.pb")
        saved_model = saved_model_pb2.SavedModel.FromString(open(path, "rb").read())
        meta = saved_model.meta_graphs[0]
        updates = [node for function in meta.graph_def.library.function for node in function.node_def
                   if node.op == "AssignVariableOp"]
        if not updates:
            raise ValueError("the export does not update the moving averages")
        # Only TensorFlow itself needs these to load it.
        meta.ClearField("object_graph_def")
        meta.meta_info_def.ClearField("stripped_op_list")
        forget_saving(meta.graph_def)
        used = reachable(meta.graph_def)
        kept = [function for function in meta.graph_def.library.function if function.signature.name in used]
        del meta.graph_def.library.function[:]
        meta.graph_def.library.function.extend(kept)
        with open(path, "wb") as file:
            file.write(saved_model.SerializeToString(deterministic=True))
        for name in ("assets", "fingerprint.pb"):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
        if inference:
            return [model.predict(image, verbose=0) for image in sample_images("color")]
        return [loaded.serve(tf.constant(image)).numpy() for image in sample_images("color")]
    return write


def namesakes(folder):
    """A Keras 3 model whose layer contains two layers: their variables have the same names, and the graph's nodes others. One of
    these is the name of a third variable."""
    import keras

    class Block(keras.layers.Layer):
        def __init__(self):
            super().__init__(name="block")
            self.first = keras.layers.Conv2D(3, 1, use_bias=False)
            self.second = keras.layers.Conv2D(3, 1, use_bias=False)

        def build(self, shape):
            self.third = self.add_weight(shape=(1, 1, 3, 3), name="kernel_1")

        def call(self, x):
            return tf.nn.conv2d(self.second(tf.nn.relu(self.first(x))), self.third, 1, "SAME")

    x = keras.Input([8, 8, 3])
    model = keras.Model(x, keras.layers.Softmax()(keras.layers.GlobalAveragePooling2D()(Block()(x))))
    model.set_weights([np.roll(np.eye(3, dtype=np.float32), shift, 1).reshape(1, 1, 3, 3) * (shift + 1) for shift in range(3)])
    tf.saved_model.save(model, folder)
    for name in ("assets", "fingerprint.pb"):
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
    return [model.predict(image, verbose=0) for image in sample_images("color")]


def forget_saving(graph):
    """Removes the call that saves the variables, and the nodes that only it reads."""
    nodes = {node.name: node for node in graph.node}
    pending = [node for node in graph.node if node.attr["f"].func.name and "traced_save" not in node.attr["f"].func.name]
    kept = set()
    while pending:
        node = pending.pop()
        if node.name not in kept:
            kept.add(node.name)
            pending += [nodes[name.lstrip("^").split(":")[0]] for name in node.input]
    kept = [node for node in graph.node if node.name in kept]
    del graph.node[:]
    graph.node.extend(kept)


def reachable(graph):
    """The names of the functions that a graph calls."""
    library = {function.signature.name: function for function in graph.library.function}
    found, pending = set(), list(graph.node)
    while pending:
        for attribute in pending.pop().attr.values():
            name = attribute.func.name
            if name in library and name not in found:
                found.add(name)
                pending += library[name].node_def
    return found


def write():
    live = Live()
    live.session("checkpoint", "a checkpoint's folder", checkpoint)
    live.session("checkpoint_resources", "resource variables, the .meta file named", checkpoint, resource=True,
                 path="model.ckpt-7.meta")
    live.session("checkpoint_parts", "partitioned variables, named by what the names begin with", checkpoint, partitions=2,
                 path="model.ckpt-7")
    live.session("checkpoint_shards", "two shards, the .index file named",
                 lambda *all: checkpoint(*all, sharded=True), devices=("/cpu:0", "/cpu:1"), path="model.ckpt-7.index")
    live.session("checkpoint_training", "a loss, an optimizer and an accuracy beside the network", checkpoint, training=train)
    live.session("checkpoint_softmax_loss", "logits in front of SoftmaxCrossEntropy and ArgMax", checkpoint,
                 training=train_softmax, softmax=None)
    live.session("checkpoint_sparse_loss", "logits in front of SparseSoftmaxCrossEntropy, and a softmax called loss",
                 checkpoint, training=train_sparse, softmax="loss")
    live.session("checkpoint_sigmoid_loss", "logits in front of a loss of sigmoids, a rate, labels of unknown shape", checkpoint,
                 training=train_sigmoid, softmax=None)
    live.session("checkpoint_rows", "pixels in rows, the loss written out", checkpoint, training=train_rows, build=rows,
                 shape=(192,))
    live.add("checkpoint_averages", averages(spelled=False), "batch normalization in training mode, fused, and its averages",
             options="--batch-norm inference")
    live.add("checkpoint_averages_rows", averages(spelled=True), "the same of rows, spelled out",
             options="--batch-norm inference")
    live.add("checkpoint_smoothed", averaged(True), "moving averages of the variables", options="--moving-averages")
    live.add("checkpoint_unsmoothed", averaged(False), "the variables themselves", folder="checkpoint_smoothed")
    live.session("saved", "a SavedModel of version 1", saved)
    live.session("saved_parts", "partitioned resource variables", saved, resource=True, partitions=3)
    live.session("saved_tags", "a signature of several", saved_twice, options="--signature other")
    live.session("saved_two_tags", "a graph of several", saved_twice, options="--tag serve,gpu", folder="saved_tags")
    live.session("saved_text", "a signature with an output of strings", saved_text)
    if FIRST:
        live.session("checkpoint_first", "TensorFlow's first format, the folder named", checkpoint_first)
        live.session("checkpoint_first_parts", "the first format, partitioned variables in two shards, one of them named",
                     lambda *all: checkpoint_first(*all, sharded=True), devices=("/cpu:0", "/cpu:1"), partitions=2,
                     path="model.ckpt-7-00001-of-00002")
        live.session("checkpoint_oldest", "the first format, one node for each variable and part", checkpoint_oldest,
                     partitions=2, path="model.ckpt-7")
        live.session("checkpoint_layers", "tf.layers built to be trained", checkpoint, build=layers)
        live.add("saved_keras", keras, "what tf.keras exports")
    else:
        functions(live)
    save_table(HOME + "/live.tsv", ("model", "path", "options", "note"), live.rows)


def functions(live):
    """TensorFlow 2: the signatures are functions."""
    live.add("saved_v2", module("probabilities"), "a SavedModel of version 2, one of the outputs of its signature",
             options="--output StatefulPartitionedCall_1:1")
    live.add("saved_v2_signature", module("energy"), "the other of two signatures", options="--signature energies",
             folder="saved_v2")
    live.session("saved_doubled", "one tensor under two names of a signature", saved_doubled)
    live.add("saved_keras_training", exported(False), "batch normalization in training mode, as Keras 3 exports it")
    live.add("saved_keras_averages", exported(True), "the same with the moving averages", options="--batch-norm inference",
             folder="saved_keras_training")
    live.add("saved_keras_namesakes", namesakes, "variables of Keras 3 that share a name")
