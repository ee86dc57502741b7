"""Programs of products with vectors and integers, and of single values."""
import contextlib

import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools.converters.mil.mil.ops.defs.iOS15.linear import matmul

from programs import normal


@contextlib.contextmanager
def documented_shapes():
    """With the shapes that coremltools documents for vectors. It derives them only for a vector on the left of a matrix."""
    original = matmul.type_inference

    def documented(op):
        x, y = np.zeros(op.x.shape), np.zeros(op.y.shape)
        return types.tensor(
            op.x.dtype, np.matmul(x.swapaxes(-1, -2) if op.transpose_x.val and x.ndim > 1 else x,
                                  y.swapaxes(-1, -2) if op.transpose_y.val and y.ndim > 1 else y).shape)
    matmul.type_inference = documented
    try:
        yield
    finally:
        matmul.type_inference = original


def products(cases):
    vector, other = normal("vector", 4), normal("other vector", 4)
    matrix, batch = normal("matrix", 4, 2), normal("batch", 3, 4, 2)
    cases.add("matmul_vector_first", [vector, matrix], lambda a, b: mb.matmul(x=a, y=b), vector @ matrix)
    cases.add("matmul_vector_constant", [vector], lambda a: mb.matmul(x=a, y=matrix.T.copy(), transpose_y=True), vector @ matrix)
    with documented_shapes():
        cases.add("matmul_vector_batch", [vector, batch], lambda a, b: mb.matmul(x=a, y=b), vector @ batch)
        cases.add("matmul_vector_second", [batch, vector],
                  lambda a, b: mb.matmul(x=a, y=b, transpose_x=True, transpose_y=True), batch.swapaxes(1, 2) @ vector)
        cases.add("matmul_vector_second_constant", [matrix.T], lambda a: mb.matmul(x=a, y=vector), matrix.T @ vector)
        cases.add("matmul_vectors", [vector, other], lambda a, b: mb.expand_dims(x=mb.matmul(x=a, y=b), axes=[0]),
                  [(vector @ other).reshape(1)])
    weights, bias = np.array([[1, 0, 2, -3], [3, -1, 1, 5]], "i4"), np.array([7, -40], "i4")
    integers = np.arange(-11, 13, dtype="i4").reshape(2, 3, 4)
    for name, x in (("vector", integers[0, 1]), ("matrix", integers[1]), ("batch", integers)):
        cases.add("linear_integer_" + name, [x], lambda a: mb.linear(x=a, weight=weights, bias=bias), x @ weights.T + bias)
    cases.add("linear_integer_without_bias", [integers[1]], lambda a: mb.linear(x=a, weight=weights), integers[1] @ weights.T)


def single_values(cases):
    x = normal("single values", 3, 4)

    def ends(a):
        return [reduced(x=a, keep_dims=False) for reduced in (mb.reduce_max, mb.reduce_min, mb.reduce_sum)]
    expected = np.array([x.max(), x.min(), x.sum()])
    for name, axis, interleave in (("", 0, False), ("_last_axis", -1, False), ("_interleaved", 0, True)):
        cases.add("concat_single_values" + name, [x],
                  lambda a: mb.concat(values=ends(a), axis=axis, interleave=interleave), expected)
    # As coremltools converts x.view(x.shape[1], -1).
    cases.add(
        "reshape_to_single_values", [x],
        lambda a: mb.reshape(x=a, shape=mb.concat(values=[mb.gather(x=mb.shape(x=a), indices=1, axis=0), -1], axis=0)),
        x.reshape(4, 3))
    for name, y, axis, shape in (("vector", x[0], 1, (4, 1)), ("matrix", x, 2, (12, 1)), ("first", x, -2, (1, 12))):
        cases.add("flatten2d_" + name, [y], lambda a: mb.flatten2d(x=a, axis=axis), y.reshape(shape))


def normalizations(cases):
    def normalized(size):
        return lambda a: mb.local_response_norm(x=a, size=size, alpha=np.float32(0.1), beta=np.float32(0.75), k=np.float32(1))
    cases.refuse("local_response_norm_sequence", [normal("sequence of channels", 2, 7, 4)], normalized(3), "input has shape")
    cases.refuse("local_response_norm_even", [normal("image of channels", 2, 7, 4, 3)], normalized(2), "window 2 channels")


def add(cases):
    products(cases)
    single_values(cases)
    normalizations(cases)
