"""Cases of operations that image networks use occasionally: more functions, selection, indices and sums."""
import tensorflow as tf

op = tf.raw_ops
SHAPE = [1, 4, 3, 5]
POSITIVE = (0.2, 2.5)


def as_float(x):
    return op.Cast(x=x, DstT=tf.float32)


def halves(x):
    """Multiples of a half, so that rounding and comparisons have ties."""
    return op.Mul(x=op.Floor(x=op.Mul(x=x, y=2.0)), y=0.5)


def unary(cases):
    add = cases.family("function")
    for name, operation in [("abs", op.Abs), ("ceil", op.Ceil), ("floor", op.Floor), ("sign", op.Sign), ("erf", op.Erf),
                            ("erfc", op.Erfc), ("sin", op.Sin), ("cos", op.Cos), ("expm1", op.Expm1),
                            ("atan", op.Atan), ("sinh", op.Sinh), ("cosh", op.Cosh), ("asinh", op.Asinh)]:
        add(name, SHAPE, lambda x, r: operation(x=x))
    for name, operation in [("round", op.Round), ("rint", op.Rint)]:
        add(name, SHAPE, lambda x, r: operation(x=halves(x)), "halves go to the even number")
    for name, operation in [("log", op.Log), ("log1p", op.Log1p), ("reciprocal", op.Reciprocal), ("inv", op.Inv)]:
        add(name, SHAPE, lambda x, r: operation(x=x), values=POSITIVE)
    for name, operation in [("asin", op.Asin), ("acos", op.Acos), ("atanh", op.Atanh), ("tan", op.Tan)]:
        add(name, SHAPE, lambda x, r: operation(x=x), values=(-0.95, 0.95))
    add("acosh", SHAPE, lambda x, r: op.Acosh(x=x), values=(1, 4))
    for name, operation in [("softplus", op.Softplus), ("softsign", op.Softsign), ("selu", op.Selu)]:
        add(name, SHAPE, lambda x, r: operation(features=x), values=(-6, 6))
        add(f"{name}_rank2", [2, 7], lambda x, r: operation(features=x), values=(-6, 6))
    add("softplus_large", [1, 12], lambda x, r: op.Softplus(features=x), "must not overflow", values=(-120, 120))
    add("expm1_small", [1, 12], lambda x, r: op.Mul(x=op.Expm1(x=op.Mul(x=x, y=1e-3)), y=100.0))
    add("abs_rank3", [2, 3, 5], lambda x, r: op.Abs(x=x))
    add("logical_not", SHAPE, lambda x, r: as_float(op.LogicalNot(x=op.Greater(x=x, y=0.5))))
    add("is_nan", SHAPE, lambda x, r: op.SelectV2(
        condition=op.IsNan(x=op.Log(x=x)), t=op.ZerosLike(x=x), e=x), "negative numbers have no logarithm")
    add("floor_of_conv", [1, 5, 6, 2], lambda x, r: op.Floor(x=op.Conv2D(
        input=x, filter=r(3, 3, 2, 4), strides=[1, 1, 1, 1], padding="SAME")))
    for name, shape in [("rank2", [2, 9]), ("rank4", SHAPE), ("rank1", [7])]:
        add(f"log_softmax_{name}", shape, lambda x, r: op.LogSoftmax(logits=x))
    add("log_softmax_large", [1, 6], lambda x, r: op.LogSoftmax(logits=x), "must not overflow", values=(900, 905))
    add("clip_by_value", SHAPE, lambda x, r: op.ClipByValue(t=x, clip_value_min=-0.5, clip_value_max=1.25))
    add("clip_by_value_arrays", SHAPE, lambda x, r: op.ClipByValue(
        t=x, clip_value_min=r.uniform(-1, 0, *SHAPE), clip_value_max=op.Abs(x=op.Tanh(x=x))))
    for name, operation in [("zeros_like", op.ZerosLike), ("ones_like", op.OnesLike)]:
        add(name, SHAPE, lambda x, r: op.Sub(x=x, y=operation(x=x)))
    add("rank", SHAPE, lambda x, r: op.Mul(x=x, y=as_float(op.Rank(input=x))))
    add("size", SHAPE, lambda x, r: op.Mul(x=x, y=as_float(op.Size(input=x))))
    add("identity_n", SHAPE, lambda x, r: op.Add(x=(pair := op.IdentityN(input=[x, op.Tanh(x=x)]))[0], y=pair[1]))
    add("accumulate_n", SHAPE, lambda x, r: op.AccumulateNV2(inputs=[x, op.Tanh(x=x), r(*SHAPE)], shape=SHAPE))
    add("fake_quant_args", SHAPE, lambda x, r: op.FakeQuantWithMinMaxArgs(inputs=x, min=-2.3, max=1.9))
    add("fake_quant_args_4_bits", SHAPE, lambda x, r: op.FakeQuantWithMinMaxArgs(inputs=x, min=-2.3, max=1.9, num_bits=4))
    add("fake_quant_args_default", SHAPE, lambda x, r: op.FakeQuantWithMinMaxArgs(inputs=x), strip=True)
    for narrow in (False, True):
        name = "_narrow" if narrow else ""
        add(f"fake_quant_vars{name}", SHAPE, lambda x, r: op.FakeQuantWithMinMaxVars(
            inputs=x, min=-1.7, max=3.1, narrow_range=narrow))
        add(f"fake_quant_channels{name}", SHAPE, lambda x, r: op.FakeQuantWithMinMaxVarsPerChannel(
            inputs=x, min=r.uniform(-3, -0.5, 5), max=r.uniform(0.5, 3, 5), narrow_range=narrow))
    for narrow in (False, True):
        name = "_narrow" if narrow else ""
        add(f"fake_quant_vars_computed{name}", SHAPE, lambda x, r: op.FakeQuantWithMinMaxVars(
            inputs=x, min=op.Min(input=x, axis=[0, 1, 2, 3]), max=op.Max(input=x, axis=[0, 1, 2, 3]), num_bits=5, narrow_range=narrow))
        add(f"fake_quant_channels_computed{name}", SHAPE, lambda x, r: op.FakeQuantWithMinMaxVarsPerChannel(
            inputs=x, min=op.Min(input=x, axis=[0, 1, 2]), max=op.Max(input=x, axis=[0, 1, 2]), num_bits=6, narrow_range=narrow))
    add("fake_quant_positive", SHAPE, lambda x, r: op.FakeQuantWithMinMaxVars(inputs=x, min=0.5, max=3.1),
        "zero lies outside the range")
    for scaled in (False, True):
        def as_normalization(definition):
            """Creates the operation from IdentityN; TensorFlow removed it in graph version 9."""
            definition.versions.producer = 8
            node, = (node for node in definition.node if node.op == "IdentityN")
            node.op = "BatchNormWithGlobalNormalization"
            node.attr.clear()
            node.attr["T"].type = tf.float32.as_datatype_enum
            node.attr["variance_epsilon"].f = 0.01
            node.attr["scale_after_normalization"].b = scaled

        add(f"batch_norm_global{'_scaled' if scaled else ''}", SHAPE, lambda x, r: op.IdentityN(
            input=[x, r(5), r.uniform(0.5, 2, 5), r(5), r(5)])[0], edit=as_normalization)


def binary(cases):
    add = cases.family("function2")
    for name, operation in [("div", op.Div), ("floor_div", op.FloorDiv), ("floor_mod", op.FloorMod), ("mod", op.Mod),
                            ("div_no_nan", op.DivNoNan)]:
        add(f"{name}_activations", SHAPE, lambda x, r: operation(x=x, y=op.AddV2(x=op.Sigmoid(x=x), y=0.25)))
        add(f"{name}_vector_right", SHAPE, lambda x, r: operation(x=x, y=r.uniform(0.5, 2, 5)))
        add(f"{name}_vector_left", SHAPE, lambda x, r: operation(x=r.uniform(2, 5, 5), y=x), values=POSITIVE)
        add(f"{name}_scalar_right", SHAPE, lambda x, r: operation(x=x, y=-0.75))
        add(f"{name}_plane", SHAPE, lambda x, r: operation(x=x, y=r.uniform(0.5, 2, 4, 3, 1)))
    add("div_no_nan_zero", SHAPE, lambda x, r: op.DivNoNan(x=x, y=op.Relu(features=x)))
    for name, operation in [("div", op.Div), ("truncate_div", op.TruncateDiv), ("floor_div", op.FloorDiv),
                            ("floor_mod", op.FloorMod), ("mod", op.Mod)]:
        add(f"{name}_integers", SHAPE, lambda x, r: as_float(operation(
            x=op.Cast(x=op.Mul(x=x, y=9.0), DstT=tf.int32), y=4)), "negative numbers among them")
    for name, operation in [("equal", op.Equal), ("not_equal", op.NotEqual), ("less", op.Less), ("less_equal", op.LessEqual),
                            ("greater", op.Greater), ("greater_equal", op.GreaterEqual)]:
        add(f"{name}_number", SHAPE, lambda x, r: as_float(operation(x=halves(x), y=0.5)))
        add(f"{name}_number_left", [2, 12], lambda x, r: as_float(operation(x=0.5, y=halves(x))))
        add(f"{name}_activations", SHAPE, lambda x, r: as_float(operation(
            x=halves(x), y=op.Neg(x=halves(x)))))
        add(f"{name}_broadcast", SHAPE, lambda x, r: as_float(operation(
            x=halves(x), y=halves(op.Mean(input=x, axis=[3], keep_dims=True)))))
    for name, operation, bound in [("and", op.LogicalAnd, -1.0), ("or", op.LogicalOr, 1.0)]:
        add(f"logical_{name}", SHAPE, lambda x, r: as_float(operation(x=op.Greater(x=x, y=bound), y=op.Less(x=x, y=-bound))))
        add(f"logical_{name}_constant", SHAPE, lambda x, r: as_float(operation(
            x=op.Greater(x=x, y=0.0), y=tf.constant([True, False, True, True, False]))))


def choosing(cases):
    add = cases.family("select")
    add("v2", SHAPE, lambda x, r: op.SelectV2(condition=op.Greater(x=x, y=0.0), t=x, e=op.Tanh(x=x)))
    add("v2_broadcast", SHAPE, lambda x, r: op.SelectV2(condition=op.Greater(x=x, y=0.0), t=x, e=r(4, 1, 1)))
    add("v2_number", SHAPE, lambda x, r: op.SelectV2(condition=op.Greater(x=x, y=0.0), t=x, e=tf.constant(-7.0)))
    add("v2_condition_known", SHAPE, lambda x, r: op.SelectV2(
        condition=tf.constant([True, False, True, False, True]), t=x, e=op.Tanh(x=x)))
    add("v2_condition_broadcast", SHAPE, lambda x, r: op.SelectV2(
        condition=op.Greater(x=op.Max(input=x, axis=[3], keep_dims=True), y=2.0), t=x, e=op.Tanh(x=x)))
    add("v1", SHAPE, lambda x, r: op.Select(condition=op.Greater(x=x, y=0.0), x=x, y=op.Tanh(x=x)))
    add("v1_vector", [3, 5], lambda x, r: op.Select(condition=tf.constant([True, False, True]), x=x, y=op.Tanh(x=x)),
        "the condition chooses rows")
    add("v1_vector_computed", [4, 5], lambda x, r: op.Select(
        condition=op.Greater(x=op.Sum(input=x, axis=[1], keep_dims=False), y=0.0), x=x, y=op.Tanh(x=x)))
    add("v1_scalar", [3, 5], lambda x, r: op.Select(
        condition=tf.constant(False), x=x, y=op.Tanh(x=x)))

    add = cases.family("reduction2")
    for name, axis, keep in [("spatial", [1, 2], False), ("last_keep", [-1], True), ("all", [0, 1, 2, 3], False)]:
        add(f"min_{name}", SHAPE, lambda x, r: op.Min(input=x, axis=axis, keep_dims=keep))
    for name, operation, bound in [("all", op.All, -2.0), ("any", op.Any, 2.0)]:
        for axis_name, axis, keep in [("last", [-1], False), ("height_keep", [1], True)]:
            add(f"{name}_{axis_name}", SHAPE, lambda x, r: as_float(operation(
                input=op.Greater(x=x, y=bound), axis=axis, keep_dims=keep)))
    for axis in (-1, 1):
        add(f"arg_min_axis_{axis}", SHAPE, lambda x, r: as_float(op.ArgMin(input=x, dimension=axis)))
    add("arg_min_int32", [3, 7], lambda x, r: as_float(op.ArgMin(input=x, dimension=1, output_type=tf.int32)))

    add = cases.family("top_k")
    for name, shape, count in [("rank1", [9], 4), ("rank2", [3, 7], 2), ("rank4", SHAPE, 3), ("whole", [2, 5], 5)]:
        add(f"values_{name}", shape, lambda x, r: op.TopKV2(input=x, k=count)[0])
        add(f"places_{name}", shape, lambda x, r: as_float(op.TopKV2(input=x, k=count)[1]))
    add("ties", [2, 12], lambda x, r: as_float(op.TopKV2(input=halves(x), k=6)[1]), "of equal ones the first comes first")


def placing(cases):
    add = cases.family("gather")
    for axis in (0, 1, -1):
        add(f"axis_{axis}", [3, 4, 5], lambda x, r: op.GatherV2(params=x, indices=[2, 0, 2], axis=axis))
    add("v1", [3, 5], lambda x, r: op.Gather(params=x, indices=[2, 0]))
    for name, shape, places, axis, batches in [
            ("", [2, 4, 5], [[3, 0, 3], [1, 2, 0]], 1, 1), ("_of_one", [2, 4, 1], [3, 1], 1, 1),
            ("_behind", [2, 3, 4], [[3, 0, 3], [1, 2, 0]], 2, 1), ("_of_two_axes", [2, 3, 4], [[[1], [3], [0]], [[0], [2], [2]]], 2, 2),
            ("_from_the_back", [2, 4, 5], [[3, 0, 3], [1, 2, 0]], 1, -1)]:
        add(f"batches{name}", shape, lambda x, r: op.GatherV2(params=x, indices=places, axis=axis, batch_dims=batches))
    add("batches_computed", [3, 4, 1], lambda x, r: op.GatherV2(
        params=x, indices=op.ArgMax(input=op.Reshape(tensor=x, shape=[3, 2, 2]), dimension=2), axis=1, batch_dims=1))
    add("one_place", [3, 4, 5], lambda x, r: op.GatherV2(params=x, indices=2, axis=1))
    add("matrix_of_places", [3, 4], lambda x, r: op.GatherV2(params=x, indices=[[1, 3], [0, 0]], axis=1))
    add("int64_places", [3, 4], lambda x, r: op.GatherV2(params=x, indices=tf.constant([3, 1], tf.int64), axis=1))
    add("channels", SHAPE, lambda x, r: op.GatherV2(params=x, indices=[4, 2, 0], axis=3))
    add("places_computed", [3, 4], lambda x, r: op.GatherV2(
        params=r(4, 2), indices=op.ArgMax(input=x, dimension=1), axis=0), "an embedding")
    add("nd_elements", [3, 5], lambda x, r: op.GatherNd(params=x, indices=[[0, 1], [2, 3]]))
    add("nd_slices", [3, 4, 2], lambda x, r: op.GatherNd(params=x, indices=[[2], [0]]))
    add("nd_matrix", [3, 4, 2], lambda x, r: op.GatherNd(params=x, indices=[[[2, 1]], [[0, 3]]]))

    add = cases.family("tile")
    for name, shape, multiples in [("spatial", SHAPE, [1, 2, 3, 1]), ("channels", SHAPE, [1, 1, 1, 2]), ("rank2", [2, 3], [3, 2]),
                                   ("once", [2, 3], [1, 1])]:
        add(name, shape, lambda x, r: op.Tile(input=x, multiples=multiples))
    for name, shape, target in [("rank4", [1, 1, 3, 1], [1, 2, 3, 5]), ("to_higher_rank", [3, 1], [2, 3, 4]), ("same", [2, 3], [2, 3])]:
        add(f"broadcast_{name}", shape, lambda x, r: op.BroadcastTo(input=x, shape=target))

    add = cases.family("cumsum")
    for axis in (1, -1):
        for exclusive in (False, True):
            for reverse in (False, True):
                add(f"axis_{axis}{'_exclusive' if exclusive else ''}{'_reverse' if reverse else ''}", SHAPE,
                    lambda x, r: op.Cumsum(x=x, axis=axis, exclusive=exclusive, reverse=reverse))

    add = cases.family("cumprod")
    for axis in (1, -1):
        for exclusive in (False, True):
            for reverse in (False, True):
                add(f"axis_{axis}{'_exclusive' if exclusive else ''}{'_reverse' if reverse else ''}", SHAPE,
                    lambda x, r: op.Cumprod(x=x, axis=axis, exclusive=exclusive, reverse=reverse))
    add("rank1_long", [37], lambda x, r: op.Cumprod(x=x, axis=0), values=(0.8, 1.2))
    add("one", [3, 1], lambda x, r: op.Add(x=x, y=op.Cumprod(x=x, axis=1, exclusive=True)))
    add("short_integers", [2, 6], lambda x, r: as_float(op.Cumprod(
        x=op.Cast(x=op.Mul(x=x, y=3.0), DstT=tf.int8), axis=1)), "what does not fit goes round")

    add = cases.family("roll")
    for name, shape, shift, axis in [("width", SHAPE, [1], [2]), ("back", SHAPE, [-2], [-1]), ("two", SHAPE, [1, 2], [1, 3]),
                                     ("one_axis_twice", [2, 7], [3, 2], [1, 1]), ("far", [2, 7], [-17], [1]), ("batch", [3, 4], [1], [0])]:
        add(name, shape, lambda x, r: op.Roll(input=x, shift=tf.constant(shift), axis=tf.constant(axis)))
    add("scalar", SHAPE, lambda x, r: op.Roll(input=x, shift=tf.constant(2), axis=tf.constant(1)))

    add = cases.family("bitcast")
    add("same", SHAPE, lambda x, r: op.Bitcast(input=x, type=tf.float32))
    add("of_constant", [1, 5], lambda x, r: op.Add(x=x, y=op.Bitcast(
        input=tf.constant([0x3F800000, 0x40490FDB, -0x40800000, 0x3E000000, 0]), type=tf.float32)), "the bits of known numbers")
    add("signed", SHAPE, lambda x, r: as_float(op.Bitcast(input=op.Cast(x=x, DstT=tf.uint8), type=tf.int8)), values=(0, 255))
    add("unsigned", SHAPE, lambda x, r: as_float(op.Bitcast(
        input=op.Cast(x=x, DstT=tf.int16), type=tf.uint16)), values=(-30000, 30000))

    add = cases.family("reverse")
    for name, shape, axes in [("width", SHAPE, [2]), ("negative", SHAPE, [-1, 1]), ("rank2", [2, 3], [0]), ("none", [2, 3], [])]:
        add(f"v2_{name}", shape, lambda x, r: op.ReverseV2(tensor=x, axis=tf.constant(axes, tf.int32)))
    add("v1", [2, 3, 4], lambda x, r: op.Reverse(tensor=x, dims=[False, True, True]))

    add = cases.family("one_hot")
    for name, axis in [("last", -1), ("first", 0), ("middle", 1)]:
        add(name, [3, 6], lambda x, r: op.OneHot(
            indices=op.Cast(x=x, DstT=tf.int32), depth=4, on_value=2.5, off_value=-1.0, axis=axis),
            "some indices have no place")
    add("of_arg_max", [3, 6], lambda x, r: op.OneHot(indices=op.ArgMax(input=x, dimension=1), depth=6, on_value=1.0, off_value=0.0))

    add = cases.family("split_v")
    for name, shape, sizes, axis in [("channels", [1, 2, 3, 6], [1, 3, 2], 3), ("rest", [1, 2, 3, 6], [1, -1, 2], -1),
                                     ("height", [1, 5, 3, 2], [2, 3], 1)]:
        add(name, shape, lambda x, r: op.ConcatV2(
            values=op.SplitV(value=x, size_splits=sizes, axis=axis, num_split=len(sizes))[::-1], axis=axis), "joined in reverse")


def products(cases):
    add = cases.family("batch_matmul")
    for a, b in ((False, False), (True, False), (False, True), (True, True)):
        left, right = [3, 5] if a else [5, 3], [4, 3] if b else [3, 4]
        name = "_adjoint_" + ("both" if a and b else "a" if a else "b") if a or b else ""
        add(f"activations{name}", [2] + left, lambda x, r: op.BatchMatMul(
            x=x, y=op.Mul(x=op.Sum(input=x, axis=[0, 1, 2]), y=r(2, *right)), adj_x=a, adj_y=b))
        add(f"known{name}", [2] + left, lambda x, r: op.BatchMatMul(x=x, y=r(2, *right), adj_x=a, adj_y=b))
        add(f"matrix{name}", [2] + left, lambda x, r: op.BatchMatMulV2(x=x, y=r(*right), adj_x=a, adj_y=b))
    add("broadcast", [2, 1, 3, 4], lambda x, r: op.BatchMatMulV2(x=x, y=r(3, 4, 2)))
    add("constant_left", [2, 3, 4], lambda x, r: op.BatchMatMulV2(x=r(5, 3), y=x))
    add("attention", [2, 4, 3], lambda x, r: op.BatchMatMulV2(x=op.Softmax(logits=op.BatchMatMulV2(x=x, y=x, adj_y=True)), y=x))

    add = cases.family("einsum")
    for name, shape, equation, constant in [
            ("matrix", [3, 4], "ij,jk->ik", [4, 5]), ("transposed", [3, 5], "ij,kj->ki", [6, 5]),
            ("batch", [2, 3, 4], "bij,bjk->bik", [2, 4, 5]), ("heads", [2, 3, 8], "abc,cde->abde", [8, 2, 4]),
            ("heads_back", [2, 3, 2, 4], "abcd,cde->abe", [2, 4, 5]), ("outer", [3], "i,j->ij", [4]),
            ("inner", [2, 5], "ij,ij->i", [2, 5]), ("summed", [2, 3, 4], "ijk,kl->il", [4, 5]),
            ("attention", [2, 3, 2, 4], "btnh,bsnh->bnts", [2, 5, 2, 4]), ("ellipsis", [2, 3, 4], "...k,kl->...l", [4, 5])]:
        add(name, shape, lambda x, r: op.Einsum(inputs=[x, r(*constant)], equation=equation))
    add("constant_left", [4, 5], lambda x, r: op.Einsum(inputs=[r(3, 4), x], equation="ij,jk->ik"))
    add("activations", [2, 3, 4], lambda x, r: op.Einsum(inputs=[x, op.Tanh(x=x)], equation="bij,bkj->bik"))
    for name, shape, equation in [("transpose", [2, 3, 4], "ijk->kij"), ("sum", [2, 3, 4], "ijk->ki"), ("total", [2, 3], "ij->")]:
        add(f"one_{name}", shape, lambda x, r: op.Einsum(inputs=[x], equation=equation))


def dequantize_modes(cases):
    add = cases.family("dequantize_modes")
    kinds = {"quint8": (0, 256), "qint8": (-128, 128), "quint16": (0, 65536), "qint16": (-32768, 32768)}
    for kind, limits in kinds.items():
        for mode in ("MIN_COMBINED", "SCALED"):
            for narrow in (False, True) if mode == "SCALED" and kind == "qint8" else (False,):
                def dequantized(r, shape, low, high, axis=-1):
                    q = r.integers(*limits, *shape).astype(tf.as_dtype(kind).as_numpy_dtype)
                    return op.Dequantize(input=tf.constant(q, tf.as_dtype(kind)), min_range=low, max_range=high, mode=mode,
                                         narrow_range=narrow, axis=axis)
                name = f"{kind}_{mode.lower()}{'_narrow' if narrow else ''}"
                add(name, [2, 3, 4], lambda x, r: op.AddV2(x=x, y=dequantized(r, [3, 4], -1.5, 2.0)))
                if mode == "SCALED":
                    for axis in (0, 1):
                        add(f"{name}_axis_{axis}", [2, 3, 4], lambda x, r: op.AddV2(x=x, y=dequantized(
                            r, [3, 4], -r.uniform(0.5, 2, 3 + axis), r.uniform(0.5, 2, 3 + axis), axis)))


def write(cases):
    for part in (unary, binary, choosing, placing, products, dequantize_modes):
        part(cases)
