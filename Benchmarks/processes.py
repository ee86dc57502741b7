#!/usr/bin/env python3
"""Times whole processes: startup to the first label, a conversion, a folder of photos.

usage: processes.py [--thaw BINARY] [--runs N] [--folder FOLDER] GRAPH.pb LABELS.txt IMAGE.jpg

Prints the median wall time and the peak resident memory of each: `thaw classify` with a converted model against a Python
process that loads Thaw's package or another engine, decodes and scales the photo and computes; `thaw convert` against
coremltools; and the number of photos of FOLDER classified per second. The graph's input is `input` and its output `Identity`.

Needs `pip install numpy pillow`, and whichever of `openvino onnxruntime tf2onnx tensorflow-cpu ai-edge-litert coremltools` and
Thaw's wheel are to be measured; the others are skipped.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

IMAGE = """
import sys, numpy
from PIL import Image
def input_array(shape, first):
    image = Image.open(sys.argv[2]).convert("RGB").resize((shape[2 if not first else 3], shape[1 if not first else 2]))
    array = numpy.asarray(image, "f4")[None] / 127.5 - 1
    return numpy.ascontiguousarray(array.transpose(0, 3, 1, 2)) if first else array
"""
ENGINES = {
    "thaw in Python": """
import sys, thaw
(result,) = thaw.Classifier(sys.argv[1]).classify(sys.argv[2], top=1)
print(result.label)
""",
    "onnxruntime": IMAGE + """
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
port = session.get_inputs()[0]
print(session.run(None, {port.name: input_array(port.shape, True)})[0].argmax())
""",
    "litert": IMAGE + """
from ai_edge_litert.interpreter import Interpreter
interpreter = Interpreter(sys.argv[1])
interpreter.allocate_tensors()
port = interpreter.get_input_details()[0]
interpreter.set_tensor(port["index"], input_array(port["shape"], False))
interpreter.invoke()
print(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).argmax())
""",
    "openvino": IMAGE + """
import openvino
core = openvino.Core()
model = core.read_model(sys.argv[1])
shape = [size.get_length() if size.is_static else 1 for size in model.inputs[0].get_partial_shape()]
model.reshape({model.inputs[0].any_name: shape})
compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
print(compiled([input_array(shape, False)])[0].argmax())
""",
    "tensorflow": IMAGE + """
import tensorflow as tf
definition = tf.compat.v1.GraphDef()
definition.ParseFromString(open(sys.argv[1], "rb").read())
with tf.Graph().as_default() as graph: tf.import_graph_def(definition, name="")
shape = [size or 1 for size in graph.get_tensor_by_name("input:0").shape.as_list()]
print(tf.compat.v1.Session(graph=graph).run("Identity:0", {"input:0": input_array(shape, False)}).argmax())
""",
}
TO_ONNX = ["-m", "tf2onnx.convert", "--inputs", "input:0", "--outputs", "Identity:0", "--inputs-as-nchw", "input:0"]
TO_LITERT = """
import sys, tensorflow as tf
converter = tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(sys.argv[1], ["input"], ["Identity"])
open(sys.argv[2], "wb").write(converter.convert())
"""
TO_COREML = """
import sys, coremltools, tensorflow as tf
definition = tf.compat.v1.GraphDef()
definition.ParseFromString(open(sys.argv[1], "rb").read())
coremltools.convert(definition, source="tensorflow", convert_to="neuralnetwork").save(sys.argv[2])
"""


def measure(command, runs):
    """The median seconds of a process, and its memory in MB; None if it fails."""
    times, memory = [], 0
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            return None
        times.append(time.perf_counter() - start)
        memory = max(memory, usage.ru_maxrss / 1024)
    return statistics.median(times), memory


def report(what, result):
    print(f"{what:40}" + ("not available" if result is None else f"{result[0] * 1e3:10.1f} ms {result[1]:8.1f} MB"), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("labels")
    parser.add_argument("image")
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, onnx, tflite = (os.path.join(folder, "model." + kind) for kind in ("mlmodel", "onnx", "tflite"))
        convert = [arguments.thaw, "convert", arguments.graph, "--labels", arguments.labels, "-o", model]
        report("convert: thaw", measure(convert, arguments.runs))
        coreml = os.path.join(folder, "other.mlmodel")
        report("convert: coremltools", measure([sys.executable, "-c", TO_COREML, arguments.graph, coreml], 1))
        subprocess.run([sys.executable, *TO_ONNX, "--graphdef", arguments.graph, "--output", onnx], capture_output=True)
        subprocess.run([sys.executable, "-c", TO_LITERT, arguments.graph, tflite], capture_output=True)
        report("first label: thaw", measure([arguments.thaw, "classify", model, arguments.image], arguments.runs))
        files = {"thaw in Python": model, "onnxruntime": onnx, "litert": tflite, "openvino": arguments.graph, "tensorflow": arguments.graph}
        for engine, file in files.items():
            command = [sys.executable, "-c", ENGINES[engine], file, arguments.image]
            report("first label: " + engine, measure(command, max(1, arguments.runs // 2)))
        if arguments.folder:
            count = sum(name.lower().endswith((".jpg", ".jpeg")) for _, _, names in os.walk(arguments.folder) for name in names)
            for threads in (1, 2):
                command = [arguments.thaw, "classify", model, arguments.folder, "--threads", str(threads)]
                result = measure(command, max(1, arguments.runs // 2))
                report(f"{count} photos, {threads} threads: thaw", result)
                if result:
                    print(f"{'':40}{count / result[0]:10.0f} per second")


main()
