"""Small networks: `networks/NAME/graph.pb`, `labels.txt`, and TensorFlow's outputs, `output0.npy`, `output1.npy`.

The inputs are shared, in `networks/pictures`; `networks.tsv` assigns them, and describes what is special about each network.
"""
import functools

import numpy as np
import tensorflow as tf

from architectures import convolved_digits, dense_digits, inception, mobilenet, resnet, small, squeezenet
from common import Draw, expected_outputs, graph_bytes, graph_of, require_telling, save_array, save_bytes, save_table
from families import families
from layers import Network
from sample_images import inputs_of

op = tf.raw_ops
OBJECTS = "airplane automobile bird cat deer dog frog horse ship truck".split()
DIGITS = "zero one two three four five six seven eight nine".split()
MEANS = np.array([123.68, 116.779, 103.939], "f4")


def fed(kind, image):
    """An image in the form that the placeholder of that kind takes."""
    shapes = {"flat": (1, 784), "single": (32, 32, 3)}
    if kind == "channels_first":
        return image.transpose(2, 0, 1)[None]
    return image.reshape(shapes.get(kind, (1, *image.shape)))


class Networks:
    """Writes networks and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def add(self, name, model, net, note, kind="color", before=lambda x: x, after=lambda x: x, shape="fixed", dtype=tf.float32,
            rearranges=False, feed="input", edit=None, size="-"):
        """Writes one network.

        model(net, x) builds it; `before` is inserted between placeholder and model as part of the graph, `after` follows the model.
        A `before` that only rearranges is omitted during calibration.
        `kind` is the kind of input, `shape` the placeholder's if it differs, `size` the size that must be given if it is open.
        """
        stored, measured = inputs_of(kind)
        x = tf.constant(measured.reshape(-1, 784) if kind == "flat" else measured)
        model(net, x if rearranges else before(x))
        net.write()
        declared = list(fed(kind, stored[0]).shape) if shape == "fixed" else shape
        output = []

        def whole():
            x = tf.compat.v1.placeholder(dtype, declared, name=feed)
            output.append(after(model(net, before(x))).op.name)

        definition = graph_of(whole)
        if edit:
            edit(definition)
        self.save(name, definition, output[0], note, kind, feed, size)

    def save(self, name, definition, output, note, kind="color", feed="input", size="-"):
        """Writes a graph, its labels, its inputs and TensorFlow's outputs, and adds the row of the index."""
        inputs = [fed(kind, image) for image in inputs_of(kind)[0]]
        results = expected_outputs(definition, inputs, feed, output)
        require_telling(results, name)
        paths = []
        for index in range(2):
            paths.append(f"pictures/{kind}{index}.npy")
            save_array("networks/" + paths[-1], inputs[index])
            save_array(f"networks/{name}/output{index}.npy", results[index])
        save_bytes(f"networks/{name}/graph.pb", graph_bytes(definition))
        labels = DIGITS if kind in ("gray", "flat") else OBJECTS
        save_bytes(f"networks/{name}/labels.txt", ("\n".join(labels) + "\n").encode())
        self.rows.append((name, feed, output, size, ",".join(paths), note))

    def save_index(self):
        save_table("networks/networks.tsv", ("network", "input", "output", "size", "inputs", "note"), self.rows)


def architectures(networks):
    add = networks.add
    add("mobilenet_v1_unfolded", mobilenet, Network("mobilenet", "chain"),
        "batch norm as Mul, Add, Rsqrt, Sub; the same weights as folded")
    add("mobilenet_v1_folded", mobilenet, Network("mobilenet", "folded"), "batch norm inside weights and biases")
    add("mobilenet_v1_8bit", mobilenet, Network("mobilenet", "folded", eight_bit=True), "folded, weights behind Dequantize")
    add("mobilenet_v1_unfolded_8bit", mobilenet, Network("mobilenet", "chain", eight_bit=True),
        "unfolded, weights behind Dequantize")
    add("squeezenet", squeezenet, Network("squeezenet"), "placeholder of unknown batch", shape=[None, 32, 32, 3])
    add("squeezenet_8bit", squeezenet, Network("squeezenet", eight_bit=True), "weights behind Dequantize")
    add("inception", inception, Network("inception", "fused_v1"),
        "FusedBatchNorm, 1x7 and 7x1 filters, average pool with SAME padding")
    add("inception_8bit", inception, Network("inception", "folded", eight_bit=True), "weights behind Dequantize")
    add("resnet", resnet, Network("resnet"), "FusedBatchNormV3")
    add("resnet_8bit", resnet, Network("resnet", eight_bit=True), "FusedBatchNormV3, weights behind Dequantize")
    add("resnet_nchw", resnet, Network("resnet", channels_first=True), "data_format NCHW throughout, placeholder [1,3,32,32]",
        kind="channels_first")
    add("resnet_nchw_transposed", resnet, Network("resnet", channels_first=True),
        "an NHWC placeholder, transposed, then data_format NCHW",
        before=lambda x: op.Transpose(x=x, perm=[0, 3, 1, 2], name="to_nchw"), rearranges=True)
    add("resnet_identity", resnet, Network("resnet", "resource"),
        "as TensorFlow 2 freezes a function: input x, output Identity, NoOp", feed="x",
        after=identity_after_no_op)


def identity_after_no_op(x):
    with tf.control_dependencies([op.NoOp(name="NoOp")]):
        return tf.identity(x, name="Identity")


def placeholders(networks):
    add = networks.add
    add("no_shape", small, Network("small"), "the placeholder's shape is of unknown rank", shape=None, size="32x32")
    add("unknown_size", small, Network("small"), "placeholder [?,?,?,3]", shape=[None, None, None, 3], size="32x32")
    add("no_shape_attribute", small, Network("small"), "a placeholder without the attribute shape", size="32x32",
        edit=lambda definition: definition.node[0].attr.pop("shape"))
    add("rank3", small, Network("small"), "placeholder [32,32,3], then ExpandDims", kind="single",
        before=lambda x: op.ExpandDims(input=x, axis=0), rearranges=True)
    add("digits_dense", dense_digits, Network("digits"), "placeholder [1,784] into a dense layer", kind="flat")
    add("digits_dense_unknown_batch", dense_digits, Network("digits"), "placeholder [?,784] into a dense layer", kind="flat",
        shape=[None, 784])
    add("digits_reshaped", convolved_digits, Network("digits"), "placeholder [?,784], reshaped to [-1,28,28,1]", kind="flat",
        shape=[None, 784])
    add("digits_gray", convolved_digits, Network("digits"), "placeholder [1,28,28,1]", kind="gray")
    add("default_in_the_middle", functools.partial(small, before_dense=lambda x: op.PlaceholderWithDefault(
        input=x, shape=[None, 16], name="bottleneck")), Network("small"),
        "a PlaceholderWithDefault before the dense layer, as retrained networks have")
    add("bytes", small, Network("small"), "placeholder of type uint8, cast and scaled in the graph", kind="pixels",
        dtype=tf.uint8,
        before=lambda x: op.Sub(x=op.Mul(x=op.Cast(x=x, DstT=tf.float32), y=1 / 127.5), y=1.0))


def leftovers(networks):
    def dropout(x, keep, prefix="dropout/"):
        """Dropout up to TensorFlow 1.12: x / keep * floor(keep + random)."""
        low, high = tf.constant(0.0, name=prefix + "random_uniform/min"), tf.constant(1.0, name=prefix + "random_uniform/max")
        random = op.RandomUniform(shape=op.Shape(input=x, name=prefix + "Shape"), dtype=tf.float32, seed=1, seed2=2,
                                  name=prefix + "random_uniform/RandomUniform")
        random = op.Add(x=op.Mul(x=random, y=op.Sub(x=high, y=low, name=prefix + "random_uniform/sub"),
                                 name=prefix + "random_uniform/mul"), y=low,
                        name=prefix + "random_uniform")
        kept = op.Floor(x=op.Add(x=keep, y=random, name=prefix + "add"), name=prefix + "Floor")
        return op.Mul(x=op.RealDiv(x=x, y=keep, name=prefix + "div"), y=kept, name=prefix + "mul")

    def dropout_by_rate(x):
        """Dropout from TensorFlow 1.13 on: x * 1 / (1 - rate) if random >= rate."""
        random = op.RandomUniform(shape=op.Shape(input=x), dtype=tf.float32, seed=1, seed2=2,
                                  name="dropout/random_uniform/RandomUniform")
        kept = op.Cast(x=op.GreaterEqual(x=random, y=tf.constant(0.0, name="dropout/rate"), name="dropout/GreaterEqual"),
                       DstT=tf.float32, name="dropout/Cast")
        return op.Mul(x=op.Mul(x=x, y=1.0, name="dropout/mul"), y=kept, name="dropout/mul_1")

    def learning_phase():
        return op.PlaceholderWithDefault(input=tf.constant(False, name="keras_learning_phase/input"), shape=[],
                                         name="keras_learning_phase")

    def switched_dropout(predicate, x):
        """Keras' dropout: the true branch drops, the false branch is an identity."""
        predicate = op.Identity(input=predicate(), name="dropout/cond/pred_id")
        on = op.Switch(data=x, pred=predicate, name="dropout/cond/mul/Switch").output_true
        dropped = dropout(on, tf.constant(0.5, name="dropout/cond/keep_prob"), "dropout/cond/dropout/")
        off = op.Switch(data=x, pred=predicate, name="dropout/cond/Switch_1").output_false
        return op.Merge(inputs=[off, dropped], name="dropout/cond/Merge").output

    def switched_batch_norm(net, x):
        """Keras' batch norm: the true branch uses the batch's statistics, the false one the moving averages."""
        if net.measuring:
            return x
        predicate, draw = learning_phase(), Draw("networks/learning_phase")
        parameters = [net.constant("norm/" + name, values) for name, values in (
            ("gamma", draw.uniform(0.6, 1.4, 8)), ("beta", draw(8, scale=0.2)), ("mean", draw(8, scale=0.2)),
            ("variance", draw.uniform(0.6, 1.4, 8)))]

        def branch(which, mean, variance, is_training):
            x_, gamma, beta = (op.Switch(data=value, pred=predicate)[which] for value in (x, parameters[0], parameters[1]))
            return op.FusedBatchNormV3(x=x_, scale=gamma, offset=beta, mean=mean, variance=variance, epsilon=1e-3,
                                       is_training=is_training).y

        training = branch(1, [], [], True)
        inference = branch(0, *(op.Switch(data=value, pred=predicate)[0] for value in parameters[2:]), False)
        return op.Merge(inputs=[inference, training], name="norm/cond/Merge").output

    def training_leftovers(x):
        """A loss with its own placeholder, an optimizer step and a saver, which nothing reads."""
        labels = tf.compat.v1.placeholder(tf.int64, [None], name="labels")
        logits = x.op.inputs[0]
        entropy = op.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=labels, name="loss/xentropy").loss
        loss = op.Mean(input=entropy, axis=[0], name="loss/value")
        step = op.VariableV2(shape=[], dtype=tf.int64, name="global_step")
        op.AssignAdd(ref=step, value=tf.constant(1, tf.int64), name="train/step")
        op.ScalarSummary(tags="loss", values=loss, name="summary/loss")
        op.SaveV2(prefix="model.ckpt", tensor_names=["logits/weights"], shape_and_slices=[""], tensors=[tf.constant([1.0])],
                  name="save/SaveV2")
        restored = op.RestoreV2(prefix="model.ckpt", tensor_names=["global_step"], shape_and_slices=[""], dtypes=[tf.int64],
                                name="save/RestoreV2")
        op.Assign(ref=step, value=restored[0], validate_shape=False, name="save/Assign")
        return x

    def with_dropout(layer):
        return functools.partial(small, before_dense=layer)

    def kept(x):
        return dropout(x, tf.constant(1.0, name="dropout/keep_prob"))

    def kept_by_default(x):
        return dropout(x, op.PlaceholderWithDefault(input=1.0, shape=[], name="keep_prob"))

    def constant_predicate():
        return tf.constant(False, name="is_training")

    add = networks.add
    add("dropout_floor", with_dropout(kept), Network("small"), "dropout with keep_prob 1: RandomUniform, Floor")
    add("dropout_default_keep", with_dropout(kept_by_default), Network("small"),
        "dropout whose keep_prob is a PlaceholderWithDefault of 1")
    add("dropout_rate", with_dropout(dropout_by_rate), Network("small"), "dropout with rate 0: RandomUniform, GreaterEqual, Cast")
    add("dropout_switch_constant", with_dropout(functools.partial(switched_dropout, constant_predicate)), Network("small"),
        "Switch and Merge on a constant false")
    add("dropout_learning_phase", with_dropout(functools.partial(switched_dropout, learning_phase)), Network("small"),
        "Switch and Merge on Keras' learning phase")
    net = Network("small")
    add("batch_norm_learning_phase", functools.partial(small, after_conv=functools.partial(switched_batch_norm, net)), net,
        "a batch norm in training stands in the dead branch of a Switch")
    add("training_leftovers", small, Network("small"),
        "a loss with its own placeholder, Assign, SaveV2, RestoreV2 beside the network", after=training_leftovers)


def preprocessing(networks):
    def reversed_and_centered(x):
        """VGG's preprocessing: split into channels, subtract each mean, concatenate as BGR."""
        red, green, blue = op.Split(axis=3, value=x, num_split=3)
        return op.ConcatV2(values=[op.Sub(x=blue, y=MEANS[2]), op.Sub(x=green, y=MEANS[1]), op.Sub(x=red, y=MEANS[0])], axis=3)

    def standardized(x):
        centered = op.Sub(x=op.Mul(x=x, y=1 / 255), y=np.array([0.485, 0.456, 0.406], "f4"))
        return op.RealDiv(x=centered, y=np.array([0.229, 0.224, 0.225], "f4"))

    def normalized(x):
        return op.FusedBatchNormV3(x=x, scale=np.ones(3, "f4"), offset=np.zeros(3, "f4"), mean=MEANS,
                                   variance=np.array([3400, 3300, 3500], "f4"), epsilon=1e-3, is_training=False).y

    for name, before, note in [
            ("sub_mul", lambda x: op.Mul(x=op.Sub(x=x, y=128.0), y=1 / 128), "x - 128, then * 1/128"),
            ("div_sub", lambda x: op.Sub(x=op.RealDiv(x=x, y=127.5), y=1.0), "x / 127.5, then - 1"),
            ("mul_add", lambda x: op.AddV2(x=op.Mul(x=x, y=1 / 127.5), y=-1.0), "x * 1/127.5, then + -1"),
            ("scalar_left", lambda x: op.Sub(x=1.0, y=op.Mul(x=2 / 255, y=x)), "1 - 2/255 * x: the picture is inverted"),
            ("per_channel_sub", lambda x: op.Mul(x=op.Sub(x=x, y=MEANS), y=1 / 64), "a mean per channel, one scale"),
            ("per_channel_sub_div", standardized, "x / 255, then a mean and a deviation per channel"),
            ("bgr_split", lambda x: op.Mul(x=reversed_and_centered(x), y=1 / 64), "Split, Sub of each mean, Concat in reverse"),
            ("batch_norm", normalized, "a batch norm on the picture itself")]:
        networks.add("preprocess_" + name, small, Network("small"), note + "; before a convolution with SAME padding",
                     kind="pixels", before=before)


def write():
    networks = Networks()
    architectures(networks)
    placeholders(networks)
    leftovers(networks)
    preprocessing(networks)
    families(networks)
    networks.save_index()
