"""Compressed weights, against the command's."""

import os

import pytest
from material import GRAPH, LABELS, thaw_command

pytest.importorskip("numpy")


@pytest.mark.parametrize("weights, convert_to", [
    ("palette6", "mlprogram"), ("palette4", "neuralnetwork"), ("palette8", None), ("int8", "mlprogram"), ("int8", None),
])  # fmt: skip
def test_weights_are_compressed_as_by_the_command(ct, photo, tmp_path, weights, convert_to):
    coreml = ct.optimize.coreml

    def compressed(model):
        if weights == "int8":
            config = coreml.OpLinearQuantizerConfig(mode="linear_symmetric")
            return coreml.linear_quantize_weights(model, coreml.OptimizationConfig(global_config=config))
        config = coreml.OpPalettizerConfig(mode="kmeans", nbits=int(weights[-1]))
        return coreml.palettize_weights(model, config=coreml.OptimizationConfig(global_config=config))

    def content(path):
        if os.path.isdir(path):
            path = os.path.join(path, "Data/com.apple.CoreML/weights/weight.bin")
        with open(path, "rb") as file:
            return file.read()

    ending = ".mlpackage" if convert_to == "mlprogram" else ".mlmodel"
    whole, of_graph, converted, of_file, theirs = (
        str(tmp_path / name) + ending for name in ("whole", "of_graph", "converted", "of_file", "theirs")
    )
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS), convert_to=convert_to)
    model.save(whole)
    small = compressed(model)
    assert small.predict({"input": photo})["classLabel"] == "cat"
    small.save(of_graph)
    assert len(content(of_graph)) < 0.7 * len(content(whole))
    # A converted model still has the graph's weights; those of a saved ML Program are rounded to float16.
    target = ["--target", "iOS14"] if convert_to == "neuralnetwork" else []
    thaw_command("convert", GRAPH, "--labels", LABELS, "-o", converted, "--weights", weights, "--quiet", *target)
    assert content(of_graph) == content(converted)
    compressed(ct.models.MLModel(whole)).save(of_file)
    thaw_command("compress", whole, "-o", theirs, "--weights", weights, "--quiet")
    assert content(of_file) == content(theirs)


def test_a_compressed_model_keeps_its_precision(ct, tmp_path):
    coreml = ct.optimize.coreml
    model = ct.convert(GRAPH, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32)
    config = coreml.OptimizationConfig(global_config=coreml.OpLinearQuantizerConfig())
    ours, theirs = str(tmp_path / "ours.mlpackage"), str(tmp_path / "theirs.mlpackage")
    coreml.linear_quantize_weights(model, config).save(ours)
    thaw_command("convert", GRAPH, "-o", theirs, "--weights", "int8", "--compute-precision", "float32", "--quiet")
    for part in ("model.mlmodel", "weights/weight.bin"):
        contents = []
        for package in (ours, theirs):
            with open(os.path.join(package, "Data/com.apple.CoreML", part), "rb") as file:
                contents.append(file.read())
        assert contents[0] == contents[1]


@pytest.mark.parametrize("ending", [".mlmodel", ".mlpackage"])
def test_a_model_without_large_weights_is_copied(ct, photo, tmp_path, ending):
    coreml = ct.optimize.coreml
    path, copied = str(tmp_path / "model") + ending, str(tmp_path / "copy") + ending
    ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS)).save(path)
    model = ct.models.MLModel(path)
    for compress, config in (
        (coreml.linear_quantize_weights, coreml.OpLinearQuantizerConfig(weight_threshold=10**7)),
        (coreml.palettize_weights, coreml.OpPalettizerConfig(nbits=4, weight_threshold=10**7)),
    ):
        copy = compress(model, coreml.OptimizationConfig(global_config=config))
        assert copy is not model
        assert copy.predict({"input": photo}) == model.predict({"input": photo})
        copy.author = "of the copy"
        assert model.author != copy.author
        copy.save(copied)
        assert byte_count(copied) == pytest.approx(byte_count(path), rel=0.01)


def test_invalid_configurations_are_refused(ct, model):
    coreml = ct.optimize.coreml
    palette = coreml.OptimizationConfig(global_config=coreml.OpPalettizerConfig(nbits=4))
    for call in (
        lambda: coreml.linear_quantize_weights(model, palette),
        lambda: coreml.palettize_weights(model, coreml.OptimizationConfig()),
        lambda: coreml.palettize_weights(model, coreml.OpPalettizerConfig(nbits=4)),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: coreml.palettize_weights(model, palette, joint_compression=True),
        lambda: coreml.OptimizationConfig(op_type_configs={"conv": None}),
        lambda: coreml.OptimizationConfig(op_selector=lambda op: True),
        lambda: coreml.OptimizationConfig.from_yaml("config.yaml"),
        lambda: coreml.OptimizationConfig.from_dict({}),
        lambda: palette.set_op_type("conv", None),
        lambda: palette.set_op_name("stem", None),
    ):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(AttributeError, match="coremltools.models.MLModel"):
        model._is_multifunction()


def test_a_configuration_may_be_set_later(ct, model, photo):
    coreml = ct.optimize.coreml
    config = coreml.OptimizationConfig()
    config.set_global(coreml.OpPalettizerConfig(nbits=6))
    assert coreml.palettize_weights(model, config).predict({"input": photo})["classLabel"] == "cat"


def palettized(ct, model, bits=4):
    coreml = ct.optimize.coreml
    return coreml.palettize_weights(model, coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=bits)))


def byte_count(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


@pytest.mark.parametrize("kind", ["graph", ".mlmodel", ".mlpackage"])
def test_a_model_of_undecided_kind_stays_compressed_in_both(ct, photo, tmp_path, kind):
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    if kind != "graph":
        model.save(tmp_path / ("source" + kind))
        model = ct.models.MLModel(tmp_path / ("source" + kind))
    model.author, model.user_defined_metadata["old"] = "before", "1"
    whole = model.predict({"input": photo})
    small = palettized(ct, model)
    model.author = "of the source"
    small.author, small.user_defined_metadata["new"] = "of the copy", "2"
    del small.user_defined_metadata["old"]
    small.output_description["classLabel"] = "What it is"
    model.close()
    expected = small.predict({"input": photo})
    assert expected != whole
    for ending in (".mlpackage", ".mlmodel", ".mlpackage"):
        path = str(tmp_path / "small") + ending
        small.save(path)
        assert byte_count(path) < 0.25 * byte_count(GRAPH)
        read = ct.models.MLModel(path)
        assert read.author == small.author and read.output_description["classLabel"] == "What it is"
        assert "old" not in read.user_defined_metadata and read.user_defined_metadata["new"] == "2"
        assert read.predict({"input": photo})["probabilities"] == pytest.approx(expected["probabilities"], abs=0.05)
        small.author += "; written"
    with pytest.raises(ct.Error, match="already compressed"):
        palettized(ct, small, 8)


def test_a_decided_kind_is_that_of_the_compressed_model(ct, tmp_path):
    program = palettized(ct, ct.convert(GRAPH, convert_to="mlprogram"))
    with pytest.raises(ct.Error, match="an ML Program cannot be a .mlmodel file"):
        program.save(tmp_path / "small.mlmodel")
    network = palettized(ct, ct.convert(GRAPH, convert_to="neuralnetwork"))
    network.save(tmp_path / "small.mlpackage")
    assert ct.inspect(tmp_path / "small.mlpackage")["model"]["kind"] == "neuralNetwork"
    for small, path in ((program, "program.mlpackage"), (network, "network.mlmodel")):
        small.save(tmp_path / path.split(".")[0])
        assert os.path.exists(str(tmp_path / path))


def test_compression_raises_the_version_of_a_program(ct, photo):
    coreml = ct.optimize.coreml
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS), minimum_deployment_target=ct.target.iOS15)
    config = coreml.OptimizationConfig(global_config=coreml.OpLinearQuantizerConfig(mode="LINEAR_SYMMETRIC"))
    assert coreml.linear_quantize_weights(model, config).predict({"input": photo})["classLabel"] == "cat"
