"""TensorFlow operations with random attributes, for random_graphs.py.

Each function of OPERATIONS applies an operation to a tensor and returns the result, or a list of results. It raises
Unsuitable if the tensor has the wrong shape. Everything random comes from the Choices that it is given, so the seed
determines the graph.
"""
import random

import numpy as np
import tensorflow as tf

ops = tf.raw_ops
OPERATIONS = []


def operation(function):
    OPERATIONS.append(function)
    return function


class Unsuitable(Exception):
    pass


def require(condition):
    if not condition:
        raise Unsuitable


def shape_of(tensor):
    return [int(size) for size in tensor.shape]


def are_compatible(first, second):
    try:
        np.broadcast_shapes(tuple(shape_of(first)), tuple(shape_of(second)))
        return True
    except ValueError:
        return False


class Choices:
    """Random attributes, constants and operands."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.RandomState(seed)
        self.tensors = []

    def integer(self, low, high):
        return self.random.randint(low, high)

    def integers(self, count, low, high):
        return [self.integer(low, high) for _ in range(count)]

    def one(self, *options):
        return self.random.choice(options)

    def some(self, options):
        """At least one of the options, in random order."""
        return self.random.sample(options, self.integer(1, len(options)))

    def chance(self, probability=0.5):
        return self.random.random() < probability

    def noise(self, *shape):
        return tf.constant(np.asarray(self.numbers.randn(*shape), np.float32))

    def indices(self, size, shape):
        return tf.constant(np.asarray(self.numbers.randint(0, size, shape), np.int32))

    def axis(self, x):
        """An axis of the tensor, counted from the front or the end."""
        rank = len(x.shape)
        require(rank > 0)
        return self.integer(-rank, rank - 1)

    def tensor(self, condition):
        """An earlier tensor."""
        return self.one(*[tensor for tensor in self.tensors if condition(tensor)])

    def like(self, x):
        return self.tensor(lambda tensor: shape_of(tensor) == shape_of(x))

    def operand(self, x):
        """A constant or an earlier tensor that broadcasts with this one."""
        if self.chance(0.6):
            sizes = [size if self.chance(0.6) else 1 for size in shape_of(x)]
            return self.noise(*sizes[self.integer(0, len(sizes)):])
        return self.tensor(lambda tensor: are_compatible(tensor, x))

    def padding(self):
        return self.one("SAME", "VALID")


def integers(values):
    return tf.constant(np.array(values, np.int32))


def number(value):
    return tf.constant(np.float32(value))


def positive(x):
    return ops.AddV2(x=ops.Abs(x=x), y=number(0.5))


def untied(x):
    """Moves zeros, sums of softmax and the like away from integers, where the smallest error would change a rounded value."""
    return ops.AddV2(x=ops.Mul(x=x, y=number(1.37)), y=number(0.123))


def image(x):
    require(len(x.shape) == 4)
    return shape_of(x)


# MARK: Layers

@operation
def convolution(choose, x):
    _, _, _, channels = image(x)
    groups = choose.one(1, 1, channels)
    strides, dilations = choose.one((1, 1), (2, 2), (1, 2), (3, 1)), (1, 1)
    if choose.chance(0.4):
        strides, dilations = (1, 1), choose.one((2, 2), (1, 2))
    kind = choose.one("SAME", "VALID", "EXPLICIT")
    paddings = {"explicit_paddings": [0, 0, *choose.integers(4, 0, 2), 0, 0]} if kind == "EXPLICIT" else {}
    weights = choose.noise(*choose.integers(2, 1, 4), channels // groups, groups * choose.integer(1, 4))
    return ops.Conv2D(
        input=x, filter=weights, strides=[1, *strides, 1], dilations=[1, *dilations, 1], padding=kind, **paddings)


@operation
def depthwise_convolution(choose, x):
    channels = image(x)[3]
    stride = choose.integer(1, 2)
    weights = choose.noise(*choose.integers(2, 1, 4), channels, choose.integer(1, 2))
    return ops.DepthwiseConv2dNative(
        input=x, filter=weights, strides=[1, stride, stride, 1], padding=choose.padding())


@operation
def transposed_convolution(choose, x):
    batch, *sizes, channels = image(x)
    kernel, strides, padding = choose.integers(2, 1, 4), choose.integers(2, 1, 3), choose.padding()
    if padding == "SAME":
        result = [size * stride - choose.integer(0, stride - 1) for size, stride in zip(sizes, strides)]
    else:
        result = [(size - 1) * stride + length for size, stride, length in zip(sizes, strides, kernel)]
    outputs = choose.integer(1, 4)
    return ops.Conv2DBackpropInput(
        input_sizes=integers([batch, *result, outputs]), filter=choose.noise(*kernel, outputs, channels), out_backprop=x,
        strides=[1, *strides, 1], padding=padding)


@operation
def pooling(choose, x):
    image(x)
    window = {"ksize": [1, *choose.integers(2, 1, 4), 1], "strides": [1, *choose.integers(2, 1, 3), 1]}
    if choose.chance():
        return ops.MaxPool(input=x, padding=choose.padding(), **window)
    return ops.AvgPool(value=x, padding=choose.padding(), **window)


@operation
def resize(choose, x):
    image(x)
    words = {"images": x, "size": integers(choose.integers(2, 1, 12))}
    name = choose.one("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
    words["align_corners"], half = choose.one((False, False), (True, False), (False, True))
    if name == "ResizeArea":
        words["align_corners"] = False
    else:
        words["half_pixel_centers"] = half
    return getattr(ops, name)(**words)


@operation
def crop_and_resize(choose, x):
    batch, count = image(x)[0], choose.integer(1, 3)
    corners = np.sort(choose.numbers.rand(count, 2, 2) * 1.2 - 0.1, 1)
    return ops.CropAndResize(
        image=x, boxes=tf.constant(corners.reshape(count, 4).astype(np.float32)), box_ind=choose.indices(batch, [count]),
        crop_size=integers(choose.integers(2, 1, 5)), method=choose.one("bilinear", "nearest"),
        extrapolation_value=choose.one(0.0, 0.5))


@operation
def rearrange(choose, x):
    image(x)
    return choose.one(ops.DepthToSpace, ops.SpaceToDepth)(input=x, block_size=choose.integer(2, 3))


@operation
def convolution_on_blocks(choose, x):
    _, *sizes, _ = image(x)
    blocks, before = choose.integers(2, 1, 3), choose.integers(2, 0, 1)
    paddings = [[first, -(size + first) % block] for size, first, block in zip(sizes, before, blocks)]
    parts = ops.SpaceToBatchND(input=x, block_shape=integers(blocks), paddings=integers(paddings))
    parts = convolution(choose, parts) if choose.chance(0.7) else parts
    return ops.BatchToSpaceND(input=parts, block_shape=integers(blocks), crops=integers([[0, 0], [0, 0]]))


@operation
def patches(choose, x):
    image(x)
    size, stride, rate = choose.integer(1, 3), choose.integer(1, 2), choose.integer(1, 2)
    return ops.ExtractImagePatches(
        images=x, ksizes=[1, size, size, 1], strides=[1, stride, stride, 1], rates=[1, rate, rate, 1],
        padding=choose.padding())


@operation
def batch_normalization(choose, x):
    channels = image(x)[3]
    scale, offset, mean, variance = (choose.noise(channels) for _ in range(4))
    return ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=mean, variance=positive(variance), epsilon=choose.one(1e-3, 1e-2),
        is_training=False)[0]


@operation
def response_normalization(choose, x):
    image(x)
    return ops.LRN(
        input=x, depth_radius=choose.integer(1, 3), bias=choose.one(1.0, 2.0), alpha=choose.one(1.0, 0.1),
        beta=choose.one(0.5, 0.75))


@operation
def l2_normalization(choose, x):
    squares = ops.Sum(input=ops.Square(x=x), axis=integers(choose.axis(x)), keep_dims=True)
    return ops.Mul(x=x, y=ops.Rsqrt(x=ops.Maximum(x=squares, y=number(1e-4))))


@operation
def softmax(choose, x):
    require(len(x.shape) > 0)
    return choose.one(ops.Softmax, ops.LogSoftmax)(logits=x)


@operation
def bias(choose, x):
    require(len(x.shape) > 1)
    return ops.BiasAdd(value=x, bias=choose.noise(shape_of(x)[-1]))


@operation
def colors(choose, x):
    require(image(x)[3] == 3)
    # The smallest error changes the hue of a gray pixel, so the channels are kept apart.
    apart = [0.0, 0.3, 0.6]
    choose.random.shuffle(apart)
    pixels = ops.AddV2(x=ops.Mul(x=ops.Sigmoid(x=x), y=number(0.25)), y=tf.constant(apart))
    return choose.one(ops.RGBToHSV, ops.HSVToRGB)(images=pixels)


# MARK: Products

@operation
def product(choose, x):
    require(len(x.shape) == 2)
    first, second = choose.chance(0.3), choose.chance()
    length, columns = shape_of(x)[0 if first else 1], choose.integer(1, 6)
    weights = choose.noise(*((columns, length) if second else (length, columns)))
    return ops.MatMul(a=x, b=weights, transpose_a=first, transpose_b=second)


@operation
def batch_product(choose, x):
    require(len(x.shape) > 2)
    if choose.chance():
        return ops.BatchMatMulV2(x=x, y=x, adj_x=True)
    *batch, _, length = shape_of(x)
    batch = choose.one([], batch, [1] * len(batch))
    return ops.BatchMatMulV2(x=x, y=choose.noise(*batch, length, choose.integer(1, 5)))


@operation
def einsum(choose, x):
    rank = len(x.shape)
    require(2 <= rank <= 4)
    axis = choose.integer(0, rank - 1)
    axes = "abcd"[:rank]
    result = list(axes.replace(axes[axis], "e"))
    choose.random.shuffle(result)
    weights = choose.noise(shape_of(x)[axis], 3)
    return ops.Einsum(inputs=[x, weights], equation=f"{axes},{axes[axis]}e->{''.join(result)}")


# MARK: Arithmetic

@operation
def activation(choose, x):
    name = choose.one("Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu")
    words = {"alpha": choose.one(0.0, 0.1, 0.3, 1.5)} if name == "LeakyRelu" else {}
    return getattr(ops, name)(features=x, **words)


@operation
def function(choose, x):
    name = choose.one(
        "Sigmoid", "Tanh", "Exp", "Abs", "Neg", "Square", "Sin", "Cos", "Erf", "Expm1", "Floor", "Ceil", "Rint", "Sign",
        "Reciprocal", "Rsqrt", "Sqrt", "Log", "Log1p")
    if name in ("Reciprocal", "Rsqrt", "Sqrt", "Log", "Log1p"):
        x = positive(x)
    elif name in ("Exp", "Expm1"):
        x = ops.Tanh(x=x)
    elif name in ("Floor", "Ceil", "Rint", "Sign"):
        x = untied(x)
    return getattr(ops, name)(x=x)


@operation
def arithmetic(choose, x):
    name = choose.one(
        "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "RealDiv", "DivNoNan", "FloorDiv", "FloorMod", "Pow")
    first, second = x, choose.operand(x)
    if choose.chance(0.4):
        first, second = second, first
    if name in ("FloorDiv", "FloorMod"):
        first = untied(first)
    if name in ("RealDiv", "DivNoNan", "FloorDiv", "FloorMod"):
        second = positive(second)
    if name == "Pow":
        first, second = positive(first), ops.Tanh(x=second)
    return getattr(ops, name)(x=first, y=second)


@operation
def integer_arithmetic(choose, x):
    name = choose.one("FloorDiv", "FloorMod", "TruncateDiv", "Maximum", "Mul", "Sub")
    whole = ops.Cast(x=untied(ops.Mul(x=x, y=number(5))), DstT=tf.int32)
    return ops.Cast(x=getattr(ops, name)(x=whole, y=integers(choose.one(3, -2, 5))), DstT=tf.float32)


@operation
def sum_of_several(choose, x):
    return ops.AddN(inputs=[x] + [choose.like(x) for _ in range(choose.integer(0, 2))])


@operation
def selection(choose, x):
    name = choose.one("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
    condition = getattr(ops, name)(x=untied(x), y=number(choose.one(0, 0.5)))
    if choose.chance(0.3):
        condition = ops.LogicalNot(x=condition)
    if choose.chance(0.3):
        other = ops.Greater(x=untied(x), y=number(-0.5))
        condition = choose.one(ops.LogicalAnd, ops.LogicalOr)(x=condition, y=other)
    if choose.chance():
        return ops.Select(condition=condition, x=x, y=choose.like(x))
    return ops.SelectV2(condition=condition, t=choose.like(x), e=number(0.25))


@operation
def clipping(choose, x):
    return ops.ClipByValue(t=x, clip_value_min=number(-0.5), clip_value_max=number(0.7))


@operation
def rounding(choose, x):
    return ops.FakeQuantWithMinMaxVars(
        inputs=untied(x), min=number(choose.one(-1, -3, 0)), max=number(choose.one(1, 2.5)), num_bits=choose.one(4, 8),
        narrow_range=choose.chance())


# MARK: Reductions and order

@operation
def reduction(choose, x):
    name = choose.one("Sum", "Mean", "Max", "Min", "Prod")
    rank = len(x.shape)
    require(rank > 0)
    axes = [axis - rank if choose.chance(0.3) else axis for axis in choose.some(range(rank))]
    axes = axes[0] if len(axes) == 1 and choose.chance() else axes
    return getattr(ops, name)(
        input=ops.Tanh(x=x) if name == "Prod" else x, axis=integers(axes), keep_dims=choose.chance())


@operation
def largest_index(choose, x):
    name = choose.one(ops.ArgMax, ops.ArgMin)
    index = name(input=x, dimension=integers(choose.axis(x)), output_type=choose.one(tf.int32, tf.int64))
    return ops.Cast(x=index, DstT=tf.float32)


@operation
def largest_values(choose, x):
    require(len(x.shape) > 0)
    result = ops.TopKV2(input=x, k=integers(choose.integer(1, shape_of(x)[-1])), sorted=True)
    return result.values if choose.chance() else ops.Cast(x=result.indices, DstT=tf.float32)


@operation
def one_hot(choose, x):
    require(len(x.shape) in (1, 2))
    index = ops.ArgMax(input=x, dimension=integers(-1))
    return ops.OneHot(
        indices=index, depth=integers(shape_of(x)[-1] + choose.one(0, 2)), on_value=number(choose.one(1, 2)),
        off_value=number(choose.one(0, -1)), axis=choose.one(-1, 0))


@operation
def running_total(choose, x):
    words = {"axis": integers(choose.axis(x)), "exclusive": choose.chance(), "reverse": choose.chance()}
    return ops.Cumsum(x=x, **words) if choose.chance() else ops.Cumprod(x=ops.Tanh(x=x), **words)


# MARK: Shapes

@operation
def transpose(choose, x):
    order = list(range(len(x.shape)))
    choose.random.shuffle(order)
    return ops.Transpose(x=x, perm=integers(order))


@operation
def reshape(choose, x):
    left, sizes = int(np.prod(shape_of(x))), []
    for _ in range(choose.integer(0, 4)):
        sizes.append(choose.one(*[size for size in range(1, left + 1) if left % size == 0]))
        left //= sizes[-1]
    sizes.append(left)
    choose.random.shuffle(sizes)
    if choose.chance():
        sizes[choose.integer(0, len(sizes) - 1)] = -1
    return ops.Reshape(tensor=x, shape=integers(sizes))


@operation
def computed_reshape(choose, x):
    require(len(x.shape) > 1)
    first = ops.StridedSlice(
        input=ops.Shape(input=x), begin=integers([0]), end=integers([1]), strides=integers([1]), shrink_axis_mask=1)
    return ops.Reshape(tensor=x, shape=ops.Pack(values=[first, integers(-1)], axis=0))


@operation
def squeeze(choose, x):
    axes = [axis for axis, size in enumerate(shape_of(x)) if size == 1]
    require(axes)
    return ops.Squeeze(input=x, axis=choose.one([], choose.some(axes)))


@operation
def expand(choose, x):
    rank = len(x.shape)
    return ops.ExpandDims(input=x, axis=integers(choose.integer(-rank - 1, rank)))


@operation
def broadcast(choose, x):
    sizes = [size if size > 1 else choose.integer(1, 3) for size in shape_of(x)]
    return ops.BroadcastTo(input=x, shape=integers(([2] if choose.chance(0.2) else []) + sizes))


@operation
def tile(choose, x):
    require(len(x.shape) > 0)
    return ops.Tile(input=x, multiples=integers([choose.one(1, 1, 2, 3) for _ in x.shape]))


@operation
def concatenation(choose, x):
    axis = choose.axis(x) % len(x.shape)

    def fits(tensor):
        sizes = [shape_of(value)[:axis] + shape_of(value)[axis + 1:] for value in (tensor, x)]
        return len(tensor.shape) == len(x.shape) and sizes[0] == sizes[1]

    parts = [choose.tensor(fits) for _ in range(choose.integer(1, 3))] + [x]
    choose.random.shuffle(parts)
    return ops.ConcatV2(values=parts, axis=integers(choose.one(axis, axis - len(x.shape))))


@operation
def stack(choose, x):
    rank = len(x.shape)
    return ops.Pack(
        values=[choose.like(x) for _ in range(choose.integer(1, 3))] + [x], axis=choose.integer(-rank - 1, rank))


@operation
def split(choose, x):
    axis = choose.axis(x)
    size = shape_of(x)[axis]
    if size > 1 and choose.chance():
        sizes = [choose.integer(1, size - 1), -1]
        choose.random.shuffle(sizes)
        return ops.SplitV(value=x, size_splits=integers(sizes), axis=integers(axis), num_split=2)
    count = choose.one(*[count for count in range(1, min(size, 6) + 1) if size % count == 0])
    return ops.Split(axis=integers(axis), value=x, num_split=count)


@operation
def unstack(choose, x):
    axis = choose.axis(x)
    require(shape_of(x)[axis] < 6)
    return ops.Unpack(value=x, num=shape_of(x)[axis], axis=axis)


@operation
def slice_by_size(choose, x):
    require(len(x.shape) > 0)
    begins = [choose.integer(0, size - 1) for size in shape_of(x)]
    sizes = [choose.one(-1, choose.integer(1, size - begin)) for size, begin in zip(shape_of(x), begins)]
    return ops.Slice(input=x, begin=integers(begins), size=integers(sizes))


@operation
def strided_slice(choose, x):
    sizes = shape_of(x)
    require(sizes)
    masks = dict.fromkeys(("begin", "end", "ellipsis", "new_axis", "shrink_axis"), 0)
    specifications, has_ellipsis, axis = [], False, 0
    while axis < len(sizes) and len(specifications) < len(sizes) + 2 and not (specifications and choose.chance(0.1)):
        bit, size = 1 << len(specifications), sizes[axis]
        kind = choose.one("new_axis", "shrink_axis", "shrink_axis", "ellipsis", *["range"] * 6)
        if kind == "ellipsis" and has_ellipsis:
            continue
        if kind in ("new_axis", "ellipsis"):
            specifications.append((0, 0, 1))
            axis += choose.integer(0, 1) if kind == "ellipsis" else 0
            has_ellipsis |= kind == "ellipsis"
        elif kind == "shrink_axis":
            begin = choose.integer(-size, size - 1)
            specifications.append((begin, begin + 1, 1))
            axis += 1
        else:
            specifications.append(
                (choose.integer(-size, size + 1), choose.integer(-size - 1, size + 2), choose.one(1, 1, 2, 3, -1, -2)))
            masks["begin"] |= bit if choose.chance(0.4) else 0
            masks["end"] |= bit if choose.chance(0.4) else 0
            axis += 1
        if kind != "range":
            masks[kind] |= bit
    begins, ends, strides = (integers(values) for values in zip(*specifications))
    return ops.StridedSlice(
        input=x, begin=begins, end=ends, strides=strides, **{f"{name}_mask": mask for name, mask in masks.items()})


@operation
def reverse(choose, x):
    require(len(x.shape) > 0)
    return ops.ReverseV2(tensor=x, axis=integers(choose.some(range(len(x.shape)))))


@operation
def roll(choose, x):
    require(len(x.shape) > 0)
    axes = choose.some(range(len(x.shape)))
    return ops.Roll(input=x, shift=integers(choose.integers(len(axes), -3, 3)), axis=integers(axes))


@operation
def gather(choose, x):
    axis = choose.axis(x)
    shape = choose.one([], [2], [3], [2, 2])
    return ops.GatherV2(params=x, indices=choose.indices(shape_of(x)[axis], shape), axis=integers(axis))


@operation
def gather_slices(choose, x):
    require(len(x.shape) > 0)
    sizes = shape_of(x)[:choose.integer(1, len(x.shape))]
    indices = np.stack([choose.numbers.randint(0, size, 3) for size in sizes], -1)
    return ops.GatherNd(params=x, indices=integers(indices))


@operation
def pad(choose, x):
    require(len(x.shape) > 0)
    paddings = [choose.integers(2, 0, 2) if choose.chance(0.6) else [0, 0] for _ in x.shape]
    kind = choose.one("Pad", "PadV2", "MirrorPad")
    if kind == "MirrorPad":
        paddings = [[min(amount, size - 1) for amount in pair] for pair, size in zip(paddings, shape_of(x))]
        return ops.MirrorPad(input=x, paddings=integers(paddings), mode=choose.one("REFLECT", "SYMMETRIC"))
    words = {"constant_values": number(choose.one(-1, 2.5))} if kind == "PadV2" else {}
    return getattr(ops, kind)(input=x, paddings=integers(paddings), **words)
