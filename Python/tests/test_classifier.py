"""Classifier: many images, of any size and kind, in their order."""

import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest
from material import CAT, GRAPH, LABELS, PHOTOS, labels, thaw_command

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def classifier():
    import thaw

    return thaw.Classifier(thaw.convert(GRAPH, classifier_config=thaw.ClassifierConfig(LABELS)))


@pytest.fixture
def paths():
    return sorted(os.path.join(PHOTOS, name) for name in os.listdir(PHOTOS) if name.endswith(".jpg"))


def test_a_folder_is_classified_as_by_the_command(classifier, tmp_path):
    model = str(tmp_path / "model.mlmodel")
    classifier.model.save(model)
    expected = [json.loads(line) for line in thaw_command("classify", model, PHOTOS, "--format", "json").splitlines()]
    results = list(classifier.classify(PHOTOS))
    assert [result.path for result in results] == [line["image"] for line in expected]
    for result, line in zip(results, expected):
        assert [(part.label, part.index) for part in result.predictions] == [
            (part["label"], part["index"]) for part in line["predictions"]
        ]
        assert [part.probability for part in result.predictions] == pytest.approx(
            [part["probability"] for part in line["predictions"]], abs=1e-6
        )
        assert len(result.predictions) == 5 and result.error is None
        assert (result.label, result.probability) == (result.predictions[0].label, result.predictions[0].probability)


def test_every_kind_of_image_gives_the_same_answer(classifier):
    with open(CAT, "rb") as file:
        data = file.read()
    pixels = np.asarray(Image.open(CAT).convert("RGB"))
    read_only = pixels.copy()
    read_only.setflags(write=False)
    opaque = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])
    given = [CAT, data, bytearray(data), memoryview(data), Image.open(CAT), pixels, pixels[:, ::-1].copy()[:, ::-1],
             np.asfortranarray(pixels), read_only, opaque]  # fmt: skip
    (expected,) = classifier.classify(CAT, top=10)
    for image in given:
        results = list(classifier.classify([image], top=10))
        assert len(results) == 1
        # Pillow's decoder of JPEG may round another way than the library's.
        assert [
            part.probability for part in sorted(results[0].predictions, key=lambda part: part.index)
        ] == pytest.approx(
            [part.probability for part in sorted(expected.predictions, key=lambda part: part.index)], abs=0.02
        ), type(image)
    for single in (data, Image.open(CAT), pixels):
        assert [result.label for result in classifier.classify(single)] == [expected.label]


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "CMYK", "YCbCr", "1", "I", "F"])
def test_pil_images_of_every_mode_are_accepted(classifier, mode):
    image = Image.open(CAT)
    image = image.convert("RGBA").convert(mode) if mode == "LA" else image.convert(mode)
    (result,) = classifier.classify([image])
    assert result.error is None and len(result.predictions) == 5


def test_bad_images_yield_errors_in_their_positions(classifier, ct, paths, tmp_path):
    damaged = tmp_path / "damaged.jpg"
    damaged.write_bytes(b"\xff\xd8 nonsense")
    given = [
        (CAT, None), ("no such file.jpg", FileNotFoundError), (str(damaged), ct.Error), (b"", ct.Error),
        (b"nonsense", ct.Error), (3, TypeError), (None, TypeError), (np.zeros((5, 5, 3)), TypeError),
        (np.zeros((5, 5, 2), np.uint8), ValueError), (np.zeros((0, 5, 3), np.uint8), ValueError),
        (np.zeros(5, np.uint8), ValueError), (GRAPH, ct.Error), (CAT, None),
    ]  # fmt: skip
    results = list(classifier.classify(iter([image for image, _ in given])))
    assert len(results) == len(given)
    for result, (image, error) in zip(results, given):
        if error is None:
            assert result.error is None and result.label
        else:
            assert isinstance(result.error, error) and isinstance(result.error, ct.Error), image
            assert result.predictions == [] and result.label is None and result.error.code
    assert results[1].path == "no such file.jpg"


def test_a_path_with_a_null_character_is_refused(classifier, ct):
    path = CAT + "\0.png"
    for images in (path, [path], [CAT, path]):
        with pytest.raises(ct.InvalidValueError, match="null character"):
            classifier.classify(images)
    first, second = classifier.classify(iter([CAT, path]))
    assert first.error is None and "null character" in str(second.error) and second.path == path


def test_a_truncated_pil_image_is_an_error(classifier):
    with open(CAT, "rb") as file:
        data = file.read()
    (result,) = classifier.classify([Image.open(io.BytesIO(data[: len(data) // 2]))])
    assert result.error.code == "imageDamaged"


def test_results_come_in_order_while_images_are_drawn(classifier):
    drawn = itertools.count()
    pixels = [np.full((8, 8, 3), shade, np.uint8) for shade in range(0, 256, 32)]

    def images():
        for index in range(500):
            next(drawn)
            yield pixels[index % 8]

    single = [next(iter(classifier.classify(image, top=10))).predictions for image in pixels]
    results = classifier.classify(images(), top=10, threads=2)
    for index, result in enumerate(results):
        assert result.predictions == single[index % 8]
        if index == 0:
            ahead = next(drawn)
    # Memory does not grow with the number of images: only some are drawn ahead.
    assert ahead < 200


def test_results_may_be_left_unread(classifier, paths):
    results = classifier.classify(itertools.repeat(CAT))
    assert next(results).label == next(results).label
    results.close()
    with pytest.raises(StopIteration):
        next(results)
    with classifier.classify(itertools.cycle(paths)) as results:
        next(results)
    for _ in range(20):
        next(classifier.classify(itertools.repeat(CAT)))


@pytest.mark.parametrize("kind", ["list", "generator"])
def test_several_threads_take_each_result_once(classifier, kind):
    pixels = [np.full((8, 8, 3), shade, np.uint8) for shade in range(0, 256, 32)]
    count = 400
    images = [CAT] * count if kind == "list" else (pixels[index % 8] for index in range(count))
    results, taken, failures = classifier.classify(images, threads=2), [], []

    def work():
        try:
            for result in results:
                taken.append(result)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == [] and len(taken) == count and all(result.error is None for result in taken)


def test_an_error_of_the_iterable_is_raised(classifier):
    def images():
        yield CAT
        yield CAT
        raise RuntimeError("no more")

    results = classifier.classify(images())
    assert [next(results).error, next(results).error] == [None, None]
    with pytest.raises(RuntimeError, match="no more"):
        next(results)
    with pytest.raises(StopIteration):
        next(results)


def test_images_after_an_error_of_the_iterable_are_classified(classifier):
    class Images:
        drawn = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.drawn += 1
            if self.drawn == 5:
                raise StopIteration
            if self.drawn % 2 == 0:
                raise RuntimeError("not this one")
            return CAT

    images, seen = Images(), []
    results = classifier.classify(images)
    for _ in range(5):
        try:
            seen.append(next(results).error)
        except RuntimeError:
            seen.append(images.drawn)
        except StopIteration:
            seen.append("end")
    # Nothing is drawn before the caller has seen the error.
    assert seen == [None, 2, None, 4, "end"]


def test_no_images_give_no_results(classifier, tmp_path):
    assert list(classifier.classify([])) == list(classifier.classify(iter(()))) == []
    assert list(classifier.classify(str(tmp_path))) == []
    with pytest.raises(TypeError):
        classifier.classify(3)


@pytest.mark.parametrize("arguments", [{"top": 0}, {"top": 1.5}, {"threads": 0}, {"threads": -1}, {"top": True}])
def test_wrong_numbers_are_refused(classifier, arguments):
    with pytest.raises((ValueError, TypeError)):
        classifier.classify(CAT, **arguments)


def test_options_are_keywords(classifier):
    with pytest.raises(TypeError, match="positional"):
        classifier.classify(CAT, 5)


@pytest.mark.parametrize("arguments", [{"crop": "nonsense"}, {"resize": "nonsense"}, {"background": "red"}])
def test_wrong_options_are_refused(ct, model, arguments):
    with pytest.raises(ValueError):
        ct.Classifier(model, **arguments)


def test_options_are_those_of_the_command(ct, classifier, tmp_path):
    path = str(tmp_path / "model.mlmodel")
    classifier.model.save(path)
    for options, words in (
        ({"crop": "center:0.5", "resize": "bicubic"}, ["--crop", "center:0.5", "--resize", "bicubic"]),
        ({"crop": "fit", "background": "#FF0000"}, ["--crop", "fit", "--background", "#FF0000"]),
    ):
        (line,) = thaw_command("classify", path, CAT, "--format", "json", *words).splitlines()
        (result,) = ct.Classifier(path, **options).classify(CAT)
        assert result.probability == pytest.approx(json.loads(line)["predictions"][0]["probability"], abs=1e-6)
    (result,) = ct.Classifier(path, max_pixels=10).classify(CAT)
    assert result.error is not None


def test_all_probabilities_are_returned_on_request(classifier):
    (result,) = classifier.classify([CAT], probabilities=True)
    assert result.probabilities.shape == (10,) and result.probabilities.dtype == np.float32
    for part in result.predictions:
        assert result.probabilities[part.index] == part.probability and labels()[part.index] == part.label
    (result,) = classifier.classify([CAT])
    assert result.probabilities is None


def test_a_table_of_pandas(classifier, paths):
    pandas = pytest.importorskip("pandas")
    frame = classifier.classify(paths + ["no such file.jpg"], top=2).to_pandas()
    assert list(frame.columns) == ["path", "rank", "label", "index", "probability", "error"]
    assert len(frame) == 2 * len(paths) + 1
    assert list(frame["path"][::2]) == paths + ["no such file.jpg"]
    assert "no such file" in frame["error"].iloc[-1] and pandas.isna(frame["rank"].iloc[-1])


def test_progress_is_shown_by_tqdm(classifier, paths, capsys):
    pytest.importorskip("tqdm")
    list(classifier.classify(paths, progress=True))
    assert "{0}/{0}".format(len(paths)) in capsys.readouterr().err
    list(classifier.classify(paths, progress=False))
    assert capsys.readouterr().err == ""


def test_progress_needs_tqdm(classifier, ct, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ct.MachineError, match="progress=True needs tqdm"):
        classifier.classify([CAT], progress=True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert len(list(classifier.classify([CAT]))) == 1


def test_a_closed_classifier_is_refused(ct, model):
    classifier = ct.Classifier(model)
    results = classifier.classify([CAT])
    classifier.close()
    assert len(list(results)) == 1
    with pytest.raises(ValueError, match="closed"):
        classifier.classify([CAT])
    assert model.predict({"input": Image.open(CAT).resize((32, 32))})["classLabel"]  # The model lives on.


def test_reports_are_dictionaries(ct, model, tmp_path):
    for name in ("cat", "ship"):
        (tmp_path / name).mkdir()
        shutil.copy(CAT, str(tmp_path / name / "photo.jpg"))
    report = ct.evaluate(model, tmp_path, threads=1)
    assert report["images"] == 2
    with pytest.raises(ct.Error) as caught:
        ct.evaluate(model, tmp_path / "nowhere")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(ValueError):
        ct.evaluate(model, tmp_path, crop="nonsense")
    # Keywords are named like the command's options, not like the library's.
    with pytest.raises(ct.Error, match=r"(?<!-)\boutput: there is no node 'nonsense'"):
        ct.evaluate(GRAPH, tmp_path, labels=LABELS, output="nonsense")
    comparison = ct.compare(GRAPH, model, CAT)
    assert comparison["agree"] and comparison["images"] == 1
    described = ct.inspect(GRAPH)
    assert described["file"]["format"] == "frozenGraph" and described["model"]["inputs"][0]["name"] == "input"


def test_a_report_that_is_cut_off_is_an_error(ct, monkeypatch):
    killed = subprocess.CompletedProcess([], -9, stdout=b'{"images": 2, "acc', stderr=b"")
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: killed)
    with pytest.raises(ct.MachineError, match="thaw evaluate ended with status -9"):
        ct.evaluate(GRAPH, PHOTOS)


def test_models_and_graphs_are_quantized(ct, tmp_path):
    path = tmp_path / "model.mlpackage"
    report = ct.quantize(ct.convert(GRAPH), [CAT, PHOTOS], path, ranges="entropy", keep_accuracy=100)
    assert report["photos"] >= report["labels_agreeing"] > 1
    assert report["floating_point_layers"] == [] and report["errors"] == []
    (result,) = ct.Classifier(path, precision="int8").classify([CAT])
    assert result.error is None
    with pytest.raises(ct.Error, match="the model is already quantized"):
        ct.quantize(path, PHOTOS, tmp_path / "again.mlmodel")
    with pytest.raises(ct.InvalidValueError, match="out: .*ends in .mlmodel or .mlpackage"):
        ct.quantize(GRAPH, PHOTOS, tmp_path / "model.onnx")


def test_precisions_are_selected_and_checked(ct, tmp_path):
    path = str(tmp_path / "model.mlmodel")
    ct.quantize(GRAPH, PHOTOS, path, labels=LABELS)
    model = ct.models.MLModel(path)
    image = Image.open(CAT).resize((32, 32))
    answers = {}
    for precision in ("float32", "bf16", "int8", "auto"):
        model.precision = precision
        assert model.precision == precision
        (name,) = model.input_description
        (predicted,) = [value for value in model.predict({name: image}).values() if isinstance(value, dict)]
        (result,) = ct.Classifier(model, precision=precision).classify([image])
        answers[precision] = result.probability
        assert predicted[result.label] == pytest.approx(result.probability, abs=1e-6)
    assert answers["auto"] == answers["int8"] != answers["float32"]
    with pytest.raises(ct.Error):
        model.precision = "half"
    assert model.precision == "auto"
    with pytest.raises(ct.Error):
        ct.Classifier(model, precision="half")


def test_gray_images_of_16_bits_are_those_of_their_file(classifier, tmp_path):
    gray = np.asarray(Image.open(CAT).convert("L").resize((40, 32))).astype(np.uint16) * 257 - 50 % 257
    path = str(tmp_path / "gray.png")
    Image.fromarray(gray).save(path)
    (expected,) = classifier.classify(path, top=10)
    opened = Image.open(path)
    given = [opened, Image.fromarray(gray), Image.fromarray(gray.astype(np.int32)), Image.fromarray(gray.astype(">u2"))]
    assert {image.mode for image in given} >= {"I"}
    for result in classifier.classify(given, top=10):
        assert result.predictions == expected.predictions
    # 8 bits in this mode stay 8 bits.
    eight = Image.fromarray((gray >> 8).astype(np.uint8))
    for result in classifier.classify([eight, eight.convert("I")], top=10):
        assert result.predictions == expected.predictions


@pytest.mark.parametrize("value", [-1, 0, 1.5, "10", True, 2**64])
def test_invalid_pixel_limits_are_refused(ct, model, value):
    with pytest.raises((ValueError, TypeError), match="max_pixels"):
        ct.Classifier(model, max_pixels=value)
