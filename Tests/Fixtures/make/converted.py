"""Models by coremltools: the small architectures of `networks/` in both dialects, and a tiny network with every kind of
compression that it supports: `converted/NAME.mlmodel` and `converted/NAME.mlpackage`, with the outputs for two images of
`networks/pictures` each.

The expected outputs are those of an unpublished reference interpreter, which shares nothing with this project and computes in
float32; coremltools decompresses weights first.
"""
import json
import os
import sys
import tempfile

import coremltools as ct
import coremltools.optimize.coreml as optimize
import numpy as np
import tensorflow as tf
from coremltools.models.neural_network import quantization_utils

from common import FIXTURES, INTERPRETERS, Draw, graph_of, require_telling, save_array, save_bytes, save_table
from keras_graphs import without_functions
from sample_images import inputs_of

sys.path.append(INTERPRETERS)
import evaluate

SIZE = 32
SCALINGS = {"color": (1 / 127.5, [-1.0] * 3), "pixels": (1.0, [0.0] * 3)}
# All of them as neural networks with weights in half precision; some also as programs, which compute in it. (coremltools
# does not support ConvNeXt's Erfc.)
ARCHITECTURES = {"densenet121": "color", "efficientnet_b0": "pixels", "efficientnet_v2_b0": "pixels",
                 "inception_resnet_v2": "color", "inception_v3": "color", "mobilenet_v1": "color", "mobilenet_v2": "color",
                 "mobilenet_v3": "pixels", "nasnet_mobile": "color", "resnet50": "color", "resnet50_v2": "color",
                 "vgg16": "color", "xception": "color"}
PROGRAMS = ("efficientnet_b0", "mobilenet_v3", "vgg16")
Target = ct.target


def tiny():
    """A convolution, a depthwise and a pointwise one, a dense layer: each with enough weights for groups and blocks."""
    draw = Draw("converted/tiny")
    x = tf.compat.v1.placeholder(tf.float32, [1, SIZE, SIZE, 3], name="input")
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, draw(3, 3, 3, 8, scale=0.3), 2, "SAME"), draw(8, scale=0.1)))
    x = tf.nn.relu6(tf.nn.depthwise_conv2d(x, draw(3, 3, 8, 1, scale=0.4), [1, 2, 2, 1], "SAME"))
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, draw(1, 1, 8, 16, scale=0.4), 1, "SAME"), draw(16, scale=0.1)))
    tf.matmul(tf.reduce_mean(x, [1, 2]), draw(16, 8), name="output")


def converted(definition, kind, fetch, dialect="mlprogram", **options):
    if definition.library.function:
        definition, fetch = without_functions(definition, "input", fetch, (1, SIZE, SIZE, 3))
    scale, bias = SCALINGS[kind]
    image = ct.ImageType(name="input", shape=(1, SIZE, SIZE, 3), scale=scale, bias=bias)
    return ct.convert(definition, source="tensorflow", convert_to=dialect, inputs=[image],
                      outputs=[ct.TensorType(name=fetch)], **options)


def linear(model, **options):
    setting = optimize.OpLinearQuantizerConfig(weight_threshold=16, **options)
    return optimize.linear_quantize_weights(model, optimize.OptimizationConfig(global_config=setting))


def palette(model, bits, joint=False, **options):
    setting = optimize.OpPalettizerConfig(nbits=bits, weight_threshold=16, **{"mode": "kmeans", **options})
    return optimize.palettize_weights(model, optimize.OptimizationConfig(global_config=setting), joint_compression=joint)


def pruned(model):
    setting = optimize.OpMagnitudePrunerConfig(target_sparsity=0.6, weight_threshold=16)
    return optimize.prune_weights(model, optimize.OptimizationConfig(global_config=setting))


def listed(bits):
    """A lookup table for a neural network's weights, and their indices."""
    def table(_, weights):
        numbers = np.quantile(weights, (np.arange(1 << bits) + 0.5) / (1 << bits))
        places = np.abs(np.asarray(weights).reshape(-1, 1) - numbers).argmin(1)
        return [float(number) for number in numbers], places.astype("u1")
    return table


def compressed(definition):
    """Each kind of compression: its name, the model, and whether coremltools must decompress it first."""
    layers = converted(definition, "color", "output", "neuralnetwork")
    quantize = quantization_utils.quantize_weights
    for bits in (16, 8, 4, 1):
        yield f"layers_linear{bits}", quantize(layers, bits, "linear"), False
    yield "layers_symmetric8", quantize(layers, 8, "linear_symmetric"), False
    for bits in (6, 4, 2):
        yield f"layers_list{bits}", quantize(layers, bits, "custom_lut", lut_function=listed(bits)), False
    half, single = ct.precision.FLOAT16, ct.precision.FLOAT32
    for target, precision in ((Target.iOS15, half), (Target.iOS15, single), (Target.iOS18, half), (Target.iOS26, single)):
        program = converted(definition, "color", "output", minimum_deployment_target=target, compute_precision=precision)
        yield f"program_{target.name}_{precision.value}", program, False
    old, new = (converted(definition, "color", "output", minimum_deployment_target=target)
                for target in (Target.iOS16, Target.iOS18))
    yield "linear_int8", linear(old, mode="linear_symmetric", dtype="int8"), False
    yield "linear_uint8", linear(old, mode="linear", dtype="uint8"), False
    yield "linear_int8_tensor", linear(new, mode="linear", dtype="int8", granularity="per_tensor"), False
    yield "linear_int8_channel", linear(new, mode="linear", dtype="int8"), False
    yield "linear_uint4_channel", linear(new, mode="linear", dtype="uint4"), False
    yield "linear_int4_block", linear(new, mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=2), False
    for bits in (8, 6, 4, 2, 1):
        yield f"list{bits}", palette(old, bits), False
    for bits in (3, 2, 1):
        yield f"list{bits}_shaped", palette(new, bits), False
    group = {"granularity": "per_grouped_channel", "group_size": 2}
    yield "list4_grouped", palette(new, 4, **group), False
    yield "list4_scaled", palette(new, 4, enable_per_channel_scale=True, **group), False
    yield "list4_pairs", palette(new, 4, granularity="per_grouped_channel", group_size=0, cluster_dim=2), True
    yield "list4_of_codes", linear(palette(new, 4), mode="linear_symmetric", granularity="per_tensor"), True
    yield "sparse", pruned(old), False
    yield "sparse_shaped", pruned(new), False
    yield "sparse_list4", palette(pruned(new), 4, joint=True), True
    setting = optimize.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=16)
    yield "sparse_int8", optimize.linear_quantize_weights(
        pruned(new), optimize.OptimizationConfig(global_config=setting), joint_compression=True), True


class Converted:
    """Writes models and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def save(self, name, model, kind, dense=False):
        spec = model if hasattr(model, "SerializeToString") else model.get_spec()
        spec.description.metadata.ClearField("userDefined")
        if spec.WhichOneof("Type") == "mlProgram":
            path = f"converted/{name}.mlpackage"
            save_package(path, spec, model.weights_dir)
        else:
            path = f"converted/{name}.mlmodel"
            save_bytes(path, spec.SerializeToString(deterministic=True))
        interpreted = os.path.join(FIXTURES, path)
        with tempfile.TemporaryDirectory() as folder:
            if dense:
                interpreted = os.path.join(folder, "dense.mlpackage")
                optimize.decompress_weights(model).save(interpreted)
            outputs = [self.output(interpreted, x, kind) for x in inputs_of(kind)[0]]
        require_telling(outputs, name)
        for index, output in enumerate(outputs):
            save_array(f"converted/{name}.output{index}.npy", output)
        self.rows.append((os.path.basename(path), kind, str(spec.specificationVersion), "yes" if dense else "-"))

    @staticmethod
    def output(path, x, kind):
        pixels = x if kind == "pixels" else (x + 1) * np.float32(127.5)
        _, out, _ = evaluate.run(path, np.ascontiguousarray(pixels[None].transpose(0, 3, 1, 2), "f4"), True)
        return next(value for value in out.values() if isinstance(value, np.ndarray))


def save_package(path, spec, weights):
    """A package with reproducible bytes: coremltools uses random identifiers."""
    names = {"00000000-0000-0000-0000-000000000001": "model.mlmodel", "00000000-0000-0000-0000-000000000002": "weights"}
    entries = {key: {"author": "com.apple.CoreML", "description": "", "name": name, "path": "com.apple.CoreML/" + name}
               for key, name in names.items()}
    manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": entries, "rootModelIdentifier": min(names)}
    save_bytes(path + "/Manifest.json", json.dumps(manifest, indent=4).encode())
    save_bytes(path + "/Data/com.apple.CoreML/model.mlmodel", spec.SerializeToString(deterministic=True))
    with open(os.path.join(weights, "weight.bin"), "rb") as file:
        save_bytes(path + "/Data/com.apple.CoreML/weights/weight.bin", file.read())


def write():
    models = Converted()
    for name, kind in ARCHITECTURES.items():
        definition = tf.compat.v1.GraphDef()
        with open(os.path.join(FIXTURES, "networks", "keras_" + name, "graph.pb"), "rb") as file:
            definition.ParseFromString(file.read())
        layers = quantization_utils.quantize_weights(converted(definition, kind, "Identity", "neuralnetwork"), 16)
        models.save(name, layers, kind)
        if name in PROGRAMS:
            program = converted(definition, kind, "Identity", minimum_deployment_target=Target.iOS16)
            models.save(name + "_program", program, kind)
    definition = graph_of(tiny)
    for name, model, dense in compressed(definition):
        models.save("tiny_" + name, model, "color", dense)
    save_table("converted/converted.tsv", ("model", "pictures", "version", "made dense"), models.rows)
