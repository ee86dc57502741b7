"""SavedModels whose signature takes encoded images: `decoding/NAME/`, with TensorFlow's outputs for the two `pixels`
images of `ways/` as PNG files.
"""
import os
import shutil
import tempfile

import tensorflow as tf

from common import file_at, require_telling, save_array, save_table
from tiny import BIAS, DENSE, KERNEL, sample_images

v1 = tf.compat.v1
STRINGS = tf.TensorSpec([None], tf.string)
STRING = tf.TensorSpec([], tf.string)


class Network(tf.Module):
    """Convolution, pool, dense layer, softmax, with variables."""

    def __init__(self):
        super().__init__()
        self.kernel, self.bias, self.weights = tf.Variable(KERNEL), tf.Variable(BIAS), tf.Variable(DENSE)

    @tf.function
    def __call__(self, x):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, self.kernel, 2, "SAME"), self.bias))
        return tf.nn.softmax(tf.matmul(tf.reduce_mean(x, [1, 2]), self.weights))


def resized(image):
    """A decoded image in the form that the network takes."""
    return tf.image.resize(tf.image.convert_image_dtype(image, tf.float32), [8, 8]) * 2 - 1


def jpeg(network):
    def serve(data):
        return network(resized(tf.io.decode_jpeg(data, channels=3))[None])
    return serve, STRING


def image(network):
    def serve(data):
        x = tf.cast(tf.io.decode_image(data, channels=3, expand_animations=False), tf.float32)
        x.set_shape([None, None, 3])
        return network(tf.image.resize(x[None], [8, 8], "bicubic") / 127.5 - 1)
    return serve, STRING


def base64(network):
    def serve(data):
        return network(resized(tf.io.decode_png(tf.io.decode_base64(tf.reshape(data, [])), 3))[tf.newaxis])
    return serve, STRINGS


def mapped(network):
    """A map over the batch, as in the serving functions of Keras models."""
    def serve(data):
        return network(tf.map_fn(lambda one: resized(tf.io.decode_jpeg(one, 3)), data, fn_output_signature=tf.float32))
    return serve, STRINGS


def mapped_base64(network):
    def decoded(one):
        x = tf.io.decode_image(tf.io.decode_base64(one), 3, expand_animations=False)
        return tf.reshape(tf.cast(x, tf.float32), [8, 8, 3]) / 255

    def serve(data):
        x = tf.map_fn(decoded, data, fn_output_signature=tf.float32)
        return network(tf.reshape(x, [-1, 8, 8, 3]) * 2 - 1)
    return serve, STRINGS


def mapped_bytes(network):
    """The map returns bytes; arithmetic follows."""
    def decoded(one):
        return tf.cast(tf.image.resize(tf.io.decode_jpeg(one, 3), [8, 8]), tf.uint8)

    def serve(data):
        x = tf.map_fn(decoded, data, fn_output_signature=tf.uint8)
        x.set_shape([None, 8, 8, 3])
        return network(tf.cast(x, tf.float32) / 127.5 - 1)
    return serve, STRINGS


def examples(network):
    features = {"image/encoded": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64, -1)}

    def serve(data):
        encoded = tf.io.parse_example(data, features)["image/encoded"]
        return network(tf.map_fn(lambda one: resized(tf.io.decode_png(one, 3)), encoded, fn_output_signature=tf.float32))
    return serve, STRINGS


def example(network):
    def serve(data):
        encoded = tf.io.parse_single_example(data[0], {"image": tf.io.FixedLenFeature([], tf.string)})["image"]
        return network(resized(tf.io.decode_jpeg(encoded, 3))[None])
    return serve, STRINGS


def as_example(key):
    def wrap(data):
        feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[data]))
        return tf.train.Example(features=tf.train.Features(feature={key: feature})).SerializeToString()
    return wrap


def as_base64(data):
    return tf.io.encode_base64(data, pad=True).numpy()


def second(build, wrap=lambda data: data, word="data"):
    """A SavedModel of TensorFlow 2."""
    def write(folder, files):
        network = Network()
        serve, spec = build(network)
        network.serve = tf.function(lambda data: {"probabilities": serve(data)}, input_signature=[
            tf.TensorSpec(spec.shape, spec.dtype, name=word)])
        tf.saved_model.save(network, folder, signatures=network.serve)
        shape = [1] if spec.shape.rank else []
        return [network.serve(tf.reshape(wrap(data), shape))["probabilities"].numpy() for data in files]
    return write


def first(build, wrap=lambda data: data):
    """A SavedModel of TensorFlow 1, with the loops of TensorFlow 1."""
    def write(folder, files):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.disable_control_flow_v2()
            data = v1.placeholder(tf.string, [None], name="data")
            x = build(data)
            x = tf.nn.conv2d(x, v1.get_variable("kernel", initializer=KERNEL), 2, "SAME")
            y = tf.nn.softmax(tf.matmul(tf.reduce_mean(tf.nn.relu(x), [1, 2]), v1.get_variable("weights", initializer=DENSE)))
            session.run(v1.global_variables_initializer())
            v1.saved_model.simple_save(session, folder, {"bytes": data}, {"probabilities": y})
            return [session.run(y, {data: [wrap(one)]}) for one in files]
    return write


def first_mapped(data):
    scale = tf.constant(2.0, name="scale")
    x = tf.map_fn(lambda one: tf.image.resize(tf.image.decode_jpeg(one, 3), [8, 8]) / 255 * scale - 1, data, dtype=tf.float32)
    return tf.reshape(x, [-1, 8, 8, 3])


def first_example(data):
    encoded = tf.io.parse_example(data, {"image": tf.io.FixedLenFeature([], tf.string)})["image"]
    return tf.map_fn(lambda one: resized(tf.image.decode_png(one, 3)), encoded, dtype=tf.float32)


CASES = [
    ("jpeg", second(jpeg), "DecodeJpeg of one string"),
    ("image", second(image), "DecodeImage without animations, bicubic resizing of a batch of one"),
    ("base64", second(base64, as_base64), "DecodeBase64 and DecodePng"),
    ("mapped", second(mapped), "map_fn over a batch of strings"),
    ("mapped_base64", second(mapped_base64, as_base64), "DecodeBase64 and DecodeImage in map_fn"),
    ("mapped_bytes", second(mapped_bytes), "map_fn gives uint8"),
    ("examples", second(examples, as_example("image/encoded"), "examples"), "parse_example with one image, and map_fn"),
    ("example", second(example, as_example("image"), "examples"), "parse_single_example"),
    ("first_mapped", first(first_mapped), "map_fn as TensorFlow 1 writes it, with a constant from outside"),
    ("first_example", first(first_example, as_example("image")), "parse_example and map_fn of TensorFlow 1"),
]


def write():
    files = [tf.io.encode_png(image[0].astype("u1")).numpy() for image in sample_images("pixels")]
    rows = []
    for name, case, note in CASES:
        with tempfile.TemporaryDirectory() as work:
            folder = os.path.join(work, "model")
            results = case(folder, files)
            for extra in ("assets", "fingerprint.pb"):
                path = os.path.join(folder, extra)
                shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)
            target = os.path.dirname(file_at(f"decoding/{name}/x"))
            shutil.rmtree(target)
            shutil.copytree(folder, target)
        require_telling(results, name)
        for index, result in enumerate(results):
            save_array(f"decoding/{name}.output{index}.npy", result)
        rows.append((name, note))
    save_table("decoding/decoding.tsv", ("model", "note"), rows)
