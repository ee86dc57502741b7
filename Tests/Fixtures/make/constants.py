"""Cases of constants in every encoding of TensorProto, and of dequantized ones."""
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
    """Four values of a type, including its extremes, as NumPy stores them."""
    dtype = tf.as_dtype(kind).as_numpy_dtype
    if kind == "bool":
        return np.array([True, False, False, True])
    if kind.startswith(("float", "bfloat")):
        return np.concatenate([draw(2), [-0.0, 1.5]]).astype(dtype)
    low, high = QUANTISED.get(kind) or (tf.as_dtype(kind).min, tf.as_dtype(kind).max)
    bound = 1 << 20
    return np.array([max(low, -bound), min(high, bound), 3, 100 if low == 0 else -100]).astype(dtype)


def encode(constant, place, values):
    """Stores `values` in the field `place` of the Const node, and nothing else."""
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
        """A constant of shape [4] written as `count` values in `place`; the last one is repeated for the rest."""
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


def dequantized(cases):
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


def computed(cases):
    """Tensors that a graph computes from constants, by operations without other inputs."""
    add = cases.family("known")
    for name, kind in [("int32", tf.int32), ("int64", tf.int64)]:
        add(f"broadcast_args_{name}", [4, 1], lambda x, r: op.BroadcastTo(input=x, shape=op.BroadcastArgs(
            s0=tf.constant([2, 1, 1], kind), s1=tf.constant([4, 3], kind))))
    add("broadcast_args_scalar", [4, 1], lambda x, r: op.BroadcastTo(input=x, shape=op.BroadcastArgs(
        s0=tf.constant([], tf.int32), s1=tf.constant([4, 3], tf.int32))))
    add("linspace", [2, 5], lambda x, r: op.AddV2(x=x, y=tf.linspace(-1.0, 2.0, 5)), "tf.linspace")
    add("linspace_of_lists", [3, 2], lambda x, r: op.AddV2(x=x, y=tf.linspace([-1.0, 2.0], [1.0, 5.0], 3)), "tf.linspace")

    def plus(x, y):
        return op.AddV2(x=x, y=op.Cast(x=y, DstT=tf.float32))

    add("matrix_diag", [2, 3, 3], lambda x, r: plus(x, op.MatrixDiag(diagonal=r(2, 3))))
    add("eye", [4, 4], lambda x, r: op.MatMul(a=x, b=tf.eye(4) * 2), "tf.eye")
    add("eye_wide", [2, 3, 5], lambda x, r: plus(x, tf.eye(3, 5, batch_shape=[2])), "tf.eye")
    add("eye_tall_of_integers", [5, 3], lambda x, r: plus(x, tf.eye(5, 3, dtype=tf.int32)), "tf.eye")
    for version in (op.MatrixDiagV2, op.MatrixDiagV3):
        for k, size in [(0, 3), (1, 4), (-2, 5)]:
            add(f"{version.__name__}_{k}", [size, size], lambda x, r: plus(x, version(
                diagonal=r(3), k=k, num_rows=-1, num_cols=-1, padding_value=0.5)))
        add(f"{version.__name__}_rows", [5, 3], lambda x, r: plus(x, version(
            diagonal=r(3), k=0, num_rows=5, num_cols=-1, padding_value=0.0)))
        add(f"{version.__name__}_columns", [2, 3, 6], lambda x, r: plus(x, version(
            diagonal=r(2, 3), k=[1], num_rows=-1, num_cols=6, padding_value=-1.0)))
        add(f"{version.__name__}_several", [2, 4, 4], lambda x, r: plus(x, version(
            diagonal=r(2, 4, 4), k=[-2, 1], num_rows=-1, num_cols=-1, padding_value=0.5)))
    for align in ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"):
        add(f"matrix_diag_{align.lower()}", [4, 6], lambda x, r: plus(x, op.MatrixDiagV3(
            diagonal=r(5, 4), k=[-2, 2], num_rows=4, num_cols=6, padding_value=0.0, align=align)))

    add("matrix_set_diag", [2, 3, 4], lambda x, r: plus(x, op.MatrixSetDiag(input=r(2, 3, 4), diagonal=r(2, 3))))
    for version in (op.MatrixSetDiagV2, op.MatrixSetDiagV3):
        for k, shape in [(-1, [2, 2]), ([1, 1], [2, 3]), ([-1, 1], [2, 3, 3])]:
            add(f"{version.__name__}_{k}".replace(", ", "_to_").strip("]").replace("[", ""), [2, 3, 4],
                lambda x, r: plus(x, version(input=r(2, 3, 4), diagonal=r(*shape), k=k)))

    add("matrix_diag_part", [2, 4, 3], lambda x, r: op.MatrixDiagPart(input=x))
    for k in (0, 1, -2):
        add(f"matrix_diag_part_v2_{k}", [2, 3, 5], lambda x, r: op.MatrixDiagPartV2(input=x, k=k, padding_value=0.0))
        add(f"matrix_diag_part_v3_{k}", [2, 1, 5, 3], lambda x, r: op.MatrixDiagPartV3(input=x, k=k, padding_value=0.0))
    add("matrix_diag_part_of_constant", [2, 3], lambda x, r: plus(x, op.MatrixDiagPartV3(
        input=r(2, 3, 4), k=[0, 0], padding_value=0.0)))
    add("matrix_band_part", [3, 4], lambda x, r: plus(x, op.MatrixBandPart(input=r(3, 4), num_lower=1, num_upper=-1)))

    add("where_mask", [2, 3, 5], lambda x, r: tf.boolean_mask(x, [True, False, True, True, False], axis=2), "tf.boolean_mask")
    add("where_mask_of_two_axes", [2, 3, 4], lambda x, r: tf.boolean_mask(x, [[True, False, True], [False, True, False]]),
        "tf.boolean_mask")
    add("where_numbers", [4, 3], lambda x, r: plus(x, op.Where(condition=tf.constant(
        [[[0.0, 2.0], [-1.0, 0.0]], [[0.0, 0.0], [float("nan"), 1e-30]]]))))
    add("scatter_nd", [6], lambda x, r: plus(x, op.ScatterNd(
        indices=[[4], [1], [4]], updates=r(3), shape=[6])), "a place twice: what falls there is added up")
    add("scatter_nd_slices", [3, 2, 4], lambda x, r: plus(x, op.ScatterNd(
        indices=[[[2, 1]], [[0, 0]]], updates=r(2, 1, 4), shape=[3, 2, 4])))
    add("scatter_nd_integers", [4, 2], lambda x, r: plus(x, op.ScatterNd(
        indices=tf.constant([[3], [0]], tf.int64), updates=tf.constant([[1, 2], [3, 4]]), shape=tf.constant([4, 2], tf.int64))))
    add("tensor_scatter_update", [4, 3], lambda x, r: plus(x, op.TensorScatterUpdate(
        tensor=r(4, 3), indices=[[3, 1], [0, 0]], updates=r(2))))
    add("tensor_scatter_update_slices", [4, 3], lambda x, r: plus(x, op.TensorScatterUpdate(
        tensor=r(4, 3), indices=[[2], [0]], updates=r(2, 3))))
    add("unique", [4], lambda x, r: plus(x, op.Unique(x=tf.constant([5, 3, 5, -1, 3, 7])).y))
    add("unique_places", [6], lambda x, r: plus(x, op.Unique(x=[0.5, -3.0, 0.5, 2.0, -3.0, 7.0], out_idx=tf.int64).idx))


def write(cases):
    encodings(cases)
    computed(cases)
    dequantized(cases)
