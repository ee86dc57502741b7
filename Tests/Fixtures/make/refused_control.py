"""Graphs with parts that no image model has: loops, recurrent cells, strings, audio, quantized arithmetic, unknown operations.

If a cut would help, the message suggests it: `--input` or `--output` is among the words.
"""
import numpy as np
import tensorflow as tf

from common import graph_of
from refusing import BIAS, graph, values
from tiny import dense, pooled, tiny

op = tf.raw_ops


def renamed(definition, name, new):
    for node in definition.node:
        if node.name == name:
            node.op = new
    return definition


def called(x, kind, **functions):
    """A condition or loop of TensorFlow 2 on the image."""
    made = {name: tf.function(body, input_signature=[tf.TensorSpec([1, 4, 4, 4])]).get_concrete_function()
            for name, body in functions.items()}
    if kind.endswith("If"):
        positive = op.Greater(x=op.Mean(input=x, axis=[0, 1, 2, 3]), y=0.1, name="positive")
        return getattr(op, kind)(cond=positive, input=[x], Tout=[tf.float32], name="choose", **made)[0]
    return getattr(op, kind)(input=[x], name="repeat", **made)[0]


def write(refusals):
    def add(name, definition, wrong, words):
        refusals.add(name + ".pb", definition, wrong, words)

    def network(middle, shape=(1, 8, 8, 3)):
        return graph_of(lambda: tiny(tf.compat.v1.placeholder(tf.float32, shape, name="input"), middle), library=True)

    def halved(x):
        return op.Mul(x=x, y=0.5)

    for kind in ("If", "StatelessIf"):
        add("condition_" + kind.lower(),
            network(lambda x, kind=kind: called(x, kind, then_branch=halved, else_branch=negative)), f"{kind} on the picture",
            f"choose {kind} condition")
    for kind in ("While", "StatelessWhile"):
        add("loop_" + kind.lower(), network(lambda x, kind=kind: called(
            x, kind, cond=lambda x: op.Less(x=op.Max(input=x, axis=[0, 1, 2, 3]), y=9.0), body=lambda x: op.Mul(x=x, y=2.0))),
            f"{kind} on the picture", f"repeat {kind} loop")

    def recurrent():
        """A recurrent network over the rows of the image, with the control flow of TensorFlow 1."""
        x = tf.compat.v1.placeholder(tf.float32, [1, 8, 24], name="input")
        tf.compat.v1.disable_control_flow_v2()
        rows = tf.TensorArray(tf.float32, 8).unstack(tf.transpose(x, [1, 0, 2]))
        state = tf.while_loop(lambda i, s: i < 8, lambda i, s: (i + 1, tf.tanh(tf.matmul(tf.concat([rows.read(i), s], 1),
                              values(28, 4)))), [tf.constant(0), tf.zeros([1, 4])])[1]
        tf.compat.v1.enable_control_flow_v2()
        dense(state)

    def block(x):
        sequence = op.Reshape(tensor=x, shape=[8, 1, 24], name="rows")
        zeros = tf.zeros([1, 2])
        cell = op.BlockLSTM(seq_len_max=tf.constant(8, tf.int64), x=sequence, cs_prev=zeros, h_prev=zeros, w=values(26, 8),
                            wci=zeros[0], wcf=zeros[0], wco=zeros[0], b=values(8), name="lstm")
        return op.MatMul(a=cell.h[-1], b=values(2, 3))

    add("recurrent_loop", graph_of(recurrent), "a recurrent network in a loop", "TensorArray loop recurrent while")
    add("recurrent_block", graph(block, [1, 8, 24]), "BlockLSTM", "lstm BlockLSTM recurrent")

    def looked_up():
        """Labels from a table of strings, as in classifiers exported for serving."""
        x = tiny(tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], name="input"))
        table = op.HashTableV2(key_dtype=tf.int64, value_dtype=tf.string, name="table")
        best = op.ArgMax(input=x, dimension=1, name="best")
        op.LookupTableFindV2(table_handle=table, keys=best, default_value="", name="label")

    def sound():
        """The head of TensorFlow's speech commands."""
        wav = op.DecodeWav(contents=tf.compat.v1.placeholder(tf.string, [], name="wav_data"), desired_channels=1,
                           desired_samples=16000, name="decoded")
        spectrogram = op.AudioSpectrogram(input=wav.audio, window_size=480, stride=160, name="spectrogram")
        features = op.Mfcc(spectrogram=spectrogram, sample_rate=wav.sample_rate, dct_coefficient_count=40, name="features")
        flat = op.Reshape(tensor=features, shape=[-1, 3920], name="flat")
        image = op.Reshape(tensor=flat, shape=[-1, 98, 40, 1], name="image")
        x = op.Conv2D(input=image, filter=values(5, 5, 1, 4), strides=[1, 4, 4, 1], padding="SAME")
        op.Softmax(logits=dense(pooled(x)), name="labels")

    def quantized():
        x = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], name="input")
        bytes_, low, high = op.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint16, mode="SCALED",
                                            name="quantize")
        kernel = tf.constant(np.arange(108).reshape(3, 3, 3, 4).astype(tf.quint8.as_numpy_dtype), tf.quint8)
        product = op.QuantizedConv2D(input=bytes_, filter=kernel, min_input=low, max_input=high, min_filter=-1.0, max_filter=1.0,
                                     strides=[1, 2, 2, 1], padding="SAME", name="convolution")
        back = op.Dequantize(input=product[0], min_range=product[1], max_range=product[2], name="dequantize")
        op.Softmax(logits=dense(pooled(back)), name="softmax")

    add("labels_by_table", graph_of(looked_up), "a table of strings behind the classifier", "label table string --output")
    add("sound", graph_of(sound), "a spectrogram before the network", "decoded spectrogram features audio wav_data --input")
    add("quantized", graph_of(quantized), "numbers quantized to 16 bits", "quantize QuantizeV2 uint16")

    def front(x):
        return tiny(op.Digamma(x=x, name="custom"))

    def behind(x):
        return op.Digamma(x=tiny(x), name="custom")

    def both(x):
        return op.Tanh(x=op.Digamma(x=tiny(op.Lgamma(x=x, name="first")), name="last"))

    shape = [1, 8, 8, 3]
    add("custom_in_front", renamed(graph(front, shape), "custom", "MyPreprocessing"), "an unknown operation before the network",
        "custom MyPreprocessing")
    add("custom_behind", renamed(graph(behind, shape), "custom", "MyPostprocessing"), "an unknown operation behind the network",
        "custom MyPostprocessing --output")
    add("unsupported_both_ends", graph(both, shape), "unsupported operations at both ends", "first last Digamma Lgamma")
    add("random_noise", graph(lambda x: tiny(op.AddV2(x=x, y=op.RandomStandardNormal(shape=shape, dtype=tf.float32, name="noise"))),
                              shape), "noise added to the picture", "noise random --input")
    add("several_reasons", graph(unlike, shape), "an unsupported operation, and a supported one that cannot be",
        "odd Digamma norm is_training")


def negative(x):
    return op.Neg(x=x)


def unlike(x):
    norm = op.FusedBatchNormV3(x=x, scale=BIAS, offset=BIAS, mean=[], variance=[], is_training=True, name="norm").y
    return op.AddV2(x=op.Digamma(x=x, name="odd"), y=norm)
