"""Keras models as frozen graphs, with random weights for which activations keep their scale and outputs distinguish
images, for the small fixtures and the conformance run. Needs `pip install tensorflow-cpu tf_keras`."""
import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tf_keras
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2


def settle(model, x, spread=2.0):
    """Draws all weights, measures the batch norms' statistics on the images `x`, and spreads the classes over them.

    `spread` is the difference between the scores of different images; rounding errors scale with it.
    """
    generator = np.random.default_rng(1)
    layers = [layer for layer in model._flatten_layers(include_self=False) if layer.weights]
    has_norms = any("Normalization" in type(layer).__name__ and layer.trainable_weights for layer in layers)
    for layer in layers:
        for weight in layer.weights:
            name = weight.name.split("/")[-1].split(":")[0]
            if name == "gamma":  # also that of a layer scale, which Keras initializes to 1e-6
                weight.assign(generator.uniform(0.6, 1.4, weight.shape))
            elif name in ("beta", "bias"):
                weight.assign(generator.normal(0, 0.2 if has_norms else 0.02, weight.shape))
            elif "kernel" in name:  # initialized as by He et al. for ReLU networks
                fan = np.prod(weight.shape[:2]) if "depthwise" in name else np.prod(weight.shape[:-1])
                weight.assign(generator.normal(0, np.sqrt(2 / fan), weight.shape))
        if isinstance(layer, tf_keras.layers.BatchNormalization):
            layer.momentum = 0.0  # one training step adopts the statistics unchanged
    model(x, training=True)
    last = [layer for layer in layers if isinstance(layer, (tf_keras.layers.Dense, tf_keras.layers.Conv2D))][-1]
    features = tf_keras.Model(model.input, last.input).predict(x, batch_size=4, verbose=0)
    kernel = last.kernel.numpy()
    logits = features.reshape(-1, kernel.shape[-2]) @ kernel.reshape(kernel.shape[-2:])
    # Between images, not between classes: the top class should depend on the image.
    scale = spread / (logits - logits.mean(0)).std()
    last.kernel.assign(kernel * scale)
    last.bias.assign(-logits.mean(0) * scale)


def frozen(model):
    """The graph of a model frozen by TensorFlow 2 for one image: input `input`, output `Identity`."""
    image = tf.TensorSpec([1, *model.input.shape[1:]], tf.float32, name="input")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(image)
    return convert_variables_to_constants_v2(function).graph.as_graph_def()


def frozen_with_learning_phase(build, model):
    """A model's graph as Keras made it with TensorFlow 1, and its output: batch norm and dropout depend on a placeholder
    for the training mode. `build` creates the model for its input, and `model` has the weights."""
    values = model.get_weights()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        tf.compat.v1.disable_control_flow_v2()
        try:
            again = build(tf.compat.v1.placeholder(tf.float32, [None, *model.input.shape[1:]], name="input"))
        finally:
            tf.compat.v1.enable_control_flow_v2()
        for weight, value in zip(again.weights, values):
            session.run(weight.initializer, {weight.initializer.inputs[1]: value})
        output = again.output.op.name
        definition = tf.compat.v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), [output])
    return definition, output


def without_functions(definition, feed, fetch, shape):
    """The graph with its functions inlined, which coremltools does not find, and the name of its output."""
    for holder in [*definition.library.function, *definition.node]:
        for name in ("_noinline", "_XlaMustCompile"):
            holder.attr.pop(name, None)

    def whole(x):
        output = tf.import_graph_def(definition, input_map={feed + ":0": x}, return_elements=[fetch + ":0"], name="")[0]
        return tf.identity(output, name="inlined_output")

    wrapped = tf.compat.v1.wrap_function(whole, [tf.TensorSpec(shape, name=feed)])
    return convert_variables_to_constants_v2(wrapped, aggressive_inlining=True).graph.as_graph_def(), "inlined_output"
