"""Cases of the quantized operations written by `quantize_graph`: TensorFlow's own kernels on 8-bit integers."""
import numpy as np
import tensorflow as tf

op = tf.raw_ops
SHAPE = [1, 6, 5, 3]
RANGE = (-4.0, 4.0)


def number(value):
    return tf.constant(np.float32(value))


def quantized(x, low=-3.7, high=4.1, mode="MIN_FIRST"):
    """Codes with their range."""
    return op.QuantizeV2(input=x, min_range=number(low), max_range=number(high), T=tf.quint8, mode=mode)


def dequantized(q):
    return op.Dequantize(input=q[0], min_range=q[1], max_range=q[2], mode="MIN_FIRST")


def moded(x, kind, mode, low=-3.7, high=4.1, back=None, **options):
    """There and back, in any of the modes; `low` and `high` may be computed."""
    q = op.QuantizeV2(input=x, min_range=low, max_range=high, T=kind, mode=mode, **options)
    return op.Dequantize(input=q[0], min_range=q[1], max_range=q[2], mode=back or mode, **options)


def measured(x):
    """Codes with the values' range, which the graph computes, as written by quantize_graph."""
    flat = op.Reshape(tensor=x, shape=[-1])
    return op.QuantizeV2(input=x, min_range=op.Min(input=flat, axis=[0]), max_range=op.Max(input=flat, axis=[0]),
                         T=tf.quint8, mode="MIN_FIRST")


def known(values):
    """Quantized weights, in their own range."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        q, low, high = session.run(op.QuantizeV2(
            input=values, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST"))
    return tf.constant(q["f0"] if q.dtype.names else q, tf.quint8), number(low), number(high)


def narrowed(q, low=None, high=None):
    """32-bit sums requantized: in a known range, or in the range of the sums."""
    if low is None:
        low, high = op.RequantizationRange(input=q[0], input_min=q[1], input_max=q[2])
    else:
        low, high = number(low), number(high)
    return op.Requantize(input=q[0], input_min=q[1], input_max=q[2], requested_output_min=low,
                         requested_output_max=high, out_type=tf.quint8)


def convolved(x, weights, stride=1, padding="SAME"):
    return op.QuantizedConv2D(
        input=x[0], filter=weights[0], min_input=x[1], max_input=x[2], min_filter=weights[1], max_filter=weights[2],
        strides=[1, stride, stride, 1], padding=padding)


def write(cases):
    add = cases.family("quantized")
    add("quantize", SHAPE, lambda x, r: dequantized(quantized(x)), values=(-5, 5))
    add("quantize_positive", SHAPE, lambda x, r: dequantized(quantized(x, 0.5, 3.0)), values=(-1, 4))
    add("quantize_short", SHAPE, lambda x, r: op.Mul(x=dequantized(quantized(x, 0.0, 0.001)), y=100.0), values=(0, 0.012))
    add("quantize_measured", SHAPE, lambda x, r: dequantized(measured(x)))
    for kind in (tf.quint8, tf.qint8):
        for mode in ("MIN_FIRST", "MIN_COMBINED", "SCALED"):
            add(f"{kind.name}_{mode.lower()}", SHAPE, lambda x, r: moded(x, kind, mode), values=(-5, 5))
            add(f"{kind.name}_{mode.lower()}_measured", SHAPE, lambda x, r: moded(
                x, kind, mode, op.Min(input=x, axis=[0, 1, 2, 3]), op.Max(input=x, axis=[0, 1, 2, 3])), values=(-5, 3))
    add("qint8_scaled_narrow", SHAPE, lambda x, r: moded(x, tf.qint8, "SCALED", narrow_range=True), values=(-5, 5))
    for mode in ("MIN_COMBINED", "SCALED"):
        add(f"axis_{mode.lower()}", SHAPE, lambda x, r: moded(
            x, tf.qint8, mode, tf.constant([-1.0, -2.0, -4.0]), tf.constant([1.5, 4.0, 2.0]), axis=3), "a range a channel",
            values=RANGE)
    add("axis_measured", SHAPE, lambda x, r: moded(
        x, tf.quint8, "MIN_COMBINED", op.Min(input=x, axis=[0, 1, 3]), op.Max(input=x, axis=[0, 1, 3]), axis=2), values=RANGE)
    add("of_constant", SHAPE, lambda x, r: op.Mul(x=x, y=moded(tf.constant(r(3)), tf.quint8, "MIN_FIRST", -1.0, 2.0)))
    add("requantize_signed", SHAPE, lambda x, r: dequantized(op.Requantize(
        input=(y := convolved(quantized(x), known(r(3, 3, 3, 2))))[0], input_min=y[1], input_max=y[2],
        requested_output_min=number(-20), requested_output_max=number(18), out_type=tf.qint8)), values=RANGE)
    add("resize", SHAPE, lambda x, r: dequantized(op.QuantizedResizeBilinear(
        images=(y := quantized(x))[0], size=[9, 11], min=y[1], max=y[2])), values=RANGE)

    def normalized(x, r):
        parts = {}
        for name, values in (("m", r(3)), ("v", r.uniform(0.5, 2.0, 3)), ("beta", r(3)), ("gamma", r.uniform(0.5, 2.0, 3))):
            parts[name], parts[name + "_min"], parts[name + "_max"] = known(values)
        y = quantized(x)
        return dequantized(narrowed(op.QuantizedBatchNormWithGlobalNormalization(
            t=y[0], t_min=y[1], t_max=y[2], variance_epsilon=0.001, scale_after_normalization=True, out_type=tf.qint32, **parts)))

    add("batch_norm", SHAPE, normalized, values=RANGE)
    add("convolution", SHAPE, lambda x, r: dequantized(narrowed(convolved(quantized(x), known(r(3, 3, 3, 4))))), values=RANGE)
    add("convolution_known_range", SHAPE, lambda x, r: dequantized(narrowed(
        convolved(quantized(x), known(r(3, 3, 3, 4)), 2, "VALID"), -20, 18)), values=RANGE)
    add("convolution_measured", SHAPE, lambda x, r: dequantized(narrowed(
        convolved(measured(x), known(r(2, 2, 3, 5)), padding="VALID"))), values=RANGE)
    add("convolution_sums", SHAPE, lambda x, r: op.Dequantize(
        input=(y := convolved(quantized(x), known(r(1, 1, 3, 4))))[0], min_range=y[1], max_range=y[2], mode="MIN_FIRST"),
        "sums of 32 bits", values=RANGE)
    add("convolution_down", SHAPE, lambda x, r: dequantized(op.QuantizeDownAndShrinkRange(
        input=(y := convolved(quantized(x), known(r(3, 3, 3, 2))))[0], input_min=y[1], input_max=y[2], out_type=tf.quint8)),
        "the older way to quantize", values=RANGE)

    def product(x, r):
        weights = known(r(5, 4))
        q = quantized(x)
        return dequantized(narrowed(op.QuantizedMatMul(
            a=q[0], b=weights[0], min_a=q[1], max_a=q[2], min_b=weights[1], max_b=weights[2])))

    add("product", [2, 5], product, values=RANGE)

    def symmetric(x, r):
        """0 is halfway between two levels of the weights."""
        values = r.uniform(-1.0, 1.0, 5, 4)
        values[0, :2] = -1, 1
        weights, q = known(values), quantized(x)
        return dequantized(narrowed(op.QuantizedMatMul(
            a=q[0], b=weights[0], min_a=q[1], max_a=q[2], min_b=weights[1], max_b=weights[2])))

    add("product_symmetric", [2, 5], symmetric, values=RANGE)

    def biased(x, r):
        bias, q = known(r(3)), quantized(x)
        return dequantized(narrowed(op.QuantizedBiasAdd(
            input=q[0], bias=bias[0], min_input=q[1], max_input=q[2], min_bias=bias[1], max_bias=bias[2],
            out_type=tf.qint32)))

    add("bias", SHAPE, biased, values=RANGE)
    for name, operation, options in [("relu", op.QuantizedRelu, {}), ("relu6", op.QuantizedRelu6, {})]:
        add(name, SHAPE, lambda x, r: dequantized(operation(
            features=(y := quantized(x, -3, 8))[0], min_features=y[1], max_features=y[2], out_type=tf.quint8)), values=(-4, 9))
    for name, operation in [("max_pool", op.QuantizedMaxPool), ("average_pool", op.QuantizedAvgPool)]:
        add(name, SHAPE, lambda x, r: dequantized(operation(
            input=(y := quantized(x))[0], min_input=y[1], max_input=y[2], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
            padding="VALID")), values=RANGE)
    add("concatenation", SHAPE, lambda x, r: dequantized(op.QuantizedConcat(
        concat_dim=3, values=[(y := quantized(x))[0], (z := quantized(op.Mul(x=x, y=1.5), -6, 5))[0]],
        input_mins=[y[1], z[1]], input_maxes=[y[2], z[2]])), "parts of two ranges", values=RANGE)
    add("reshape", SHAPE, lambda x, r: dequantized(op.QuantizedReshape(
        tensor=(y := quantized(x))[0], shape=[1, 90], input_min=y[1], input_max=y[2])), values=RANGE)
    for name, operation in [("sum", op.QuantizedAdd), ("times", op.QuantizedMul)]:
        add(name, SHAPE, lambda x, r: dequantized(narrowed(operation(
            x=(y := quantized(x))[0], y=(z := known(r(3)))[0], min_x=y[1], max_x=y[2], min_y=z[1], max_y=z[2]))), values=RANGE)

    def network(x, r):
        """A convolution with its bias and activation, as written by quantize_graph."""
        y = narrowed(convolved(measured(x), known(r(3, 3, 3, 4))))
        bias = known(r(4))
        y = narrowed(op.QuantizedBiasAdd(input=y[0], bias=bias[0], min_input=y[1], max_input=y[2], min_bias=bias[1],
                                         max_bias=bias[2], out_type=tf.qint32))
        y = op.QuantizedRelu(features=y[0], min_features=y[1], max_features=y[2], out_type=tf.quint8)
        y = op.QuantizedMaxPool(input=y[0], min_input=y[1], max_input=y[2], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                                padding="SAME")
        return dequantized(y)

    add("network", SHAPE, network, values=RANGE)
