"""Cases of elementwise operations, reductions and matrix products."""
import tensorflow as tf

op = tf.raw_ops
POSITIVE = (0.2, 2.5)


def unary(cases):
    add = cases.family("unary")
    for name, operation in [("neg", op.Neg), ("square", op.Square), ("exp", op.Exp), ("sigmoid", op.Sigmoid), ("tanh", op.Tanh)]:
        add(name, [1, 4, 3, 5], lambda x, r: operation(x=x))
    for name, operation in [("sqrt", op.Sqrt), ("rsqrt", op.Rsqrt)]:
        add(name, [1, 4, 3, 5], lambda x, r: operation(x=x), values=POSITIVE)
    for name, operation in [("relu", op.Relu), ("relu6", op.Relu6), ("elu", op.Elu), ("leaky_relu", op.LeakyRelu)]:
        add(name, [1, 4, 3, 5], lambda x, r: operation(features=x), values=(-9, 9))
    for alpha in (0.01, 0.3, 1.5):
        add(f"leaky_relu_alpha_{alpha}", [2, 7], lambda x, r: op.LeakyRelu(features=x, alpha=alpha))
    add("leaky_relu_default_alpha", [2, 7], lambda x, r: op.LeakyRelu(features=x), "no alpha attribute: 0.2", strip=True)
    add("sigmoid_large", [1, 12], lambda x, r: op.Sigmoid(x=x), "must not overflow", values=(-120, 120))
    add("tanh_large", [1, 12], lambda x, r: op.Tanh(x=x), "must not overflow", values=(-120, 120))
    add("elu_large", [1, 12], lambda x, r: op.Elu(features=x), "must not overflow", values=(-120, 20))
    for rank, shape in [(1, [17]), (3, [2, 3, 5]), (5, [1, 2, 2, 3, 2])]:
        add(f"relu_rank{rank}", shape, lambda x, r: op.Relu(features=x))
    for name, shape in [("rank2", [2, 9]), ("rank4", [1, 2, 3, 5]), ("rank1", [7]), ("one_class", [3, 4, 2])]:
        add(f"softmax_{name}", shape, lambda x, r: op.Softmax(logits=x))
    add("softmax_large", [1, 6], lambda x, r: op.Softmax(logits=x), "must not overflow", values=(900, 905))
    add("identities", [1, 3, 4], lambda x, r: op.CheckNumerics(
        tensor=op.StopGradient(input=op.Identity(input=x)), message="not a number"))


def binary(cases):
    add = cases.family("binary")
    shape = [1, 4, 3, 5]
    for name, operation in [("add", op.Add), ("addv2", op.AddV2), ("sub", op.Sub), ("mul", op.Mul), ("real_div", op.RealDiv),
                            ("maximum", op.Maximum), ("minimum", op.Minimum), ("squared_difference", op.SquaredDifference),
                            ("pow", op.Pow)]:
        values = POSITIVE if name in ("real_div", "pow") else None
        add(f"{name}_activations", shape, lambda x, r: operation(x=x, y=op.Sigmoid(x=x)), values=values)
        add(f"{name}_vector_right", shape, lambda x, r: operation(x=x, y=r.uniform(0.5, 2, 5)), values=values)
        add(f"{name}_vector_left", shape, lambda x, r: operation(x=r.uniform(0.5, 2, 5), y=x), values=values)
        add(f"{name}_scalar_right", shape, lambda x, r: operation(x=x, y=1.75), values=values)
        add(f"{name}_scalar_left", shape, lambda x, r: operation(x=1.75, y=x), values=values)
    for exponent in (2.0, 3.0, 1.0, 0.0):
        add(f"pow_of_negative_{exponent:.0f}", [2, 6], lambda x, r: op.AddV2(x=x, y=op.Pow(x=x, y=exponent)))
    for exponent in (0.5, -0.5, -1.0):
        add(f"pow_{exponent}", [2, 6], lambda x, r: op.Pow(x=x, y=exponent), values=POSITIVE)
    add("mul_by_itself", shape, lambda x, r: op.Mul(x=x, y=x))
    broadcasts = [("row", shape, [3, 1]), ("column", shape, [4, 1, 1]), ("plane", shape, [4, 3, 1]),
                  ("full", shape, [1, 4, 3, 5]),
                  ("one_element", shape, [1, 1, 1, 1]), ("to_larger_constant", [1, 1, 1, 5], [1, 4, 3, 5]),
                  ("crosswise", [1, 4, 1, 5], [3, 1]),
                  ("to_higher_rank", [1, 5], [1, 4, 3, 5]), ("rank3", [2, 3, 4], [3, 1]), ("batch", [2, 3, 4], [2, 1, 1]),
                  ("to_larger_batch", [1, 3, 4], [2, 1, 4]), ("channel_one", [1, 4, 3, 1], [5])]
    for name, left, right in broadcasts:
        add(f"broadcast_{name}", left, lambda x, r: op.Sub(x=x, y=r(*right)))
        add(f"broadcast_{name}_left", left, lambda x, r: op.Sub(x=r(*right), y=x))
    add("broadcast_activation_right", shape, lambda x, r: op.Mul(
        x=x, y=op.Sigmoid(x=op.Mean(input=x, axis=[1, 2], keep_dims=True))), "squeeze and excitation")
    add("broadcast_activation_left", shape, lambda x, r: op.Sub(x=op.Max(input=x, axis=[3], keep_dims=True), y=x))
    add("broadcast_activation_crosswise", shape, lambda x, r: op.AddV2(
        x=op.Mean(input=x, axis=[1], keep_dims=True), y=op.Max(input=x, axis=[2, 3], keep_dims=True)))
    add("broadcast_activation_lower_rank", shape, lambda x, r: op.Mul(x=op.Mean(input=x, axis=[0, 1], keep_dims=False), y=x))
    add("bias_add_rank2", [2, 5], lambda x, r: op.BiasAdd(value=x, bias=r(5)))
    add("bias_add_rank3", [2, 3, 5], lambda x, r: op.BiasAdd(value=x, bias=r(5)))
    add("bias_add_rank4", shape, lambda x, r: op.BiasAdd(value=x, bias=r(5)))
    add("bias_add_nchw", [1, 5, 3, 4], lambda x, r: op.BiasAdd(value=x, bias=r(5), data_format="NCHW"))
    add("bias_add_defaults_stripped", shape, lambda x, r: op.BiasAdd(value=x, bias=r(5)), strip=True)
    add("add_n_1", shape, lambda x, r: op.AddN(inputs=[x]))
    add("add_n_2", shape, lambda x, r: op.AddN(inputs=[x, op.Tanh(x=x)]))
    add("add_n_4", shape, lambda x, r: op.AddN(inputs=[x, op.Tanh(x=x), r(*shape), op.Square(x=x)]), "a constant among them")


def reductions(cases):
    add = cases.family("reduction")
    shape = [1, 4, 3, 5]
    axes = [("spatial", [1, 2]), ("spatial_negative", [-3, -2]), ("last", [-1]), ("channel", [3]), ("height", [1]),
            ("all", [0, 1, 2, 3]), ("unsorted", [2, 1]), ("scalar_axis", 2)]
    for name, operation in [("mean", op.Mean), ("sum", op.Sum), ("max", op.Max)]:
        for axis_name, axis in axes:
            keep_dims = axis_name in ("spatial_negative", "channel", "unsorted")
            add(f"{name}_{axis_name}{'_keep' if keep_dims else ''}", shape,
                lambda x, r: operation(input=x, axis=axis, keep_dims=keep_dims))
        add(f"{name}_all_keep", shape, lambda x, r: operation(input=x, axis=[0, 1, 2, 3], keep_dims=True))
    add("mean_no_axis", [2, 3], lambda x, r: op.Mean(input=x, axis=tf.constant([], tf.int32)),
        "an empty list of axes changes nothing")
    add("mean_int64_axes", shape, lambda x, r: op.Mean(input=x, axis=tf.constant([1, 2], tf.int64)))
    add("mean_defaults_stripped", shape, lambda x, r: op.Mean(input=x, axis=[1, 2]), strip=True)
    add("mean_axes_of_range", shape, lambda x, r: op.Mean(input=x, axis=op.Range(start=1, limit=3, delta=1)))
    add("mean_unknown_batch", shape, lambda x, r: op.Mean(input=x, axis=[1, 2]), placeholder=[None, 4, 3, 5])
    add("max_rank2", [3, 5], lambda x, r: op.Max(input=x, axis=[1], keep_dims=False), "all values negative", values=(-9, -1))
    add("sum_rank3", [2, 3, 5], lambda x, r: op.Sum(input=x, axis=[1], keep_dims=False))
    for name, axis in [("last", -1), ("channel", 3), ("height", 1)]:
        for kind in ("int32", "int64"):
            add(f"arg_max_{name}_{kind}", shape, lambda x, r: op.Cast(
                x=op.ArgMax(input=x, dimension=axis, output_type=tf.as_dtype(kind)), DstT=tf.float32))
    add("arg_max_is_output", [3, 7], lambda x, r: op.ArgMax(input=x, dimension=1), "the graph's output is of type int64")
    add("arg_max_defaults_stripped", [3, 7], lambda x, r: op.Cast(x=op.ArgMax(input=x, dimension=1), DstT=tf.float32), strip=True)


def products(cases):
    add = cases.family("matmul")
    for name, shape, constant, a, b in [("plain", [2, 5], [5, 3], False, False), ("transpose_b", [2, 5], [3, 5], False, True),
                                        ("transpose_a", [5, 2], [5, 3], True, False),
                                        ("transpose_both", [5, 2], [3, 5], True, True)]:
        add(name, shape, lambda x, r: op.MatMul(a=x, b=r(*constant), transpose_a=a, transpose_b=b))
    add("sparse", [2, 5], lambda x, r: op.SparseMatMul(a=x, b=r(3, 5), transpose_b=True, b_is_sparse=True))
    add("constant_left", [5, 3], lambda x, r: op.MatMul(a=r(2, 5), b=x))
    add("constant_left_transposed", [3, 5], lambda x, r: op.MatMul(a=r(5, 2), b=x, transpose_a=True, transpose_b=True))
    add("activations", [4, 3], lambda x, r: op.MatMul(a=x, b=op.Tanh(x=x), transpose_a=True), "the Gram matrix")
    add("bias_add", [1, 7], lambda x, r: op.BiasAdd(value=op.MatMul(a=x, b=r(7, 33)), bias=r(33)))
    add("add_relu", [1, 33], lambda x, r: op.Relu(features=op.Add(x=op.MatMul(a=x, b=r(33, 7)), y=r(7))))
    add("unknown_batch", [3, 4], lambda x, r: op.MatMul(a=x, b=r(4, 2)), "three rows in a batch of unknown size",
        placeholder=[None, 4])
    add("after_flatten", [1, 3, 2, 4], lambda x, r: op.MatMul(a=op.Reshape(tensor=x, shape=[-1, 24]), b=r(24, 3)))
    add("defaults_stripped", [2, 5], lambda x, r: op.MatMul(a=x, b=r(5, 3)), strip=True)


def write(cases):
    unary(cases)
    binary(cases)
    reductions(cases)
    products(cases)
