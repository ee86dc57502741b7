#!/usr/bin/env python3
"""What the Python package costs beside the library and the command: run it in an environment with the wheel installed.

    measure.py MODEL.mlmodel FOLDER [--threads N]

It prints how long the import takes beyond the bare interpreter, what `predict` adds to the library's own call in the same
process, and the speed of Classifier.classify on the folder relative to the command's. Every figure is the median of
repetitions in turn.
"""

import argparse
import os
import statistics
import subprocess
import sys
import sysconfig
import time


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def import_time(repetitions=40):
    bare, whole = [], []
    for _ in range(repetitions):
        bare.append(seconds([sys.executable, "-c", "pass"]))
        whole.append(seconds([sys.executable, "-c", "import thaw"]))
    return statistics.median(whole) - statistics.median(bare)


def start_of_command(repetitions=40):
    command = os.path.join(sysconfig.get_path("scripts"), "thaw")
    return statistics.median(seconds([command, "--version"]) for _ in range(repetitions))


def predict_overhead(path, repetitions=300):
    from PIL import Image

    import thaw
    from thaw import _library

    model = thaw.models.MLModel(path)
    (name,) = model.input_description
    feature = model._interface.inputs[name]
    size = (feature.type["width"], feature.type["height"])
    image = Image.effect_noise(size, 100).convert(feature.mode)
    tensors = (_library.Tensor * 1)()
    owned = feature.fill(tensors[0], image)
    library = _library.library()
    whole, call = [], []
    for _ in range(repetitions):
        start = time.perf_counter()
        model.predict({name: image})
        middle = time.perf_counter()
        result = _library.handle("thaw_model_run", model._live(), tensors, 1, 0)
        end = time.perf_counter()
        library.thaw_result_free(result)
        whole.append(middle - start)
        call.append(end - middle)
    del owned
    return statistics.median(whole), statistics.median(call), len(model._interface.labels)


def folder_speed(path, folder, threads, repetitions=5):
    import thaw

    command = os.path.join(sysconfig.get_path("scripts"), "thaw")
    classifier = thaw.Classifier(path)
    ours, theirs, start = [], [], []
    for _ in range(repetitions):
        begin = time.perf_counter()
        count = sum(1 for _ in classifier.classify(folder, threads=threads, progress=False))
        ours.append(time.perf_counter() - begin)
        words = [command, "classify", path, folder, "--threads", str(threads), "--quiet"]
        theirs.append(seconds(words))
        start.append(seconds([command, "--version"]))
    return count, statistics.median(ours), statistics.median(theirs) - statistics.median(start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("folder")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    given = parser.parse_args()
    print(f"import thaw: {import_time() * 1e3:.1f} ms beyond the interpreter")
    print(f"thaw --version: {start_of_command() * 1e3:.1f} ms")
    whole, call, labels = predict_overhead(given.model)
    print(f"predict, {labels} labels: {whole * 1e3:.3f} ms; the library's call: {call * 1e3:.3f} ms; "
          f"the difference: {(whole - call) * 1e3:.3f} ms")  # fmt: skip
    count, ours, theirs = folder_speed(given.model, given.folder, given.threads)
    print(
        f"{count} photos: Classifier.classify {ours:.3f} s, thaw classify {theirs:.3f} s: {theirs / ours:.2f} of its speed"
    )


if __name__ == "__main__":
    main()
