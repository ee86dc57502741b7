"""MLModel: predictions, metadata, files, and what Core ML would refuse."""

import copy
import gc
import io
import os
import pickle
import threading

import pytest
from material import CAT, FIXTURES, GRAPH, LABELS, labels, run

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")


def test_a_classifier_returns_probabilities_and_a_label(model, photo):
    answer = model.predict({"input": photo})
    assert list(answer["probabilities"]) == labels()
    assert all(type(value) is float for value in answer["probabilities"].values())
    assert sum(answer["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert answer["classLabel"] == max(answer["probabilities"], key=answer["probabilities"].get) == "cat"


@pytest.mark.parametrize("ending", [".mlmodel", ".mlpackage"])
def test_a_written_model_gives_the_same_results(ct, model, photo, tmp_path, ending):
    path = tmp_path / ("model" + ending)
    model.save(path)
    answer = ct.models.MLModel(str(path)).predict({"input": photo})
    expected = model.predict({"input": photo})
    tolerance = 1e-5 if ending == ".mlmodel" else 2e-2
    assert answer["classLabel"] == "cat"
    assert answer["probabilities"] == pytest.approx(expected["probabilities"], abs=tolerance)


@pytest.mark.parametrize(
    "path", ["detectors/yolo8.mlpackage", "detectors/suppression_padded.mlmodel", "pipelines/iris_svc.mlmodel"]
)
def test_detectors_and_pipelines_can_be_printed(ct, path):
    model = ct.models.MLModel(os.path.join(FIXTURES, path))
    lines = str(model).splitlines()
    names = [*model.input_description, *model.output_description]
    assert [line.split("'")[1] for line in lines if line.startswith(("  input '", "  output '"))] == names


def test_a_package_is_saved_in_a_new_folder(ct, model, tmp_path):
    path = tmp_path / "new" / "folder" / "model.mlpackage"
    model.save(path)
    assert list(ct.models.MLModel(path).input_description) == ["input"]
    with pytest.raises(OSError):
        model.save(tmp_path / "newer" / "model.mlmodel")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ct.FileError, match="the folder cannot be created: Not a directory") as caught:
        model.save(tmp_path / "file" / "new" / "model.mlpackage")
    failure = caught.value
    assert failure.code == "notWritable" and failure.filename == str(tmp_path / "file" / "new" / "model.mlpackage")


def test_a_list_is_a_batch(model, photo):
    turned = photo.rotate(180)
    answers = model.predict([{"input": photo}, {"input": turned}, {"input": photo}])
    assert answers == [model.predict({"input": image}) for image in (photo, turned, photo)]
    assert model.predict([]) == []


@pytest.mark.parametrize(
    "data, error, words",
    [
        (lambda photo: 3, TypeError, "dictionary"),
        (lambda photo: [{"input": photo}, 3], TypeError, "dictionary"),
        (lambda photo: {}, ValueError, "no value"),
        (lambda photo: {"photo": photo}, KeyError, "no input 'photo'"),
        (lambda photo: {"input": photo, "other": 1}, KeyError, "other"),
        (lambda photo: {"input": None}, TypeError, "PIL"),
        (lambda photo: {"input": np.asarray(photo)}, TypeError, "PIL"),
        (lambda photo: {"input": photo.tobytes()}, TypeError, "PIL"),
        (lambda photo: {"input": photo.convert("L")}, TypeError, "mode RGB, not L"),
        (lambda photo: {"input": photo.convert("RGBA")}, TypeError, "mode RGB"),
        (lambda photo: {"input": photo.resize((33, 32))}, ValueError, "32x32 pixels, not 33x32"),
        (lambda photo: {"input": photo.resize((1, 1))}, ValueError, "32x32"),
    ],
)
def test_values_that_core_ml_refuses_are_refused(model, photo, data, error, words, ct):
    with pytest.raises(error, match=words) as caught:
        model.predict(data(photo))
    assert isinstance(caught.value, ct.Error)


def test_an_image_that_cannot_be_read_is_refused(model, ct, photo):
    file = io.BytesIO()
    photo.save(file, "png")
    truncated = Image.open(io.BytesIO(file.getvalue()[: len(file.getvalue()) // 2]))
    closed = photo.copy()
    closed.close()
    for image in (truncated, closed):
        with pytest.raises(ct.Error, match="cannot be read") as caught:
            model.predict({"input": image})
        assert caught.value.code == "imageDamaged"


def test_a_neural_network_stays_one_in_a_package(model, ct, photo, tmp_path):
    model.save(tmp_path / "model.mlmodel")
    loaded = ct.models.MLModel(tmp_path / "model.mlmodel")
    loaded.author = "A. Author"
    for other in (loaded, ct.convert(GRAPH, convert_to="neuralnetwork")):
        other.save(tmp_path / "model.mlpackage")
        saved = ct.models.MLModel(tmp_path / "model.mlpackage")
        assert saved._description["kind"] == "neuralNetwork"
        assert saved.author == other.author
    loaded.save(tmp_path / "again.mlpackage")
    assert ct.models.MLModel(tmp_path / "again.mlpackage").predict({"input": photo}) == loaded.predict({"input": photo})
    with pytest.raises(ct.Error, match="mlpackage"):
        ct.convert(GRAPH, convert_to="mlprogram").save(tmp_path / "model.mlmodel")


def test_attributes_that_only_coremltools_has_cause_advice(ct, model, tmp_path):
    for name, words in (("_mil_program", "save the model"), ("get_compiled_model_path", "macOS")):
        with pytest.raises(AttributeError, match="coremltools has it.*" + words):
            getattr(model, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        model.nonsense
    model.save(tmp_path / "model.mlmodel")
    with pytest.raises(TypeError, match="compute_units"):
        ct.models.MLModel(tmp_path / "model.mlmodel", compute_units="bogus")


def test_attributes_are_those_of_coremltools(ct, model, tmp_path):
    for kind, is_package in (("neuralnetwork", False), ("mlprogram", True)):
        converted = ct.convert(GRAPH, convert_to=kind)
        assert converted.is_package == is_package and not converted.is_temp_package
        assert converted.optimization_hints is None
    model.save(tmp_path / "model.mlpackage")
    hints = {"reshapeFrequency": "Infrequent"}
    assert ct.models.MLModel(tmp_path / "model.mlpackage", optimization_hints=hints).optimization_hints == hints
    with pytest.raises(AttributeError, match="coremltools has it: save the model"):
        model._get_mil_internal()


@pytest.fixture(scope="module")
def arrays():
    """A model that takes a tensor of shape (1, 32, 32, 3) and returns 10 values."""
    import thaw

    return thaw.convert(GRAPH, inputs=[thaw.TensorType(shape=(1, 32, 32, 3))])


def test_arrays_of_every_layout_give_the_same_answer(arrays):
    pixels = np.random.RandomState(1).randint(0, 256, (1, 32, 32, 3)).astype(np.float32)
    expected = arrays.predict({"input": pixels})["probabilities"]
    read_only = pixels.copy()
    read_only.setflags(write=False)
    padded = np.zeros((1, 32, 64, 3), np.float32)
    padded[:, :, ::2] = pixels
    variants = {
        "Fortran": np.asfortranarray(pixels), "read-only": read_only, "strided": padded[:, :, ::2],
        "backwards": pixels[:, ::-1].copy()[:, ::-1], "big-endian": pixels.astype(">f4"),
        "double": pixels.astype(np.float64), "half": pixels.astype(np.float16), "bytes": pixels.astype(np.uint8),
        "integers": pixels.astype(np.int32), "long": pixels.astype(np.int64), "list": pixels.tolist(),
    }  # fmt: skip
    for name, variant in variants.items():
        answer = arrays.predict({"input": variant})["probabilities"]
        assert np.array_equal(answer, expected), name


@pytest.mark.parametrize(
    "array, error",
    [
        (np.zeros((1, 32, 32)), ValueError), (np.zeros((2, 32, 32, 3)), ValueError), (np.zeros(()), ValueError),
        (np.zeros((1, 32, 32, 0)), ValueError), (np.zeros((1, 3, 32, 32)), ValueError), ("text", TypeError),
        (np.zeros((1, 32, 32, 3), complex), TypeError), (np.zeros((1, 32, 32, 3), object), TypeError),
        (np.zeros((1, 32, 32, 3), "datetime64[s]"), TypeError), (None, TypeError),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(arrays, array, error):
    with pytest.raises(error):
        arrays.predict({"input": array})


def test_nan_gives_an_answer(arrays):
    pixels = np.zeros((1, 32, 32, 3), np.float32)
    pixels[0, 5, 5, 0] = np.nan
    assert np.isnan(arrays.predict({"input": pixels})["probabilities"]).any()
    pixels[0, 5, 5, 0] = 0
    assert np.isfinite(arrays.predict({"input": pixels})["probabilities"]).all()


def test_results_stay_when_the_model_is_gone(ct, photo):
    model = ct.convert(GRAPH, inputs=[ct.TensorType(shape=(1, 32, 32, 3))])
    answer = model.predict({"input": np.asarray(photo)[np.newaxis]})["probabilities"]
    before = answer.copy()
    del model
    gc.collect()
    assert np.array_equal(answer, before) and answer.flags.writeable


def test_a_printed_model_shows_its_inputs_and_outputs(ct, tmp_path):
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    model.short_description = "Ten kinds of objects."
    model.save(tmp_path / "x.mlmodel")
    assert str(ct.models.MLModel(tmp_path / "x.mlmodel")).splitlines() == [
        "MLModel, neural network",
        "  Ten kinds of objects.",
        "  input 'input': image of 32×32 pixels, rgb",
        "  output 'probabilities': dictionary with string keys",
        "  output 'classLabel': string",
    ]


def test_a_closed_model_is_refused(ct, photo):
    model = ct.convert(GRAPH)
    model.close()
    model.close()
    for call in (
        lambda: model.predict({"input": photo}),
        lambda: model.save("x.mlmodel"),
        lambda: ct.Classifier(model),
    ):
        with pytest.raises(ValueError, match="closed") as caught:
            call()
        assert caught.value.code == "invalidHandle"
    assert repr(model) == str(model) == "<MLModel, closed>"
    with ct.convert(GRAPH) as model:
        model.predict({"input": photo})
    with pytest.raises(ValueError):
        model.predict({"input": photo})


def test_eight_threads_get_identical_answers(model, photo):
    images = [photo.rotate(45 * index) for index in range(8)]
    expected = [model.predict({"input": image}) for image in images]
    wrong = []

    def work(start):
        for step in range(24):
            index = (start + step) % 8
            if model.predict({"input": images[index]}) != expected[index]:
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# MARK: Metadata and files


def test_metadata_is_written_and_read(ct, tmp_path):
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    model.author = "A. Author"
    model.license = "MIT"
    model.short_description = "Ten classes · små bilder"
    model.version = "2"
    model.user_defined_metadata["source"] = "tests"
    model.user_defined_metadata["more"] = ""
    model.input_description["input"] = "A photo"
    model.output_description["classLabel"] = "What it is"
    for name in ("model.mlmodel", "model.mlpackage"):
        model.save(tmp_path / name)
        read = ct.models.MLModel(tmp_path / name)
        assert (read.author, read.license, read.version) == ("A. Author", "MIT", "2")
        assert read.short_description == "Ten classes · små bilder"
        assert read.user_defined_metadata["source"] == "tests"
        assert read.input_description["input"] == "A photo"
        assert read.output_description["classLabel"] == "What it is"
        assert set(read.output_description) == {"classLabel", "probabilities"}
        del read.user_defined_metadata["source"]
        assert "source" not in read.user_defined_metadata
        read.author = "B. Author"
        read.save(tmp_path / ("again-" + name))
        again = ct.models.MLModel(tmp_path / ("again-" + name))
        assert again.author == "B. Author" and "source" not in again.user_defined_metadata


def test_wrong_metadata_is_refused(ct, model):
    for assign in (lambda: setattr(model, "author", 3), lambda: model.user_defined_metadata.update(a=3)):
        with pytest.raises(TypeError):
            assign()
    with pytest.raises(KeyError):
        model.user_defined_metadata["nonsense"]


def test_files_that_cannot_be_read_are_refused(ct, tmp_path):
    with pytest.raises(FileNotFoundError):
        ct.models.MLModel("no such model.mlmodel")
    for name, data in (("empty.mlmodel", b""), ("text.mlmodel", b"some text"), ("cut.mlmodel", b"\x08\x04\xaa\x1f")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError):
            ct.models.MLModel(tmp_path / name)
    assert sorted(os.listdir(str(tmp_path))) == ["cut.mlmodel", "empty.mlmodel", "text.mlmodel"]
    for wrong in (3, None, b"bytes", object()):
        with pytest.raises(TypeError):
            ct.models.MLModel(wrong)


def test_a_path_may_be_any_bytes(ct, model, photo, tmp_path):
    path = os.fsencode(str(tmp_path)) + b"/mod\xe8le.mlmodel"
    model.save(os.fsdecode(path))
    assert ct.models.MLModel(os.fsdecode(path)).predict({"input": photo})["classLabel"] == "cat"


def test_a_path_with_a_null_character_is_refused(ct, model, tmp_path):
    model.save(tmp_path / "a.mlmodel")
    path = str(tmp_path / "a.mlmodel") + "\0b.mlmodel"
    for call in (
        lambda: ct.models.MLModel(path),
        lambda: model.save(path),
        lambda: model.save("~a\0b.mlmodel"),
        lambda: ct.inspect(path),
        lambda: ct.compare(path, model, CAT),
        lambda: ct.evaluate(model, path),
        lambda: ct.convert(GRAPH + "\0b.pb"),
        lambda: ct.convert(GRAPH + "\0b.h5"),
        lambda: ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS + "\0b")),
    ):
        with pytest.raises(ct.Error, match="contains a null character"):
            call()
    assert os.listdir(str(tmp_path)) == ["a.mlmodel"]


def test_texts_are_utf_8_in_every_locale(model, tmp_path):
    path = str(tmp_path / "model.mlmodel")
    model.save(path)
    code = """
import sys, thaw
model = thaw.models.MLModel(sys.argv[1])
model.author = "J\\xf6rg"
print(sys.getfilesystemencoding(), ascii(model.author))
try:
    thaw.models.MLModel("J\\xf6rg.mlmodel")
except thaw.Error as failure:
    print(failure.code)
"""
    ascii_only = dict(os.environ, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert run(code, path, env=ascii_only).splitlines() == ["ascii 'J\\xf6rg'", "invalidOption"]
    with pytest.raises(ValueError, match="cannot be encoded as UTF-8"):
        model.user_defined_metadata["key"] = "\ud800"


def test_predictions_leave_no_memory_behind(model, photo):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(50):
        model.predict({"input": photo})
    before = resident()
    for _ in range(int(os.environ.get("THAW_PREDICTIONS", 1000))):
        model.predict({"input": photo})
    assert resident() - before < 4e6


def test_a_tilde_is_the_home_folder(ct, model, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("one.mlmodel", "two.mlpackage"):
        model.save("~/" + name)
        assert (tmp_path / name).exists() and ct.models.MLModel("~/" + name)


def test_paths_that_are_not_files_are_refused(ct, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    endless = ["", "folder/", ".", "..", "/", ".mlmodel", "folder/.mlpackage", "a.mlmodel/"]
    for path in endless + ["a.foo", "a.MLMODEL", "a.MlPackage", "v1.0", "a\0b.mlmodel"]:
        with pytest.raises(ValueError) as caught:
            model.save(path)
        assert isinstance(caught.value, ct.Error), path
    for path in (b"", b"a.mlmodel", None, 3):
        with pytest.raises(ct.InvalidTypeError, match="save takes a path"):
            model.save(path)
    assert os.listdir(str(tmp_path)) == ["folder"] and os.listdir(str(tmp_path / "folder")) == []
    model.save("b.mlpackage/")
    assert sorted(os.listdir(str(tmp_path))) == ["b.mlpackage", "folder"]


def test_owners_are_neither_copied_nor_pickled(ct, model):
    classifier = ct.Classifier(model)
    results = classifier.classify([])
    for owner, words in ((model, "save it"), (classifier, "path of the model"), (results, "list")):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=words) as caught:
                call(owner)
            assert isinstance(caught.value, ct.Error)
    assert model.author == ""


def test_exceptions_name_the_features(ct, model, photo):
    for data, name in (({"photo": photo}, "photo"), ({}, "input")):
        with pytest.raises(ct.Error) as caught:
            model.predict(data)
        assert caught.value.names == [name]
    failure = caught.value
    failure.nodes = [{"name": "a"}]
    copied = pickle.loads(pickle.dumps(failure))
    assert (copied.names, copied.nodes, str(copied)) == (["input"], [{"name": "a"}], str(failure))


def test_unknown_features_have_no_description(ct, model):
    descriptions = model.input_description
    for call in (lambda: descriptions["image"], lambda: descriptions.__setitem__("image", "x")):
        with pytest.raises(ct.UnknownNameError, match="no input 'image'; its inputs are 'input'") as caught:
            call()
        assert caught.value.names == ["image"]
    assert descriptions.get("image") is None and "image" not in descriptions


def test_arguments_of_wrong_types_are_named(ct, model, photo):
    for call, words in [
        (lambda: ct.models.MLModel(GRAPH, function_name=3), "function_name"),
        (lambda: setattr(model, "precision", 16), "precision"),
        (lambda: setattr(model, "precision", None), "precision"),
        (lambda: ct.Classifier(model, precision=16), "precision"),
        (lambda: ct.Classifier(model, crop=3), "crop"),
        (lambda: ct.ClassifierConfig(LABELS, 3), "predicted_feature_name"),
        (lambda: ct.ClassifierConfig(LABELS, "a", 3), "predicted_probabilities_output"),
        (lambda: ct.inspect(3), "expected a path, not 3"),
        (lambda: ct.inspect(GRAPH, tag=3), "tag"),
        (lambda: ct.evaluate(3, "table.tsv"), "expected a path, not 3"),
        (lambda: ct.evaluate(model, 3), "expected a path, not 3"),
        (lambda: ct.compare(GRAPH, model, 3), "expected a path, not 3"),
        (lambda: ct.convert(GRAPH, package_dir=3), "package_dir"),
        (lambda: model.predict("x"), "dictionary"),
        (lambda: model.predict(({"input": photo},)), "dictionary"),
    ]:
        with pytest.raises(ct.InvalidTypeError, match=words):
            call()
    assert model.precision == "float32"
