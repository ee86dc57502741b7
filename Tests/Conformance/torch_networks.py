#!/usr/bin/env python3
"""Compares Thaw with torch on coremltools' conversions of torchvision models: every classification and segmentation network
of at most a hundred million parameters, at its own image size, with random weights, in both dialects, in float32.

usage: torch_networks.py [--thaw BINARY] [--interpreters FOLDER] [--dialect neuralnetwork|mlprogram] [--tsv FILE] [NETWORK ...]

An output may differ by 1e-4 of the larger of 1 and its range, and the top label must be the same: for segmentation that
of each pixel, unless torch's two highest values are within 2e-4. Random weights magnify rounding errors. If the
difference is larger, torch computes the network in float64, and the reference interpreter of ../shared/judges computes
the same file; then Thaw passes if it is within 1e-4 of float64 or of the interpreter, or if its error is at most that
of torch's own float32. If that is above 1e-4, no engine can be close: then the network is compared again with smaller
sums in its residual blocks. The table has all errors, as shares of the range. The exit code is 1 if anything fails. A
network that coremltools does not convert is listed with its reason and is no failure.

Needs `pip install coremltools==9.0 torch==2.7.1 torchvision==0.22.1 "numpy<2.4"`: with newer versions, coremltools fails on
many networks.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOLERANCE, CLOSE = 1e-4, 2e-4
DAMPING = 0.2
LARGEST = 100_000_000
DIALECTS = {"mlprogram": ".mlpackage", "neuralnetwork": ".mlmodel"}


def names():
    """The networks, by their number of parameters."""
    import torchvision
    models = torchvision.models
    found = {}
    for module in (models, models.segmentation):
        for name in models.list_models(module=module):
            count = models.get_model_weights(name).DEFAULT.meta["num_params"]
            if count <= LARGEST:
                found[name] = count
    return sorted(found, key=lambda name: (found[name], name))


def network(name, share=1.0):
    """The network with batch statistics of two random images: without them its values would grow or vanish. A ResNet adds this
    share of what a block computes: as in trained networks, the blocks then change little."""
    import torch
    import torchvision
    # coremltools does not support the operation that torch would use.
    torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(0)
    segments = name in torchvision.models.list_models(module=torchvision.models.segmentation)
    options = {"weights_backbone": None} if segments else {}
    if name in ("googlenet", "inception_v3"):
        options["init_weights"] = True
    transforms = torchvision.models.get_model_weights(name).DEFAULT.transforms()
    size = (transforms.resize_size if segments else transforms.crop_size)[0]
    model = torchvision.models.get_model(name, weights=None, **options)
    image = torch.randn(1, 3, size, size)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                module.momentum = 1.0
            if isinstance(module, torchvision.models.resnet.Bottleneck):
                module.bn3.weight.fill_(share)
            # The last layer of a vision transformer is initialized with zeros.
            if isinstance(module, torch.nn.Linear) and not module.weight.any():
                torch.nn.init.normal_(module.weight, std=0.02)
        model.train()(torch.cat([image, torch.randn_like(image)]))
    model.eval()
    if segments:
        class Segmentation(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.model = model

            def forward(self, x):
                return self.model(x)["out"]
        model = Segmentation().eval()
    return model, image


def difference(actual, expected):
    scale = max(1.0, float(numpy.ptp(expected)))
    return float(numpy.abs(actual.reshape(expected.shape) - expected).max()) / scale


def same_labels(actual, expected):
    """Whether all top labels are the same, except those that nearly tie. The classes are the second axis."""
    actual = actual.reshape(expected.shape)
    chosen = numpy.take_along_axis(expected, actual.argmax(1, keepdims=True), 1)
    return bool((expected.max(1, keepdims=True) - chosen <= CLOSE * max(1.0, float(numpy.ptp(expected)))).all())


def check(arguments, name, dialects, folder):
    """A row of the table for each dialect."""
    rows = list(compared(arguments, name, dialects, folder))
    if any(row.get("torch_float64", 0) > TOLERANCE for row in rows):
        rows = list(compared(arguments, name, dialects, folder, DAMPING))
        for row in rows:
            row["result"] += " if damped"
    return rows


def compared(arguments, name, dialects, folder, share=1.0):
    import torch
    model, image = network(name, share)
    with torch.no_grad():
        expected = model(image).numpy()
        traced = torch.jit.trace(model, image)
    source = os.path.join(folder, "x.npy")
    numpy.save(source, image.numpy())
    exact = None
    for dialect in dialects:
        row = {"network": name, "dialect": dialect}
        package = os.path.join(folder, "model" + DIALECTS[dialect])
        target = os.path.join(folder, dialect + ".npy")
        row["result"] = convert(traced, image, dialect, package) or run(arguments.thaw, package, source, target)
        if row["result"] is None:
            output = numpy.load(target)
            row["torch"] = difference(output, expected)
            if row["torch"] <= TOLERANCE and same_labels(output, expected):
                row["result"] = "same"
            else:
                if exact is None:
                    with torch.no_grad():
                        exact = model.double()(image.double()).numpy()
                row["result"] = explained(arguments.interpreters, row, output, expected, exact, package, source)
        yield row


def convert(traced, image, dialect, package):
    """Writes the network as a Core ML model; returns the reason if coremltools cannot."""
    import coremltools
    options = {} if dialect == "neuralnetwork" else {"compute_precision": coremltools.precision.FLOAT32}
    try:
        coremltools.convert(
            traced, convert_to=dialect, inputs=[coremltools.TensorType(name="x", shape=image.shape)],
            outputs=[coremltools.TensorType(name="y")], **options).save(package)
    except Exception as error:
        return "not converted: " + (str(error).strip().splitlines() or [type(error).__name__])[0][:100]


def run(thaw, package, source, target):
    ran = subprocess.run([thaw, "run", package, source, "-o", target, "--quiet"], capture_output=True, text=True)
    if ran.returncode:
        return "FAILED: " + ran.stderr.strip()


def explained(interpreters, row, output, expected, exact, package, source):
    """The result for an output that differs from torch's; adds the errors to the row."""
    row["float64"], row["torch_float64"] = difference(output, exact), difference(expected, exact)
    if row["float64"] <= max(TOLERANCE, row["torch_float64"]) and same_labels(output, exact):
        return "rounding"
    target = os.path.join(os.path.dirname(source), "interpreted.npz")
    subprocess.run([sys.executable, os.path.join(interpreters, "evaluate.py"), package, source, "--save", target],
                   capture_output=True)
    if os.path.exists(target):
        interpreted = next(iter(numpy.load(target).values())).reshape(expected.shape)
        row["interpreter"], row["interpreter_torch"] = difference(output, interpreted), difference(interpreted, expected)
        if row["interpreter"] <= TOLERANCE and same_labels(output, interpreted):
            return "conversion differs"
    return "WRONG"


def check_separately(arguments, name, dialects):
    """The rows of a network, computed in a separate process, so that its memory is freed afterwards."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with open(writer, "w") as pipe, tempfile.TemporaryDirectory() as folder:
            try:
                for row in check(arguments, name, dialects, folder):
                    pipe.write(json.dumps(row) + "\n")
            except Exception as error:
                pipe.write(json.dumps({"network": name, "result": f"FAILED: {type(error).__name__}: {error}"}) + "\n")
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        rows = [json.loads(line) for line in pipe]
    os.waitpid(child, 0)
    return rows or [{"network": name, "result": "FAILED: the process ended"}]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--thaw", default=os.path.join(ROOT, ".build", "release", "thaw"))
    parser.add_argument("--interpreters", default=os.path.join(os.path.dirname(ROOT), "shared", "judges"))
    parser.add_argument("--dialect", choices=DIALECTS)
    parser.add_argument("--tsv")
    arguments = parser.parse_args()
    arguments.thaw = os.path.abspath(arguments.thaw)
    # Here, so that the processes of the networks need not.
    import coremltools
    import torchvision
    columns = ["network", "dialect", "torch", "float64", "torch_float64", "interpreter", "interpreter_torch", "result"]
    lines, counts = ["\t".join(columns)], {}
    print(lines[0])
    for name in arguments.networks or names():
        for row in check_separately(arguments, name, [arguments.dialect] if arguments.dialect else DIALECTS):
            result = row["result"].split(":")[0]
            counts[result] = counts.get(result, 0) + 1
            values = [row.get(column, "-") for column in columns]
            lines.append("\t".join(f"{value:.1e}" if isinstance(value, float) else value.replace("\n", " ") for value in values))
            print(lines[-1], flush=True)
        if arguments.tsv:
            with open(arguments.tsv, "w") as file:
                file.write("\n".join(lines) + "\n")
    print(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    sys.exit(any(result.startswith(("WRONG", "FAILED")) for result in counts))


if __name__ == "__main__":
    main()
