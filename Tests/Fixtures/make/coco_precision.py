"""Annotations and detections made up for the purpose, with the average precision that pycocotools computes of them."""
import contextlib
import io
import json
import os
import tempfile

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def rounded(values, digits=2):
    return [round(float(value), digits) for value in values]


def annotations(generator, images, categories, count, crowds=0.0, side=640):
    result = []
    for image in range(1, images + 1):
        for _ in range(generator.integers(0, count + 1)):
            size = np.exp(generator.uniform(np.log(8), np.log(300), 2))
            corner = generator.uniform(0, side - size)
            box = rounded([*corner, *size])
            # The area of a segmentation is smaller than that of its box.
            area = round(box[2] * box[3] * generator.uniform(0.4, 1), 2)
            result.append({"id": len(result) + 1, "image_id": image, "category_id": int(generator.choice(categories)), "bbox": box,
                           "area": area, "iscrowd": int(generator.random() < crowds)})
    return result


def detections(generator, truths, images, categories, noise, false, digits, side=640):
    result = []
    for truth in truths:
        for _ in range(generator.choice([0, 1, 1, 1, 2])):
            x, y, w, h = truth["bbox"]
            box = [x + generator.normal(0, noise) * w, y + generator.normal(0, noise) * h,
                   w * np.exp(generator.normal(0, noise)), h * np.exp(generator.normal(0, noise))]
            category = truth["category_id"] if generator.random() < 0.85 else int(generator.choice(categories))
            result.append({"image_id": truth["image_id"], "category_id": category, "bbox": rounded(box),
                           "score": round(generator.beta(3, 2), digits)})
    for image in range(1, images + 1):
        for _ in range(generator.integers(0, false + 1)):
            size = np.exp(generator.uniform(np.log(8), np.log(300), 2))
            result.append({"image_id": image, "category_id": int(generator.choice(categories)),
                           "bbox": rounded([*generator.uniform(0, side - size), *size]), "score": round(generator.beta(2, 3), digits)})
    # Results need not be sorted.
    return [result[index] for index in generator.permutation(len(result))]


def evaluated(truth, found):
    """The twelve numbers of pycocotools, and AP, AP50 of each category."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        file = os.path.join(folder, "truth.json")
        with open(file, "w") as target:
            json.dump(truth, target)
        coco = COCO(file)
        evaluation = COCOeval(coco, coco.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    precision = evaluation.eval["precision"]
    categories = {}
    for index, identifier in enumerate(evaluation.params.catIds):
        for name, values in (("ap", precision[:, :, index, 0, -1]), ("ap50", precision[0, :, index, 0, -1])):
            values = values[values > -1]
            categories.setdefault(str(identifier), {})[name] = float(values.mean()) if values.size else -1.0
    return {"stats": [float(value) for value in evaluation.stats], "categories": categories}


CASES = {
    # images, categories, annotations an image, share of crowds, noise of boxes, false detections, digits of scores
    "plain": (12, [1, 2, 3], 6, 0.0, 0.05, 3, 4),
    "crowds": (12, [1, 2, 3, 7], 8, 0.3, 0.08, 4, 4),
    "ties": (10, [2, 5], 7, 0.1, 0.1, 5, 1),
    "many": (2, [1], 60, 0.1, 0.1, 150, 3),
    "poor": (8, [1, 2, 3, 4, 90], 4, 0.0, 0.4, 6, 3),
}


def write(folder, found, drawn):
    os.makedirs(folder)

    def save(name, value):
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump(value, file, separators=(",", ":"))
            file.write("\n")

    for number, (name, (images, categories, count, crowds, noise, false, digits)) in enumerate(CASES.items()):
        generator = np.random.default_rng(number)
        # One more category than there are annotations of, and one image without any.
        truth = {"images": [{"id": index, "file_name": "%d.jpg" % index, "width": 640, "height": 640} for index in range(1, images + 2)],
                 "categories": [{"id": index, "name": "class %d" % index} for index in categories + [max(categories) + 1]]}
        truth["annotations"] = annotations(generator, images, categories, count, crowds)
        if name == "plain":
            # Files need not have this field.
            for annotation in truth["annotations"][::2]:
                del annotation["iscrowd"]
                annotation["iscrowd"] = 0
        result = detections(generator, truth["annotations"], images, categories + [max(categories) + 1], noise, false, digits)
        save(name + ".truth", truth)
        save(name + ".found", result)
        save(name + ".stats", evaluated(truth, result))

    # A run of a detector: some of what it finds is annotated, not quite at the same positions.
    generator = np.random.default_rng(50)
    truth = {"images": [{"id": 10 + index, "file_name": file, "width": image.size[0], "height": image.size[1]}
                        for index, (file, image) in enumerate(drawn)], "annotations": []}
    lines = {line["image"]: line for line in found if line["model"] == "anchors" and line["options"] == ["--crop", "fill"]}
    names = ["triangle", "circle", "square"]
    truth["categories"] = [{"id": 3 * index + 2, "name": name} for index, name in enumerate(names)]
    result = []
    for image in truth["images"]:
        for item in lines[image["file_name"]]["objects"]:
            box = [item["x"], item["y"], item["width"], item["height"]]
            category = 3 * names.index(item["label"]) + 2
            result.append({"image_id": image["id"], "category_id": category, "bbox": box, "score": item["confidence"]})
            if generator.random() < 0.7:
                moved = rounded(np.array(box) * generator.uniform(0.93, 1.07, 4), 3)
                truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": image["id"], "category_id": category,
                                             "bbox": moved, "area": round(moved[2] * moved[3], 3), "iscrowd": 0})
    save("run.truth", truth)
    save("run.stats", evaluated(truth, result))
