#!/usr/bin/env python3
"""Times the classification of a folder of JPEG files by Thaw and other engines on two cores: images per second, and memory.

usage: folder.py [--thaw BINARY] [--count N] [--rounds N] [--engines LIST] GRAPH.pb OUTPUT_NODE PHOTOS

PHOTOS is a folder of JPEG files; links to them are created until there are N files. GRAPH takes one RGB image of
224 x 224 pixels, scaled to x / 127.5 - 1. All engines decode exactly and resize with an antialiased bilinear filter, except
TensorFlow, whose filter is not antialiased. Each engine processes the whole folder in a separate process (`ort` and `litert` in two
processes with one thread each). The engines run in turn in every round, and the median of the rounds counts. The time for starting
and loading the network is included for Thaw, but not for the others. The machine should be otherwise idle.

engines: thaw, fast (thaw --fast), bf16 (thaw --precision bf16), int8 (the same with int8, quantized with 100 of the photos), ort
(Pillow and ONNX Runtime), litert (Pillow and LiteRT), tf (tf.data and TensorFlow); all but bf16 and int8 in float32
Needs `pip install pillow numpy tensorflow-cpu tf2onnx onnxruntime ai-edge-litert`.
"""
import argparse
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SIZE = 224


def pillow_pixels(path):
    import numpy as np
    from PIL import Image
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB").resize((SIZE, SIZE), Image.BILINEAR), np.float32)
    return (pixels / 127.5 - 1)[None]


def make_onnx(graph, output, folder):
    target = os.path.join(folder, "net.onnx")
    if os.path.exists(target): return target
    subprocess.run([sys.executable, "-m", "tf2onnx.convert", "--graphdef", graph, "--inputs", "input:0", "--outputs", output + ":0",
                    "--output", target], check=True, capture_output=True)
    return target


def make_litert(graph, output, folder):
    target = os.path.join(folder, "net.tflite")
    if os.path.exists(target): return target
    import tensorflow as tf
    converter = tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(graph, ["input"], [output], {"input": [1, SIZE, SIZE, 3]})
    with open(target, "wb") as f: f.write(converter.convert())
    return target


def elsewhere(body, *arguments):
    """The result of `body` in a separate process, because a child inherits the peak memory that the kernel counted for its parent."""
    with multiprocessing.get_context("spawn").Pool(1) as pool: return pool.apply(body, arguments)


def run_ort(model, paths, ready, go, results):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    session.run(None, {name: pillow_pixels(paths[0])})
    ready.put(1)
    go.wait()
    for path in paths: session.run(None, {name: pillow_pixels(path)})
    results.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def run_litert(model, paths, ready, go, results):
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(model, num_threads=1)
    interpreter.allocate_tensors()
    input, output = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()[0]["index"]

    def infer(path):
        interpreter.set_tensor(input, pillow_pixels(path))
        interpreter.invoke()
        return interpreter.get_tensor(output)

    infer(paths[0])
    ready.put(1)
    go.wait()
    for path in paths: infer(path)
    results.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def run_tf(model, paths, ready, go, results):
    graph, output = model
    import tensorflow as tf
    definition = tf.compat.v1.GraphDef()
    with open(graph, "rb") as f: definition.ParseFromString(f.read())
    for node in definition.node:
        if node.name == "input": node.attr["shape"].shape.Clear(); node.attr["shape"].shape.unknown_rank = True
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(definition, name=""), [])
    network = wrapped.prune("input:0", output + ":0")

    def load(path):
        pixels = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(pixels, (SIZE, SIZE)) / 127.5 - 1

    def everything(paths):
        data = tf.data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=2).batch(16).prefetch(2)
        for batch in data: network(batch)

    everything(paths[:32])
    ready.put(1)
    go.wait()
    everything(paths)
    results.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def time_processes(body, model, paths, count):
    """Starts `count` processes, waits until all are loaded, and times their work. Returns the time in seconds and the memory in megabytes."""
    context = multiprocessing.get_context("spawn")
    ready, results, go = context.Queue(), context.Queue(), context.Event()
    shares = [paths[start::count] for start in range(count)]
    processes = [context.Process(target=body, args=(model, share, ready, go, results)) for share in shares]
    for process in processes: process.start()
    for _ in processes: ready.get()
    start = time.perf_counter()
    go.set()
    memory = sum(results.get() for _ in processes)
    seconds = time.perf_counter() - start
    for process in processes: process.join()
    return seconds, memory / 1000


# The options of `thaw classify` for each of Thaw's engines.
THAW = {"thaw": [], "fast": ["--fast"], "bf16": ["--precision", "bf16"], "int8": ["--precision", "int8"]}


def make_int8(binary, graph, photos, folder):
    target = os.path.join(folder, "int8.mlmodel")
    command = [binary, "quantize", graph] + photos[:100] + ["-o", target]
    if not os.path.exists(target): subprocess.run(command, check=True, capture_output=True)
    return target


def time_thaw(binary, model, folder, extra):
    command = [binary, "classify", model, folder, "--format", "csv", "--top", "1", "--threads", "2"] + extra
    start = time.perf_counter()
    with open(os.devnull, "w") as nowhere: process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    assert status == 0, f"{command} ended with {status}"
    return seconds, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("output")
    parser.add_argument("photos")
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", default="thaw,fast,ort,litert,tf")
    parser.add_argument("--models", help="a folder that keeps the networks converted for the other engines")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        originals = sorted(os.path.join(root, name) for root, _, names in os.walk(arguments.photos) for name in names
                           if name.lower().endswith((".jpg", ".jpeg")))
        photos = os.path.join(folder, "photos")
        os.mkdir(photos)
        paths = [os.path.join(photos, f"{number:06}.jpg") for number in range(arguments.count)]
        for number, path in enumerate(paths): os.symlink(os.path.abspath(originals[number % len(originals)]), path)
        engines = arguments.engines.split(",")
        kept = arguments.models or folder
        os.makedirs(kept, exist_ok=True)
        models = {"tf": (arguments.graph, arguments.output)}
        models.update(dict.fromkeys(THAW, arguments.graph))
        if "int8" in engines: models["int8"] = make_int8(arguments.thaw, arguments.graph, originals, kept)
        if "ort" in engines: models["ort"] = make_onnx(arguments.graph, arguments.output, kept)
        if "litert" in engines: models["litert"] = elsewhere(make_litert, arguments.graph, arguments.output, kept)
        rounds = {engine: [] for engine in engines}
        for round in range(arguments.rounds):
            for engine in engines:
                if engine in THAW: measured = time_thaw(arguments.thaw, models[engine], photos, THAW[engine])
                elif engine == "tf": measured = time_processes(run_tf, models[engine], paths, 1)
                else: measured = time_processes(run_ort if engine == "ort" else run_litert, models[engine], paths, 2)
                rounds[engine].append(measured)
                print(f"round {round + 1}: {engine} {arguments.count / measured[0]:.0f} per second", file=sys.stderr, flush=True)
        rows = {engine: [statistics.median(column) for column in zip(*found)] for engine, found in rounds.items()}
        print("| engine | images per second | memory, MB |\n|---|---|---|")
        for engine, (seconds, memory) in rows.items(): print(f"| {engine} | {arguments.count / seconds:.0f} | {memory:.0f} |")
        print(json.dumps({engine: round_(arguments.count / seconds) for engine, (seconds, _) in rows.items()}))


def round_(number): return round(number, 1)


if __name__ == "__main__":
    main()
