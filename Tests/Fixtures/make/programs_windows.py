"""Programs with convolutions and poolings of sequences, images and volumes, and functions of one number."""
import itertools

import numpy as np
from coremltools.converters.mil import Builder as mb

from programs import normal


def convolved(x, w, b=None, strides=None, dilations=None, pad=None, groups=1):
    """A convolution with any number of axes, in double precision."""
    n = x.ndim - 2
    strides, dilations, pad = strides or [1] * n, dilations or [1] * n, pad or [0] * 2 * n
    x = np.pad(x.astype("f8"), [(0, 0), (0, 0)] + [(pad[2 * i], pad[2 * i + 1]) for i in range(n)])
    sizes = [(x.shape[i + 2] - (w.shape[i + 2] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(n)]
    outputs, inputs = w.shape[0] // groups, w.shape[1]
    result = np.zeros([x.shape[0], w.shape[0]] + sizes)
    for tap in itertools.product(*[range(k) for k in w.shape[2:]]):
        part = x[(slice(None), slice(None)) + tuple(
            slice(tap[i] * dilations[i], tap[i] * dilations[i] + (sizes[i] - 1) * strides[i] + 1, strides[i]) for i in range(n))]
        for group in range(groups):
            rows = slice(group * outputs, (group + 1) * outputs)
            result[:, rows] += np.einsum("ni...,oi->no...", part[:, group * inputs:(group + 1) * inputs],
                                         w[(rows, slice(None)) + tap].astype("f8"))
    return result if b is None else result + b.reshape([-1] + [1] * n)


def spread(x, w, b=None, strides=None, dilations=None, pad=None, groups=1):
    """The transposed convolution: every value is multiplied by the filters and added where they reach."""
    n = x.ndim - 2
    strides, dilations, pad = strides or [1] * n, dilations or [1] * n, pad or [0] * 2 * n
    sizes = [(x.shape[i + 2] - 1) * strides[i] + (w.shape[i + 2] - 1) * dilations[i] + 1 for i in range(n)]
    inputs, outputs = x.shape[1] // groups, w.shape[1]
    result = np.zeros([x.shape[0], outputs * groups] + sizes)
    for tap in itertools.product(*[range(k) for k in w.shape[2:]]):
        place = tuple(slice(tap[i] * dilations[i], tap[i] * dilations[i] + (x.shape[i + 2] - 1) * strides[i] + 1, strides[i])
                      for i in range(n))
        for group in range(groups):
            own = slice(group * inputs, (group + 1) * inputs)
            result[(slice(None), slice(group * outputs, (group + 1) * outputs)) + place] += np.einsum(
                "ni...,io->no...", x[:, own].astype("f8"), w[(own, slice(None)) + tap].astype("f8"))
    crop = tuple(slice(pad[2 * i], sizes[i] - pad[2 * i + 1]) for i in range(n))
    result = result[(slice(None), slice(None)) + crop]
    return result if b is None else result + b.reshape([-1] + [1] * n)


def pooled(x, kind, sizes, strides, pad, excludes):
    """Windows of any number of axes; padding is never the maximum."""
    n = x.ndim - 2
    padding = [(0, 0), (0, 0)] + [(pad[2 * i], pad[2 * i + 1]) for i in range(n)]
    inside = np.pad(np.ones(x.shape), padding)
    x = np.pad(x.astype("f8"), padding, constant_values=-np.inf if kind == "max" else 0)
    counts = [(x.shape[i + 2] - sizes[i]) // strides[i] + 1 for i in range(n)]
    result = np.zeros(list(x.shape[:2]) + counts)
    for place in np.ndindex(*counts):
        window = (slice(None), slice(None)) + tuple(
            slice(place[i] * strides[i], place[i] * strides[i] + sizes[i]) for i in range(n))
        values, axes = x[window], tuple(range(2, n + 2))
        if kind == "max":
            result[(slice(None), slice(None)) + place] = values.max(axes)
        elif kind == "l2":
            result[(slice(None), slice(None)) + place] = np.sqrt((values ** 2).sum(axes))
        else:
            area = inside[window].sum(axes) if excludes else np.prod(sizes)
            result[(slice(None), slice(None)) + place] = values.sum(axes) / area
    return result


def add(cases):
    shapes = {1: (2, 4, 9), 2: (2, 4, 6, 7), 3: (2, 4, 5, 6, 7)}
    names = {1: "sequence", 2: "image", 3: "volume"}
    bias = normal("bias", 6)
    for n, shape in shapes.items():
        x = normal(names[n], *shape)
        for case, groups, strides, dilations, pad in (("plain", 1, 1, 1, 0), ("strides", 2, 2, 1, 1), ("dilations", 1, 1, 2, 2)):
            w = normal(case, 6, 4 // groups, *[3] * n)
            options = dict(strides=[strides] * n, dilations=[dilations] * n, pad=[pad, max(0, pad - 1)] * n, groups=groups)
            cases.add(f"conv_{names[n]}_{case}", [x], lambda a: mb.conv(x=a, weight=w, bias=bias, pad_type="custom", **options),
                      lambda a: convolved(a, w, bias, **options))
            w = normal("transposed " + case, 4, 6 // groups, *[3] * n)
            options["pad"] = [min(pad, 1), 0] * n
            cases.add(f"conv_transpose_{names[n]}_{case}", [x],
                      lambda a: mb.conv_transpose(x=a, weight=w, bias=bias, pad_type="custom", **options),
                      lambda a: spread(a, w, bias, **options))
        w = normal("depthwise", 8, 1, *[3] * n)
        cases.add(f"conv_{names[n]}_depthwise", [x], lambda a: mb.conv(x=a, weight=w, pad_type="same", groups=4),
                  lambda a: convolved(a, w, pad=[1, 1] * n, groups=4))
        sizes, strides, pad = [3, 2, 2][:n], [2, 1, 2][:n], [1, 1, 0, 1, 1, 0][:2 * n]
        cases.add(f"max_pool_{names[n]}", [x],
                  lambda a: mb.max_pool(x=a, kernel_sizes=sizes, strides=strides, pad_type="custom", pad=pad),
                  lambda a: pooled(a, "max", sizes, strides, pad, False))
        for excludes in (True, False):
            cases.add(f"avg_pool_{names[n]}_{'without' if excludes else 'with'}_padding", [x],
                      lambda a: mb.avg_pool(x=a, kernel_sizes=sizes, strides=strides, pad_type="custom", pad=pad,
                                            exclude_padding_from_average=excludes),
                      lambda a: pooled(a, "avg", sizes, strides, pad, excludes))
        if n < 3:
            cases.add(f"l2_pool_{names[n]}", [x],
                      lambda a: mb.l2_pool(x=a, kernel_sizes=sizes, strides=strides, pad_type="custom", pad=pad),
                      lambda a: pooled(a, "l2", sizes, strides, pad, False))
            for groups in (1, 2):
                w = normal("computed", 6, 4 // groups, *[3] * n)
                cases.add(f"conv_{names[n]}_computed_{groups}", [x, w],
                          lambda a, b: mb.conv(x=a, weight=b, pad_type="custom", pad=[1, 0] * n, strides=[2] * n, groups=groups,
                                               bias=bias),
                          lambda a, b: convolved(a, b, bias, strides=[2] * n, pad=[1, 0] * n, groups=groups))
    volume = normal("volume", *shapes[3])
    w = normal("computed", 2, 4, 1, 1, 1)
    cases.refuse("conv_volume_computed", [volume, w], lambda a, b: mb.conv(x=a, weight=b, pad_type="valid"),
                 "computed filters three axes")

    unit = np.linspace(-0.99, 0.99, 60).astype("f4").reshape(3, 4, 5)
    for name, function in (("asin", np.arcsin), ("acos", np.arccos), ("atan", np.arctan), ("sinh", np.sinh),
                           ("cosh", np.cosh), ("atanh", np.arctanh), ("tan", np.tan), ("exp2", np.exp2)):
        cases.add("function_" + name, [unit], lambda a: getattr(mb, name)(x=a), lambda a: function(a.astype("f8")))
