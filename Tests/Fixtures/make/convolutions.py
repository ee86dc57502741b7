"""Cases of sliding-window operations and of batch norm."""
import tensorflow as tf

op = tf.raw_ops


def convolution(x, kernel, stride=(1, 1), padding="SAME", dilation=(1, 1), explicit=None, data_format="NHWC",
                operation=op.Conv2D):
    """Conv2D or DepthwiseConv2dNative. `explicit` is ((top, bottom), (left, right))."""
    def spatial(pair):
        return [1, *pair, 1] if data_format == "NHWC" else [1, 1, *pair]

    paddings = []
    if explicit:
        padding, edges = "EXPLICIT", [*explicit[0], *explicit[1]]
        paddings = [0, 0, *edges, 0, 0] if data_format == "NHWC" else [0, 0, 0, 0, *edges]
    return operation(input=x, filter=kernel, strides=spatial(stride), padding=padding, explicit_paddings=paddings,
                     data_format=data_format, dilations=spatial(dilation))


def depthwise(x, kernel, **options):
    return convolution(x, kernel, operation=op.DepthwiseConv2dNative, **options)


def convolutions(cases):
    add = cases.family("convolution")
    sizes = [("1x1", (1, 1)), ("2x2", (2, 2)), ("3x3", (3, 3)), ("5x5", (5, 5)), ("1x3", (1, 3)), ("3x1", (3, 1)),
             ("5x2", (5, 2))]
    for name, kernel in sizes:
        for padding in ("SAME", "VALID"):
            add(f"{name}_{padding.lower()}", [1, 6, 7, 3],
                lambda x, r: convolution(x, r(*kernel, 3, 4), padding=padding))
    for size, shape in (("odd", [1, 7, 5, 2]), ("even", [1, 6, 8, 2])):
        for name, kernel in sizes[:4]:
            add(f"{name}_same_stride2_{size}", shape, lambda x, r: convolution(x, r(*kernel, 2, 3), stride=(2, 2)))
        add(f"3x3_valid_stride2_{size}", shape,
            lambda x, r: convolution(x, r(3, 3, 2, 3), stride=(2, 2), padding="VALID"))
    add("3x3_same_stride3", [1, 8, 7, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), stride=(3, 3)))
    add("3x3_same_stride_1x2", [1, 6, 7, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), stride=(1, 2)))
    add("3x3_valid_stride_2x1", [1, 6, 7, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), stride=(2, 1), padding="VALID"))
    add("3x3_same_dilation2", [1, 7, 6, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), dilation=(2, 2)))
    add("3x3_valid_dilation2", [1, 7, 6, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), dilation=(2, 2), padding="VALID"))
    add("3x3_same_dilation_1x3", [1, 5, 8, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), dilation=(1, 3)))
    add("3x3_same_dilation2_stride2", [1, 8, 9, 2],
        lambda x, r: convolution(x, r(3, 3, 2, 3), dilation=(2, 2), stride=(2, 2)))
    add("3x3_explicit", [1, 5, 6, 2], lambda x, r: convolution(x, r(3, 3, 2, 3), explicit=((1, 2), (0, 3))),
        "four different edges")
    add("3x3_explicit_stride2", [1, 6, 6, 2],
        lambda x, r: convolution(x, r(3, 3, 2, 3), explicit=((1, 0), (1, 1)), stride=(2, 2)))
    add("5x5_same_on_3x2", [1, 3, 2, 3], lambda x, r: convolution(x, r(5, 5, 3, 4)), "the kernel is larger than the picture")
    add("3x3_same_on_1x1", [1, 1, 1, 6], lambda x, r: convolution(x, r(3, 3, 6, 5)))
    add("3x3_channels_1_to_16", [1, 5, 5, 1], lambda x, r: convolution(x, r(3, 3, 1, 16)))
    add("1x1_channels_17_to_33", [1, 3, 3, 17], lambda x, r: convolution(x, r(1, 1, 17, 33)), "channels no multiple of a block")
    add("3x3_channels_16_to_1", [1, 4, 5, 16], lambda x, r: convolution(x, r(3, 3, 16, 1)))
    add("3x3_wide", [1, 3, 37, 2], lambda x, r: convolution(x, r(3, 3, 2, 3)), "a row longer than any tile")
    add("3x3_batch2", [2, 4, 4, 2], lambda x, r: convolution(x, r(3, 3, 2, 3)))
    add("3x3_unknown_batch", [1, 4, 4, 2], lambda x, r: convolution(x, r(3, 3, 2, 3)), "placeholder [?,4,4,2]",
        placeholder=[None, 4, 4, 2])
    add("3x3_groups2", [1, 5, 4, 6], lambda x, r: convolution(x, r(3, 3, 3, 4)), "6 channels, a filter of 3: two groups")
    add("3x3_defaults_stripped", [1, 5, 6, 2], lambda x, r: convolution(x, r(3, 3, 2, 3)), strip=True)
    add("3x3_kernel_reshaped", [1, 4, 4, 2],
        lambda x, r: convolution(x, op.Reshape(tensor=r(9, 6), shape=[3, 3, 2, 3])), "the filter is a folded constant")
    channels_first = [("same", {}), ("same_stride_2x1", {"stride": (2, 1)}),
                      ("valid_dilation2", {"padding": "VALID", "dilation": (2, 2)}),
                      ("explicit", {"explicit": ((1, 2), (0, 3))})]
    for name, options in channels_first:
        add(f"nchw_3x3_{name}", [1, 2, 6, 7],
            lambda x, r: convolution(x, r(3, 3, 2, 3), data_format="NCHW", **options))


def depthwise_convolutions(cases):
    add = cases.family("depthwise")
    for name, kernel in [("1x1", (1, 1)), ("2x2", (2, 2)), ("3x3", (3, 3)), ("5x5", (5, 5)), ("1x3", (1, 3)), ("3x1", (3, 1))]:
        add(f"{name}_same", [1, 6, 5, 4], lambda x, r: depthwise(x, r(*kernel, 4, 1)))
    add("3x3_valid", [1, 6, 5, 4], lambda x, r: depthwise(x, r(3, 3, 4, 1), padding="VALID"))
    for size, shape in (("odd", [1, 7, 5, 4]), ("even", [1, 6, 8, 4])):
        for name, kernel in (("3x3", 3), ("2x2", 2)):
            add(f"{name}_same_stride2_{size}", shape, lambda x, r: depthwise(x, r(kernel, kernel, 4, 1), stride=(2, 2)))
    add("3x3_valid_stride2", [1, 7, 6, 4], lambda x, r: depthwise(x, r(3, 3, 4, 1), stride=(2, 2), padding="VALID"))
    add("3x3_multiplier2", [1, 5, 5, 3], lambda x, r: depthwise(x, r(3, 3, 3, 2)))
    add("3x3_multiplier4_of_1", [1, 5, 5, 1], lambda x, r: depthwise(x, r(3, 3, 1, 4)))
    add("3x3_dilation2", [1, 7, 6, 3], lambda x, r: depthwise(x, r(3, 3, 3, 1), dilation=(2, 2)))
    add("3x3_valid_dilation_1x2", [1, 5, 7, 3], lambda x, r: depthwise(x, r(3, 3, 3, 1), dilation=(1, 2), padding="VALID"))
    add("3x3_explicit", [1, 5, 6, 3], lambda x, r: depthwise(x, r(3, 3, 3, 1), explicit=((0, 2), (1, 1))))
    add("3x3_channels_17", [1, 4, 5, 17], lambda x, r: depthwise(x, r(3, 3, 17, 1)), "channels no multiple of a block")
    add("3x3_batch2", [2, 4, 4, 2], lambda x, r: depthwise(x, r(3, 3, 2, 1)))
    add("3x3_defaults_stripped", [1, 5, 6, 2], lambda x, r: depthwise(x, r(3, 3, 2, 1)), strip=True)
    add("nchw_3x3_same", [1, 4, 6, 5], lambda x, r: depthwise(x, r(3, 3, 4, 1), data_format="NCHW"))
    add("nchw_3x3_stride2_multiplier2", [1, 3, 6, 7],
        lambda x, r: depthwise(x, r(3, 3, 3, 2), stride=(2, 2), data_format="NCHW"))


def pooling(cases):
    def pool(operation, x, size, stride, padding, data_format="NHWC", **more):
        def spatial(pair):
            return [1, *pair, 1] if data_format == "NHWC" else [1, 1, *pair]
        name = "input" if operation is op.MaxPool else "value"
        return operation(**{name: x}, ksize=spatial(size), strides=spatial(stride), padding=padding,
                         data_format=data_format, **more)

    variants = [("2x2_valid_stride2_odd", [1, 7, 5, 3], (2, 2), (2, 2), "VALID"),
                ("2x2_same_stride2_odd", [1, 7, 5, 3], (2, 2), (2, 2), "SAME"),
                ("2x2_valid_stride2_even", [1, 6, 8, 3], (2, 2), (2, 2), "VALID"),
                ("3x3_same_stride1", [1, 5, 6, 3], (3, 3), (1, 1), "SAME"),
                ("3x3_same_stride2_odd", [1, 7, 5, 3], (3, 3), (2, 2), "SAME"),
                ("3x3_same_stride2_even", [1, 6, 8, 3], (3, 3), (2, 2), "SAME"),
                ("3x3_valid_stride2", [1, 7, 6, 3], (3, 3), (2, 2), "VALID"),
                ("2x3_same_stride_1x2", [1, 5, 7, 3], (2, 3), (1, 2), "SAME"),
                ("1x1_stride2", [1, 5, 6, 3], (1, 1), (2, 2), "VALID"),
                ("5x5_same_on_3x3", [1, 3, 3, 3], (5, 5), (1, 1), "SAME"),
                ("global", [1, 4, 5, 6], (4, 5), (1, 1), "VALID"),
                ("channels_17", [1, 4, 4, 17], (2, 2), (2, 2), "SAME")]
    for family, operation in (("max_pool", op.MaxPool), ("average_pool", op.AvgPool)):
        add = cases.family(family)
        for name, shape, size, stride, padding in variants:
            add(name, shape, lambda x, r: pool(operation, x, size, stride, padding))
        add("3x3_same_negative", [1, 5, 5, 2], lambda x, r: pool(operation, x, (3, 3), (2, 2), "SAME"),
            "all values negative: padding must not count", values=(-3, -1))
        add("nchw_3x3_same_stride2", [1, 3, 6, 7], lambda x, r: pool(operation, x, (3, 3), (2, 2), "SAME", "NCHW"))
        add("nchw_2x3_valid", [1, 3, 5, 7], lambda x, r: pool(operation, x, (2, 3), (1, 2), "VALID", "NCHW"))
    cases.family("max_pool")("3x3_explicit", [1, 5, 6, 2],
        lambda x, r: pool(op.MaxPool, x, (3, 3), (2, 2), "EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0]),
        values=(-3, -1))


def batch_norms(cases):
    add = cases.family("batch_norm")
    versions = [("v1", op.FusedBatchNorm), ("v2", op.FusedBatchNormV2), ("v3", op.FusedBatchNormV3)]

    def fused(operation, x, r, channels=4, **options):
        return operation(x=x, scale=r.uniform(0.5, 1.5, channels), offset=r(channels), mean=r(channels),
                         variance=r.uniform(0.3, 2, channels), is_training=False, **options)[0]

    for name, operation in versions:
        for epsilon in (1e-5, 1e-3, 0.1):
            add(f"{name}_epsilon_{epsilon}", [1, 4, 3, 4], lambda x, r: fused(operation, x, r, epsilon=epsilon))
        add(f"{name}_default_epsilon", [1, 4, 3, 4], lambda x, r: fused(operation, x, r), "no epsilon attribute: 0.0001",
            strip=True)
        add(f"{name}_nchw", [1, 4, 3, 5], lambda x, r: fused(operation, x, r, data_format="NCHW"))

    def rsqrt_of(variance, epsilon=1e-3):
        return op.Rsqrt(x=op.Add(x=variance, y=epsilon))

    def slim(x, r):
        factor = op.Mul(x=rsqrt_of(r.uniform(0.3, 2, 4)), y=r.uniform(0.5, 1.5, 4))
        return op.Add(x=op.Mul(x=x, y=factor), y=op.Sub(x=r(4), y=op.Mul(x=r(4), y=factor)))

    def without_gamma(x, r):
        factor = rsqrt_of(r.uniform(0.3, 2, 4))
        return op.Add(x=op.Mul(x=x, y=factor), y=op.Sub(x=r(4), y=op.Mul(x=r(4), y=factor)))

    def divided(x, r):
        deviation = op.Sqrt(x=op.AddV2(x=r.uniform(0.3, 2, 4), y=1e-3))
        centered = op.RealDiv(x=op.Sub(x=x, y=r(4)), y=deviation)
        return op.AddV2(x=op.Mul(x=centered, y=r.uniform(0.5, 1.5, 4)), y=r(4))

    def by_negated_mean(x, r):
        factor = op.Mul(x=rsqrt_of(r.uniform(0.3, 2, 4)), y=r.uniform(0.5, 1.5, 4))
        return op.Add(x=op.Mul(x=x, y=factor), y=op.Add(x=op.Mul(x=op.Neg(x=r(4)), y=factor), y=r(4)))

    def by_image_statistics(x, r):
        mean = op.Mean(input=x, axis=[1, 2], keep_dims=True)
        variance = op.Mean(input=op.SquaredDifference(x=x, y=op.StopGradient(input=mean)), axis=[1, 2], keep_dims=True)
        deviation = op.Pow(x=op.Add(x=variance, y=1e-3), y=0.5)
        return op.Add(x=op.Mul(x=op.RealDiv(x=op.Sub(x=x, y=mean), y=deviation), y=r(4)), y=r(4))

    for name, build, note in [("chain_slim", slim, "as TF-slim writes it"), ("chain_without_gamma", without_gamma, ""),
                              ("chain_divided", divided, "Sub, RealDiv, Mul, AddV2"),
                              ("chain_negated_mean", by_negated_mean, "as Keras writes it"),
                              ("chain_of_activations", by_image_statistics,
                               "instance norm: mean and variance of the picture itself")]:
        add(name, [1, 4, 3, 4], build, note)


def write(cases):
    convolutions(cases)
    depthwise_convolutions(cases)
    pooling(cases)
    batch_norms(cases)
