"""MLModel of pipelines: the answers of scikit-learn in the fixtures, in Python's types."""

import json
import os

import pytest
from material import FIXTURES, PHOTOS

np = pytest.importorskip("numpy")

PIPELINES = os.path.join(FIXTURES, "pipelines")


def pipeline(name):
    import thaw

    return thaw.models.MLModel(os.path.join(PIPELINES, name + ".mlmodel"))


def rows(name):
    with open(os.path.join(PIPELINES, name + ".jsonl")) as file:
        return [json.loads(line) for line in file]


def keyed(model, name, value):
    """A value of JSON, in which keys are strings and null is a missing number, as Python has it."""
    feature = next(f for part in ("inputs", "outputs") for f in model._description[part] if f["name"] == name)
    if isinstance(value, dict):
        return {int(key) if feature["keyType"] == "int64" else key: number for key, number in value.items()}
    if isinstance(value, list):
        return np.array(value, dtype=float)
    return float("nan") if value is None else value


@pytest.mark.parametrize(
    "name",
    ["iris_logistic", "iris_tree", "dictionary", "one_hot", "diabetes_ridge", "digits_logistic", "hand_categories",
     "only_scaler", "wine_neighbors", "hand_zero_class"],
)  # fmt: skip
def test_outputs_are_those_of_the_fixtures(name):
    with pipeline(name) as model:
        for row in rows(name)[:5]:
            answer = model.predict({key: keyed(model, key, value) for key, value in row["inputs"].items()})
            for key, value in row["outputs"].items():
                expected = keyed(model, key, value)
                if isinstance(expected, np.ndarray):
                    assert isinstance(answer[key], np.ndarray)
                    np.testing.assert_allclose(answer[key].ravel(), expected.ravel(), rtol=1e-9, atol=1e-12)
                elif isinstance(expected, dict):
                    assert answer[key] == pytest.approx(expected, rel=1e-9, abs=1e-12)
                elif isinstance(expected, str):
                    assert answer[key] == expected
                else:
                    assert answer[key] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_list_gives_a_list_of_python_types():
    with pipeline("hand_categories") as model:
        answers = model.predict([{"color": "red", "size": 1}, {"color": "blue", "size": np.float32(-2)}])
        assert [answer["name"] for answer in answers] == ["rouge", "bleu"]
        assert type(answers[0]["picked"]) is int and answers[0]["vector"].tolist() == [0, 1, 0, 0, 1.5][:3] + [0, 1]


def test_values_that_do_not_fit_are_refused(ct):
    with pipeline("hand_categories") as model:
        for inputs, error, code in [
            ({}, ValueError, "noInput"),
            ({"color": "red", "size": 1, "x": 2}, KeyError, "noSuchFeature"),
            ({"color": 3, "size": 1}, TypeError, "wrongType"),
            ({"color": "red", "size": "1"}, TypeError, "wrongType"),
            ({"color": "red", "size": None}, TypeError, "wrongType"),
        ]:
            with pytest.raises(error) as caught:
                model.predict(inputs)
            assert isinstance(caught.value, ct.Error) and caught.value.code == code
    # The label of a classifier that cannot handle missing numbers would be arbitrary.
    with pipeline("iris_logistic") as model:
        lengths = {"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": float("nan")}
        with pytest.raises(ValueError, match="a number in 'petal_width' is missing or NaN") as caught:
            model.predict(lengths)
        assert caught.value.code == "noInput" and caught.value.names == ["petal_width"]
    with pipeline("dictionary") as model:
        for value in (3, {1: 2.0}, {"temperature": "warm"}, [("temperature", 3)]):
            with pytest.raises(TypeError):
                model.predict({"input": value})
    with pipeline("only_scaler") as model:
        for value in (np.zeros(2), np.array(["a", "b"]), "x"):
            with pytest.raises(ct.Error):
                model.predict({"input": value})


def test_numbers_that_are_too_large_are_refused(ct):
    with pipeline("hand_tree_modes") as model:
        inputs = {"a": 0.5, "b": 0, "c": [1.0, 2.0, 3.0, 4.0]}
        for edge in (2**63 - 1, -(2**63)):
            model.predict(dict(inputs, b=edge))
        for wide in (2**63, -(2**63) - 1, 2**64, 10**5000):
            with pytest.raises(ct.InvalidValueError, match="'b'.* does not fit into 64 bits"):
                model.predict(dict(inputs, b=wide))
        with pytest.raises(ct.InvalidValueError, match="'a'.* too large"):
            model.predict(dict(inputs, a=10**400))
    with pipeline("dictionary") as model:
        with pytest.raises(ct.InvalidValueError, match="'input'.* too large"):
            model.predict({"input": {"temperature": 10**400}})


def test_a_pipeline_is_described_changed_and_saved(ct, tmp_path):
    with pipeline("iris_logistic") as model:
        assert model._description["stages"][-1]["kind"] == "glmClassifier"
        model.author = "A. Author"
        model.user_defined_metadata["key"] = "value"
        model.save(tmp_path / "copy")
        with ct.models.MLModel(tmp_path / "copy.mlmodel") as copy:
            assert copy.author == "A. Author" and copy.user_defined_metadata["key"] == "value"
            assert repr(copy) == repr(model)
        with pytest.raises(ct.Error) as caught:
            model.save(tmp_path / "copy.mlpackage")
        assert caught.value.code == "unknownFormat"
        description = ct.inspect(model)["model"]
        assert description["kind"] == "pipeline" and description["classifier"]["labels"][0] == "setosa"
        with pytest.raises(ct.Error):
            ct.Detector(model)


def test_a_pipeline_of_images_classifies(ct):
    image = pytest.importorskip("PIL.Image")
    with pipeline("image_colors") as model:
        size = (model._description["inputs"][0]["width"], model._description["inputs"][0]["height"])
        red = image.new("RGB", size, (250, 10, 10))
        (name,) = [feature["name"] for feature in model._description["inputs"]]
        label = model.predict({name: red})[model._description["classifier"]["predictedFeatureName"]]
        results = list(ct.Classifier(model).classify([red, np.asarray(red), os.path.join(PHOTOS, "cat.jpg")]))
        assert [result.label for result in results[:2]] == [label, label] and results[2].error is None
        with pytest.raises(TypeError):
            model.predict({name: red.convert("L")})
        with pytest.raises(ValueError):
            model.predict({name: image.new("RGB", (size[0] + 1, size[1]))})
