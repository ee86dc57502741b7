"""Cases of constants in every encoding that a TensorProto knows, and of dequantised ones."""
import numpy as np
import tensorflow as tf

from common import field

op = tf.raw_ops
SHAPE = [2, 3, 4]
FIELDS = {"float32": "float_val", "float64": "double_val", "float16": "half_val", "bfloat16": "half_val", "int8": "int_val",
          "uint8": "int_val",
          "int16": "int_val", "uint16": "int_val", "int32": "int_val", "int64": "int64_val", "uint32": "uint32_val",
          "uint64": "uint64_val", "bool": "bool_val"}
QUANTISED = {"quint8": (0, 255), "qint8": (-128, 127), "quint16": (0, 65535), "qint16": (-32768, 32767)}


def values_of(kind, draw):
    """Four values of a type, its extremes among them; as NumPy stores them."""
    dtype = tf.as_dtype(kind).as_numpy_dtype
    if kind == "bool":
        return np.array([True, False, False, True])
    if kind.startswith(("float", "bfloat")):
        return np.concatenate([draw(2), [-0.0, 1.5]]).astype(dtype)
    low, high = QUANTISED.get(kind) or (tf.as_dtype(kind).min, tf.as_dtype(kind).max)
    bound = 1 << 20
    return np.array([max(low, -bound), min(high, bound), 3, 100 if low == 0 else -100]).astype(dtype)


def encode(constant, place, values):
    """Makes the Const node hold `values` in the field `place` and nothing else."""
    tensor = constant.attr["value"].tensor
    for name in ["tensor_content", *set(FIELDS.values())]:
        tensor.ClearField(name)
    if place == "tensor_content":
        tensor.tensor_content = values.tobytes()
    elif place == "half_val":
        tensor.half_val.extend(values.view("u2").tolist())
    else:
        getattr(tensor, place).extend(values.tolist())


def node_named(definition, name):
    return next(node for node in definition.node if node.name == name)


def encodings(cases):
    add = cases.family("constant")

    def constant_added(kind, name, place, count):
        """A constant of the shape [4] written as `count` values in `place`; the last one stands for the rest."""
        def build(x, draw):
            values = values_of(kind, draw)
            constant = tf.constant(values, tf.as_dtype(kind), name="constant")
            build.values = values[:count]
            return op.AddV2(x=x, y=constant if kind == "float32" else op.Cast(x=constant, DstT=tf.float32))

        add(f"{kind}_{name}", SHAPE, build, edit=lambda definition: encode(node_named(definition, "constant"), place,
                                                                           build.values))

    for kind, place in FIELDS.items():
        constant_added(kind, "tensor_content", "tensor_content", 4)
        constant_added(kind, place, place, 4)
        constant_added(kind, f"{place}_splat", place, 1)
        constant_added(kind, f"{place}_repeats_last", place, 2)
    constant_added("float32", "float_val_none", "float_val", 0)

    add("float32_scalar", SHAPE, lambda x, r: op.AddV2(x=x, y=0.75))
    add("float32_one_element", SHAPE, lambda x, r: op.AddV2(x=x, y=tf.constant([0.75])))
    add("float32_rank3", SHAPE, lambda x, r: op.AddV2(x=x, y=r(*SHAPE)))
    add("float32_unaligned", SHAPE, lambda x, r: op.AddV2(x=op.AddV2(x=x, y=tf.constant(r(4), name="a")),
                                                          y=tf.constant(r(4), name="bcd")),
        "two blobs, at least one not at a multiple of four in the file")
    add("float32_float_val_unpacked", SHAPE, lambda x, r: op.AddV2(x=x, y=tf.constant(r(4), name="constant")),
        "a tag before each value, as the first protobuf version wrote lists", serialize=with_unpacked_constant)


def with_unpacked_constant(definition):
    """The file's bytes, with the node `constant` written by hand: its float_val is not packed."""
    constant = node_named(definition, "constant")
    tensor = constant.attr["value"].tensor
    values = np.frombuffer(tensor.tensor_content, "<f4")
    dtype, shape = b"\x08\x01", field(2, tensor.tensor_shape.SerializeToString())
    value = field(8, dtype + shape + b"".join(b"\x2d" + value.tobytes() for value in values))
    attributes = [field(1, b"dtype") + field(2, b"\x30\x01"), field(1, b"value") + field(2, value)]
    node = field(1, b"constant") + field(2, b"Const") + b"".join(field(5, attribute) for attribute in attributes)
    definition.node.remove(constant)
    return field(1, node) + definition.SerializeToString(deterministic=True)


def dequantised(cases):
    add = cases.family("dequantize")

    def dequantize(values, kind, low, high, name="quantised"):
        constant = tf.constant(values.astype(tf.as_dtype(kind).as_numpy_dtype), tf.as_dtype(kind), name=name)
        return op.Dequantize(input=constant, min_range=low, max_range=high, mode="MIN_FIRST")

    for name, low, high in [("symmetric", -1.0, 1.0), ("positive", 0.0, 6.0), ("uneven", -0.37, 2.91), ("all_positive", 0.5, 1.5),
                            ("tiny", -1e-3, 2e-3)]:
        add(f"quint8_{name}", SHAPE, lambda x, r: op.AddV2(x=x, y=dequantize(r.integers(0, 256, 3, 4), "quint8", low, high)))
    for kind in QUANTISED:
        if kind == "quint8":
            continue
        add(f"{kind}_tensor_content", SHAPE, lambda x, r: op.AddV2(x=x, y=dequantize(values_of(kind, r), kind, -1.5, 2.0)))
    for kind in QUANTISED:
        def as_int_val(definition):
            node = node_named(definition, "quantised")
            values = np.frombuffer(node.attr["value"].tensor.tensor_content,
                                   {"quint8": "u1", "qint8": "i1", "quint16": "<u2", "qint16": "<i2"}[kind])
            encode(node, "int_val", values)
        add(f"{kind}_int_val", SHAPE, lambda x, r: op.AddV2(x=x, y=dequantize(values_of(kind, r), kind, -1.5, 2.0)),
            edit=as_int_val)
    add("convolution_weights", [1, 5, 6, 2], lambda x, r: op.Conv2D(
        input=x, filter=dequantize(r.integers(0, 256, 3, 3, 2, 4), "quint8", -0.8, 1.1), strides=[1, 1, 1, 1], padding="SAME"))
    add("dense_weights", [1, 9], lambda x, r: op.MatMul(a=x, b=dequantize(r.integers(0, 256, 9, 4), "quint8", -0.8, 1.1)))
    add("quint8_defaults_stripped", SHAPE, lambda x, r: op.AddV2(x=x, y=op.Dequantize(
        input=tf.constant(r.integers(0, 256, 4).astype(tf.quint8.as_numpy_dtype), tf.quint8), min_range=-1.0, max_range=1.0,
        mode="MIN_FIRST")),
        "no axis and narrow_range attributes, as in graphs of 2017", strip=True)


def write(cases):
    encodings(cases)
    dequantised(cases)
