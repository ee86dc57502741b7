#!/usr/bin/env python3
"""Times Thaw, OpenVINO, ONNX Runtime and torch on torchvision's networks with random weights, in turn, in one run, and
compares their answers.

usage: torchvision.py [--thaw BINARY] [--rounds N] [--seconds S] [--threads N] [--dialect neuralnetwork|mlprogram]
                      [--folder FOLDER] [--write] [--json FILE] [NETWORK ...]

coremltools converts each network for Thaw, torch exports it as ONNX for OpenVINO (in float32) and ONNX Runtime. The files
are kept in the folder, and not written again; with --write, nothing is timed. In each round, each engine runs for S
seconds with one image. The result is the median over the rounds of the medians. The machine should be otherwise idle. The
exit code is 1 if an answer differs from torch's by more than 1e-4 of its largest value, or in its top label.

Needs `pip install coremltools torch==2.7.1 torchvision==0.22.1 onnx onnxruntime openvino numpy`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

# Otherwise this script would be imported instead of the package of the same name.
sys.path.pop(0)

import numpy

NETWORKS = ["mobilenet_v3_small", "mobilenet_v3_large", "efficientnet_v2_s", "regnet_y_400mf", "convnext_tiny", "vit_b_16",
            "swin_t"]
SIZE = 224
TOLERANCE = 1e-4


def network(name):
    """The network with batch statistics of two random images: without them its values would grow or vanish."""
    import torch
    import torchvision
    # coremltools does not know the operation that torch would use.
    torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(0)
    model = torchvision.models.get_model(name, weights=None)
    image = torch.randn(1, 3, SIZE, SIZE)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                module.momentum = 1.0
            # The last layer of a vision transformer is initialized with zeros.
            if isinstance(module, torch.nn.Linear) and not module.weight.any():
                torch.nn.init.normal_(module.weight, std=0.02)
        model.train()(torch.cat([image, torch.randn_like(image)]))
    return model.eval(), image


def write(name, folder, dialect):
    """Writes the network for each engine, with its input and torch's answer; returns the paths' stem."""
    stem = os.path.join(folder, name)
    package = stem + (".mlmodel" if dialect == "neuralnetwork" else ".mlpackage")
    if all(map(os.path.exists, (package, stem + ".onnx", stem + ".input.npy", stem + ".output.npy"))):
        return stem, package
    import coremltools
    import torch
    model, image = network(name)
    with torch.no_grad():
        numpy.save(stem + ".input.npy", image.numpy())
        numpy.save(stem + ".output.npy", model(image).numpy())
        torch.onnx.export(model, image, stem + ".onnx", input_names=["x"], output_names=["y"], opset_version=17)
        traced = torch.jit.trace(model, image)
    options = {} if dialect == "neuralnetwork" else {"compute_precision": coremltools.precision.FLOAT32}
    coremltools.convert(
        traced, convert_to=dialect, inputs=[coremltools.TensorType(name="x", shape=image.shape)],
        outputs=[coremltools.TensorType(name="y")], **options).save(package)
    return stem, package


class Thaw:
    def __init__(self, binary, package, stem, threads):
        self.binary, self.package, self.stem, self.threads = binary, package, stem, threads

    def answer(self, _):
        path = self.stem + ".thaw.npy"
        subprocess.run([self.binary, "run", self.package, self.stem + ".input.npy", "-o", path, "--quiet"], check=True)
        return numpy.load(path)

    def milliseconds(self, seconds):
        command = [self.binary, "benchmark", self.package, "--threads", str(self.threads), "--format", "json",
                   "--seconds", str(seconds)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["median_ms"]


class Library:
    """An engine in this process: a function from the image to the answer."""

    def __init__(self, infer, image):
        self.answer, self.image = infer, image
        for _ in range(3):
            infer(image)

    def milliseconds(self, seconds):
        times, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end or not times:
            start = time.perf_counter()
            self.answer(self.image)
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)


def openvino(stem, threads):
    import openvino
    compiled = openvino.Core().compile_model(stem + ".onnx", "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    return lambda image: request.infer({0: image})[0]


def onnxruntime(stem, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(stem + ".onnx", options, providers=["CPUExecutionProvider"])
    return lambda image: session.run(None, {"x": image})[0]


def torch_itself(name, threads):
    import torch
    torch.set_num_threads(threads)
    model, _ = network(name)

    def infer(image):
        with torch.inference_mode():
            return model(torch.from_numpy(image)).numpy()
    return infer


def measure(arguments, name):
    stem, package = write(name, arguments.folder, arguments.dialect)
    image, expected = (numpy.load(f"{stem}.{part}.npy") for part in ("input", "output"))
    engines = {
        "thaw": Thaw(arguments.thaw, package, stem, arguments.threads),
        "openvino": Library(openvino(stem, arguments.threads), image),
        "onnxruntime": Library(onnxruntime(stem, arguments.threads), image),
        "torch": Library(torch_itself(name, arguments.threads), image),
    }
    answers = {engine: numpy.asarray(runner.answer(image)) for engine, runner in engines.items()}
    scale = numpy.abs(expected).max()
    if scale == 0:
        sys.exit(f"{name}: torch's answer is 0 everywhere")
    errors = {engine: float(numpy.abs(answer.reshape(expected.shape) - expected).max() / scale)
              for engine, answer in answers.items()}
    times = {engine: [] for engine in engines}
    for _ in range(arguments.rounds):
        for engine, runner in engines.items():
            times[engine].append(runner.milliseconds(arguments.seconds))
    return {"network": name, "threads": arguments.threads, "dialect": arguments.dialect, "errors": errors,
            "same_label": int(answers["thaw"].argmax()) == int(expected.argmax()),
            "ms": {engine: round(statistics.median(values), 3) for engine, values in times.items()}}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dialect", choices=("neuralnetwork", "mlprogram"), default="mlprogram")
    parser.add_argument("--folder", default="torchvision-networks")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    if arguments.write:
        for name in arguments.networks:
            print(*write(name, arguments.folder, arguments.dialect), flush=True)
        return
    rows, failed = [], False
    for name in arguments.networks:
        try:
            row = measure(arguments, name)
        except subprocess.CalledProcessError as error:
            print(f"{name}: thaw failed: {error.stderr or ''}", file=sys.stderr)
            failed = True
            continue
        rows.append(row)
        times, error = row["ms"], row["errors"]["thaw"]
        best = min(time for engine, time in times.items() if engine != "thaw")
        is_wrong = not error <= TOLERANCE or not row["same_label"]
        failed = failed or is_wrong
        print(name, " ".join(f"{engine} {time:.2f}" for engine, time in times.items()), f"ratio {times['thaw'] / best:.2f}",
              f"error {error:.1e}", "WRONG" if is_wrong else "", flush=True)
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump(rows, file, indent=1)
    sys.exit(failed)


if __name__ == "__main__":
    main()
