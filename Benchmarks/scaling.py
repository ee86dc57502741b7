#!/usr/bin/env python3
"""scaling.py [THAW] [--largest 100000]: checks that conversion time grows no faster than the model.

Creates TensorFlow graphs of 1,000 nodes, 10,000 and so on: chains, wide concatenations, many outputs, unsupported operations,
and classifiers with as many labels. Prints the CPU time of each beyond that of an empty command, and its ratio to the graph of
a tenth of the size. Linear time has a ratio of 10, and up to 16 where the graph outgrows the processor's caches; quadratic time
has one of 100. Exits with 1 if a ratio exceeds 20 for times above one second."""
import argparse
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

FLOAT, INT = 1, 3


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def integer(number, value):
    return varint(number << 3) + varint(value)


def shape(*sizes):
    return b"".join(field(2, integer(1, size)) for size in sizes)


def node(name, op, inputs=(), **attributes):
    content = field(1, name.encode()) + field(2, op.encode()) + b"".join(field(3, i.encode()) for i in inputs)
    for key, value in attributes.items():
        content += field(5, field(1, key.encode()) + field(2, value))
    return field(1, content)


def of(kind):
    return integer(6, kind)


def constant(name, kind, sizes, data):
    tensor = integer(1, kind) + field(2, shape(*sizes)) + field(4, data)
    return node(name, "Const", dtype=of(kind), value=field(8, tensor))


IMAGE = node("image", "Placeholder", dtype=of(FLOAT), shape=field(7, shape(1, 4, 4, 3)))


def chain(count, folder, ops=("Relu", "Sigmoid", "Tanh")):
    nodes = [IMAGE]
    for i in range(count):
        nodes.append(node(f"n{i}", ops[i % len(ops)], [f"n{i - 1}" if i else "image"], T=of(FLOAT)))
    return b"".join(nodes), []


def activations(count, folder):
    return chain(count, folder, ("Relu",))


def concatenation(count, folder):
    nodes = [IMAGE, constant("axis", INT, [], struct.pack("<i", 3))]
    nodes += [node(f"n{i}", "Relu", ["image"], T=of(FLOAT)) for i in range(count)]
    names = [f"n{i}" for i in range(count)] + ["axis"]
    return b"".join(nodes) + node("all", "ConcatV2", names, T=of(FLOAT), N=integer(3, count), Tidx=of(INT)), []


def sums(count, folder):
    nodes = [IMAGE] + [node(f"n{i}", "Relu", ["image"], T=of(FLOAT)) for i in range(count)]
    return b"".join(nodes) + node("all", "AddN", [f"n{i}" for i in range(count)], T=of(FLOAT), N=integer(3, count)), []


def outputs(count, folder):
    nodes = [IMAGE] + [node(f"n{i}", "Relu", ["image"], T=of(FLOAT)) for i in range(count)]
    return b"".join(nodes), []


def unsupported(count, folder):
    return chain(count, folder, [f"Unknown{i}" for i in range(7)])


def labels(count, folder):
    path = folder / "labels.txt"
    path.write_text("".join(f"label {i}\n" for i in range(count)))
    nodes = IMAGE + constant("axes", INT, [2], struct.pack("<2i", 1, 2)) + constant(
        "weights", FLOAT, [3, count], bytes(12 * count))
    nodes += node("mean", "Mean", ["image", "axes"], T=of(FLOAT), Tidx=of(INT))
    nodes += node("scores", "MatMul", ["mean", "weights"], T=of(FLOAT))
    return nodes + node("odds", "Softmax", ["scores"], T=of(FLOAT)), ["--labels", str(path)]


CASES = [activations, chain, concatenation, sums, outputs, unsupported, labels]


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("thaw", nargs="?", default=".build/release/thaw")
    parser.add_argument("--largest", type=int, default=100_000)
    parser.add_argument("--cases", nargs="*", default=[case.__name__ for case in CASES])
    arguments = parser.parse_args()
    start = min(seconds([arguments.thaw, "--version"]) for _ in range(3))
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in CASES:
            if case.__name__ not in arguments.cases:
                continue
            count, last = 1000, None
            while count <= arguments.largest:
                graph, options = case(count, folder)
                (folder / "graph.pb").write_bytes(graph)
                time = seconds(
                    [arguments.thaw, "convert", str(folder / "graph.pb"), "-o", str(folder / "out.mlmodel"), *options]) - start
                ratio = time / last if last else None
                print(f"{case.__name__:14} {count:8} {time:8.3f} s" + (f"  × {ratio:.1f}" if ratio else ""), flush=True)
                failed |= ratio is not None and time > 1 and ratio > 20
                count, last = count * 10, max(time, 0.001)
    return 1 if failed else 0


sys.exit(main())
