"""Conversions of the project's own network, against the command's."""

import ctypes
import gc
import importlib.util
import logging
import os
import shutil

import pytest
from material import CAT, FIXTURES, GRAPH, LABELS, labels, thaw_command

np = pytest.importorskip("numpy")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def test_the_file_is_that_of_the_command(ct, tmp_path):
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    for ending in ("mlmodel", "mlpackage"):
        theirs, ours = (str(tmp_path / name) + "." + ending for name in ("theirs", "ours"))
        thaw_command("convert", GRAPH, "--labels", LABELS, "-o", theirs, "--quiet")
        model.save(ours)
        if ending == "mlmodel":
            assert content(ours) == content(theirs)
        else:
            for name in ("Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin"):
                assert content(os.path.join(ours, name)) == content(os.path.join(theirs, name))


@pytest.mark.parametrize("kind", ["path", "pathlib", "bytes", "bytearray", "list"])
def test_sources_are_converted_without_tensorflow(ct, photo, kind, tmp_path):
    data = content(GRAPH)
    source = {
        "path": GRAPH, "pathlib": tmp_path / "graph.pb", "bytes": data, "bytearray": bytearray(data), "list": [GRAPH],
    }[kind]  # fmt: skip
    shutil.copy(GRAPH, str(tmp_path / "graph.pb"))
    model = ct.convert(source, classifier_config=ct.ClassifierConfig(LABELS))
    assert model.predict({"input": photo})["classLabel"] == "cat"


@pytest.mark.parametrize("kind", ["list", "tuple", "bytes", "array", "path"])
def test_labels_are_taken_from_lists_arrays_and_files(ct, photo, kind):
    names = labels()
    given = {
        "list": names, "tuple": tuple(names), "bytes": [name.encode() for name in names], "array": np.array(names),
        "path": LABELS,
    }[kind]  # fmt: skip
    answer = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(given)).predict({"input": photo})
    assert answer["classLabel"] == "cat" and set(answer["probabilities"]) == set(names)


def test_integer_labels_are_integers(ct, photo):
    for given in (list(range(100, 110)), np.arange(100, 110)):
        answer = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(given)).predict({"input": photo})
        assert answer["classLabel"] == 103 and list(answer["probabilities"]) == list(range(100, 110))


@pytest.mark.parametrize(
    "given, words",
    [
        (["a", "b"], "2 labels for 10 classes"),
        ([], "class_labels"),
        (3, "class_labels"),
        (["a"] * 9 + [1], "strings"),
        ([0.5] * 10, "integer"),
        ([b"\xff"] * 10, "not UTF-8"),
        ("no such file.txt", "no such file"),
    ],
)
def test_wrong_labels_are_refused(ct, given, words):
    with pytest.raises(ct.Error, match=words):
        ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(given))


def test_a_classifiers_outputs_are_named(ct, photo):
    config = ct.ClassifierConfig(LABELS, "what", "probabilities")
    answer = ct.convert(GRAPH, classifier_config=config).predict({"input": photo})
    assert answer["what"] == "cat" and len(answer["probabilities"]) == 10
    with pytest.raises(KeyError, match="nonsense"):
        ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS, "what", "nonsense"))


def test_scale_and_bias_are_those_that_are_given(ct, photo):
    """The graph's own preprocessing is 2 / 255 * x - 1; with the image at half its range, pixels must be doubled."""
    config = ct.ClassifierConfig(LABELS)
    expected = ct.convert(GRAPH, classifier_config=config).predict({"input": photo})["probabilities"]
    image = ct.ImageType(name="input", shape=(1, 32, 32, 3), scale=2, bias=[0, 0, 0])
    doubled = ct.convert(GRAPH, inputs=[image], classifier_config=config)
    answer = doubled.predict({"input": photo.point(lambda value: value // 2)})["probabilities"]
    assert max(abs(answer[name] - expected[name]) for name in expected) < 0.05
    plain = ct.convert(GRAPH, inputs=[ct.ImageType()], classifier_config=config)
    assert plain.predict({"input": photo})["probabilities"] == pytest.approx(expected, abs=1e-6)


def test_bgr_reverses_the_channels(ct, photo):
    from PIL import Image

    config = ct.ClassifierConfig(LABELS)
    straight = ct.convert(GRAPH, classifier_config=config)
    image = ct.ImageType(color_layout=ct.colorlayout.BGR)
    reversed_ = ct.convert(GRAPH, inputs=[image], classifier_config=config)
    swapped = Image.merge("RGB", photo.split()[::-1])
    expected = straight.predict({"input": swapped})["probabilities"]
    assert reversed_.predict({"input": photo})["probabilities"] == pytest.approx(expected, abs=1e-6)


def test_a_tensor_type_takes_arrays(ct, photo, model):
    pixels = np.asarray(photo)[np.newaxis]
    expected = model.predict({"input": photo})["probabilities"]
    for image in (ct.TensorType(), ct.TensorType("input", (1, 32, 32, 3)), ct.TensorType("input:0", dtype=np.float32)):
        arrays = ct.convert(GRAPH, inputs=[image], classifier_config=ct.ClassifierConfig(LABELS))
        answer = arrays.predict({"input": pixels})
        assert answer["probabilities"] == pytest.approx(expected, abs=1e-5)
        with pytest.raises(TypeError):
            arrays.predict({"input": photo.convert("P").tobytes()})


@pytest.mark.parametrize(
    "image, words",
    [
        (("ImageType", {"shape": (1, 32, 32, 1)}), "shape"),
        (("ImageType", {"shape": (2, 32, 32, 3)}), "shape"),
        (("ImageType", {"shape": (1, 64, 64, 3)}), "64"),
        (("ImageType", {"shape": (1, 3, 32, 32), "channel_first": False}), "shape"),
        (("ImageType", {"color_layout": "G"}), "gray"),
        (("ImageType", {"name": "nonsense"}), "nonsense"),
        (("TensorType", {"name": "nonsense"}), "nonsense"),
        (("TensorType", {"shape": (1, 31, 32, 3)}), "31"),
        (("TensorType", {"dtype": "int32"}), "float32"),
        (("TensorType", {"dtype": "complex64"}), "complex64"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(ct, image, words):
    with pytest.raises(ct.Error, match=words):
        ct.convert(GRAPH, inputs=[getattr(ct, image[0])(**image[1])])


def sizes_of(ct, shape):
    """The default size and the possible sizes of a network of open size, as it is written."""
    graph = os.path.join(FIXTURES, "generators", "generator.pb")
    model = ct.convert(graph, inputs=[ct.ImageType(name="generator_input", shape=shape)])
    feature = model._description["inputs"][0]
    return (feature["width"], feature["height"]), feature["sizes"]


def test_flexible_sizes_have_a_default(ct):
    range_of = {"width": [24, 40], "height": [20, 48]}
    height, width = ct.RangeDim(20, 48), ct.RangeDim(24, 40)
    assert sizes_of(ct, (1, height, width, 3)) == ((40, 48), range_of)
    high, wide = ct.RangeDim(20, 48, default=36), ct.RangeDim(24, 40, default=28)
    assert sizes_of(ct, (1, high, wide, 3)) == ((28, 36), range_of)
    assert sizes_of(ct, (1, height, wide, 3)) == ((28, 20), range_of)
    assert sizes_of(ct, ct.Shape((1, height, width, 3), default=(1, 40, 36, 3))) == ((36, 40), range_of)
    assert sizes_of(ct, (ct.RangeDim(1, 4, default=1), height, width, 3)) == ((40, 48), range_of)
    shapes = ct.EnumeratedShapes([(1, 24, 24, 3), (1, 40, 28, 3)], default=(1, 40, 28, 3))
    assert sizes_of(ct, shapes) == ((28, 40), {"enumerated": [[28, 40], [24, 24]]})


def test_outputs_are_selected_by_name(ct, photo):
    model = ct.convert(GRAPH, outputs=[ct.TensorType(name="probabilities")])
    answer = model.predict({"input": photo})
    assert answer["probabilities"].shape == (1, 10) and answer["probabilities"].dtype == np.float32
    assert int(answer["probabilities"].argmax()) == 3
    with pytest.raises(KeyError, match="nonsense"):
        ct.convert(GRAPH, outputs=["nonsense"])


@pytest.mark.parametrize("convert_to", [None, "neuralnetwork", "mlprogram"])
def test_types_and_shapes_of_outputs_are_checked(ct, convert_to):
    for dtype in (np.int32, np.float64):
        for name in (None, "probabilities"):
            with pytest.raises(TypeError, match="the output 'probabilities' is of type float32, not"):
                ct.convert(GRAPH, outputs=[ct.TensorType(name, dtype=dtype)], convert_to=convert_to)
    with pytest.raises(ValueError, match=r"shape of an output follows from the graph") as caught:
        ct.convert(GRAPH, outputs=[ct.TensorType("probabilities", (1, 10))], convert_to=convert_to)
    assert caught.value.code == "wrongShape"
    model = ct.convert(GRAPH, outputs=[ct.TensorType(dtype=np.float32)], convert_to=convert_to)
    assert list(model.output_description) == ["probabilities"]


def test_several_possible_outputs_are_listed(ct):
    graph = os.path.join(FIXTURES, "refuse", "two_outputs.pb")
    with pytest.raises(ValueError, match="select one or more") as caught:
        ct.convert(graph)
    assert caught.value.code == "ambiguousOutputs" and caught.value.names == ["left", "right"]
    assert str(caught.value).endswith('outputs=["right"]')
    assert list(ct.convert(graph, outputs=caught.value.names).output_description) == ["left", "right"]


@pytest.mark.parametrize(
    "arguments, version, shape",
    [
        ({}, 1, (10,)),
        ({"minimum_deployment_target": "iOS12"}, 1, (10,)),
        ({"minimum_deployment_target": "iOS13"}, 4, (1, 10)),
        ({"convert_to": "neuralnetwork"}, 4, (1, 10)),
    ],
)
def test_tensors_of_a_network_keep_their_rank_if_the_version_can(ct, photo, tmp_path, arguments, version, shape):
    model = ct.convert(GRAPH, **arguments)
    assert model.predict({"input": photo})["probabilities"].shape == (1, 10)
    model.save(tmp_path / "model.mlmodel")
    saved = ct.models.MLModel(tmp_path / "model.mlmodel")
    assert saved._description["version"] == version
    assert saved.predict({"input": photo})["probabilities"].shape == shape


def test_an_input_that_is_named_twice_is_refused(ct):
    with pytest.raises(ValueError, match="inputs= names 'input' twice"):
        ct.convert(GRAPH, inputs=[ct.ImageType("input"), ct.TensorType("input:0")])


def test_a_layout_that_the_graph_does_not_have_is_refused(ct):
    image = ct.ImageType(shape=(1, 3, 32, 32), channel_first=True)
    with pytest.raises(ct.Error, match="omit ImageType.channel_first if the graph has another layout"):
        ct.convert(GRAPH, inputs=[image])


def test_paths_may_begin_with_a_tilde(ct, photo, tmp_path, monkeypatch):
    for path, name in ((GRAPH, "graph.pb"), (LABELS, "labels.txt"), (CAT, "cat.jpg")):
        shutil.copy(path, str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    model = ct.convert("~/graph.pb", classifier_config=ct.ClassifierConfig("~/labels.txt"))
    assert model.predict({"input": photo})["classLabel"] == "cat"
    assert ct.inspect("~/graph.pb")["error"] is None
    assert ct.compare("~/graph.pb", model, ["~/cat.jpg"])["images"] == 1
    classifier = ct.Classifier(model)
    for images in ("~/cat.jpg", ["~/cat.jpg"], (image for image in ["~/cat.jpg"])):
        assert [result.error for result in classifier.classify(images)] == [None]
    for name in ("~/nowhere.pb", "~/nowhere.h5"):
        with pytest.raises(FileNotFoundError) as caught:
            ct.convert(name)
        assert caught.value.filename == os.path.expanduser(name)


def test_messages_name_keywords_not_options_of_the_command(ct, caplog):
    with pytest.raises(KeyError) as caught:
        ct.convert(GRAPH, outputs=["nonsense"])
    assert "outputs: there is no node 'nonsense'" in caught.value.message
    assert "--" not in str(caught.value)
    with pytest.raises(ct.Error, match="ImageType.shape") as caught:
        ct.convert(GRAPH, inputs=[ct.ImageType(shape=(1, 64, 64, 3))])
    assert "--" not in str(caught.value)
    with caplog.at_level("INFO", logger="thaw"):
        ct.convert(GRAPH)
    assert caplog.records and "--" not in caplog.text


@pytest.mark.parametrize(
    "arguments, ending, version",
    [
        ({"minimum_deployment_target": "iOS13"}, ".mlmodel", 4),
        ({"minimum_deployment_target": "iOS15"}, ".mlpackage", 6),
        ({"minimum_deployment_target": "macOS13"}, ".mlpackage", 7),
        ({"convert_to": "neuralnetwork"}, ".mlmodel", 4),
        ({"convert_to": "mlprogram"}, ".mlpackage", 6),
        ({"compute_precision": "FLOAT32"}, ".mlpackage", 6),
        ({}, ".mlmodel", 1),
    ],
)
def test_arguments_determine_the_kind_of_model(ct, arguments, ending, version, tmp_path):
    if "minimum_deployment_target" in arguments:
        arguments = dict(arguments, minimum_deployment_target=ct.target[arguments["minimum_deployment_target"]])
    if "compute_precision" in arguments:
        arguments = dict(arguments, compute_precision=ct.precision[arguments["compute_precision"]])
    model = ct.convert(GRAPH, **arguments)
    model.save(str(tmp_path / "model"))
    assert os.listdir(str(tmp_path)) == ["model" + ending]
    described = ct.inspect(tmp_path / ("model" + ending))["model"]
    assert described["kind"] == ("mlProgram" if ending == ".mlpackage" else "neuralNetwork")
    assert described["version"] == version
    if ending == ".mlpackage":
        with pytest.raises(ct.Error, match="an ML Program cannot be a .mlmodel file"):
            model.save(str(tmp_path / "other.mlmodel"))
    elif arguments:
        model.save(str(tmp_path / "other.mlpackage"))
        assert ct.inspect(tmp_path / "other.mlpackage")["model"]["kind"] == "neuralNetwork"


def test_arguments_without_effect_are_accepted(ct):
    model = ct.convert(GRAPH, skip_model_load=True, compute_units=ct.ComputeUnit.CPU_ONLY, debug=True)
    assert model.compute_unit is ct.ComputeUnit.CPU_ONLY
    with pytest.raises(TypeError, match="compute_units must be a thaw.ComputeUnit"):
        ct.convert(GRAPH, compute_units="bogus")


def test_a_program_is_also_written_to_package_dir(ct, tmp_path):
    package = tmp_path / "model.mlpackage"
    ct.convert(GRAPH, package_dir=str(package))
    assert ct.inspect(package)["model"]["kind"] == "mlProgram"
    ct.convert(GRAPH, package_dir=tmp_path / "network.mlpackage", convert_to="neuralnetwork")
    assert not (tmp_path / "network.mlpackage").exists()
    with pytest.raises(ct.InvalidValueError, match=r"package_dir='a.mlmodel' must end in \.mlpackage"):
        ct.convert(GRAPH, package_dir="a.mlmodel")


def test_placeholders_get_values(ct):
    graph = os.path.join(FIXTURES, "ways", "phase_of_any_name.pb")
    assert ct.convert(graph, placeholder_values={"x7": False}).input_description
    with pytest.raises(ct.Error, match=r"placeholder_values: there is no placeholder 'x8'"):
        ct.convert(graph, placeholder_values={"x8": 1})
    with pytest.raises(ct.Error, match=r'placeholder_values={"x7": True} or placeholder_values={"x7": False}'):
        ct.convert(graph)
    for value in (np.array(False), np.bool_(False), [False], np.array([0.0]), 0):
        assert ct.convert(graph, placeholder_values={"x7": value}).input_description
    for wrong in ("abc", "0", b"0", None, [[1]], {}, 10**400):
        with pytest.raises(ct.InvalidTypeError, match="placeholder_values: 'x7' has the value .*; expected a number"):
            ct.convert(graph, placeholder_values={"x7": wrong})
    for wrong in (3, ["x7"], {7: True}):
        with pytest.raises(ct.InvalidTypeError, match="placeholder"):
            ct.convert(graph, placeholder_values=wrong)


def test_a_signature_is_selected(ct):
    folder = os.path.join(FIXTURES, "live", "saved_tags")
    with pytest.raises(ct.Error, match=r"""hint: signature="classes\""""):
        ct.convert(folder)
    assert ct.convert(folder, signature="other").output_description


def test_moving_averages_of_variables_are_used_on_request(ct, caplog):
    np = pytest.importorskip("numpy")
    folder = os.path.join(FIXTURES, "live")
    image = np.load(os.path.join(folder, "..", "ways", "color0.npy"))
    for are_used, name in ((True, "checkpoint_smoothed"), (False, "checkpoint_unsmoothed")):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="thaw"):
            path = os.path.join(folder, "checkpoint_smoothed")
            model = ct.convert(path, inputs=[ct.TensorType()], moving_averages=are_used)
        assert ("moving_averages=True uses them" in caplog.text) != are_used
        expected = np.load(os.path.join(folder, name + ".output0.npy"))
        np.testing.assert_allclose(model.predict({"image": image})["softmax"], expected, atol=1e-5)
    with pytest.raises(ValueError, match="no moving averages of variables; omit moving_averages"):
        ct.convert(GRAPH, moving_averages=True)


@pytest.mark.parametrize("name", ["signature", "tag", "batch_norm"])
def test_options_for_graphs_are_strings(ct, name):
    with pytest.raises(TypeError, match=name + "= must be a string, not 3"):
        ct.convert(GRAPH, **{name: 3})
    with pytest.raises(ct.Error, match=name):
        ct.convert(GRAPH, **{name: "nonsense"})


@pytest.mark.parametrize(
    "model, error, code",
    [
        ("no such file.pb", FileNotFoundError, "noSuchFile"),
        (b"", ValueError, "invalidModel"),
        (b"nonsense", ValueError, "wrongKind"),
        (CAT, ValueError, "wrongKind"),
    ],
)
def test_invalid_graphs_are_refused(ct, model, error, code):
    with pytest.raises(error) as caught:
        ct.convert(model)
    assert caught.value.code == code


def test_a_keras_file_needs_keras(ct, tmp_path):
    with pytest.raises(FileNotFoundError):
        ct.convert("no such file.h5")
    if not importlib.util.find_spec("tensorflow"):
        path = tmp_path / "model.h5"
        path.write_bytes(b"nonsense")
        with pytest.raises(RuntimeError, match="TensorFlow"):
            ct.convert(path)


def test_unsupported_operations_are_named(ct):
    folder = os.path.join(os.path.dirname(os.path.dirname(CAT)), "refuse")
    graph = os.path.join(folder, "custom_in_front.pb")
    with pytest.raises(NotImplementedError) as caught:
        ct.convert(graph)
    assert caught.value.code == "unsupportedOperations" and caught.value.nodes


def test_options_of_the_command_become_keywords():
    from thaw import _wording

    for message, expected in [
        ("--input names 'x--y' twice", "input names 'x--y' twice"),
        ("try --max-side 3", "try max_side 3"),
        ("an em--dash -- and ---", "an em--dash -- and ---"),
    ]:
        assert _wording.of_command(message) == expected


@pytest.mark.parametrize(
    "arguments, name",
    [
        ({"convert_to": "mlprogram"}, "what_probs"),
        ({"minimum_deployment_target": "iOS15"}, "what_probs"),
        ({"compute_precision": "FLOAT32"}, "what_probs"),
        ({"convert_to": "neuralnetwork"}, "probabilities"),
        ({}, "probabilities"),
    ],
)
def test_the_probabilities_of_an_ml_program_have_coremltools_name(ct, photo, arguments, name, tmp_path):
    for probabilities in (None, "probabilities", ""):
        config = ct.ClassifierConfig(LABELS, "what", probabilities)
        model = ct.convert(GRAPH, classifier_config=config, **arguments)
        assert set(model.predict({"input": photo})) == {"what", name}
        model.save(tmp_path / "model")
        (path,) = tmp_path.iterdir()
        assert set(ct.models.MLModel(path).predict({"input": photo})) == {"what", name}
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS), convert_to="mlprogram")
    assert set(model.output_description) == {"classLabel", "classLabel_probs"}


def test_options_keep_the_memory_that_they_point_to(ct):
    from thaw import _options, _sources

    names = [f"label {index}" for index in range(1000)]
    about_graph = _options.GraphOptions("serving " * 20, None, {"rate": [1.5, 2.5]}, None, None)
    image = ct.ImageType("input" * 40, (1, 8, 8, 3), scale=[1, 2, 3], bias=[4, 5, 6])
    config = ct.ClassifierConfig(names)
    options = _options.conversion(_sources.Source(), [image], ["output" * 40], config, about_graph)
    gc.collect()
    # Memory that was freed is used again.
    others = [("x" * size).encode() for size in range(1, 400) for _ in range(50)]
    others += [(ctypes.c_double * 3)(9, 9, 9) for _ in range(20000)]
    assert [label.decode() for label in options.labels[: options.label_count]] == names
    record, setting = options.inputs[1], options.settings[0]
    assert (record.name, record.width) == (b"input" * 40, 8)
    assert (record.scale[:3], record.bias[:3]) == ([1, 2, 3], [4, 5, 6])
    assert (setting.name, setting.values[:2], options.signature) == (b"rate", [1.5, 2.5], b"serving " * 20)
    assert options.outputs[0] == b"output" * 40


def test_tensors_refer_to_elements_that_the_library_can_read():
    from thaw import _library, _tensors

    numbers = np.arange(6).reshape(2, 3)
    for array, expected in [
        (numbers.astype(np.float32), "float32"),
        (numbers.astype(">i2"), "int16"),
        (numbers.astype(">f8").T[::-1], "float64"),
        (numbers.astype(np.longdouble), "float32"),
        (np.array(3, ">i8"), "int64"),
    ]:
        tensor = _library.Tensor()
        kept = _tensors.fill(tensor, array, "float32")
        assert kept.dtype.name == expected and kept.dtype.isnative and tensor.data == kept.ctypes.data
        filled = _tensors.to_numpy(tensor)
        assert filled.shape == array.shape and np.array_equal(filled, array)


def test_labels_of_more_than_64_bits_are_refused(ct):
    for wide in (2**63, -(2**63) - 1):
        with pytest.raises(ValueError, match="64 bits"):
            ct.convert(GRAPH, classifier_config=ct.ClassifierConfig([wide] + list(range(9))))
    edges = [2**63 - 1, -(2**63)] + list(range(8))
    assert ct.Classifier(ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(edges)))._labels == edges


def test_messages_of_the_library_are_spelled_for_python():
    from thaw import _wording

    for parts, expected in [
        (
            ["set it with ", {"option": "size"}, " or ", {"option": "batch_norm"}],
            "set it with ImageType.shape or batch_norm",
        ),
        ([{"option": "minimum_count"}, " lowers it"], "weight_threshold lowers it"),
        (["set it with ", {"option": "size"}, " WxH"], "set it with ImageType.shape=(1, height, width, channels)"),
        ([{"option": "size"}, " 320x224 works"], "ImageType.shape=(1, 224, 320, channels) works"),
        ([{"option": "size"}, " 3x4x5"], "ImageType.shape 3x4x5"),
        (["use ", {"option": "outputs"}, " NODE"], 'use outputs=["NODE"]'),
        ([{"option": "maximum_pixels"}, " raises it"], "max_pixels raises it"),
        (["use ", {"task": "detect"}, ", or ", {"task": "evaluate_detector"}], "use thaw.Detector, or thaw.evaluate"),
        (["use ", {"task": "later"}], "use later"),
        (["use ", {"option": "input"}, " NODE after"], 'use inputs=[thaw.ImageType("NODE")] after'),
        ([{"option": "outputs"}, " a/b"], 'outputs=["a/b"]'),
        ([{"option": "outputs"}, " a ", {"option": "outputs"}, " b"], 'outputs=["a", "b"]'),
        ([{"option": "outputs"}, " a returns the scores"], 'outputs=["a"] returns the scores'),
        ([{"option": "input"}, " a converts the rest"], 'inputs=[thaw.ImageType("a")] converts the rest'),
        (
            [{"option": "outputs"}, " a ", {"option": "outputs"}, " b converts the rest"],
            'outputs=["a", "b"] converts the rest',
        ),
        ([{"option": "outputs"}, " names 'a' twice"], "outputs names 'a' twice"),
        ([{"option": "outputs"}, " selects those of a graph"], "outputs selects those of a graph"),
        (
            [{"option": "input"}, " a ", {"option": "size"}, " 3x4"],
            'inputs=[thaw.ImageType("a", shape=(1, 4, 3, channels))]',
        ),
        (["a pipeline; thaw_model_predict takes its values"], "a pipeline; MLModel.predict takes its values"),
        (["options.crop: 'x' is unknown"], "crop: 'x' is unknown"),
        (["options.target: 'x' is unknown"], "minimum_deployment_target: 'x' is unknown"),
        (["options.inputs[2].scale is NULL"], "inputs[2].scale is NULL"),
        (["my-options.crop and a/options.crop"], "my-options.crop and a/options.crop"),
    ]:
        assert _wording.of_library(parts) == expected


def test_wrong_choices_are_named_by_keyword(ct, model):
    for arguments in ({"crop": "nonsense"}, {"resize": "nonsense"}, {"precision": "nonsense"}):
        with pytest.raises(ct.Error, match=next(iter(arguments))) as caught:
            ct.Classifier(model, **arguments)
        assert "options." not in str(caught.value)


def test_16_bit_outputs_are_the_same_before_saving(ct, photo, tmp_path):
    model = ct.convert(GRAPH, outputs=[ct.TensorType(dtype=np.float16)], minimum_deployment_target=ct.target.iOS16)
    (before,) = model.predict({"input": photo}).values()
    model.save(str(tmp_path / "half.mlpackage"))
    (after,) = ct.models.MLModel(str(tmp_path / "half.mlpackage")).predict({"input": photo}).values()
    assert before.dtype == after.dtype == np.float16
    np.testing.assert_array_equal(before, after)


def test_a_precision_by_operation_is_for_coremltools(ct):
    class FP16ComputePrecision:
        pass

    with pytest.raises(ct.UnsupportedError, match="FP16ComputePrecision.*coremltools converts.*FLOAT32"):
        ct.convert(GRAPH, compute_precision=FP16ComputePrecision())


def test_arguments_of_older_converters_are_explained(ct):
    with pytest.raises(TypeError) as refusal:
        ct.convert(tf_model_path=GRAPH, mlmodel_path="m.mlmodel", image_scale=1 / 255, class_labels=LABELS, bogus=1)
    text = str(refusal.value)
    assert "'image_scale'; use inputs=[thaw.ImageType(" in text
    assert "'class_labels'; use classifier_config=thaw.ClassifierConfig(labels)" in text
    assert text.endswith("no argument 'bogus'")
