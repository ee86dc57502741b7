#!/usr/bin/env python3
"""Times Thaw and other engines on the same frozen graphs, in turn, in one run.

usage: peers.py [--thaw BINARY] [--engines A,B,…] [--threads 1,2] [--rounds N] [--seconds S]
                [--json FILE] [--markdown FILE] [--svg FILE] GRAPH.pb [GRAPH.pb ...]

Each engine has a separate process. In each round, each engine runs for S seconds with one image. The result is the
median over the rounds of the medians. The machine should be otherwise idle. A graph's input is `input` and its
output `Identity`, as `networks.py` writes them. Results are printed as a table. Existing results in the JSON file are kept
unless they are measured again, so that a long list can be measured in several runs.

Needs `pip install numpy openvino onnxruntime tf2onnx tensorflow-cpu ai-edge-litert`, or those of the engines named.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ENGINES = ["thaw", "openvino", "openvino-bf16", "onnxruntime", "litert", "tensorflow"]
# Engines in another precision are shown, but Thaw is not compared with them.
REDUCED = {"openvino-bf16"}


# The process that runs an engine: it receives a number of seconds and answers with milliseconds.

def placeholder_shape(graph):
    import tensorflow as tf
    definition = tf.compat.v1.GraphDef()
    with open(graph, "rb") as file:
        definition.ParseFromString(file.read())
    node = next(node for node in definition.node if node.name == "input")
    return definition, [dimension.size if dimension.size > 0 else 1 for dimension in node.attr["shape"].shape.dim]


def cached(graph, suffix, make):
    """A converted copy of the graph, created once."""
    path = os.path.join(tempfile.gettempdir(), f"{os.path.basename(graph)}.{os.path.getsize(graph)}.{suffix}")
    if not os.path.exists(path):
        make(path + ".part")
        os.rename(path + ".part", path)
    return path


def openvino(graph, threads, precision="f32"):
    import numpy
    import openvino
    core = openvino.Core()
    model = core.read_model(graph)
    shape = [size.get_length() if size.is_static else 1 for size in model.inputs[0].get_partial_shape()]
    model.reshape({model.inputs[0].any_name: shape})
    compiled = core.compile_model(model, "CPU", {
        "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision})
    request = compiled.create_infer_request()
    request.set_input_tensor(0, openvino.Tensor(numpy.random.default_rng(0).uniform(-1, 1, shape).astype("f4")))
    return request.infer


def onnxruntime(graph, threads):
    import numpy
    import onnxruntime

    def convert(path):
        _, shape = placeholder_shape(graph)
        subprocess.run(
            [sys.executable, "-m", "tf2onnx.convert", "--graphdef", graph, "--inputs",
             f"input:0[{','.join(map(str, shape))}]", "--outputs", "Identity:0", "--inputs-as-nchw", "input:0",
             "--output", path, "--opset", "17"], check=True, capture_output=True)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(
        cached(graph, "onnx", convert), options, providers=["CPUExecutionProvider"])
    name, shape = session.get_inputs()[0].name, session.get_inputs()[0].shape
    image = numpy.random.default_rng(0).uniform(-1, 1, shape).astype("f4")
    return lambda: session.run(None, {name: image})


def litert(graph, threads):
    import numpy
    from ai_edge_litert.interpreter import Interpreter

    def convert(path):
        import tensorflow as tf
        _, shape = placeholder_shape(graph)
        converter = tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(graph, ["input"], ["Identity"], {"input": shape})
        with open(path, "wb") as file:
            file.write(converter.convert())

    interpreter = Interpreter(cached(graph, "tflite", convert), num_threads=threads)
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()[0]
    interpreter.set_tensor(
        details["index"], numpy.random.default_rng(0).uniform(-1, 1, details["shape"]).astype("f4"))
    return interpreter.invoke


def tensorflow(graph, threads):
    import numpy
    import tensorflow as tf
    definition, shape = placeholder_shape(graph)
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
    options = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
    session = tf.compat.v1.Session(graph=imported, config=options)
    call = session.make_callable("Identity:0", feed_list=["input:0"])
    image = numpy.random.default_rng(0).uniform(-1, 1, shape).astype("f4")
    return lambda: call(image)


def serve(engine, graph, threads):
    makers = {"openvino": openvino, "openvino-bf16": lambda *a: openvino(*a, "bf16"), "onnxruntime": onnxruntime,
              "litert": litert, "tensorflow": tensorflow}
    answers = os.dup(1)
    os.dup2(2, 1)  # keep the libraries' output out of the answers
    infer = makers[engine](graph, threads)
    for _ in range(3):
        infer()
    while True:
        os.write(answers, b"ready\n")
        line = sys.stdin.readline()
        if not line:
            return
        times, end = [], time.perf_counter() + float(line)
        infer()
        while time.perf_counter() < end or not times:
            start = time.perf_counter()
            infer()
            times.append((time.perf_counter() - start) * 1e3)
        os.write(answers, (json.dumps(statistics.median(times)) + "\n").encode())


# The process that controls the engines.

class Peer:
    def __init__(self, engine, graph, threads):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--serve", engine, graph, "--threads", str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.ready = self.process.stdout.readline() == "ready\n"

    def milliseconds(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.process.stdout.readline()
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Thaw:
    ready = True

    def __init__(self, binary, graph, threads):
        self.command = [binary, "benchmark", graph, "--threads", str(threads), "--format", "json", "--seconds"]

    def milliseconds(self, seconds):
        run = subprocess.run(self.command + [str(seconds)], check=True, capture_output=True, text=True)
        return json.loads(run.stdout)["median_ms"]

    def close(self):
        pass


def measure(arguments, graph, threads):
    peers = {}
    for engine in arguments.engines:
        peer = Thaw(arguments.thaw, graph, threads) if engine == "thaw" else Peer(engine, graph, threads)
        if peer.ready:
            peers[engine] = peer
        else:
            print(f"{engine} does not run {graph}", file=sys.stderr)
    times = {engine: [] for engine in peers}
    for _ in range(arguments.rounds):
        for engine, peer in peers.items():
            times[engine].append(peer.milliseconds(arguments.seconds))
    for peer in peers.values():
        peer.close()
    return {engine: round(statistics.median(values), 3) for engine, values in times.items()}


def ratio(row):
    others = [time for engine, time in row["ms"].items() if engine != "thaw" and engine not in REDUCED]
    return row["ms"]["thaw"] / min(others) if others and "thaw" in row["ms"] else None


def markdown(rows):
    engines = [engine for engine in ENGINES if any(engine in row["ms"] for row in rows)]
    lines = ["| network | threads | " + " | ".join(engines) + " | Thaw / fastest other |", "|---" * (len(engines) + 3) + "|"]
    for row in rows:
        best = ratio(row)
        cells = [f"{row['ms'][engine]:.2f}" if engine in row["ms"] else "–" for engine in engines]
        lines.append(f"| {row['network']} | {row['threads']} | " + " | ".join(cells)
                     + f" | {'–' if best is None else format(best, '.2f')} |")
    return "\n".join(lines) + "\n"


def chart(rows):
    """A bar chart of times, relative to the best single-precision time of the other engines."""
    colors = {"thaw": "#0b6e99", "openvino": "#e0a030", "openvino-bf16": "#f3d9a4", "onnxruntime": "#8c6bb1",
              "litert": "#7fb069", "tensorflow": "#b0b0b0"}
    left, width, bar, longest = 190, 560, 11, 3.0
    scale, parts, y = width / longest, [], 46
    engines = [engine for engine in ENGINES if any(engine in row["ms"] for row in rows)]
    x = left
    for engine in engines:
        parts.append(f'<rect x="{x}" y="14" width="10" height="10" fill="{colors[engine]}"/>'
                     f'<text x="{x + 14}" y="23">{engine}</text>')
        x += 30 + 7 * len(engine)
    top = y
    for row in rows:
        others = [time for engine, time in row["ms"].items() if engine != "thaw" and engine not in REDUCED]
        threads = "1 thread" if row["threads"] == 1 else f"{row['threads']} threads"
        parts.append(f'<text x="{left - 8}" y="{y + bar}" text-anchor="end" font-weight="bold">{row["network"]}</text>'
                     f'<text x="{left - 8}" y="{y + 2 * bar + 3}" text-anchor="end" fill="#666">{threads}</text>')
        for engine in engines:
            if engine not in row["ms"]:
                continue
            share = row["ms"][engine] / min(others)
            label = f"{row['ms'][engine]:.1f} ms" + (f" · ×{share:.2f}" if engine == "thaw" else "")
            parts.append(f'<rect x="{left}" y="{y}" width="{min(share, longest) * scale:.1f}" height="{bar - 2}" '
                         f'fill="{colors[engine]}"/><text x="{left + min(share, longest) * scale + 5:.1f}" '
                         f'y="{y + bar - 3}" font-size="9" fill="#444">{label}</text>')
            y += bar
        y += 12
    parts.append(f'<line x1="{left + scale:.1f}" x2="{left + scale:.1f}" y1="{top - 4}" y2="{y - 8}" stroke="#c33" '
                 'stroke-dasharray="3 3"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 110}" height="{y + 16}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
            + "".join(parts)
            + f'<text x="{left + scale:.1f}" y="{y + 8}" text-anchor="middle" fill="#c33">best of the others, fp32</text>'
            + "</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="*")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("--engines", type=lambda text: text.split(","), default=ENGINES)
    parser.add_argument("--threads", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(*arguments.serve, arguments.threads[0])
    rows = {}
    if arguments.json and os.path.exists(arguments.json):
        with open(arguments.json) as file:
            rows = {(row["network"], row["threads"]): row for row in json.load(file)}
    for graph in arguments.graphs:
        for threads in arguments.threads:
            network = os.path.splitext(os.path.basename(graph))[0]
            row = {"network": network, "threads": threads, "ms": measure(arguments, graph, threads)}
            rows[network, threads] = row
            print(json.dumps(row), file=sys.stderr, flush=True)
    ordered = [rows[key] for key in sorted(rows)]
    print(markdown(ordered), end="")
    for path, text in [(arguments.json, json.dumps(ordered, indent=1) + "\n"), (arguments.markdown, markdown(ordered)),
                       (arguments.svg, chart(ordered))]:
        if path:
            with open(path, "w") as file:
                file.write(text)


main()
