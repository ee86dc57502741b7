"""Layers on tensors of every rank that NeuralNetwork.proto allows, layers that remove all axes, and repetitions as an input.

The axes before channel, height and width are a batch, or do not exist."""
import numpy as np

import programs

# Shapes of ranks 3, 4 and 5. The last has two axes of a batch.
SHAPES = ((4, 4, 6), (2, 4, 4, 6), (2, 2, 4, 4, 6))


def normal(name, *shape):
    return programs.normal("layers/" + name, *shape)


def constant(builder, name, value):
    value = np.asarray(value, "f4")
    builder.add_load_constant_nd(name, name, value, value.shape)


def several(*layers):
    """Adds layers side by side. Each takes the builder, its name and the name of its output."""
    def build(builder):
        for index, (add, output) in enumerate(zip(layers, "yzuv")):
            add(builder, f"layer{index}", output)
    return build


def bordered(x, top, bottom, left, right, **mode):
    return np.pad(x, [(0, 0)] * (x.ndim - 2) + [(top, bottom), (left, right)], **mode)


def sampled(x, rows, columns):
    """Pixels at fractional positions, interpolated."""
    for axis, points in ((-2, rows), (-1, columns)):
        low = np.floor(points).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        share = (points - low).reshape((-1, 1) if axis == -2 else (-1,))
        x = np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share
    return x


def moved(x):
    """Space to depth with blocks of 2×2: the positions in a block come before the channels."""
    *batch, channels, height, width = x.shape
    x = x.reshape(*batch, channels, height // 2, 2, width // 2, 2)
    n = len(batch)
    return x.transpose(*range(n), n + 2, n + 4, n, n + 1, n + 3).reshape(*batch, 4 * channels, height // 2, width // 2)


def moved_back(x):
    *batch, channels, height, width = x.shape
    x = x.reshape(*batch, 2, 2, channels // 4, height, width)
    n = len(batch)
    return x.transpose(*range(n), n + 2, n + 3, n, n + 4, n + 1).reshape(*batch, channels // 4, 2 * height, 2 * width)


def windows(x, height, width):
    return np.lib.stride_tricks.sliding_window_view(x, (height, width), axis=(-2, -1))


def centered(x, axes, scaled=True):
    x = x - x.mean(axes, keepdims=True)
    return x / (np.sqrt((x * x).mean(axes, keepdims=True)) + 1e-5) if scaled else x


def normalized(x, axes, gamma, beta):
    """A batch normalization with the statistics of the input."""
    x = x - x.mean(axes, keepdims=True)
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + 1e-3) * gamma + beta


def spread(x, filters):
    """A transposed convolution with stride 2. The filters are height, width, input and output channels."""
    height, width = filters.shape[:2]
    result = np.zeros((*x.shape[:-3], filters.shape[3], 2 * x.shape[-2] - 2 + height, 2 * x.shape[-1] - 2 + width))
    for i, j in np.ndindex(height, width):
        part = np.einsum("...chw,co->...ohw", x, filters[i, j])
        result[..., i:i + 2 * x.shape[-2] - 1:2, j:j + 2 * x.shape[-1] - 1:2] += part
    return result


def selections(cases):
    """Slices, borders and flattening."""
    for shape in ((5,), (4, 6)) + SHAPES:
        x, rank = normal(f"ranks/slice{len(shape)}", *shape), len(shape)
        axes = ("width", "height", "channel")[:rank]
        cases.add(
            f"slice_rank{rank}", [x],
            several(*[lambda b, n, o, axis=axis: b.add_slice(n, "a", o, axis, 1, -1, 2) for axis in axes]),
            [x[(..., slice(1, -1, 2)) + (slice(None),) * after] for after in range(len(axes))])
    for shape in SHAPES:
        x, rank = normal(f"ranks/{len(shape)}", *shape), len(shape)
        cases.add(
            f"padding_rank{rank}", [x],
            several(lambda b, n, o: b.add_padding(n, 1, 2, 3, 0, 1.5, "a", o),
                    lambda b, n, o: b.add_padding(n, 1, 2, 3, 0, 0, "a", o, "reflection"),
                    lambda b, n, o: b.add_padding(n, 1, 2, 3, 0, 0, "a", o, "replication")),
            [bordered(x, 3, 0, 1, 2, constant_values=1.5), bordered(x, 3, 0, 1, 2, mode="reflect"),
             bordered(x, 3, 0, 1, 2, mode="edge")])
        cases.add(f"crop_rank{rank}", [x], lambda b: b.add_crop("layer", 1, 2, 0, 1, 0, ["a"], "y"), x[..., :3, 1:4])
        cases.add(f"crop_like_rank{rank}", [x, np.zeros(shape[:-2] + (2, 4), "f4")],
                  lambda b: b.add_crop("layer", 0, 0, 0, 0, [2, 1], ["a", "b"], "y"), x[..., 2:4, 1:5])
        last = np.moveaxis(x, -3, -1)
        cases.add(f"flatten_rank{rank}", [x],
                  several(*[lambda b, n, o, mode=mode: b.add_flatten(n, mode, "a", o) for mode in (0, 1)]),
                  [value.reshape(*shape[:-3], -1, 1, 1) for value in (x, last)])
        cases.add(
            f"reorganize_rank{rank}", [x],
            several(lambda b, n, o: b.add_reorganize_data(n, "a", o, "SPACE_TO_DEPTH", 2),
                    lambda b, n, o: b.add_reorganize_data(n, "a", o, "DEPTH_TO_SPACE", 2)), [moved(x), moved_back(x)])
    plane = normal("ranks/plane", 4, 6)
    cases.refuse("slice_rank2", [plane], lambda b: b.add_slice("layer", "a", "y", "channel", 1, 2), "axis -3 [4, 6]")
    cases.refuse("padding_rank2", [plane], lambda b: b.add_padding("layer", 1, 1, 1, 1, 0, "a", "y"), "expected least 3 axes")


def images(cases):
    """Resizing and windows."""
    filters, spreading, bias = normal("ranks/filters", 3, 2, 4, 3), normal("ranks/spreading", 3, 2, 4, 2), normal("ranks/bias", 3)
    for shape in SHAPES:
        x, rank = normal(f"ranks/{len(shape)}", *shape), len(shape)
        cases.add(
            f"resize_rank{rank}", [x],
            several(lambda b, n, o: b.add_upsample(n, 2, 3, "a", o, "NN"),
                    lambda b, n, o: b.add_upsample(n, 2, 3, "a", o, "BILINEAR"),
                    lambda b, n, o: b.add_resize_bilinear(n, "a", o, 3, 7, "ALIGN_ENDPOINTS_MODE")),
            [x.repeat(2, -2).repeat(3, -1), sampled(x, np.minimum(np.arange(8) / 2, 3), np.minimum(np.arange(18) / 3, 5)),
             sampled(x, np.linspace(0, 3, 3), np.linspace(0, 5, 7))])
        if rank == 3:
            continue
        cases.add(
            f"convolution_rank{rank}", [x],
            several(lambda b, n, o: b.add_convolution(n, 4, 3, 3, 2, 1, 1, "valid", 1, filters, bias, True, input_name="a",
                                                      output_name=o),
                    lambda b, n, o: b.add_convolution(n, 4, 2, 3, 2, 2, 2, "valid", 1, spreading, None, False, True,
                                                      input_name="a", output_name=o)),
            [np.einsum("...chwij,ijco->...ohw", windows(x, 3, 2), filters) + bias.reshape(3, 1, 1), spread(x, spreading)])
        parts = windows(x, 2, 3)
        cases.add(
            f"pooling_rank{rank}", [x],
            several(*[lambda b, n, o, mode=mode: b.add_pooling(n, 2, 3, 1, 1, mode, "VALID", "a", o)
                      for mode in ("MAX", "AVERAGE", "L2")],
                    lambda b, n, o: b.add_pooling(n, 0, 0, 1, 1, "AVERAGE", "VALID", "a", o, is_global=True)),
            [parts.max((-2, -1)), parts.mean((-2, -1)), np.sqrt((parts * parts).sum((-2, -1))),
             x.mean((-2, -1), keepdims=True)])
    x = normal("ranks/3", *SHAPES[0])
    cases.refuse("convolution_rank3", [x],
                 lambda b: b.add_convolution("layer", 4, 3, 3, 2, 1, 1, "valid", 1, filters, bias, True, input_name="a",
                                             output_name="y"), "expected least 4 axes")
    cases.refuse("pooling_rank3", [x], lambda b: b.add_pooling("layer", 2, 2, 1, 1, "MAX", "VALID", "a", "y"),
                 "expected least 4 axes")


def statistics(cases):
    """Normalizations and reductions."""
    gamma, beta, mean = (normal("ranks/" + name, 4) for name in ("gamma", "beta", "mean"))
    variance = normal("ranks/variance", 4) ** 2 + 0.5
    per_channel = [value.reshape(4, 1, 1) for value in (gamma, beta, mean, variance)]
    for shape in SHAPES:
        x, rank = normal(f"ranks/{len(shape)}", *shape), len(shape)
        cases.add(
            f"mvn_rank{rank}", [x],
            several(lambda b, n, o: b.add_mvn(n, "a", o, False, True, 1e-5), lambda b, n, o: b.add_mvn(n, "a", o, True, True, 1e-5),
                    lambda b, n, o: b.add_mvn(n, "a", o, True, False, 1e-5)),
            [centered(x, (-2, -1)), centered(x, (-3, -2, -1)), centered(x, (-3, -2, -1), False)])
        cases.add(
            f"batchnorm_rank{rank}", [x],
            several(lambda b, n, o: b.add_batchnorm(n, 4, gamma, beta, mean, variance, "a", o, epsilon=1e-3),
                    lambda b, n, o: b.add_batchnorm(n, 4, gamma, beta, input_name="a", output_name=o, compute_mean_var=True,
                                                    instance_normalization=True, epsilon=1e-3)),
            [(x - per_channel[2]) / np.sqrt(per_channel[3] + 1e-3) * per_channel[0] + per_channel[1],
             normalized(x, (-2, -1), *per_channel[:2])])
        squares = np.pad(x * x, [(0, 0)] * (rank - 3) + [(1, 1), (0, 0), (0, 0)])
        total = sum(squares[..., i:i + 4, :, :] for i in range(3))
        cases.add(f"lrn_rank{rank}", [x], lambda b: b.add_lrn("layer", "a", "y", 0.3, 0.7, 3, 1.5),
                  x / (1.5 + 0.1 * total) ** 0.7)
        cases.add(
            f"reduce_rank{rank}", [x],
            several(*[lambda b, n, o, axis=axis, mode=mode: b.add_reduce(n, "a", o, axis, mode)
                      for axis, mode in (("CHW", "avg"), ("HW", "max"), ("C", "argmax"), ("H", "L2"))]),
            [x.mean((-3, -2, -1), keepdims=True), x.max((-2, -1), keepdims=True), x.argmax(-3)[..., None, :, :],
             np.sqrt((x * x).sum(-2, keepdims=True))])
    for shape, kinds in (((5,), ("W",)), ((4, 6), ("HW", "H", "W"))):
        x, rank = normal(f"ranks/reduce{len(shape)}", *shape), len(shape)
        axes = {"W": -1, "H": -2, "HW": (-2, -1)}
        cases.add(f"reduce_rank{rank}", [x],
                  several(*[lambda b, n, o, kind=kind: b.add_reduce(n, "a", o, kind, "sum") for kind in kinds]),
                  [x.sum(axes[kind], keepdims=True) for kind in kinds])
    cases.refuse("reduce_rank2", [x], lambda b: b.add_reduce("layer", "a", "y", "C", "sum"), "axis -3 [4, 6]")


def scalars(cases):
    """Layers that remove all axes: one remains, as the layers after them show."""
    x, one = normal("scalars", 2, 3), normal("scalars/one", 1, 1)

    def continued(add):
        def build(b):
            add(b, "y")
            constant(b, "c", [5])
            b.add_concat_nd("concat", ["y", "c"], "z", 0)
            b.add_stack("stack", ["y", "c"], "u", 0)
            b.add_expand_dims("expand", "y", "v", [0])
        return build
    for name, value, add, expected in (
            ("reduce", x, lambda b, y: b.add_reduce_sum("layer", "a", y, keepdims=False, reduce_all=True), x.sum()),
            ("reduce_composed", x, lambda b, y: b.add_reduce_l2("layer", "a", y, axes=[0, 1], keepdims=False),
             np.sqrt((x * x).sum())),
            ("squeeze", one, lambda b, y: b.add_squeeze("layer", "a", y, squeeze_all=True), one[0, 0]),
            ("slice", x[0], lambda b, y: b.add_slice_static("layer", "a", y, [1], [2], [1], [False], [False], [True]), x[0, 1]),
            ("argmax", x[0], lambda b, y: b.add_argmax("layer", "a", y, 0, keepdims=False), x[0].argmax())):
        cases.add("scalar_" + name, [value], continued(add),
                  [np.array([expected]), np.array([expected, 5]), np.array([[expected], [5]]), np.array([[expected]])])

    def known(b):
        b.add_get_shape("shape", "a", "shape")
        b.add_reduce_prod("count", "shape", "count", keepdims=False, reduce_all=True)
        constant(b, "c", [1])
        b.add_concat_nd("target", ["count", "c"], "target", 0)
        b.add_reshape_dynamic("layer", ["a", "target"], "y")
    cases.add("scalar_constant", [x], known, x.reshape(6, 1))


def tiles(cases):
    x = normal("tiles", 2, 3)
    cases.add("tile_input", [x], lambda b: (constant(b, "r", [2, 3]), b.add_tile("layer", ["a", "r"], "y", [])),
              np.tile(x, (2, 3)))
    # The parameter is ignored.
    cases.add("tile_shape", [x], lambda b: (b.add_get_shape("r", "a", "r"), b.add_tile("layer", ["a", "r"], "y", [1, 1])),
              np.tile(x, (2, 3)))
    cases.refuse("tile", [x, np.ones(2, "f4")], lambda b: b.add_tile("layer", ["a", "b"], "y", []),
                 "known only when model runs")


PARTS = (selections, images, statistics, scalars, tiles)
