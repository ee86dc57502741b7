"""Cases of operations that move values, and of the shape arithmetic in frozen graphs."""
import tensorflow as tf

op = tf.raw_ops
SHAPE = [1, 4, 3, 5]


def reshaping(cases):
    add = cases.family("reshape")
    for name, target in [("flatten", [1, 60]), ("flatten_minus1", [1, -1]), ("flatten_batch_minus1", [-1, 60]),
                         ("to_rank5", [1, 2, 2, 3, 5]), ("to_rank1", [-1]), ("rank3", [4, -1, 5]), ("same", SHAPE)]:
        add(name, SHAPE, lambda x, r: op.Reshape(tensor=x, shape=target))
    add("int64_shape", SHAPE, lambda x, r: op.Reshape(tensor=x, shape=tf.constant([2, 30], tf.int64)))
    add("to_scalar", [1, 1], lambda x, r: op.Reshape(tensor=x, shape=tf.constant([], tf.int32)),
        "the shape is a constant without elements")
    add("unknown_batch", SHAPE, lambda x, r: op.Reshape(tensor=x, shape=[-1, 60]), placeholder=[None, 4, 3, 5])
    for name, shape, dims in [("all", [1, 4, 1, 5], []), ("dims", [1, 4, 1, 5], [2]), ("two_dims", [1, 1, 1, 5], [1, 2]),
                              ("negative_dims", [1, 1, 1, 5], [-2, -3]), ("nothing_to_do", [2, 3], [])]:
        add(f"squeeze_{name}", shape, lambda x, r: op.Squeeze(input=x, axis=dims))
    add("squeeze_defaults_stripped", [1, 4, 1, 5], lambda x, r: op.Squeeze(input=x), strip=True)
    for axis in (0, 1, -1, -3, 3):
        add(f"expand_dims_{axis}", [4, 3, 5], lambda x, r: op.ExpandDims(input=x, axis=axis))
    add("expand_dims_vector_axis", [4, 3], lambda x, r: op.ExpandDims(input=x, axis=tf.constant([1])),
        "the axis is a list of one")


def moving(cases):
    add = cases.family("transpose")
    for name, shape, order in [("to_nchw", SHAPE, [0, 3, 1, 2]), ("to_nhwc", SHAPE, [0, 2, 3, 1]),
                               ("height_width", SHAPE, [0, 2, 1, 3]),
                               ("rank2", [4, 3], [1, 0]), ("rank3", [2, 3, 4], [2, 0, 1]),
                               ("rank5", [1, 2, 2, 3, 2], [0, 3, 1, 4, 2]),
                               ("nothing_to_do", SHAPE, [0, 1, 2, 3]), ("batch", [2, 3, 4], [1, 0, 2])]:
        add(name, shape, lambda x, r: op.Transpose(x=x, perm=order))

    add = cases.family("pad")
    for name, shape, paddings in [("spatial", SHAPE, [[0, 0], [1, 1], [1, 1], [0, 0]]),
                                  ("uneven", SHAPE, [[0, 0], [0, 2], [3, 1], [0, 0]]),
                                  ("channels", SHAPE, [[0, 0], [0, 0], [0, 0], [2, 1]]), ("rank2", [2, 3], [[1, 0], [0, 2]]),
                                  ("batch", [1, 2, 3], [[0, 1], [0, 0], [0, 0]]), ("nothing_to_do", [2, 3], [[0, 0], [0, 0]])]:
        add(name, shape, lambda x, r: op.Pad(input=x, paddings=paddings))
    for value in (0.0, -2.5):
        add(f"v2_{value}", SHAPE, lambda x, r: op.PadV2(input=x, paddings=[[0, 0], [1, 2], [0, 1], [0, 0]],
                                                        constant_values=value))
    add("int64_paddings", SHAPE, lambda x, r: op.Pad(input=x, paddings=tf.constant([[0, 0], [1, 1], [2, 0], [0, 0]], tf.int64)))


def joining(cases):
    add = cases.family("concat")
    for axis in (3, -1, 1, 2, 0, -3):
        add(f"v2_axis_{axis}", SHAPE, lambda x, r: op.ConcatV2(values=[x, op.Tanh(x=x)], axis=axis))
    add("v2_three", SHAPE, lambda x, r: op.ConcatV2(values=[x, op.Tanh(x=x), op.Neg(x=x)], axis=3))
    add("v2_with_constant", SHAPE, lambda x, r: op.ConcatV2(values=[r(1, 4, 3, 2), x, r(1, 4, 3, 1)], axis=3))
    add("v2_different_sizes", SHAPE, lambda x, r: op.ConcatV2(values=[x[..., :2], x, x[..., 1:]], axis=3))
    add("v2_same_twice", SHAPE, lambda x, r: op.ConcatV2(values=[x, x], axis=2))
    add("v2_rank2", [2, 3], lambda x, r: op.ConcatV2(values=[x, op.Tanh(x=x)], axis=1))
    add("v1_channels", SHAPE, lambda x, r: op.Concat(concat_dim=3, values=[x, op.Tanh(x=x)]), "the axis comes first")
    add("v1_height", SHAPE, lambda x, r: op.Concat(concat_dim=1, values=[x, op.Tanh(x=x)]))

    add = cases.family("split")
    for name, shape, axis, count in [("channels", [1, 2, 3, 6], 3, 3), ("channels_negative", [1, 2, 3, 6], -1, 2),
                                     ("height", [1, 4, 3, 2], 1, 2),
                                     ("rank2", [2, 6], 1, 3)]:
        add(name, shape, lambda x, r: op.ConcatV2(values=op.Split(axis=axis, value=x, num_split=count)[::-1], axis=axis),
            "joined in reverse")
    add("one_output_used", [1, 2, 3, 6], lambda x, r: op.Split(axis=3, value=x, num_split=3)[1])
    add("added", [1, 2, 3, 6], lambda x, r: op.AddN(inputs=op.Split(axis=3, value=x, num_split=3)))
    add("into_one", [1, 2, 3], lambda x, r: op.Split(axis=2, value=x, num_split=1)[0])

    add = cases.family("pack")
    for axis in (0, 1, 3, -1, -2):
        add(f"axis_{axis}", [2, 3, 4], lambda x, r: op.Pack(values=[x, op.Tanh(x=x)], axis=axis))
    add("one", [2, 3], lambda x, r: op.Pack(values=[x], axis=1))
    add("with_constant", [2, 3], lambda x, r: op.Pack(values=[r(2, 3), x], axis=2))
    for axis, count in ((0, 2), (1, 3), (-1, 4)):
        add(f"unpack_axis_{axis}", [2, 3, 4],
            lambda x, r: op.Pack(values=op.Unpack(value=x, num=count, axis=axis)[::-1], axis=axis), "packed again in reverse")
    add("unpack_one", [1, 3, 4], lambda x, r: op.Unpack(value=x, num=1, axis=0)[0])
    add("unpack_defaults_stripped", [2, 3], lambda x, r: op.Sub(x=op.Unpack(value=x, num=2)[1], y=1.0), strip=True)


def slicing(cases):
    add = cases.family("slice")
    for name, begin, size in [("spatial", [0, 1, 0, 0], [1, 2, 3, 5]), ("to_the_end", [0, 1, 1, 2], [-1, -1, -1, -1]),
                              ("channels", [0, 0, 0, 3], [-1, -1, -1, 1]), ("everything", [0, 0, 0, 0], [-1, -1, -1, -1])]:
        add(name, SHAPE, lambda x, r: op.Slice(input=x, begin=begin, size=size))
    add("rank2", [3, 5], lambda x, r: op.Slice(input=x, begin=[1, 2], size=[2, 2]))

    add = cases.family("strided_slice")
    for name, take in [("begin_end", lambda x: x[:, 1:3, 0:2, :]), ("begin_mask", lambda x: x[:, :2, :2]),
                       ("end_mask", lambda x: x[:, 1:, 1:]),
                       ("negative_ends", lambda x: x[:, -3:-1, :, -2:]), ("stride", lambda x: x[:, ::2, ::2]),
                       ("stride3_from_1", lambda x: x[..., 1::3]),
                       ("reversed", lambda x: x[:, ::-1]), ("reversed_channels", lambda x: x[..., ::-1]),
                       ("negative_stride", lambda x: x[:, 3:0:-2]),
                       ("shrink_first", lambda x: x[0]), ("shrink_middle", lambda x: x[:, 2]),
                       ("shrink_last", lambda x: x[..., 3]),
                       ("shrink_negative", lambda x: x[:, -1, -2]), ("new_axis", lambda x: x[:, tf.newaxis]),
                       ("new_axis_last", lambda x: x[..., tf.newaxis]),
                       ("ellipsis", lambda x: x[..., 1:4]), ("ellipsis_middle", lambda x: x[0, ..., 2]),
                       ("past_the_end", lambda x: x[:, 1:99, -99:2]),
                       ("all_masks", lambda x: x[0, tf.newaxis, 1:, ..., ::-2]), ("to_scalar", lambda x: x[0, 1, 2, 3]),
                       ("fewer_than_rank", lambda x: x[:, 2:])]:
        add(name, SHAPE, lambda x, r: take(x))
    add("rank2", [3, 5], lambda x, r: x[1:, ::2])
    add("int64", [3, 5], lambda x, r: op.StridedSlice(input=x, begin=tf.constant([0, 1], tf.int64),
                                                      end=tf.constant([2, 4], tf.int64),
                                                     strides=tf.constant([1, 2], tf.int64)))
    add("defaults_stripped", [3, 5], lambda x, r: x[1:3, 0:4], "no mask attributes", strip=True)


def shape_arithmetic(cases):
    add = cases.family("shape_arithmetic")
    unknown_batch = [None, 4, 3, 5]

    def dimension(x, axis):
        return op.StridedSlice(input=op.Shape(input=x), begin=[axis], end=[axis + 1], strides=[1], shrink_axis_mask=1)

    def flatten_slim(x, r):
        """slim.flatten: the batch from Slice, the other sizes multiplied by Prod."""
        shape = op.Shape(input=x)
        batch, rest = op.Slice(input=shape, begin=[0], size=[1]), op.Slice(input=shape, begin=[1], size=[3])
        count = op.ExpandDims(input=op.Prod(input=rest, axis=[0]), axis=0)
        return op.Reshape(tensor=x, shape=op.ConcatV2(values=[batch, count], axis=0))

    def dense_of_rank4(x, r):
        """tf.layers.dense for more than two dimensions (there with Gather): flatten, multiply, restore."""
        product = op.MatMul(a=op.Reshape(tensor=x, shape=[-1, 5]), b=r(5, 2))
        return op.Reshape(tensor=product, shape=op.Pack(values=[dimension(x, 0), dimension(x, 1), dimension(x, 2), 2]))

    builds = [
        ("flatten_keras", lambda x, r: op.Reshape(tensor=x, shape=op.Pack(values=[dimension(x, 0), -1]))),
        ("flatten_slim", flatten_slim),
        ("dense_of_rank4", dense_of_rank4),
        ("size_halved", lambda x, r: op.Reshape(tensor=x, shape=op.Pack(values=[dimension(x, 0), op.Cast(
            x=op.Mul(x=op.Cast(x=dimension(x, 1), DstT=tf.float32), y=0.5), DstT=tf.int32), -1]))),
        ("prod_of_shape", lambda x, r: op.Mul(x=x, y=op.Cast(x=op.Prod(input=op.Shape(input=x)[1:], axis=[0]), DstT=tf.float32))),
        ("prod_keep_dims", lambda x, r: op.Reshape(tensor=x, shape=op.Prod(input=op.Shape(input=x), axis=[0], keep_dims=True))),
        ("shape_int64", lambda x, r: op.Reshape(tensor=x, shape=op.Shape(input=x, out_type=tf.int64)[1:])),
        ("unpacked_shape", lambda x, r: op.Reshape(tensor=x, shape=op.Pack(values=[
            op.Mul(x=n, y=1) for n in op.Unpack(value=op.Shape(input=x), num=4)][::-1]))),
        ("fill_of_shape", lambda x, r: op.Sub(x=op.Fill(dims=op.Shape(input=x), value=1.5), y=x)),
        ("fill_constant", lambda x, r: op.Mul(x=x, y=op.Fill(dims=[3, 5], value=0.25))),
        ("fill_int", lambda x, r: op.Transpose(x=x, perm=op.AddV2(x=op.Fill(dims=[4], value=-1), y=[4, 3, 2, 1]))),
        ("range_to_float", lambda x, r: op.AddV2(x=x, y=op.Cast(x=op.Range(start=0, limit=5, delta=1), DstT=tf.float32))),
        ("range_float", lambda x, r: op.AddV2(x=x, y=op.Range(start=1.0, limit=0.0, delta=-0.2)[:5])),
        ("linspace", lambda x, r: op.AddV2(x=x, y=op.LinSpace(start=-1.0, stop=1.0, num=5))),
        ("linspace_of_one", lambda x, r: op.AddV2(x=x, y=op.LinSpace(start=0.25, stop=1.0, num=1))),
        ("range_down", lambda x, r: op.Transpose(x=x, perm=op.Range(start=3, limit=-1, delta=-1))),
        ("range_of_dimension", lambda x, r: op.Mul(x=x,
                                                   y=op.Cast(x=op.Range(start=0, limit=dimension(x, 3), delta=1),
                                                             DstT=tf.float32))),
        ("integer_arithmetic", lambda x, r: op.Reshape(tensor=x, shape=op.Pack(values=[
            op.Sub(x=dimension(x, 1), y=1), op.Maximum(x=op.Mul(x=dimension(x, 3), y=dimension(x, 1)), y=7)]))),
        ("identity_of_shape", lambda x, r: op.Reshape(tensor=op.Relu(features=x),
                                                      shape=op.Identity(input=op.Shape(input=x))[1:])),
        ("transposed_constants", lambda x, r: op.MatMul(a=op.Reshape(tensor=x, shape=[12, 5]),
                                                        b=op.Transpose(x=r(4, 5), perm=[1, 0]))),
        ("float_constants", lambda x, r: op.Mul(x=x, y=op.Exp(x=op.Neg(x=op.Sqrt(x=op.Square(x=r(5))))))),
        ("cast_truncates", lambda x, r: op.AddV2(x=x, y=op.Cast(x=op.Cast(x=r(5, scale=3), DstT=tf.int32), DstT=tf.float32))),
        ("cast_bool", lambda x, r: op.Mul(x=x, y=op.Cast(x=tf.constant([True, False, True, True, False]), DstT=tf.float32))),
    ]
    for name, build in builds:
        add(name, SHAPE, build, placeholder=SHAPE if name == "size_halved" else unknown_batch)

    def switched(predicate):
        def build(x, r):
            off, on = op.Switch(data=x, pred=predicate())
            return op.Merge(inputs=[op.Tanh(x=off), op.Mul(x=on, y=3.0)]).output
        return build

    def merge_of_true_first(x, r):
        off, on = op.Switch(data=x, pred=tf.constant(True))
        return op.Merge(inputs=[op.Neg(x=on), op.Exp(x=off)]).output

    add = cases.family("switch")
    add("false", SHAPE, switched(lambda: tf.constant(False)))
    add("true", SHAPE, switched(lambda: tf.constant(True)))
    add("predicate_identity", SHAPE, switched(lambda: op.Identity(input=op.Identity(input=tf.constant(False)))))
    add("predicate_with_default", SHAPE, switched(lambda: op.PlaceholderWithDefault(input=tf.constant(False), shape=[])),
        "Keras' learning phase: a placeholder with the default false")
    add("on_constants", SHAPE, lambda x, r: op.Mul(x=x,
                                                   y=op.Merge(inputs=list(op.Switch(data=r(5), pred=tf.constant(True)))).output))
    add("merge_of_true_first", SHAPE, merge_of_true_first)
    add("nested", SHAPE, lambda x, r: op.Merge(inputs=[op.Tanh(x=op.Switch(data=x, pred=tf.constant(False))[0]), switched(
        lambda: tf.constant(True))(op.Switch(data=x, pred=tf.constant(False))[1], r)]).output,
        "the inner one stands in the dead branch")


def write(cases):
    reshaping(cases)
    moving(cases)
    joining(cases)
    slicing(cases)
    shape_arithmetic(cases)
