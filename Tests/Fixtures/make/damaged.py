#!/usr/bin/env python3
"""damaged.py FOLDER: writes small files that once crashed a reader, took far more than their size, or nearly did.

What a fuzzer finds is added to the folder as it is."""
import pathlib
import struct
import sys

FLOAT, DOUBLE, INT = 1, 2, 3
LARGEST = (1 << 63) - 1


def varint(number):
    number &= (1 << 64) - 1
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


def integers(*values):
    return field(1, field(3, b"".join(varint(value) for value in values)))


def of(kind):
    return integer(6, kind)


def node(name, op, inputs=(), number=1, **attributes):
    content = field(1, name.encode()) + field(2, op.encode()) + b"".join(field(3, i.encode()) for i in inputs)
    for key, value in attributes.items():
        content += field(5, field(1, key.encode()) + field(2, value))
    return field(number, content)


def constant(name, kind, sizes, *values):
    data = struct.pack(f"<{len(values)}{ {INT: 'i', DOUBLE: 'd'}[kind] }", *values)
    return node(name, "Const", dtype=of(kind), value=field(8, integer(1, kind) + field(2, shape(*sizes)) + field(4, data)))


def placeholder(name, *sizes):
    return node(name, "Placeholder", dtype=of(FLOAT), shape=field(7, shape(*sizes)))


IMAGE = placeholder("image", 1, 4, 4, 3)


def blocks(op, second, amounts):
    axes = 8
    return (
        IMAGE + constant("shape", INT, [axes + 1], 1, 4, 4, 3, *[1] * (axes - 3))
        + node("wide", "Reshape", ["image", "shape"], T=of(FLOAT), Tshape=of(INT))
        + constant("blocks", INT, [axes], *[4095] * axes) + constant("amounts", INT, [axes, 2], *amounts)
        + node("out", op, ["wide", "blocks", "amounts"], T=of(FLOAT), Tblock_shape=of(INT), **{second: of(INT)}))


def pool(size, strides, padding):
    return IMAGE + node(
        "pool", "MaxPool", ["image"], T=of(FLOAT), ksize=integers(*size), strides=integers(*strides),
        padding=field(2, padding))


def graphs():
    padded = [number for size in [4, 4, 3, 1, 1, 1, 1, 1] for number in (0, 4095 - size)]
    yield "SpaceToBatchND_blocks_of_2_96", blocks("SpaceToBatchND", "Tpaddings", padded)
    yield "BatchToSpaceND_blocks_of_2_96", blocks("BatchToSpaceND", "Tcrops", [0] * 16)
    yield "window_of_2_63", pool([1, LARGEST, LARGEST, 1], [1, LARGEST, 1, 1], b"VALID")
    yield "negative_stride", pool([1, 2, 2, 1], [1, -1, -LARGEST - 1, 1], b"SAME")
    yield "reads_itself", (
        IMAGE + node("a", "Relu", ["b"], T=of(FLOAT)) + node("b", "Relu", ["a"], T=of(FLOAT)))
    # The operation's second output has the index 1.
    function = (
        field(1, field(1, b"Best") + field(2, field(1, b"x")) + field(3, field(1, b"y")))
        + node("best", "TopKV2", ["x"], 3) + node("end", "Relu", [f"best:indices:{LARGEST}"], 3)
        + field(4, field(1, b"y") + field(2, b"end:activations:0")))
    yield "output_of_2_63", (
        IMAGE + node("call", "Best", ["image"]) + node("out", "Relu", ["call"], T=of(FLOAT))
        + field(2, field(1, function)))
    yield "row_with_batch_of_2_62", placeholder("rows", 1 << 62, 46340**2) + node("out", "Relu", ["rows"], T=of(FLOAT))
    yield "range_of_minus_1e305", (
        IMAGE + constant("start", DOUBLE, [], 1e300) + constant("limit", DOUBLE, [], -1e300)
        + constant("delta", DOUBLE, [], 1e-5) + node("range", "Range", ["start", "limit", "delta"], Tidx=of(DOUBLE))
        + node("cast", "Cast", ["range"], SrcT=of(DOUBLE), DstT=of(FLOAT)) + constant("axis", INT, [1], 0)
        + node("all", "Sum", ["cast", "axis"], T=of(FLOAT), Tidx=of(INT)) + node("out", "Add", ["image", "all"], T=of(FLOAT)))
    yield "tile_of_nothing", (
        IMAGE + constant("none", INT, [4], 0, 0, 0, 0) + constant("begin", INT, [4], 0, 0, 0, 0)
        + node("empty", "Slice", ["image", "begin", "none"], T=of(FLOAT), Index=of(INT))
        + constant("times", INT, [4], *[2**31 - 1] * 4)
        + node("out", "Tile", ["empty", "times"], T=of(FLOAT), Tmultiples=of(INT)))


def images():
    # The header of a lossless image: 14 bits each of width - 1 and height - 1.
    content = b"\x2f" + struct.pack("<I", 16382 | 11999 << 14) + bytes(201)
    body = b"WEBPVP8L" + struct.pack("<I", len(content)) + content
    yield "claims_196_million_pixels.webp", b"RIFF" + struct.pack("<I", len(body)) + body
    yield "palette_past_the_end.bmp", b"BM" + struct.pack(
        "<IIIIiiHHIIiiII", 58, 0, 2**31 - 1, 40, 2**31 - 1, -(2**31), 1, 8, 0, 0, 0, 0, 2**31 - 1, 0)


def arrays():
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({LARGEST}, 0, 2), }}".ljust(117) + "\n"
    yield "overflow.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode()


def main(folder):
    files = [("graph", f"{name}.pb", content) for name, content in graphs()]
    files += [("image", name, content) for name, content in images()]
    files += [("numPy", name, content) for name, content in arrays()]
    for reader, name, content in files:
        (folder / reader).mkdir(parents=True, exist_ok=True)
        (folder / reader / name).write_bytes(content)


main(pathlib.Path(sys.argv[1]))
