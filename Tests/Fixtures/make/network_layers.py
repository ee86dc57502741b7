"""Neural networks of one layer each, or a few, written by coremltools, with NumPy's outputs: `layers/CASE.mlmodel`.

`CASE.inputI.npy` and `CASE.outputI.npy` are its inputs and outputs in order. Needs coremltools only, not TensorFlow:

    python Tests/Fixtures/make/network_layers.py
"""
import os
import shutil

import coremltools as ct
import numpy as np
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

import network_ranks
import programs
from programs_boxes import candidates, cropped, suppressed

FOLDER = os.path.join(programs.FIXTURES, "layers")
SAMPLING = {"STRICT_ALIGN_ENDPOINTS_MODE": "STRICT_ALIGN_CORNERS", "ALIGN_ENDPOINTS_MODE": "ALIGN_CORNERS",
            "UPSAMPLE_MODE": "DEFAULT", "ROI_ALIGN_MODE": "OFFSET_CORNERS"}


class Layers:
    """Writes cases and collects the rows of their index. The older kind of networks takes vectors, which are images of one
    pixel inside."""

    def __init__(self):
        self.rows = []
        self.refused = []

    def network(self, path, inputs, outputs, build, older=False):
        """`build` adds layers to a builder; the inputs are a, b, …, the outputs y, z, …"""
        names = ["abcdefgh"[i] for i in range(len(inputs))]
        builder = NeuralNetworkBuilder(
            [(name, datatypes.Array(*([x.size] if older else x.shape))) for name, x in zip(names, inputs)],
            [(name, None) for name in "yzuv"[:outputs]], disable_rank5_shape_mapping=not older)
        build(builder)
        spec = builder.spec
        for output in spec.description.output:
            output.type.multiArrayType.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        full = os.path.join(FOLDER, path + ".mlmodel")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(spec.SerializeToString(deterministic=True))

    def add(self, name, inputs, build, expected, tolerance="1e-5", **options):
        expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
        self.network(name, inputs, len(expected), build, **options)
        for role, arrays in (("input", inputs), ("output", expected)):
            for index, array in enumerate(arrays):
                array = np.asarray(array, "<f4", order="C")
                if not np.isfinite(array).all():
                    raise ValueError(name + ": a value is not finite")
                np.save(os.path.join(FOLDER, f"{name}.{role}{index}.npy"), array)
        self.rows.append((name, str(len(inputs)), str(len(expected)), tolerance))

    def refuse(self, name, inputs, build, words, **options):
        """A network that must be refused; the message must contain the words."""
        self.network("refuse/" + name, inputs, 1, build, **options)
        self.refused.append((name + ".mlmodel", words))


def normal(name, *shape):
    return programs.normal("layers/" + name, *shape)


def constant(builder, name, value):
    value = np.asarray(value, "f4")
    builder.add_load_constant_nd(name, name, value, value.shape)


def nested(names, build):
    """The network of a branch or a loop. The builder is made for a model of its own."""
    builder = NeuralNetworkBuilder(
        [(name, datatypes.Array(1)) for name in names], [("unused", None)], disable_rank5_shape_mapping=True)
    build(builder)
    return builder.spec.neuralNetwork


def add_loop(builder, name, body, condition=None, variable="", rounds=None, limit=None):
    layer = builder._add_generic_layer(name, [] if limit is None else [limit], [])
    layer.loop.bodyNetwork.CopyFrom(body)
    layer.loop.conditionVar = variable
    if condition is not None:
        layer.loop.conditionNetwork.CopyFrom(condition)
    if rounds is not None:
        layer.loop.maxLoopIterations = rounds


def add_branch(builder, name, predicate, first, second=None):
    layer = builder._add_generic_layer(name, [predicate], [])
    layer.branch.ifBranch.CopyFrom(first)
    if second is not None:
        layer.branch.elseBranch.CopyFrom(second)


def embeddings(cases):
    weights, bias = normal("embedding", 4, 6), normal("embedding bias", 4)
    indices = np.array([5, 0, 3], "f4")
    for name, used in (("", None), ("_bias", bias)):
        vectors = weights.T[indices.astype(int)] + (0 if used is None else used)
        cases.add("embedding" + name, [indices.reshape(3, 1, 1, 1)],
                  lambda b: b.add_embedding("layer", weights, used, 6, 4, used is not None, "a", "y"),
                  vectors.reshape(3, 4, 1, 1))
        cases.add("embedding_nd" + name, [indices.reshape(3, 1)],
                  lambda b: b.add_embedding_nd("layer", "a", "y", 6, 4, weights, b=used), vectors)
    cases.add("embedding_one", [np.array([[[[2]]]], "f4")],
              lambda b: b.add_embedding("layer", weights, bias, 6, 4, True, "a", "y"), weights.T[[2]] + bias, older=True)
    hot = np.full((2, 4, 3), -0.5, "f4")
    indices = np.array([[1, 0, 3], [2, 2, 0]], "f4")
    for i, j in np.ndindex(2, 3):
        hot[i, int(indices[i, j]), j] = 2
    cases.add("one_hot", [indices], lambda b: b.add_one_hot("layer", ["a"], "y", 4, axis=1, on_value=2, off_value=-0.5), hot)

    def with_inputs(b):
        for name, value in (("depth", [4]), ("on", [2]), ("off", [-0.5])):
            constant(b, name, value)
        b.add_one_hot("layer", ["a", "depth", "on", "off"], "y", axis=-2)
    cases.add("one_hot_inputs", [indices], with_inputs, hot)


def shapes(cases):
    x = normal("shapes", 2, 3, 4)

    def scaled(shape_of):
        """Multiplies by what a layer computes of shapes, so that the output depends on the input."""
        def build(b):
            shape_of(b)
            b.add_multiply_broadcastable("product", ["a", "n"], "y")
        return build
    cases.add("get_shape", [normal("gs", 2, 3)],
              scaled(lambda b: (b.add_get_shape("s", "a", "s"), b.add_slice_static("n", "s", "n", [1], [2], [1], [False], [False]))),
              normal("gs", 2, 3) * 3)
    cases.add("fill_like", [x], scaled(lambda b: b.add_fill_like("n", "a", "n", value=2.5)), x * 2.5)
    cases.add("fill_static", [x], scaled(lambda b: b.add_fill_static("n", "n", [3, 1], value=2.5)), x * 2.5)
    cases.add("fill_dynamic", [x],
              scaled(lambda b: (constant(b, "s", [3, 1]), b.add_fill_dynamic("n", "s", "n", value=-1.5))), x * -1.5)
    cases.add("range", [x], scaled(lambda b: b.add_range_static("n", "n", end=5, start=1, step=1)), x * np.arange(1, 5))
    cases.add("range_inputs", [x],
              scaled(lambda b: (constant(b, "end", [9]), constant(b, "start", [2]),
                                b.add_range_dynamic("n", ["end", "start"], "n", step=2))), x * np.arange(2, 9, 2))
    cases.add("where_nonzero", [x],
              lambda b: (constant(b, "mask", [[0, 1], [1, 1]]), b.add_where_nonzero("p", "mask", "p"),
                         b.add_reduce_sum("s", "p", "s", axes=[0], keepdims=False),
                         b.add_reduce_max("n", "s", "n", axes=[0]), b.add_multiply_broadcastable("m", ["a", "n"], "y")), x * 2)
    cases.add("broadcast_to_like", [x[:, :1], x], lambda b: b.add_broadcast_to_like("layer", ["a", "b"], "y"),
              np.broadcast_to(x[:, :1], x.shape))
    cases.add("broadcast_to_dynamic", [x[:, :1]],
              lambda b: (constant(b, "s", [2, 3, 4]), b.add_broadcast_to_dynamic("layer", ["a", "s"], "y")),
              np.broadcast_to(x[:, :1], x.shape))
    cases.add("reshape_like", [x, normal("other", 4, 6)], lambda b: b.add_reshape_like("layer", ["a", "b"], "y"),
              x.reshape(4, 6))
    cases.add("reshape_dynamic", [x], lambda b: (constant(b, "s", [3, -1]), b.add_reshape_dynamic("layer", ["a", "s"], "y")),
              x.reshape(3, 8))
    cases.add("sequence_repeat", [normal("sequence", 2, 3, 4, 5)], lambda b: b.add_sequence_repeat("layer", 3, "a", "y"),
              np.tile(normal("sequence", 2, 3, 4, 5), (3, 1, 1, 1)))
    for name, axis, shape in (("first", 0, (1, 24)), ("last", 3, (24, 1))):
        cases.add("flatten_to_2d_" + name, [x], lambda b: b.add_flatten_to_2d("layer", "a", "y", axis=axis), x.reshape(shape))
    for lower, upper in ((0, -1), (-1, 1), (1, 2)):
        rows, columns = np.indices((3, 4))
        keep = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
        cases.add(f"matrix_band_part_{lower % 9}_{upper % 9}", [x],
                  lambda b: b.add_matrix_band_part("layer", "a", "y", num_lower=lower, num_upper=upper), x * keep)
    for k in (-1, 0, 2):
        cases.add(f"lower_triangular_{k % 9}", [x], lambda b: b.add_lower_triangular("layer", "a", "y", k=k), np.tril(x, k))
        cases.add(f"upper_triangular_{k % 9}", [x], lambda b: b.add_upper_triangular("layer", "a", "y", k=k), np.triu(x, k))
    long = normal("windows", 2, 9, 2)
    cases.add("sliding_windows", [long], lambda b: b.add_sliding_windows("layer", "a", "y", 1, 4, step=2),
              np.stack([long[:, i:i + 4] for i in (0, 2, 4)], 1))
    lengths = np.array([7, 3], "f4")
    expected = long.copy()
    for row, length in enumerate((7, 3)):
        expected[row, :length] = long[row, :length][::-1]
    cases.add("reverse_sequence", [long, lengths],
              lambda b: b.add_reverse_sequence("layer", ["a", "b"], "y", batch_axis=0, seq_axis=1), expected)
    cases.refuse("where_nonzero", [x], lambda b: b.add_where_nonzero("layer", "a", "y"), "known only when model runs")
    cases.refuse("fill_dynamic", [np.zeros(2, "f4")], lambda b: b.add_fill_dynamic("layer", "a", "y"), "known only when model runs")


def products(cases):
    a, b = normal("first", 2, 5, 1, 1), normal("second", 2, 5, 1, 1)
    product, lengths = (a * b).sum((1, 2, 3), keepdims=True), [np.sqrt((v * v).sum((1, 2, 3), keepdims=True)) for v in (a, b)]
    for name, cosine, expected in (("dot", False, product), ("dot_cosine", True, product / lengths[0] / lengths[1])):
        cases.add(name, [a, b], lambda n: n.add_elementwise("layer", ["a", "b"], "y", "COS" if cosine else "DOT"), expected)
    # A vector gets an axis of one element, which stays in the result.
    vector, other, matrix, batch = normal("vector", 5), normal("other vector", 5), normal("matrix", 5, 3), normal("batch", 2, 4, 5)
    for name, a, b, shape in (
            ("vector_first", vector, matrix, (1, 3)), ("vector_batch", vector, batch.swapaxes(1, 2), (2, 1, 4)),
            ("vector_second", batch, vector, (2, 4, 1)), ("vectors", vector, other, (1, 1))):
        cases.add("batched_matmul_" + name, [a, b], lambda n: n.add_batched_mat_mul("layer", ["a", "b"], "y"),
                  (a @ b).reshape(shape))
    bias = normal("bias of a product", 3)
    cases.add("batched_matmul_vector_weights", [vector],
              lambda n: n.add_batched_mat_mul("layer", ["a"], "y", weight_matrix_rows=5, weight_matrix_columns=3, W=matrix,
                                              bias=bias), vector @ matrix + bias)
    cases.refuse("batched_matmul_vector_transposed", [vector, matrix],
                 lambda n: n.add_batched_mat_mul("layer", ["a", "b"], "y", transpose_a=True), "input has shape [5]")


def slices(cases):
    x = normal("slices", 4, 5, 6)
    cases.add("slice_by_size", [x, np.array([2], "f4")],
              lambda b: b.add_slice_by_size("layer", ["a", "b"], "y", 1, 3), x[:, 2:5])
    cases.add("slice_dynamic", [x],
              lambda b: (constant(b, "begin", [1, -1, 0]),
                         b.add_slice_dynamic("layer", ["a", "begin"], "y", end_ids=[3, 0, 6], strides=[1, -2, 2],
                                             begin_masks=[False] * 3, end_masks=[False, True, False])),
              x[1:3, ::-2, ::2])

    def all_inputs(b):
        for name, value in (("begin", [1, 3, 0]), ("end", [4, 0, 4]), ("step", [1, 1, 1]), ("first", [1, 0, 0]),
                            ("last", [0, 0, 1]), ("single", [0, 1, 0])):
            constant(b, name, value)
        b.add_slice_dynamic("layer", ["a", "begin", "end", "step", "first", "last", "single"], "y")
    cases.add("slice_dynamic_inputs", [x], all_inputs, x[:4, 3, 0:])
    cases.refuse("slice_dynamic", [x, np.zeros(3, "f4")],
                 lambda b: b.add_slice_dynamic("layer", ["a", "b"], "y", end_ids=[3, 3, 3]), "known only when model runs")


def boxes(cases):
    image = normal("boxes", 1, 2, 3, 6, 7)
    regions = np.array([[1, 0.5, 4.5, 6], [0, 0, 5, 3.25]], "f4")
    for mode, other in SAMPLING.items():
        cases.add(
            "crop_resize_" + mode.lower(), [image, regions.reshape(2, 1, 4, 1, 1)],
            lambda b: b.add_crop_resize("layer", ["a", "b"], "y", 4, 3, mode=mode),
            np.stack([[cropped(x, box, 4, 3, other) for x in image[0]] for box in regions]))
    for corners in ("CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"):
        own = np.array([[0.5, 0.5, 0.75, 0.5], [0.25, 0.4, 0.3, 0.2]], "f4")
        roi = np.concatenate([np.array([[1], [0]], "f4"), own], 1).reshape(2, 1, 5, 1, 1)
        cases.add(
            "crop_resize_" + corners.lower(), [image, roi],
            lambda b: b.add_crop_resize("layer", ["a", "b"], "y", 3, 4, mode="ALIGN_ENDPOINTS_MODE", normalized_roi=True,
                                        box_indices_mode=corners),
            np.stack([[cropped(image[0][i], box, 3, 4, "ALIGN_CORNERS", corners, True)] for i, box in zip((1, 0), own)]))
    found, scores = candidates("network", 2, 8, 3)
    for name, per_class in (("", False), ("_classes", True)):
        cases.add(
            "non_maximum_suppression" + name, [found, scores],
            lambda b: b.add_nms("layer", ["a", "b"], list("yzuv"), iou_threshold=0.2, score_threshold=0.3, max_boxes=6,
                                per_class_suppression=per_class),
            suppressed(found, scores, 0.2, 0.3, 6, per_class))

    def with_inputs(b):
        for name, value in (("overlap", [0.2]), ("score", [0.3]), ("count", [6])):
            constant(b, name, value)
        b.add_nms("layer", ["a", "b", "overlap", "score", "count"], list("yzuv"))
    cases.add("non_maximum_suppression_inputs", [found, scores], with_inputs, suppressed(found, scores, 0.2, 0.3, 6, False))


def control(cases):
    x = normal("control", 2, 3)

    def total(b, of, name):
        b.add_reduce_sum(name, of, name, axes=[0, 1], keepdims=False, reduce_all=True)

    # A copy may replace a value, even an input. Layers read the value that was computed last.
    cases.add("copy_onto_input", [x],
              lambda b: (b.add_activation("before", "RELU", "a", "positive"), b.add_copy("copy", "positive", "a"),
                         b.add_add_broadcastable("after", ["a", "a"], "y")), np.maximum(x, 0) * 2)
    # As coremltools returns an input.
    cases.add("copy_back", [x],
              lambda b: (b.add_copy("a_tmp", "a", "a_tmp"), b.add_copy("a", "a_tmp", "a"),
                         b.add_activation("layer", "RELU", "a", "y")), np.maximum(x, 0))
    cases.refuse("activation_onto_input", [x],
                 lambda b: (b.add_activation("layer", "RELU", "a", "a"), b.add_copy("copy", "a", "y")),
                 "'a' another layer already computes")

    # Both networks replace a value and compute another.
    def branch(b):
        b.add_copy("copy", "a", "state")
        total(b, "a", "sum")
        constant(b, "zero", [0])
        b.add_greater_than("predicate", ["sum", "zero"], "predicate")
        add_branch(
            b, "layer", "predicate",
            nested(["state"], lambda n: (n.add_add_broadcastable("one", ["state", "state"], "own"),
                                         n.add_copy("replace", "own", "state"), n.add_copy("new", "a", "extra"))),
            nested(["state"], lambda n: (n.add_activation("two", "RELU", "state", "extra"),)))
        b.add_add_broadcastable("result", ["state", "extra"], "y")
    for name, sign in (("positive", 1), ("negative", -1)):
        value = x * sign * np.sign(x.sum())
        cases.add("branch_" + name, [value], branch, value * 3 if sign > 0 else value + np.maximum(value, 0))

    def known(b):
        b.add_copy("copy", "a", "y")
        constant(b, "predicate", [0])
        add_branch(b, "layer", "predicate", nested(["y"], lambda n: n.add_copy("no", "a", "y")),
                   nested(["y"], lambda n: n.add_activation("yes", "RELU", "a", "y")))
    cases.add("branch_known", [x], known, np.maximum(x, 0))

    def one_branch(b):
        b.add_copy("copy", "a", "y")
        total(b, "a", "sum")
        constant(b, "zero", [0])
        b.add_less_than("predicate", ["sum", "zero"], "predicate")
        add_branch(b, "layer", "predicate",
                   nested(["y"], lambda n: n.add_add_broadcastable("double", ["a", "a"], "y")))
    for name, sign in (("taken", -1), ("skipped", 1)):
        value = x * sign * np.sign(x.sum())
        cases.add("branch_one_" + name, [value], one_branch, value * 2 if sign < 0 else value)

    def halved(n):
        n.add_multiply_broadcastable("half", ["state", "factor"], "next")
        n.add_add_broadcastable("sum", ["next", "a"], "sum")
        n.add_copy("replace", "sum", "state")

    def counted(rounds=None, limit=None):
        def build(b):
            b.add_copy("copy", "a", "state")
            constant(b, "factor", [0.5])
            add_loop(b, "layer", nested(["state", "a", "factor"], halved), rounds=rounds, limit=limit)
            b.add_copy("result", "state", "y")
        return build

    def state(rounds):
        value = x
        for _ in range(rounds):
            value = value * 0.5 + x
        return value
    cases.add("loop_unrolled", [x], counted(rounds=3), state(3))
    cases.add("loop_counted", [x], counted(rounds=400), state(400))
    cases.add("loop_input", [x, np.array([5], "f4")], counted(limit="b"), state(5))

    def until(rounds=None):
        """Doubles the input until the sum of its squares is at least 100."""
        def build(b):
            b.add_copy("copy", "a", "state")
            constant(b, "limit", [100])

            def squares(n):
                n.add_multiply_broadcastable("square", ["state", "state"], "squares")
                total(n, "squares", "total")
                n.add_less_than("less", ["total", "limit"], "goes_on")
            add_loop(
                b, "layer",
                nested(["state"], lambda n: (n.add_add_broadcastable("double", ["state", "state"], "doubled"),
                                             n.add_copy("replace", "doubled", "state"))),
                nested(["state", "limit"], squares), "goes_on", rounds=rounds)
            # What the condition computed at the end is known here.
            b.add_divide_broadcastable("share", ["state", "total"], "y")
        return build
    for name, value, rounds in (("few", x * 3, None), ("many", x * 0.01, None), ("none", x * 50, None), ("limit", x * 0.01, 3)):
        expected = value.astype("f8")
        count = 0
        while (expected ** 2).sum() < 100 and count != rounds:
            expected, count = expected * 2, count + 1
        cases.add("loop_until_" + name, [value.astype("f4")], until(rounds), expected / (expected ** 2).sum())
    cases.refuse("loop_without_end", [x],
                 lambda b: (b.add_copy("copy", "a", "y"), add_loop(b, "layer", nested(["y"], lambda n: n.add_copy("c", "a", "y")))),
                 "neither condition number iterations")
    cases.refuse("loop_break", [x],
                 lambda b: (b.add_copy("copy", "a", "y"),
                            add_loop(b, "layer", nested(["y"], lambda n: n.add_loop_break("leave")), rounds=2)),
                 "'loopBreak' not supported")


def write():
    shutil.rmtree(FOLDER, ignore_errors=True)
    cases = Layers()
    for part in (embeddings, shapes, products, slices, boxes, control, *network_ranks.PARTS):
        part(cases)
    # The tables are written as those of the programs.
    programs.FOLDER = FOLDER
    programs.save_table("layers.tsv", ("network", "inputs", "outputs", "tolerance"), cases.rows)
    programs.save_table("refuse/refuse.tsv", ("file", "words"), cases.refused)


if __name__ == "__main__":
    write()
