"""Programs with quantized activations."""
import numpy as np
from coremltools.converters.mil import Builder as mb

from programs import normal

RANGES = {"int8": (-128, 127), "uint8": (0, 255)}


def quantized(x, scale, zero, type):
    return np.clip(np.round(x / scale) + np.float32(zero), *RANGES[type]).astype("f4")


def channels(values, axis, rank):
    return np.asarray(values).reshape([-1 if i == axis else 1 for i in range(rank)])


def add(cases):
    x = normal("quantize", 2, 3, 4, 5)
    scales = np.array([0.01, 0.02, 0.3], "f4")
    # Ties are rounded to even, and values beyond the type are clamped.
    ties = np.array([[0.5, 1.5, 2.5, -0.5, -1.5, 300, -300, 0]], "f4")

    for type, zero in (("int8", 3), ("uint8", 120)):
        kind = np.dtype(type).type

        def both(a, type=type, zero=kind(zero)):
            q = mb.quantize(input=a, scale=np.float32(0.02), zero_point=zero, output_dtype=type)
            return mb.dequantize(input=q, scale=np.float32(0.02), zero_point=zero)

        def values(a, type=type, zero=zero):
            return (quantized(a, np.float32(0.02), zero, type) - zero) * np.float32(0.02)

        cases.add(f"quantize_{type}", [x], both, values, opset=17)
        cases.add(f"quantize_{type}_vector", [x[0, 0, 0]], both, values, opset=17)

        zeros = np.array([zero, zero + 5, 0], type)

        def by_channel(a, type=type, zeros=zeros):
            q = mb.quantize(input=a, scale=scales, zero_point=zeros, axis=1, output_dtype=type)
            return mb.dequantize(input=q, scale=scales, zero_point=zeros, axis=-3)

        def values_by_channel(a, type=type, zeros=zeros):
            scale, zero = channels(scales, 1, 4), channels(zeros.astype("f4"), 1, 4)
            return (quantized(a, scale, zero, type) - zero) * scale

        cases.add(f"quantize_{type}_channels", [x], by_channel, values_by_channel, opset=17)

    cases.add("quantize_ties", [ties],
              lambda a: mb.dequantize(input=mb.quantize(input=a, scale=np.float32(1), output_dtype="int8"),
                                      scale=np.float32(1)),
              np.array([[0, 2, 2, 0, -2, 127, -128, 0]], "f4"), opset=17)
    # As coremltools' passes and PyTorch's quantization write a layer: quantized values before and after, and quantized weights.
    weights = np.random.default_rng(1).integers(-127, 128, (4, 3, 3, 3)).astype("i1")
    factors = np.array([0.01, 0.02, 0.015, 0.005], "f4")

    def layer(a):
        q = mb.quantize(input=a, scale=np.float32(0.03), zero_point=np.int8(-4), output_dtype="int8")
        image = mb.dequantize(input=q, scale=np.float32(0.03), zero_point=np.int8(-4))
        filters = mb.constexpr_blockwise_shift_scale(data=weights, scale=factors.reshape(4, 1, 1, 1))
        sums = mb.relu(x=mb.conv(x=image, weight=filters, pad_type="custom", pad=[1, 1, 1, 1]))
        q = mb.quantize(input=sums, scale=np.float32(0.1), zero_point=np.uint8(0), output_dtype="uint8")
        return mb.dequantize(input=q, scale=np.float32(0.1), zero_point=np.uint8(0))

    def expected(a):
        image = (quantized(a, np.float32(0.03), -4, "int8") + 4) * np.float32(0.03)
        filters = weights.astype("f4") * factors.reshape(4, 1, 1, 1)
        padded = np.pad(image.astype("f8"), ((0, 0), (0, 0), (1, 1), (1, 1)))
        sums = sum(np.einsum("nchw,oc->nohw", padded[:, :, i:i + 4, j:j + 5], filters[:, :, i, j].astype("f8"))
                   for i in range(3) for j in range(3))
        return quantized(np.maximum(sums, 0).astype("f4"), np.float32(0.1), 0, "uint8") * np.float32(0.1)

    cases.add("quantized_layer", [x], layer, expected, opset=18)
    cases.add("dequantized_weights", [x],
              lambda a: mb.conv(x=a, weight=mb.dequantize(input=weights, scale=factors, axis=0), pad_type="valid"),
              lambda a: sum(np.einsum("nchw,oc->nohw", a.astype("f8")[:, :, i:i + 2, j:j + 3],
                                      (weights.astype("f8") * factors.reshape(4, 1, 1, 1))[:, :, i, j])
                            for i in range(3) for j in range(3)), opset=17)

    for name, scale, words in (("zero_scale", np.array([1, 0, 1], "f4"), "scale 0"),):
        cases.refuse(name, [x],
                     lambda a: mb.dequantize(
                         input=mb.quantize(input=a, scale=scale, axis=1, output_dtype="int8"), scale=scale, axis=1),
                     words, opset=17)
