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
    thaw_command("convert", GRAPH, "--labels", LABELS, "-o", converted, "--weights", weights, "--quiet")
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


def test_what_is_no_configuration_is_refused(ct, model):
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
    ):
        with pytest.raises(NotImplementedError):
            call()
