"""Flexible arrays, optional inputs, states and functions: torch's answers in the fixtures."""

import copy
import importlib.util
import json
import os

import pytest
from material import FIXTURES

np = pytest.importorskip("numpy")

INPUTS = os.path.join(FIXTURES, "inputs")


def rows(name):
    with open(os.path.join(INPUTS, name + ".jsonl")) as file:
        for line in file:
            row = json.loads(line)
            yield [
                {key: np.array(value, np.float32) for key, value in row[part].items()} for part in ("inputs", "outputs")
            ]


@pytest.mark.parametrize(
    "file", ["ranges.mlpackage", "enumerated.mlpackage", "enumerated_network.mlmodel", "optional.mlpackage"]
)
def test_flexible_and_optional_arrays_are_accepted(ct, file):
    with ct.models.MLModel(os.path.join(INPUTS, file)) as model:
        for inputs, outputs in rows(file.split(".")[0]):
            answer = model.predict(inputs)["y"]
            assert answer.shape == outputs["y"].shape
            np.testing.assert_allclose(answer, outputs["y"], atol=1e-5)
            np.testing.assert_allclose(model.predict({k: v.astype(np.float16) for k, v in inputs.items()})["y"], answer)


def test_other_shapes_are_refused(ct):
    for file, shape, words in [
        ("ranges.mlpackage", (7, 5, 4), "1..6, 1..9, 4"),
        ("enumerated.mlpackage", (1, 2, 3, 4), "(1, 2, 4, 4)"),
    ]:
        with ct.models.MLModel(os.path.join(INPUTS, file)) as model:
            with pytest.raises(ValueError) as caught:
                model.predict({"x": np.zeros(shape, np.float32)})
            assert words in str(caught.value)


def test_a_state_passes_from_prediction_to_prediction(ct):
    with ct.models.MLModel(os.path.join(INPUTS, "stateful.mlpackage")) as model:
        state, other = model.make_state(), model.make_state()
        for inputs, outputs in rows("stateful"):
            np.testing.assert_allclose(model.predict(inputs, state=state)["y"], outputs["y"], rtol=1e-3, atol=1e-3)
        inputs, outputs = next(rows("stateful"))
        np.testing.assert_allclose(model.predict(inputs, other)["y"], outputs["y"], rtol=1e-3, atol=1e-3)
        with pytest.raises(ct.Error, match=r"no state is given; pass state=model\.make_state\(\)"):
            model.predict(inputs)
        # What one state keeps continues in another.
        name = model._description["states"][0]
        kept = state.read_state(name)
        assert kept.any() and kept.dtype.kind == "f"
        third = model.make_state()
        assert not third.read_state(name).any()
        for each in model._description["states"]:
            third.write_state(each, state.read_state(each).astype(np.float64))
        np.testing.assert_array_equal(third.read_state(name), kept)
        np.testing.assert_array_equal(model.predict(inputs, third)["y"], model.predict(inputs, state)["y"])
        for wrong, value in [("other", kept), (name, kept[..., :-1])]:
            with pytest.raises(ct.Error):
                third.write_state(wrong, value)
        with pytest.raises(TypeError):
            third.write_state(name, ["a"])
        with pytest.raises(ct.Error):
            third.read_state("other")
        for call in (lambda: third.read_state(3), lambda: third.write_state(3, kept)):
            with pytest.raises(ct.InvalidTypeError, match="the name of a state must be a string"):
                call()
        with pytest.raises(ct.Error):
            model.predict(inputs)
        with pytest.raises(TypeError):
            model.predict(inputs, state="x")
        for wrong in ("x", (inputs,)):
            with pytest.raises(TypeError, match="dictionary"):
                model.predict(wrong, state=state)
        for owner in (model, state):
            with pytest.raises(TypeError, match="cannot be copied"):
                copy.copy(owner)
        with ct.models.MLModel(os.path.join(INPUTS, "ranges.mlpackage")) as stateless:
            with pytest.raises(ct.Error):
                stateless.make_state()
            with pytest.raises(ValueError):
                stateless.predict({"x": np.zeros((2, 5, 4))}, state=other)


def test_a_function_is_selected_by_name(ct):
    path = os.path.join(FIXTURES, "sequences", "functions.mlpackage")
    for name in ("negate", "double"):
        with open(os.path.join(FIXTURES, "sequences", f"functions_{name}.jsonl")) as file:
            row = json.loads(file.readline())
        with ct.models.MLModel(path, function_name=name) as model:
            answer = model.predict({key: np.array(value, np.float32) for key, value in row["inputs"].items()})
            for key, value in row["outputs"].items():
                np.testing.assert_allclose(answer[key], np.array(value, np.float32), rtol=1e-5, atol=1e-5)
    with pytest.raises(ct.Error, match="triple"):
        ct.models.MLModel(path, function_name="triple")
    with pytest.raises(ct.Error):
        ct.models.MLModel(os.path.join(FIXTURES, "pipelines", "only_scaler.mlmodel"), function_name="main")


def test_a_function_stays_selected(ct, tmp_path):
    path = os.path.join(FIXTURES, "sequences", "functions.mlpackage")
    with open(os.path.join(FIXTURES, "sequences", "functions_negate.jsonl")) as file:
        row = json.loads(file.readline())
    inputs = {key: np.array(value, np.float32) for key, value in row["inputs"].items()}
    (output,) = row["outputs"]
    model = ct.models.MLModel(path, function_name="negate")
    assert model.function_name == "negate"
    expected = model.predict(inputs)[output]
    coreml = ct.optimize.coreml
    config = coreml.OptimizationConfig(global_config=coreml.OpLinearQuantizerConfig(weight_threshold=1))
    others = [coreml.linear_quantize_weights(model, config)]
    # A model's specification needs coremltools.
    if importlib.util.find_spec("coremltools"):
        others.append(ct.models.MLModel(model))
    for other in others:
        np.testing.assert_allclose(other.predict(inputs)[output], expected, atol=0.05 * np.abs(expected).max())
    with pytest.raises(ct.Error, match="default function"):
        ct.compare(model, path, path)
    name = next(iter(inputs))
    model.input_description[name] = "numbers"
    model.save(str(tmp_path / "described.mlpackage"))
    for function, text in (("negate", "numbers"), ("double", "")):
        with ct.models.MLModel(str(tmp_path / "described.mlpackage"), function_name=function) as saved:
            assert saved.input_description[name] == text
