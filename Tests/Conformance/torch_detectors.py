#!/usr/bin/env python3
"""Compares `thaw detect` with torch and torchvision on models that Ultralytics exports with nms=True: detectors of several
architectures with random weights, on photographs.

usage: torch_detectors.py [--thaw BINARY] [--side PIXELS] [--photos FOLDER] [--count N] [ARCHITECTURE ...]

The reference is the same network in torch, and torchvision.ops.nms, by class: boxes may differ by 1e-3 of a pixel of
the model's image, and confidences by 1e-4; labels and the order must be the same. If a decision of the suppression
depends on values that are closer than 2e-5, other thresholds are used. They leave at most 60 boxes. A photograph for
which all thresholds do is not compared, but most must be. The exit code is 1 if anything differs.

Needs `pip install coremltools==9.0 torch==2.7.1 torchvision==0.22.1 ultralytics==8.4.190 pillow "numpy<2.4"`.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

os.environ["YOLO_OFFLINE"] = "1"
os.environ["YOLO_AUTOINSTALL"] = "false"

import numpy
from PIL import Image, ImageOps

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ARCHITECTURES = ["yolov5nu", "yolov8n", "yolov9t", "yolov10n", "yolo11n", "yolo12n"]
PIXELS, CONFIDENCE, MARGIN = 1e-3, 1e-4, 2e-5
# Added to the variances of the batches. With a small number, random weights amplify what hardly varies, and with it the rounding
# errors: torch's own boxes in float32 were up to 0.05 of a pixel from those in float64.
EPSILON = 0.1
# The maximum number of competing boxes: among thousands, two would be close to the threshold.
CANDIDATES = range(60, 5, -5)


def network(name, side, photos):
    """A detector with batch statistics of photographs, whose confidences vary."""
    import torch
    from ultralytics import YOLO
    torch.manual_seed(0)
    yolo = YOLO(name.replace("yolov5nu", "yolov5n") + ".yaml", task="detect")
    model = yolo.model
    batch = torch.stack([tensor(photo, side)[0] for photo in photos])
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.momentum, module.eps = 1.0, EPSILON
        model.train()(batch)
        model.eval()
        detect = model.model[-1]
        generator = torch.Generator().manual_seed(1)
        for branches, spread, shift in ((detect.cv2, 0.05, 0.0), (detect.cv3, 1.0, -4.0)):
            for branch in branches:
                branch[-1].weight.normal_(0, spread, generator=generator)
                branch[-1].bias.fill_(shift)
    return yolo


def tensor(photo, side):
    import torch
    pixels = numpy.asarray(photo, dtype="f4") / 255
    return torch.from_numpy(pixels).permute(2, 0, 1)[None]


def outputs(model, photo, side):
    """The boxes (center and size in pixels of the model's image) and the confidences of the classes, of each anchor."""
    import torch
    with torch.no_grad():
        result = model(tensor(photo, side))
    result = (result[0] if isinstance(result, (tuple, list)) else result)[0].T
    return result[:, :4], result[:, 4:]


def thresholds(scores):
    """Thresholds of the overlap and the confidence; the latter are between two confidences."""
    best = scores.max(1).values.sort(descending=True).values
    for count in CANDIDATES:
        for iou in (0.45, 0.6, 0.3):
            if count < len(best):
                yield iou, float(best[count - 1] + best[count]) / 2


def suppressed(boxes, scores, iou, confidence):
    """The rows that torchvision keeps, the most confident first; None if a decision depends on rounding."""
    import torch
    import torchvision
    best, top = scores.max(1)
    if (best - confidence).abs().min() < MARGIN:
        return None
    rows = torch.where(best >= confidence)[0]
    two = scores[rows].topk(2, dim=1).values
    if (two[:, 0] - two[:, 1] < MARGIN).any() or (best[rows].sort().values.diff() < 1e-5).any():
        return None
    corners = torchvision.ops.box_convert(boxes[rows], "cxcywh", "xyxy")
    ratios = torchvision.ops.box_iou(corners, corners)
    if ((ratios - iou).abs() < MARGIN).any():
        return None
    if not len(rows):
        return None
    kept = []
    for label in top[rows].unique():
        same = torch.where(top[rows] == label)[0]
        kept.append(rows[same[torchvision.ops.nms(corners[same], best[rows][same], iou)]])
    kept = torch.cat(kept)
    return kept[best[kept].argsort(descending=True)]


def check(arguments, name, photos, folder):
    """The worst differences over all photographs, the numbers of photographs and objects, and the errors."""
    yolo = network(name, arguments.side, [photo for _, photo in photos])
    yolo.model.fuse()
    model = yolo.model.eval()
    rows = [outputs(model, photo, arguments.side) for _, photo in photos]
    yolo.ckpt_path = os.path.join(folder, name + ".pt")
    yolo.model.pt_path = yolo.ckpt_path
    written = yolo.export(format="coreml", nms=True, imgsz=arguments.side, quantize=32)
    worst, compared, objects, problems = [0.0, 0.0], 0, 0, []
    for (path, photo), (boxes, scores) in zip(photos, rows):
        for iou, confidence in thresholds(scores):
            kept = suppressed(boxes, scores, iou, confidence)
            if kept is not None:
                break
        else:
            continue
        command = [arguments.thaw, "detect", written, path, "--format", "json", "--iou", str(iou), "--confidence",
                   str(confidence)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return worst, compared, objects, [ran.stderr.strip()]
        found = json.loads(ran.stdout)["objects"]
        if [thing["index"] for thing in found] != scores[kept].argmax(1).tolist():
            problems.append(f"{os.path.basename(path)}: {len(found)} objects instead of {len(kept)}, or other labels")
            continue
        for thing, row in zip(found, kept.tolist()):
            x, y, width, height = boxes[row].tolist()
            own = numpy.array([thing[key] for key in ("x", "y", "width", "height")])
            worst[0] = max(worst[0], float(numpy.abs(own - [x - width / 2, y - height / 2, width, height]).max()))
            worst[1] = max(worst[1], abs(thing["confidence"] - float(scores[row].max())))
        compared += 1
        objects += len(found)
    if worst[0] > PIXELS or worst[1] > CONFIDENCE:
        problems.append("too different")
    if 2 * compared <= len(photos):
        problems.append("too few photographs were compared")
    return worst, compared, objects, problems


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("architectures", nargs="*")
    parser.add_argument("--thaw", default=os.path.join(ROOT, ".build", "release", "thaw"))
    parser.add_argument("--side", type=int, default=320)
    parser.add_argument("--photos", default=os.path.join(ROOT, "Tests", "Fixtures", "photographs"))
    parser.add_argument("--count", type=int, default=5)
    arguments = parser.parse_args()
    arguments.thaw = os.path.abspath(arguments.thaw)
    names = sorted(name for name in os.listdir(arguments.photos) if name.lower().endswith((".jpg", ".jpeg", ".png")))
    # In the model's size and without loss, so that nothing depends on how files are decoded and resized.
    small = tempfile.TemporaryDirectory()
    photos = []
    for name in names[:arguments.count]:
        photo = Image.open(os.path.join(arguments.photos, name)).convert("RGB")
        photo = photo.resize((arguments.side, arguments.side), Image.BILINEAR)
        for kind, view in (("", photo), ("-mirrored", ImageOps.mirror(photo)), ("-flipped", ImageOps.flip(photo))):
            photos.append((os.path.join(small.name, name + kind + ".png"), view))
            view.save(photos[-1][0])
    lines, isRight = ["architecture\tphotos\tobjects\tpixels\tconfidence\tresult"], True
    for name in arguments.architectures or ARCHITECTURES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                worst, compared, objects, problems = check(arguments, name, photos, folder)
                result = "; ".join(problems) or "same"
            except Exception as error:
                worst, compared, objects, result = [0.0, 0.0], 0, 0, f"FAILED: {type(error).__name__}: {error}"
        isRight &= result == "same"
        lines.append(f"{name}\t{compared}\t{objects}\t{worst[0]:.1e}\t{worst[1]:.1e}\t{result}")
        print(lines[-1], file=sys.stderr, flush=True)
    print("\n".join(lines))
    sys.exit(not isRight)


if __name__ == "__main__":
    main()
