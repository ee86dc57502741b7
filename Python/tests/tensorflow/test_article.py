"""The lines of scripts that convert with coremltools, each run with TensorFlow 2 and, where it is installed, 1.15."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow")
np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")

from material import CAT, GRAPH, LABELS, labels, thaw_command  # noqa: E402

import thaw as ct  # noqa: E402

v1 = tf.compat.v1
try:
    import tf_keras as keras
except ImportError:
    keras = tf.keras


def small_network():
    """A classifier of three classes for images of 12x12, as Keras makes it."""
    keras.utils.set_random_seed(1) if hasattr(keras.utils, "set_random_seed") else None
    return keras.Sequential(
        [
            keras.layers.InputLayer((12, 12, 3)),
            keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )


def photo(side=12):
    return Image.open(CAT).convert("RGB").resize((side, side))


def check(answer, expected, names):
    (probabilities,) = [value for value in answer.values() if isinstance(value, dict)]
    assert [probabilities[name] for name in names] == pytest.approx(list(expected), abs=1e-5)
    assert answer["classLabel"] == names[int(np.argmax(expected))]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_keras_model_with_an_image_and_labels(as_bytes, tmp_path):
    with tf.Graph().as_default() if not tf.executing_eagerly() else _nothing():
        model = small_network()
        pixels = np.asarray(photo(), np.float32)[np.newaxis] / 127.5 - 1
        expected = model.predict(pixels)[0]
        class_labels = ["cat", "dog", "mouse"]
        given = [name.encode() for name in class_labels] if as_bytes else class_labels

        image_input = ct.ImageType(
            shape=(
                1,
                12,
                12,
                3,
            ),
            bias=[-1, -1, -1],
            scale=1 / 127.5,
        )
        classifier_config = ct.ClassifierConfig(given)
        model = ct.convert(model, inputs=[image_input], classifier_config=classifier_config)
    (name,) = model.input_description
    check(model.predict({name: photo()}), expected, class_labels)
    model.save(str(tmp_path / "model.mlmodel"))
    check(ct.models.MLModel(str(tmp_path / "model.mlmodel")).predict({name: photo()}), expected, class_labels)


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_a_frozen_graph(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(GRAPH, "rb") as source, open("inference.pb", "wb") as copy:
        copy.write(source.read())

    mlmodel = ct.convert("inference.pb")

    answer = mlmodel.predict({"input": photo(32)})["probabilities"]
    mlmodel.save("ours.mlmodel")
    thaw_command("convert", "inference.pb", "-o", "theirs.mlmodel", "--quiet")
    with open("ours.mlmodel", "rb") as ours, open("theirs.mlmodel", "rb") as theirs:
        assert ours.read() == theirs.read()
    graph = v1.GraphDef()
    with open(GRAPH, "rb") as file:
        graph.ParseFromString(file.read())
    if tf.__version__.startswith("1."):
        # The graph was written by a newer TensorFlow; these attributes are for training.
        for node in graph.node:
            for name in ("exponential_avg_factor", "grad_a", "grad_b"):
                node.attr.pop(name, None)
    with tf.Graph().as_default() as scope, v1.Session(graph=scope) as session:
        tf.import_graph_def(graph, name="")
        expected = session.run("probabilities:0", {"input:0": np.asarray(photo(32), np.float32)[np.newaxis]})
    assert np.allclose(answer, expected, atol=1e-5)
    for given in (graph, graph.SerializeToString()):
        named = ct.convert(given, classifier_config=ct.ClassifierConfig(LABELS)).predict({"input": photo(32)})
        check(named, expected[0], labels())


class Trained:
    """A script's class that builds a graph and trains it in a session of its own."""

    def __init__(self, resource):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.image = v1.placeholder(tf.float32, [None, 6, 6, 3], name="image")
            with v1.variable_scope("net", use_resource=resource):
                weights = v1.get_variable("weights", [108, 4], initializer=v1.random_normal_initializer(seed=3))
                bias = v1.get_variable("bias", [4], initializer=v1.zeros_initializer())
            flat = tf.reshape(self.image, [-1, 108])
            self.answer = tf.nn.softmax(tf.matmul(flat / 255.0, weights) + bias, name="answer")
            label = v1.placeholder(tf.int32, [None], name="label")
            loss = tf.reduce_mean(-tf.math.log(tf.reduce_max(self.answer, axis=1)))
            self.step = v1.train.AdamOptimizer(0.1).minimize(loss)
            self.label = label
            self.sess = v1.Session(graph=self.graph)
            self.sess.run(v1.global_variables_initializer())

    def train(self):
        self.sess.run(self.step, {self.image: np.ones((2, 6, 6, 3), np.float32)})

    def convert(self, **arguments):
        return ct.convert(self.sess.graph, outputs=["answer"], **arguments)

    def expected(self):
        pixels = np.asarray(photo(6), np.float32)[np.newaxis]
        return self.sess.run(self.answer, {self.image: pixels})


@pytest.mark.parametrize("resource", [True, False])
def test_a_live_session(resource):
    trained = Trained(resource)
    before = trained.expected()
    assert np.allclose(trained.convert().predict({"image": photo(6)})["answer"], before, atol=1e-5)
    trained.train()
    after = trained.expected()
    assert not np.allclose(before, after, atol=1e-4)
    assert np.allclose(trained.convert().predict({"image": photo(6)})["answer"], after, atol=1e-5)
    assert np.allclose(trained.convert(session=trained.sess).predict({"image": photo(6)})["answer"], after, atol=1e-5)


def test_the_session_must_be_unambiguous():
    trained = Trained(True)
    expected = trained.expected()
    other = v1.Session(graph=trained.graph)
    with pytest.raises(ct.Error, match="2 open sessions.*session="):
        trained.convert()
    with trained.sess.as_default():
        assert np.allclose(trained.convert().predict({"image": photo(6)})["answer"], expected, atol=1e-5)
    # The other session has not initialized the variables: the conversion names one.
    with pytest.raises(ct.Error) as caught:
        trained.convert(session=other)
    assert caught.value.code == "missingVariables" and "net/" in str(caught.value)
    other.close()
    assert np.allclose(trained.convert().predict({"image": photo(6)})["answer"], expected, atol=1e-5)
    with pytest.raises(ct.Error, match="another graph"):
        trained.convert(session=v1.Session(graph=tf.Graph()))
    trained.sess.close()
    with pytest.raises(ct.Error, match="no open session.*session="):
        trained.convert()
    with pytest.raises(ct.Error, match="closed"):
        trained.convert(session=trained.sess)
    with pytest.raises(ct.Error, match="session="):
        ct.convert(GRAPH, session=trained.sess)


def test_a_graph_without_variables_needs_no_session():
    with tf.Graph().as_default() as graph:
        image = v1.placeholder(tf.float32, [1, 6, 6, 3], name="image")
        tf.identity(tf.reduce_mean(image, axis=[1, 2]), name="answer")
    answer = ct.convert(graph).predict({"image": photo(6)})["answer"]
    assert np.allclose(answer, np.asarray(photo(6), np.float32).mean(axis=(0, 1)), atol=1e-3)


def test_a_keras_file(tmp_path):
    with tf.Graph().as_default() if not tf.executing_eagerly() else _nothing():
        model = small_network()
        expected = model.predict(np.asarray(photo(), np.float32)[np.newaxis])[0]
        path = str(tmp_path / "model.h5")
        model.save(path)
    image = ct.ImageType(shape=(1, 12, 12, 3))
    config = ct.ClassifierConfig(["cat", "dog", "mouse"])
    model = ct.convert(path, inputs=[image], classifier_config=config)
    (name,) = model.input_description
    check(model.predict({name: photo()}), expected, ["cat", "dog", "mouse"])
    (tmp_path / "damaged.h5").write_bytes(b"nonsense")
    with pytest.raises(ValueError):
        ct.convert(str(tmp_path / "damaged.h5"))
