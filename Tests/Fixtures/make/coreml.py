"""Small Core ML models made by coremltools: `coreml/NAME.mlmodel` with two inputs each and their outputs.

An image's `NAME.input0.npy` contains raw pixels, [height, width, channel], in RGB order regardless of the model's own
order; `NAME.output0.npy` contains the class probabilities in order. A model without an image takes the array unchanged.
"""
import coremltools as ct
import numpy as np
import tensorflow as tf
from coremltools.models.neural_network import quantization_utils

import refused_models
from architectures import small
from common import CHANNELS_FIRST, expected_outputs, graph_of, require_telling, save_array, save_bytes, save_table
from layers import Network
from sample_images import sample_images
from twin import Blob, Twin

op = tf.raw_ops
LABELS = ["apple", "banana", "cherry", "date", "elderberry"]
SPREAD = 2.0


def rgb(twin, x):
    x = twin.activation(twin.batch_norm(twin.convolution(x, (3, 3), 8, stride=2)), "RELU")
    x = twin.pool(x, "MAX", 2, 2)
    x = twin.relu6(twin.convolution(x, (3, 3), 8))
    x = twin.pool(x, "AVERAGE", 3, 1, "SAME")
    return twin.softmax(twin.dense(twin.flatten(x), 5, SPREAD))


def bgr(twin, x):
    x = twin.activation(twin.convolution(x, (3, 3), 8, stride=2, asymmetry="TOP_LEFT_HEAVY"), "LEAKYRELU", [0.1])
    x = twin.pool(x, "MAX", 3, 2, "INCLUDE_LAST_PIXEL")
    y = twin.activation(twin.convolution(x, (3, 3), 8, groups=8, bias=False), "ELU", 0.5)
    z = twin.activation(twin.convolution(x, (1, 3), 8, groups=2), "SIGMOID")
    x = twin.elementwise([twin.elementwise([x, y], "ADD"), twin.elementwise([y, z], "MULTIPLY"), x], "CONCAT")
    return twin.softmax(twin.dense(twin.global_pool(x), 5, SPREAD))


def gray(twin, x):
    x = twin.convolution(x, (5, 5), 6, mode="valid", padding=(1, 2, 0, 3))
    x = twin.pool(twin.activation(x, "TANH"), "AVERAGE", 3, 2, "SAME", exclude=False)
    x = twin.activation(twin.convolution(x, (3, 3), 6, stride=2, mode="valid"), "RELU")
    return twin.softmax(twin.dense(twin.flatten(x, mode=1), 5, SPREAD))


def many_dimensions(twin, x):
    """The layers of version 4, which take tensors of any rank."""
    builder = twin.builder
    x = twin.clip(twin.batch_norm(twin.convolution(x, (3, 3), 8, stride=2)), 0.0, 6.0)
    y = twin.clip(twin.convolution(x, (1, 1), 4), 0.0, 6.0)
    x = twin.layer("concat", lambda name, output_name: builder.add_concat_nd(name, [x.name, y.name], output_name, axis=1),
                   tf.concat([x.value, y.value], 3))
    mean = twin.layer("mean", lambda name, output_name: builder.add_reduce_mean(name, x.name, output_name, axes=[2, 3],
                                                                                keepdims=True),
                      tf.reduce_mean(x.value, [1, 2], keepdims=True))
    x = twin.layer("add", lambda name, output_name: builder.add_add_broadcastable(name, [x.name, mean.name], output_name),
                   x.value + mean.value)
    x = twin.pool(x, "MAX", 2, 2, "SAME")
    x = twin.layer("transpose", lambda name, output_name: builder.add_transpose(name, [0, 2, 3, 1], x.name, output_name), x.value)
    count = int(np.prod(x.value.shape[1:]))
    x = twin.layer("reshape", lambda name, output_name: builder.add_reshape_static(name, x.name, output_name, [1, 1, count]),
                   x.value)
    x = twin.layer("squeeze", lambda name, output_name: builder.add_squeeze(name, x.name, output_name, axes=[1]), x.value)
    return twin.softmax_last(twin.dense(x, 5, SPREAD))


def features(twin, x):
    x = twin.activation(twin.convolution(x, (3, 3), 4), "RELU")
    x = twin.activation(twin.dense(twin.flatten(twin.pool(x, "MAX", 2, 2)), 7), "TANH")
    return twin.dense(x, 3, output=twin.output)


def pooled_features(twin, x):
    x = twin.clip(twin.convolution(x, (3, 3), 6, stride=2), 0.0, 6.0)
    x = twin.layer("mean", lambda name, output_name: twin.builder.add_reduce_mean(name, x.name, output_name, axes=[2, 3],
                                                                                  keepdims=False),
                   tf.reduce_mean(x.value, [1, 2]))
    return twin.dense(x, 3, output=twin.output)


class Models:
    """Writes models and collects the rows of their index."""

    def __init__(self):
        self.rows = []

    def save(self, name, spec, inputs, outputs, preprocessing, note):
        """`preprocessing` is (color layout, scale, biases in the layout's order), or None for an array."""
        require_telling(outputs, name)
        save_bytes(f"coreml/{name}.mlmodel", spec.SerializeToString(deterministic=True))
        for index in range(2):
            save_array(f"coreml/{name}.input{index}.npy", inputs[index])
            save_array(f"coreml/{name}.output{index}.npy", outputs[index])
        layout, scale, biases = preprocessing or ("-", "-", ())
        self.rows.append((name, layout, str(scale), ",".join(map(str, biases)) or "-", str(spec.specificationVersion), note))

    def image_classifier(self, name, build, size, layout, scale, biases, note, mapped=True, labels=LABELS):
        """`size` is height, width; `biases` are in the layout's order. Returns the finished specification, inputs and outputs."""
        channels = len(biases)
        pixels = np.round((sample_images(name, 2, max(size), channels) + 1) * 127.5)[:, :size[0], :size[1]]
        shape = (channels, *size) if mapped else (1, channels, *size)
        twin = Twin(name, shape, "probabilities", mapped=mapped)
        ordered = pixels[..., ::-1] if layout == "bgr" else pixels
        outputs = build(twin, Blob("image", tf.constant(ordered * np.float32(scale) + np.array(biases, "f4")))).value.numpy()
        names = {"rgb": ("red_bias", "green_bias", "blue_bias"), "bgr": ("blue_bias", "green_bias", "red_bias"),
                 "gray": ("gray_bias",)}[layout]
        twin.builder.set_pre_processing_parameters(["image"], is_bgr=layout == "bgr", image_scale=scale,
                                                   **dict(zip(names, biases)))
        twin.builder.set_class_labels(labels, "classLabel", "probabilities")
        spec = twin.builder.spec
        spec.description.metadata.shortDescription = note
        spec.description.metadata.author = "coremltools"
        self.save(name, spec, pixels, outputs, (layout, scale, biases), note)
        return spec, pixels, outputs

    def array_model(self, name, build, shape, note, mapped):
        inputs = sample_images(name, 2, shape[-1], 3)
        twin = Twin(name, shape, "features", classifier=False, mapped=mapped)
        outputs = np.asarray(build(twin, Blob("image", tf.constant(inputs))).value)
        self.save(name, twin.builder.spec, inputs.transpose(CHANNELS_FIRST).reshape(2, *shape), outputs, None, note)

    def converted(self, name, note):
        """The result of `ct.convert` for a frozen graph."""
        pixels = np.round((sample_images(name, 18, 32, 3) + 1) * 127.5)
        network = Network("small")
        small(network, tf.constant(pixels[2:] / 127.5 - 1))
        network.write()
        definition = graph_of(lambda: small(network, tf.compat.v1.placeholder(tf.float32, [1, 32, 32, 3], name="input")))
        image = ct.ImageType(name="input", shape=(1, 32, 32, 3), scale=1 / 127.5, bias=[-1, -1, -1])
        labels = LABELS + ["fig", "grape", "hazelnut", "ilama", "jujube"]
        model = ct.convert(definition, source="tensorflow", convert_to="neuralnetwork", inputs=[image],
                           outputs=[ct.TensorType(name="softmax")],
                           classifier_config=ct.ClassifierConfig(labels))
        spec = model.get_spec()
        spec.description.metadata.ClearField("userDefined")
        outputs = expected_outputs(definition, [x[None] for x in pixels[:2] / np.float32(127.5) - 1], fetch="softmax")
        self.save(name, spec, pixels[:2], outputs, ("rgb", 1 / 127.5, (-1.0, -1.0, -1.0)), note)


def write():
    models = Models()
    spec, pixels, outputs = models.image_classifier("rgb", rgb, (24, 24), "rgb", 1 / 127.5, (-0.9, -1.0, -1.1),
                                                    "version 1: batch norm, relu6 as four layers, SAME pools, flatten, dense")
    smallest, *_ = models.image_classifier(
        "bgr", bgr, (22, 26), "bgr", 1 / 64, (-1.6, -1.8, -1.9),
        "version 1: TOP_LEFT_HEAVY, grouped and depthwise filters, INCLUDE_LAST_PIXEL, concat, global pool")
    models.image_classifier("gray", gray, (20, 18), "gray", 1 / 255, (-0.5,),
                            "version 1: explicit padding, average that counts it, channels last, number labels",
                            labels=[10, 20, 30, 40, 50])
    models.image_classifier("many_dimensions", many_dimensions, (17, 16), "rgb", 1 / 127.5, (-1.0, -1.0, -1.0),
                            "version 4: clip, concatND, reduceMean, addBroadcastable, transpose, reshapeStatic, squeeze, softmaxND",
                            mapped=False)
    half = quantization_utils.quantize_weights(ct.models.MLModel(spec, skip_model_load=True), nbits=16)
    half = half if hasattr(half, "specificationVersion") else half.get_spec()
    models.save("rgb_half", half, pixels, outputs, ("rgb", 1 / 127.5, (-0.9, -1.0, -1.1)),
                "version 2: the weights of rgb in half precision, which holds them exactly")
    models.array_model("array", features, (3, 10, 10), "version 1: an array input of rank 3, an array output", mapped=True)
    models.array_model("array_exact", pooled_features, (1, 3, 10, 10), "version 4: an array input of rank 4, mapped exactly",
                       mapped=False)
    models.converted("converted", "what coremltools 9 makes of a frozen graph")
    save_table("coreml/coreml.tsv", ("model", "layout", "scale", "biases", "version", "note"), models.rows)
    refused_models.write(smallest)
