"""Functions and Keras models of TensorFlow 2, and coremltools' own objects."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow")
if not hasattr(tf, "__version__") or tf.__version__.startswith("1."):
    pytest.skip("TensorFlow 2 is needed", allow_module_level=True)
np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")

from material import CAT, GRAPH, LABELS  # noqa: E402

import thaw as ct  # noqa: E402


def photo(side):
    return Image.open(CAT).convert("RGB").resize((side, side))


def pixels(side):
    return np.asarray(photo(side), np.float32)[np.newaxis]


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.random.stateless_normal([3, 3, 3, 4], [1, 2]))
        self.table = tf.constant([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def inner(self, x):
        return tf.nn.conv2d(x, self.weights, 2, "SAME") * self.table

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, name="image")])
    def __call__(self, x):
        return {"answer": tf.reduce_mean(self.inner(x), axis=[1, 2])}


@pytest.mark.parametrize("kind", ["concrete", "list", "function"])
def test_functions_with_variables_and_constants(kind):
    net = Net()
    concrete = net.__call__.get_concrete_function()
    given = {"concrete": concrete, "list": [concrete], "function": net.__call__}[kind]
    (answer,) = ct.convert(given).predict({"image": photo(8)}).values()
    assert np.allclose(answer, net(pixels(8))["answer"], rtol=1e-4, atol=1e-3)
    net.weights.assign(2 * net.weights)
    (answer,) = ct.convert(given).predict({"image": photo(8)}).values()
    assert np.allclose(answer, net(pixels(8))["answer"], rtol=1e-4, atol=1e-3)


def test_a_function_without_signature_is_refused():
    with pytest.raises(TypeError, match="get_concrete_function"):
        ct.convert(tf.function(lambda x: x + 1))


def test_a_saved_model_is_converted(tmp_path):
    net = Net()
    tf.saved_model.save(net, str(tmp_path))
    answer = ct.convert(tmp_path).predict({"image": photo(8)})["answer"]
    assert np.allclose(answer, net(pixels(8))["answer"], rtol=1e-4, atol=1e-3)


def test_keras_3(tmp_path):
    keras = pytest.importorskip("keras")
    if not keras.__version__.startswith("3"):
        pytest.skip("Keras 3 is needed")
    keras.utils.set_random_seed(1)
    image = keras.Input((12, 12, 3), name="photo")
    x = keras.layers.SeparableConv2D(6, 3, activation="relu6")(image)
    x = keras.layers.BatchNormalization()(x)
    outputs = [
        keras.layers.Dense(3, activation="softmax")(keras.layers.Flatten()(x)),
        keras.layers.GlobalMaxPool2D()(x),
    ]
    model = keras.Model(image, outputs)
    model.save(str(tmp_path / "model.keras"))
    expected = model.predict(pixels(12) / 255, verbose=0)
    for given in (model, str(tmp_path / "model.keras")):
        converted = ct.convert(given, inputs=[ct.ImageType("photo", scale=1 / 255.0)])
        answers = list(converted.predict({"photo": photo(12)}).values())
        for answer, wanted in zip(answers, expected):
            assert np.allclose(answer, wanted, atol=1e-5)


def test_several_inputs_are_converted():
    keras = pytest.importorskip("tf_keras")
    left, right = keras.Input((8, 8, 3), name="left"), keras.Input((5,), name="right")
    joined = keras.layers.Concatenate()([keras.layers.GlobalAveragePooling2D()(left), right])
    model = keras.Model([left, right], keras.layers.Dense(4)(joined))
    converted = ct.convert(model, inputs=[ct.ImageType("left"), ct.TensorType("right", (1, 5))])
    row = np.arange(5, dtype=np.float32)[np.newaxis]
    (answer,) = converted.predict({"left": photo(8), "right": row}).values()
    assert np.allclose(answer, model.predict([pixels(8), row], verbose=0), rtol=1e-4, atol=1e-3)


def test_inputs_that_are_not_listed_are_arrays():
    specs = [tf.TensorSpec((1, 8, 8, 3), name=name) for name in ("x", "z")]
    function = tf.function(lambda x, z: tf.reduce_mean(x - 2 * z, axis=[1, 2]), input_signature=specs)
    converted = ct.convert([function.get_concrete_function()], inputs=[ct.ImageType(name="x", scale=1 / 255)])
    z = np.random.default_rng(0).random((1, 8, 8, 3), np.float32)
    (answer,) = converted.predict({"x": photo(8), "z": z}).values()
    expected = (pixels(8) / 255 - 2 * z).mean(axis=(1, 2))
    assert np.allclose(answer, expected, atol=1e-5)


@pytest.mark.parametrize("package", ["tf_keras", "keras"])
def test_outputs_of_keras_have_the_order_of_the_model_and_coremltools_numbers(package, tmp_path):
    keras = pytest.importorskip(package)
    image = keras.Input((8, 8, 3))
    mean = keras.layers.GlobalAveragePooling2D()(image)
    heads = [keras.layers.Dense(size, name=name)(mean) for name, size in (("species", 3), ("color", 4), ("pose", 5))]
    model = keras.Model(image, heads)
    converted = ct.convert(model, inputs=[ct.TensorType()], convert_to="mlprogram")
    answer = converted.predict({image.name.split(":")[0]: pixels(8)})
    # TensorFlow numbers them in the order of their names.
    assert list(answer) == list(converted.output_description) == ["Identity_2", "Identity", "Identity_1"]
    for found, expected in zip(answer.values(), model(pixels(8))):
        assert np.allclose(found, expected, rtol=1e-4, atol=1e-3)
    # coremltools sorts those of a file.
    model.save(str(tmp_path / "model.keras"))
    converted = ct.convert(tmp_path / "model.keras", inputs=[ct.TensorType()])
    assert list(converted.output_description) == ["Identity", "Identity_1", "Identity_2"]


@pytest.mark.parametrize("package", ["tf_keras", "keras"])
def test_outputs_of_a_keras_dictionary_are_sorted(package):
    keras = pytest.importorskip(package)
    image = keras.Input((8, 8, 3))
    mean = keras.layers.GlobalAveragePooling2D()(image)
    model = keras.Model(image, {"species": keras.layers.Dense(3)(mean), "color": keras.layers.Dense(4)(mean)})
    answer = ct.convert(model, inputs=[ct.TensorType()]).predict({image.name.split(":")[0]: pixels(8)})
    expected = model(pixels(8))
    assert list(answer) == ["Identity", "Identity_1"]
    for found, name in zip(answer.values(), ("color", "species")):
        assert np.allclose(found, expected[name], rtol=1e-4, atol=1e-3)


def test_a_model_that_was_never_built_is_refused():
    keras = pytest.importorskip("tf_keras")
    with pytest.raises(ValueError, match="no inputs yet"):
        ct.convert(keras.Sequential([keras.layers.Dense(3)]))


@pytest.mark.parametrize("package", ["tf_keras", "keras"])
def test_a_subclass_of_keras_model(package):
    keras = pytest.importorskip(package)

    class Mean(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(4)

        def call(self, x, training=False):
            return self.dense(tf.reduce_mean(x, axis=[1, 2]))

    model = Mean()
    expected = np.asarray(model(pixels(8)))
    function = tf.function(model).get_concrete_function(tf.TensorSpec((1, 8, 8, 3), name="image"))
    given = [function, model] if package == "tf_keras" else [function]
    for one in given:
        converted = ct.convert(one)
        (name,) = converted.input_description
        (answer,) = converted.predict({name: photo(8)}).values()
        assert np.allclose(answer, expected, rtol=1e-4, atol=1e-3)
    for one in [Mean()] + ([model] if package == "keras" else []):
        with pytest.raises(ValueError, match="get_concrete_function"):
            ct.convert(one)


def test_a_known_network():
    keras = pytest.importorskip("tf_keras")
    keras.utils.set_random_seed(1)
    model = keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), alpha=0.35, classes=10)
    # Statistics of real pixels: those of an untrained network leave hardly anything of the image.
    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            layer.momentum = 0
    model(np.concatenate([np.flip(pixels(96), axis) for axis in (1, 2)]) / 127.5 - 1, training=True)
    kernel, bias = model.layers[-1].get_weights()
    model.layers[-1].set_weights([5 * kernel, bias])
    image = ct.ImageType(shape=(1, 96, 96, 3), scale=1 / 127.5, bias=[-1, -1, -1])
    converted = ct.convert(
        model, inputs=[image], classifier_config=ct.ClassifierConfig([str(index) for index in range(10)])
    )
    (name,) = converted.input_description
    answer = converted.predict({name: photo(96)})
    (probabilities,) = [value for value in answer.values() if isinstance(value, dict)]
    expected = model.predict(pixels(96) / 127.5 - 1, verbose=0)[0]
    assert np.ptp(expected) > 0.1
    assert np.allclose(list(probabilities.values()), expected, atol=1e-4)


def test_objects_of_coremltools(tmp_path):
    coremltools = pytest.importorskip("coremltools")
    config = ct.ClassifierConfig(LABELS)
    for ending, kind in ((".mlmodel", "neuralNetworkClassifier"), (".mlpackage", "mlProgram")):
        path = str(tmp_path / "model") + ending
        model = ct.convert(
            GRAPH, classifier_config=config, minimum_deployment_target=None,
            convert_to="mlprogram" if ending == ".mlpackage" else "neuralnetwork",
        )  # fmt: skip
        model.author = "A. Author"
        model.save(path)
        expected = model.predict({"input": photo(32)})
        theirs = coremltools.models.MLModel(path, skip_model_load=True)
        again = ct.models.MLModel(theirs)
        assert again.author == "A. Author"
        answer = again.predict({"input": photo(32)})
        assert answer["classLabel"] == expected["classLabel"]
        # An ML Program computes in float16.
        tolerance = 1e-6 if ending == ".mlmodel" else 2e-2
        name = "probabilities" if ending == ".mlmodel" else "classLabel_probs"
        assert answer[name] == pytest.approx(expected[name], abs=tolerance)
        spec = model.get_spec()
        assert spec.WhichOneof("Type") == kind and spec.description.metadata.author == "A. Author"
        if ending == ".mlmodel":
            assert ct.models.MLModel(spec).predict({"input": photo(32)}) == answer
    target, precision = coremltools.target.iOS16, coremltools.precision.FLOAT32
    model = ct.convert(GRAPH, minimum_deployment_target=target, compute_precision=precision)
    assert model.get_spec().WhichOneof("Type") == "mlProgram"
    with pytest.raises(TypeError):
        ct.models.MLModel(coremltools.proto.FeatureTypes_pb2.FeatureType())


def test_the_named_output_becomes_the_image():
    graph = tf.Graph()
    with graph.as_default():
        image = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], name="image")
        tf.identity(255 - image, name="negative")
        tf.identity(image * 0.25 + 100, name="pale")
    inputs = [ct.ImageType("image")]
    outputs = [ct.TensorType("negative"), ct.ImageType("pale")]
    answer = ct.convert(graph.as_graph_def(), inputs=inputs, outputs=outputs).predict({"image": photo(8)})
    assert isinstance(answer["negative"], np.ndarray)
    assert np.allclose(np.asarray(answer["pale"])[..., :3], pixels(8)[0] * 0.25 + 100, atol=1)
    with pytest.raises(NotImplementedError, match="'negative' and 'pale'"):
        ct.convert(graph.as_graph_def(), inputs=inputs, outputs=[ct.ImageType("negative"), ct.ImageType("pale")])
    with pytest.raises(NotImplementedError, match="pale"):
        ct.convert(
            graph.as_graph_def(), inputs=inputs, outputs=outputs, classifier_config=ct.ClassifierConfig(["a", "b"])
        )


def test_only_an_image_type_makes_an_image_output(tmp_path):
    graph = tf.Graph()
    with graph.as_default():
        image = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 3], name="image")
        tf.sigmoid(image / 64 - 2, name="mask")
    path = tmp_path / "mask.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    expected = 1 / (1 + np.exp(2 - pixels(8) / 64))
    for given in (graph.as_graph_def(), path):
        for inputs in (None, [ct.ImageType("image")]):
            answer = ct.convert(given, inputs=inputs).predict({"image": photo(8)})["mask"]
            assert np.allclose(answer, expected, atol=1e-5)
        outputs = [ct.ImageType("mask")]
        answer = ct.convert(given, inputs=inputs, outputs=outputs).predict({"image": photo(8)})["mask"]
        assert isinstance(answer, Image.Image)


@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
@pytest.mark.parametrize("form", ["neuralnetwork", "mlprogram"])
def test_arrays_of_integers(kind, form):
    indices = np.array([[1, 2047, 2049, 4999]], np.int32)
    for is_cast in (False, True):
        graph = tf.Graph()
        with graph.as_default():
            given = tf.compat.v1.placeholder(kind, [1, 4], name="indices")
            table = tf.constant(np.arange(5000, dtype=np.float32))
            tf.identity(tf.cast(given, tf.float32) if is_cast else tf.gather(table, given), name="answer")
        for dtype in (None, np.int32, np.int64):
            inputs = [ct.TensorType("indices", dtype=dtype)]
            model = ct.convert(graph.as_graph_def(), inputs=inputs, convert_to=form)
            is_float = is_cast and dtype is None
            assert model._description["inputs"][0]["dataType"] == ("float32" if is_float else "int32")
            assert np.array_equal(model.predict({"indices": indices})["answer"], indices.astype(np.float32))
    with pytest.raises(TypeError, match="float32"):
        ct.convert(GRAPH, inputs=[ct.TensorType(dtype=np.int32)])
