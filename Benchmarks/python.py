#!/usr/bin/env python3
"""Measures the overhead of the Python package over the library and the command.

usage: python.py [--thaw BINARY] [--threads N] [--rounds N] [--predictions N] [--keras] MODEL.mlmodel PHOTOS

Run it with a Python that has the wheel, NumPy and Pillow. MODEL is a classifier with an image input. It prints

- the time of `import thaw`, excluding the bare interpreter;
- the startup time of the wheel's command beyond that of BINARY, if given;
- the time of `predict` beyond the library call in the same process, measured in turn;
- the speed of Classifier.classify on the folder PHOTOS relative to `thaw classify`, excluding startup;
- the growth of the process over N predictions;
- with --keras, the time and memory of converting tf_keras' MobileNetV2 relative to coremltools, as whole processes.

Times are medians. Each figure has a limit, and the exit code is 1 if one is exceeded. The machine should be otherwise idle.
"""
import argparse
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

KERAS = """
import os, sys, time
os.environ.update(TF_USE_LEGACY_KERAS="1", TF_CPP_MIN_LOG_LEVEL="3")
start = time.perf_counter()
import tensorflow, tf_keras
imported = time.perf_counter() - start
tf_keras.utils.set_random_seed(1)
network = tf_keras.applications.MobileNetV2(weights=None)
ct = __import__(sys.argv[1])
image = ct.ImageType(shape=(1, 224, 224, 3), scale=1 / 127.5, bias=[-1, -1, -1])
labels = ct.ClassifierConfig([str(index) for index in range(1000)])
ct.convert(network, inputs=[image], classifier_config=labels, convert_to="mlprogram").save(sys.argv[2])
print(imported)
"""
exceeded = []


def report(what, value, unit, limit, lowest=False):
    print(f"{what:52}{value:10.3f} {unit:4} {'at least' if lowest else 'at most':>9} {limit:g}", flush=True)
    if value < limit if lowest else value > limit:
        exceeded.append(what)


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def difference(longer, shorter, rounds):
    """The difference between the times of two commands, in seconds."""
    times = [(seconds(longer), seconds(shorter)) for _ in range(rounds)]
    return statistics.median(first for first, _ in times) - statistics.median(second for _, second in times)


def measure_starts(wheel_command, thaw, rounds):
    imported, bare = ([sys.executable, "-c", code] for code in ("import thaw", "pass"))
    report("import thaw, beyond the interpreter", difference(imported, bare, 8 * rounds) * 1e3, "ms", 30)
    if not os.path.exists(wheel_command):
        print("the wheel is not installed, so the startup of its command is not measured")
    elif thaw != wheel_command:
        longer = difference([wheel_command, "--version"], [thaw, "--version"], 8 * rounds)
        report("startup of the wheel's command, beyond BINARY", longer * 1e3, "ms", 10)


def image_and_input(model):
    """An image of the model's size, and the name of its input."""
    from PIL import Image
    (name,) = model.input_description
    feature = model._interface.inputs[name]
    return Image.effect_noise((feature.type["width"], feature.type["height"]), 100).convert(feature.mode), name


def measure_predict(path, rounds):
    import thaw
    from thaw import _library
    model = thaw.models.MLModel(path)
    image, name = image_and_input(model)
    feature = model._interface.inputs[name]
    tensors = (_library.Tensor * 1)(feature.tensor)
    owned = feature.fill(tensors[0], image)
    library = _library.library()
    wholes, calls = [], []
    for _ in range(100 * rounds):
        # Using and freeing the result is not part of the cost of predict.
        answer = None
        start = time.perf_counter()
        answer = model.predict({name: image})
        middle = time.perf_counter()
        result = _library.call_for_handle("thaw_model_run", model._live(), tensors, 1, 0)
        end = time.perf_counter()
        library.thaw_result_free(result)
        wholes.append(middle - start)
        calls.append(end - middle)
    del answer, owned
    whole, call = statistics.median(wholes), statistics.median(calls)
    print(f"the library call: {call * 1e3:.3f} ms, with {len(model._interface.labels)} labels")
    report("predict, beyond the library call", (whole - call) * 1e3, "ms", 0.2)


def measure_folder(path, photos, thaw, threads, rounds):
    import thaw as package
    classifier = package.Classifier(path)
    command = [thaw, "classify", path, photos, "--threads", str(threads), "--quiet"]
    ours, theirs, starts, count = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        single = os.path.join(folder, "image.ppm")
        with open(single, "wb") as file:
            file.write(b"P6 1 1 255\n" + bytes(3))
        for _ in range(rounds):
            start = time.perf_counter()
            count = sum(1 for _ in classifier.classify(photos, threads=threads, progress=False))
            ours.append(time.perf_counter() - start)
            theirs.append(seconds(command))
            starts.append(seconds([thaw, "classify", path, single, "--quiet"]))
    own, other = statistics.median(ours), statistics.median(theirs) - statistics.median(starts)
    print(f"{count} photos with {threads} threads: Classifier.classify {own:.3f} s, thaw classify {other:.3f} s")
    report("speed of Classifier.classify relative to the command", other / own, "", 0.95, lowest=True)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_memory(path, predictions):
    import thaw
    model = thaw.models.MLModel(path)
    image, name = image_and_input(model)
    for _ in range(min(1000, predictions)):
        model.predict({name: image})
    before = resident()
    for _ in range(predictions):
        model.predict({name: image})
    report(f"growth in {predictions} predictions", resident() - before, "MB", 4)


def convert_keras(converter, target):
    """The time and memory of a converting process in seconds and MB, and its seconds spent importing TensorFlow."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", KERAS, converter, target], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{converter} cannot convert the network here")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, float(output.split()[-1])


def measure_keras(rounds):
    figures = {"thaw": [], "coremltools": []}
    with tempfile.TemporaryDirectory() as folder:
        for round in range(rounds):
            for converter, found in figures.items():
                found.append(convert_keras(converter, os.path.join(folder, f"{converter}-{round}.mlpackage")))
    medians = {converter: [statistics.median(part) for part in zip(*found)] for converter, found in figures.items()}
    for converter, (whole, memory, imported) in medians.items():
        print(f"{converter}: {whole:.2f} s, of which TensorFlow's import {imported:.2f} s; {memory:.0f} MB")
    ours, theirs = medians["thaw"], medians["coremltools"]
    report("conversion time of MobileNetV2, relative to coremltools", ours[0] / theirs[0], "", 0.7)
    report("its memory, relative to coremltools", ours[1] / theirs[1], "", 1)


def main():
    parser = argparse.ArgumentParser()
    wheel_command = os.path.join(sysconfig.get_path("scripts"), "thaw")
    parser.add_argument("model")
    parser.add_argument("photos")
    parser.add_argument("--thaw", default=wheel_command)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--predictions", type=int, default=100_000)
    parser.add_argument("--keras", action="store_true")
    arguments = parser.parse_args()
    measure_starts(wheel_command, arguments.thaw, arguments.rounds)
    measure_predict(arguments.model, arguments.rounds)
    measure_folder(arguments.model, arguments.photos, arguments.thaw, arguments.threads, arguments.rounds)
    measure_memory(arguments.model, arguments.predictions)
    if arguments.keras:
        measure_keras(arguments.rounds)
    if exceeded:
        sys.exit("exceeded: " + "; ".join(exceeded))


if __name__ == "__main__":
    main()
