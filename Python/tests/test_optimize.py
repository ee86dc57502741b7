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
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS), convert_to=convert_to)
    if weights == "int8":
        small = coreml.linear_quantize_weights(
            model, coreml.OptimizationConfig(global_config=coreml.OpLinearQuantizerConfig(mode="linear_symmetric"))
        )
    else:
        config = coreml.OpPalettizerConfig(mode="kmeans", nbits=int(weights[-1]))
        small = coreml.palettize_weights(model, config=coreml.OptimizationConfig(global_config=config))
    assert small.predict({"input": photo})["classLabel"] == "cat"
    ending = ".mlpackage" if convert_to == "mlprogram" else ".mlmodel"
    names = [str(tmp_path / name) + ending for name in ("whole", "small", "theirs")]
    model.save(names[0])
    small.save(names[1])
    thaw_command("compress", names[0], "-o", names[2], "--weights", weights, "--quiet")

    def content(path):
        if os.path.isdir(path):
            path = os.path.join(path, "Data/com.apple.CoreML/weights/weight.bin")
        with open(path, "rb") as file:
            return file.read()

    assert len(content(names[1])) < 0.7 * len(content(names[0]))
    assert content(names[1]) == content(names[2])


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
