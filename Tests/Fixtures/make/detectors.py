"""Writes the fixtures in `detectors/`: detectors of the forms that exporters write, with the outputs of torch and
NumPy, and the average precision that pycocotools computes of made-up annotations.

    pip install coremltools==9.0 torch==2.7.1 torchvision==0.22.1 ultralytics==8.4.190 pycocotools==2.0.11 pillow "numpy<2.4"
    python Tests/Fixtures/make/detectors.py

`NAME.mlmodel` or `NAME.mlpackage` goes with `NAME.jsonl`: a line for each row of inputs, as `thaw run` reads and prints them.
`objects.jsonl` has the objects that `thaw detect` finds in the images with some options.
"""
import json
import math
import os
import shutil
import struct
import zlib

os.environ["YOLO_OFFLINE"] = "1"

import numpy as np
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.models.pipeline import Pipeline
from coremltools.proto import FeatureTypes_pb2, Model_pb2
from PIL import Image, ImageDraw

import coco_precision

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "detectors")
# No result may depend on a comparison of values that are closer than this.
MARGIN = 5e-5


def path(*names):
    return os.path.join(FOLDER, *names)


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def write_lines(name, lines):
    with open(path(name + ".jsonl"), "w") as file:
        for line in lines:
            file.write(json.dumps(plain(line)) + "\n")


# ---- Suppression, by a matrix of all overlaps

def overlaps(boxes):
    low, high = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2
    sides = np.clip(np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None]), 0, None)
    shared, areas = sides.prod(axis=2), boxes[:, 2:].prod(axis=1)
    return shared / (areas[:, None] + areas[None] - shared)


def suppressed(confidences, coordinates, iou, confidence, per_class, strict=True):
    """The rows that are kept, the most confident first."""
    best, top = confidences.max(axis=1), confidences.argmax(axis=1)
    ratio = overlaps(coordinates)
    competes = ratio > iou
    if per_class:
        competes &= top[:, None] == top[None]
    alive = best >= confidence
    if strict:
        assert (abs(best - confidence) > MARGIN).all(), "a confidence is too near to the threshold"
        two = np.sort(confidences[alive], axis=1)[:, -2:]
        assert (two[:, 1] - two[:, 0] > MARGIN).all(), "two classes are too near to each other"
    kept = []
    while alive.any():
        index = int(np.where(alive, best, -1).argmax())
        alive[index] = False
        if strict:
            same = (top == top[index]) | (not per_class)
            assert (abs(ratio[index] - iou)[alive & same] > MARGIN).all(), "an overlap is too near to the threshold"
            assert (best[index] - best[alive] > 1e-6).all(), "two confidences are too near to each other"
        kept.append(index)
        alive &= ~competes[index]
    return kept


def padded(rows, count):
    return np.concatenate([rows, np.zeros((max(0, count - len(rows)), rows.shape[1]))])


# ---- Stages

def array(feature, name, rows=None, columns=None, bounds=None):
    """An array of doubles: of a fixed shape, of a range of rows, or open."""
    feature.name = name
    kind = feature.type.multiArrayType
    kind.dataType = FeatureTypes_pb2.ArrayFeatureType.DOUBLE
    if bounds:
        for low, high in (bounds, (columns, columns)):
            kind.shapeRange.sizeRanges.add(lowerBound=low, upperBound=high)
    elif rows:
        kind.shape.extend([rows, columns])


def suppression(names=("raw_confidence", "raw_coordinates"), columns=(5, 4), labels=None, iou=0.45, confidence=0.25, per_class=True,
                rows=None, returned=(0, -1), thresholds="described", fixed=None, version=3):
    """A model of the stage. Thresholds are described inputs, only named by the parameters, or neither."""
    spec = Model_pb2.Model(specificationVersion=version)
    for name, width in zip(names, columns):
        array(spec.description.input.add(), name, rows, width)
    for name, width in zip(("confidence", "coordinates"), columns):
        if fixed:
            array(spec.description.output.add(), name, fixed, width)
        else:
            array(spec.description.output.add(), name, None, width, returned)
    stage = spec.nonMaximumSuppression
    if thresholds != "none":
        stage.iouThresholdInputFeatureName, stage.confidenceThresholdInputFeatureName = "iouThreshold", "confidenceThreshold"
    if thresholds == "described":
        for name in ("iouThreshold", "confidenceThreshold"):
            feature = spec.description.input.add(name=name)
            feature.type.doubleType.SetInParent()
            feature.type.isOptional = True
    stage.confidenceInputFeatureName, stage.coordinatesInputFeatureName = names
    stage.confidenceOutputFeatureName, stage.coordinatesOutputFeatureName = "confidence", "coordinates"
    stage.iouThreshold, stage.confidenceThreshold = iou, confidence
    stage.pickTop.perClass = per_class
    stage.pickTop.SetInParent()
    if labels and isinstance(labels[0], str):
        stage.stringClassLabels.vector.extend(labels)
    elif labels:
        stage.int64ClassLabels.vector.extend(labels)
    return spec


def save(name, spec):
    with open(path(name + ".mlmodel"), "wb") as file:
        file.write(spec.SerializeToString(deterministic=True))


def stages():
    """The stage by itself. Coordinates are multiples of 1/32, so that overlaps are exact, and some are equal to a threshold."""
    labels = ["ant", "bee", "cat", "dog", "elk"]
    variants = {
        "suppression_per_class": dict(labels=labels),
        "suppression_of_all": dict(labels=[7, -1, 3, 12, 5], per_class=False),
        "suppression_without_labels": dict(thresholds="none", iou=0.3, confidence=0.4),
        "suppression_padded": dict(labels=labels, fixed=24, rows=40),
        "suppression_limited": dict(labels=labels, returned=(2, 5)),
    }
    for name, options in variants.items():
        generator = np.random.default_rng(zlib.crc32(name.encode()))
        save(name, suppression(**options))
        iou, confidence = options.get("iou", 0.45), options.get("confidence", 0.25)
        lines = []
        for row in range(4):
            centers = generator.integers(8, 24, (10, 2)).repeat(4, axis=0) + generator.integers(-2, 3, (40, 2))
            sizes = generator.integers(3, 9, (40, 2))
            coordinates = np.concatenate([centers, sizes], axis=1) / 32
            # Many confidences are equal, which shows the order of ties.
            confidences = generator.integers(0, 20, (40, 5)) / 20 * (generator.random((40, 1)) < 0.6)
            inputs = {"raw_confidence": confidences, "raw_coordinates": coordinates}
            limits = (iou, confidence)
            if row == 3:
                confidences[:] = 0
            elif row > 0 and options.get("thresholds") != "none":
                limits = [(0.5, 0.5), (1.0, 0.0)][row - 1]
                inputs["iouThreshold"], inputs["confidenceThreshold"] = limits
            kept = suppressed(confidences, coordinates, *limits, options.get("per_class", True), strict=False)
            low, high = (options["fixed"],) * 2 if "fixed" in options else options.get("returned", (0, -1))
            kept = kept[:high] if high >= 0 else kept
            lines.append({"inputs": inputs, "outputs": {"confidence": padded(confidences[kept], low),
                                                        "coordinates": padded(coordinates[kept], low)}})
        write_lines(name, lines)


# ---- The form of Create ML and Turi Create: a network that decodes anchors, and the stage

SIDE, GRID, ANCHORS = 24, 6, [(0.3, 0.4), (0.6, 0.3)]
SHAPES = ["circle", "square", "triangle"]


def anchors():
    generator = np.random.default_rng(11)
    classes, boxes = len(SHAPES), len(ANCHORS)
    count = boxes * GRID * GRID
    features = 5 + classes
    first = generator.normal(0, 0.5, (8, 3, 4, 4)).astype("f4")
    second = generator.normal(0, 0.9, (boxes * features, 8)).astype("f4")
    bias = generator.normal(0, 1, boxes * features).astype("f4")

    builder = NeuralNetworkBuilder([("image", datatypes.Array(3, SIDE, SIDE))],
                                   [("raw_confidence", datatypes.Array(count, classes)),
                                    ("raw_coordinates", datatypes.Array(count, 4))])
    builder.set_pre_processing_parameters(image_input_names=["image"], image_scale=1 / 255)
    builder.add_convolution("first", 3, 8, 4, 4, 4, 4, "valid", 1, first.transpose(2, 3, 1, 0), None, False,
                            input_name="image", output_name="first")
    builder.add_activation("relu", "RELU", "first", "relu")
    builder.add_convolution("second", 8, boxes * features, 1, 1, 1, 1, "valid", 1, second.T[None, None], bias, True,
                            input_name="relu", output_name="map")
    builder.add_reshape("by_anchor", "map", "by_anchor", (boxes, features, GRID * GRID), 0)
    builder.add_permute("by_feature", (0, 2, 1, 3), "by_anchor", "by_feature")
    for name, start, end in (("xy", 0, 2), ("wh", 2, 4), ("objectness", 4, 5), ("scores", 5, features)):
        builder.add_slice(name, "by_feature", name, "channel", start, end)
    grid = np.stack(np.meshgrid(np.arange(GRID), np.arange(GRID))).reshape(2, 1, -1).repeat(boxes, axis=1).astype("f4")
    scale = np.array(ANCHORS, "f4").T[:, :, None].repeat(GRID * GRID, axis=2)
    builder.add_load_constant("grid", "grid", grid.ravel(), grid.shape)
    builder.add_load_constant("anchors", "anchors", scale.ravel(), scale.shape)
    builder.add_activation("in_cell", "SIGMOID", "xy", "in_cell")
    builder.add_elementwise("in_grid", ["in_cell", "grid"], "in_grid", "ADD")
    builder.add_activation("centers", "LINEAR", "in_grid", "centers", [1 / GRID, 0])
    builder.add_unary("exponentials", "wh", "exponentials", "exp")
    builder.add_elementwise("sizes", ["exponentials", "anchors"], "sizes", "MULTIPLY")
    builder.add_elementwise("boxes", ["centers", "sizes"], "boxes", "CONCAT")
    builder.add_activation("object", "SIGMOID", "objectness", "object")
    builder.add_softmax("classes", "scores", "classes")
    builder.add_elementwise("confidences", ["classes", "object"], "confidences", "MULTIPLY")
    for name, source, width in (("raw_confidence", "confidences", classes), ("raw_coordinates", "boxes", 4)):
        builder.add_permute(name + "_order", (0, 2, 3, 1), source, name + "_order")
        builder.add_reshape(name, name + "_order", name, (1, count, width), 0)
    image(builder.spec.description.input[0], SIDE, SIDE)

    stage = suppression(columns=(classes, 4), labels=SHAPES, rows=count)
    pipeline = Pipeline([("image", datatypes.Array(3, SIDE, SIDE)), ("iouThreshold", datatypes.Double()),
                         ("confidenceThreshold", datatypes.Double())],
                        [("confidence", datatypes.Array(1)), ("coordinates", datatypes.Array(1))])
    pipeline.add_model(builder.spec)
    pipeline.add_model(stage)
    spec = pipeline.spec
    spec.specificationVersion = 3
    spec.description.input[0].CopyFrom(builder.spec.description.input[0])
    for index in (1, 2):
        spec.description.input[index].type.isOptional = True
    for index in (0, 1):
        spec.description.output[index].CopyFrom(stage.description.output[index])
    spec.description.metadata.userDefined.update({"classes": ",".join(SHAPES), "type": "object_detector"})
    save("anchors", spec)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def network(pixels):
        x = (pixels.astype("f8") / 255).reshape(GRID, 4, GRID, 4, 3)
        x = np.maximum(np.einsum("yaxbc,ocab->oyx", x, first.astype("f8")), 0)
        x = np.einsum("oi,iyx->oyx", second.astype("f8"), x) + bias[:, None, None]
        x = x.reshape(boxes, features, GRID * GRID).transpose(1, 0, 2)
        exponentials = np.exp(x[5:] - x[5:].max(axis=0))
        confidences = exponentials / exponentials.sum(axis=0) * sigmoid(x[4:5])
        coordinates = np.concatenate([(sigmoid(x[:2]) + grid) / GRID, np.exp(x[2:4]) * scale])
        return confidences.reshape(classes, -1).T, coordinates.reshape(4, -1).T

    return "anchors", network, SIDE, SHAPES, 0.45, 0.25, True


def image(feature, width, height):
    feature.type.imageType.width, feature.type.imageType.height = width, height
    feature.type.imageType.colorSpace = FeatureTypes_pb2.ImageFeatureType.RGB


# ---- What Ultralytics' exporter writes

def ultralytics():
    import torch
    from ultralytics import YOLO
    from ultralytics.utils.export.coreml import IOSDetectModel, pipeline_coreml, torch2coreml

    side = 64
    detectors = []
    for name, head, labels, legacy, agnostic in (
            ("yolo8", [[-1, 1, "Conv", [8, 3, 2]], [-1, 1, "C2f", [8, True]], [-1, 1, "Conv", [16, 3, 2]], [-1, 1, "SPPF", [16, 5]],
                       [-1, 1, "nn.Upsample", [None, 2, "nearest"]], [[-1, 1], 1, "Concat", [1]], [-1, 1, "C2f", [8]]],
             ["person", "bicycle", "car"], False, False),
            ("yolo11", [[-1, 1, "Conv", [8, 3, 2]], [-1, 1, "C3k2", [8, False, 0.5]], [-1, 1, "Conv", [16, 3, 2]],
                        [-1, 1, "C2PSA", [16]], [-1, 1, "nn.Upsample", [None, 2, "nearest"]], [[-1, 1], 1, "Concat", [1]],
                        [-1, 1, "C3k2", [8, False, 0.5]]],
             ["rot", "grün", "blau", "gelb"], True, True)):
        torch.manual_seed(5)
        layout = {"nc": len(labels), "scales": {"n": [1.0, 1.0, 64]}, "scale": "n",
                  "backbone": [[-1, 1, "Conv", [8, 3, 2]]] + head[:4], "head": head[4:] + [[[7], 1, "Detect", [len(labels)]]]}
        file = "/tmp/%s.yaml" % name
        import yaml
        with open(file, "w") as target:
            yaml.safe_dump(layout, target)
        model = YOLO(file).model.eval()
        generator = torch.Generator().manual_seed(7)
        for module in model.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                for tensor, low, high in ((module.weight, 0.8, 1.6), (module.bias, -0.2, 0.4), (module.running_mean, -0.1, 0.1),
                                          (module.running_var, 0.05, 0.3)):
                    tensor.data.uniform_(low, high, generator=generator)
        detect = model.model[-1]
        for branch, spread in ((detect.cv2, 1.5), (detect.cv3, 0.5)):
            for part in branch:
                part[-1].weight.data.normal_(0, spread, generator=generator)
                part[-1].bias.data.normal_(-2 if branch is detect.cv3 else 0, 0.5, generator=generator)
        model.fuse()
        for parameter in model.parameters():
            parameter.requires_grad = False
            # The older form is written with float16 weights.
            if legacy:
                parameter.data = parameter.data.half().float()
        model.names = dict(enumerate(labels))
        for module in model.modules():
            if hasattr(module, "export"):
                module.export = True
                module.format = "mlmodel" if legacy else "coreml"
        sample = torch.rand(1, 3, side, side, generator=generator)
        with torch.no_grad():
            shape = tuple(model(sample).shape if torch.is_tensor(model(sample)) else model(sample)[0].shape)
            wrapped = IOSDetectModel(model, sample, mlprogram=not legacy).eval()
            wrapped(sample)
        import coremltools
        metadata = {"description": "a tiny detector of random weights", "names": dict(enumerate(labels))}
        network = torch2coreml(wrapped, [coremltools.ImageType("image", shape=sample.shape, scale=1 / 255)], sample, None,
                               mlmodel=legacy, quantize=16 if legacy else None, metadata=metadata)
        iou, confidence = 0.6, 0.3
        result = pipeline_coreml(network, shape, metadata, mlmodel=legacy, iou=iou, conf=confidence, agnostic_nms=agnostic,
                                 weights_dir=None if legacy else network.weights_dir)
        target = path(name + (".mlmodel" if legacy else ".mlpackage"))
        shutil.rmtree(target, ignore_errors=True)
        result.save(target)
        names = list(result.get_spec().pipeline.models[1].nonMaximumSuppression.stringClassLabels.vector)

        def outputs(pixels, wrapped=wrapped):
            with torch.no_grad():
                tensor = torch.from_numpy(pixels.astype("f4") / 255).permute(2, 0, 1)[None]
                confidences, coordinates = wrapped(tensor)
            return confidences.numpy().astype("f8"), coordinates.numpy().astype("f8")

        detectors.append((name, outputs, side, names, iou, confidence, not agnostic))
    return detectors


# ---- Images, and the objects in them

def png_with_orientation(name, orientation):
    """Adds EXIF to a PNG file."""
    data = open(path(name), "rb").read()
    exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01" + struct.pack(">HHI", orientation, 0, 0)
    chunk = struct.pack(">I", len(exif)) + b"eXIf" + exif + struct.pack(">I", zlib.crc32(b"eXIf" + exif))
    with open(path(name), "wb") as file:
        file.write(data[:33] + chunk + data[33:])


def draw_images():
    """Two images of several shapes, upright; the second is stored on its side."""
    images = []
    for index, (width, height) in enumerate([(90, 60), (50, 80)]):
        generator = np.random.default_rng(100 + index)
        image = Image.new("RGB", (width, height), (40, 60, 90))
        draw = ImageDraw.Draw(image)
        for _ in range(14):
            x, y = generator.integers(0, width), generator.integers(0, height)
            w, h = generator.integers(6, 40, 2)
            color = tuple(int(value) for value in generator.integers(0, 256, 3))
            (draw.ellipse if generator.random() < 0.5 else draw.rectangle)([int(x), int(y), int(x + w), int(y + h)], fill=color)
        # Parts of one color would have equal confidences.
        noise = generator.normal(0, 9, (height, width, 3)) + np.linspace(-30, 30, width)[None, :, None]
        image = Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype("u1"))
        name = "shapes%d.png" % index
        if index == 1:
            image.transpose(Image.Transpose.ROTATE_90).save(path(name), optimize=True)
            png_with_orientation(name, 6)
        else:
            image.save(path(name), optimize=True)
        images.append((name, image))
    return images


def half_up(value):
    return math.floor(value + 0.5)


def fitted(image, side, crop, background):
    """The network's image, and a function of its boxes, relative to its size, to x, y, width and height in the original."""
    width, height = image.size
    if crop == "fill":
        return image.resize((side, side), Image.BILINEAR), lambda b: (b[0] * width, b[1] * height, b[2] * width, b[3] * height)
    if crop.startswith("center"):
        edge = float(crop.split(":")[1]) * min(width, height)
        left, right = half_up((width - edge) / 2), half_up((width + edge) / 2)
        top, bottom = half_up((height - edge) / 2), half_up((height + edge) / 2)
        part = image.crop((left, top, right, bottom)).resize((side, side), Image.BILINEAR)
        wide, high = right - left, bottom - top
        return part, lambda b: (left + b[0] * wide, top + b[1] * high, b[2] * wide, b[3] * high)
    scale = min(side / width, side / height)
    wide, high = half_up(width * scale), half_up(height * scale)
    left, top = half_up((side - wide) / 2), half_up((side - high) / 2)
    canvas = Image.new("RGB", (side, side), background)
    canvas.paste(image.resize((wide, high), Image.BILINEAR), (left, top))
    across, down = width / wide, height / high
    return canvas, lambda b: ((b[0] * side - left) * across, (b[1] * side - top) * down, b[2] * side * across, b[3] * side * down)


def attempt(scores, boxes, limits, per_class):
    """The first of these limits for which rounding changes nothing, with the rows that are kept; nothing if there is none."""
    for iou, confidence in limits:
        try:
            kept = suppressed(scores, boxes, iou, confidence, per_class)
        except AssertionError:
            continue
        if kept:
            yield (iou, confidence), kept
            return


def objects(detectors, images):
    found = []
    for name, network, side, labels, iou, confidence, per_class in detectors:
        others = [(0.3 + step / 100, 0.4 + step / 50) for step in range(10)]
        for file, image in images:
            for crop, background in (("fill", None), ("center:0.9", None), ("fit", "#727272")):
                pixels, to_image = fitted(image, side, crop, background or "#000000")
                scores, boxes = network(np.asarray(pixels))
                for limits in ([(iou, confidence)], others):
                    for chosen, kept in attempt(scores, boxes, limits, per_class):
                        options = ["--crop", crop] + (["--background", background] if background else [])
                        if chosen != (iou, confidence):
                            options += ["--iou", str(chosen[0]), "--confidence", str(chosen[1])]
                        found.append({"model": name, "image": file, "options": options, "width": image.size[0],
                                      "height": image.size[1],
                                      "objects": [found_object(scores[row], boxes[row], labels, to_image) for row in kept]})
        rows = []
        for file, image in images:
            scores, boxes = network(np.asarray(fitted(image, side, "fill", None)[0]))
            for limits in ([(iou, confidence)], others):
                for chosen, kept in attempt(scores, boxes, limits, per_class):
                    inputs = {"image": file}
                    if chosen != (iou, confidence):
                        inputs["iouThreshold"], inputs["confidenceThreshold"] = chosen
                    rows.append({"inputs": inputs, "outputs": {"confidence": scores[kept], "coordinates": boxes[kept]}})
        write_lines(name, rows)
        print(name, "rows:", len(rows), "objects:", [len(row["objects"]) for row in found if row["model"] == name])
    write_lines("objects", found)
    return found


def found_object(scores, box, labels, to_image):
    left, top = to_image((box[0] - box[2] / 2, box[1] - box[3] / 2, 0, 0))[:2]
    width, height = to_image(box)[2:]
    best = int(scores.argmax())
    return {"label": labels[best], "index": best, "confidence": scores[best], "x": left, "y": top, "width": width, "height": height}


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    stages()
    images = draw_images()
    detectors = [anchors()] + ultralytics()
    found = objects(detectors, images)
    coco_precision.write(path("coco"), found, images)


if __name__ == "__main__":
    main()
