"""Detector: boxes in many images, of any size and kind, in their order."""

import json
import os

import pytest
from material import FIXTURES, thaw_command

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")

MODEL = os.path.join(FIXTURES, "detectors", "yolo8.mlpackage")
PHOTO = os.path.join(FIXTURES, "detectors", "shapes0.png")
OTHER = os.path.join(FIXTURES, "detectors", "shapes1.png")


@pytest.fixture(scope="module")
def detector():
    import thaw

    return thaw.Detector(MODEL, confidence=0.2, crop="fit", background="#727272")


def test_objects_are_those_of_the_command(detector):
    words = ["--confidence", "0.2", "--crop", "fit", "--background", "#727272", "--format", "json"]
    expected = [json.loads(line) for line in thaw_command("detect", MODEL, PHOTO, OTHER, *words).splitlines()]
    results = list(detector.detect([PHOTO, OTHER]))
    assert [result.path for result in results] == [PHOTO, OTHER]
    assert detector.labels
    for result, line in zip(results, expected):
        assert (result.width, result.height) == (line["width"], line["height"])
        assert [(one.label, one.index) for one in result.objects] == [
            (one["label"], one["index"]) for one in line["objects"]
        ]
        for one, other in zip(result.objects, line["objects"]):
            for key in ("confidence", "x", "y", "width", "height"):
                assert getattr(one, key) == pytest.approx(other[key], abs=1e-4)
    assert sum(len(result.objects) for result in results) > 0


def test_every_kind_of_image_gives_the_same_objects(detector):
    with open(PHOTO, "rb") as file:
        data = file.read()
    photo = Image.open(PHOTO).convert("RGB")
    (expected,) = detector.detect(PHOTO)
    for image in (data, bytearray(data), photo, np.asarray(photo), PHOTO):
        (result,) = detector.detect([image])
        assert result.objects == expected.objects, type(image)
    for single in (data, photo, np.asarray(photo)):
        assert [result.objects for result in detector.detect(single)] == [expected.objects]


def test_bad_images_yield_errors_in_their_positions(detector, ct, tmp_path):
    damaged = tmp_path / "damaged.jpg"
    damaged.write_bytes(b"\xff\xd8 nonsense")
    results = list(detector.detect(iter([PHOTO, "none.png", str(damaged), 3, np.zeros((4, 4)), OTHER])))
    assert [result.error is None for result in results] == [True, False, False, False, False, True]
    assert isinstance(results[1].error, FileNotFoundError) and isinstance(results[3].error, TypeError)
    assert results[1].objects == [] and "error" in repr(results[1])


def test_many_images_give_results_in_order(detector):
    given = [PHOTO, OTHER] * 40
    (first,), (second,) = detector.detect(PHOTO), detector.detect(OTHER)
    results = list(detector.detect((image for image in given), threads=2))
    assert [result.objects for result in results] == [first.objects, second.objects] * 40
    batch = detector.detect(given)
    next(batch)
    batch.close()
    with pytest.raises(StopIteration):
        next(batch)


def test_a_table_has_a_row_for_each_object_and_error(detector):
    pytest.importorskip("pandas")
    (result,) = detector.detect(PHOTO)
    frame = detector.detect([PHOTO, "none.png"]).to_pandas()
    assert len(frame) == len(result.objects) + 1 and frame["error"].notna().sum() == 1


def test_other_models_and_invalid_thresholds_are_refused(ct, model):
    with pytest.raises(ct.UnsupportedError):
        ct.Detector(model)
    with pytest.raises(ValueError):
        ct.Detector(MODEL, iou=2)
    with pytest.raises(TypeError):
        ct.Detector(MODEL, confidence="high")
    with pytest.raises(ct.UnsupportedError):
        ct.Classifier(MODEL)


def test_predict_returns_what_core_ml_returns(ct):
    with ct.models.MLModel(MODEL) as model:
        feature = model._description["inputs"][0]
        photo = Image.open(PHOTO).convert("RGB").resize((feature["width"], feature["height"]))
        answer = model.predict({"image": photo, "confidenceThreshold": 0.2})
        assert set(answer) == {"confidence", "coordinates"}
        (result,) = ct.Detector(model, confidence=0.2).detect(photo)
        assert answer["coordinates"].shape == (len(result.objects), 4)
        assert answer["confidence"].max(axis=1).tolist() == pytest.approx([one.confidence for one in result.objects])


def test_invalid_pixel_limits_are_refused(ct):
    with pytest.raises(ValueError, match="max_pixels"):
        ct.Detector(MODEL, max_pixels=-1)
