"""Cases of resizes, transposed convolutions, image patches and color operations."""
import tensorflow as tf

from convolutions import convolution

op = tf.raw_ops

# From height and width to height and width. The first is used with all grids, these also with each method's usual grid, all of
# them with the usual methods.
SIZES = [("larger", (3, 4), (5, 7)), ("smaller", (7, 8), (3, 5)), ("twice", (2, 3), (4, 6)), ("to_one", (4, 3), (1, 1)),
         ("from_one", (1, 1), (2, 3)), ("half", (4, 6), (2, 3)), ("thrice", (2, 1), (6, 3)), ("one_axis", (3, 4), (3, 6)),
         ("same", (3, 2), (3, 2))]
GRIDS = [("", {}), ("_corners", {"align_corners": True}), ("_centers", {"half_pixel_centers": True})]


def resizes(cases):
    add = cases.family("resize")
    for method, operation in [("nearest", op.ResizeNearestNeighbor), ("bilinear", op.ResizeBilinear),
                              ("bicubic", op.ResizeBicubic), ("area", op.ResizeArea)]:
        for grid, options in GRIDS:
            if "half_pixel_centers" in options and operation is op.ResizeArea:
                continue
            usual = 9 if operation in (op.ResizeNearestNeighbor, op.ResizeBilinear) else 6
            for name, size, target in SIZES[:4 if options else usual]:
                add(f"{method}{grid}_{name}", [1, *size, 2], lambda x, r: operation(images=x, size=target, **options))
    for method, operation in [("nearest", op.ResizeNearestNeighbor), ("bilinear", op.ResizeBilinear)]:
        add(f"{method}_batch", [2, 2, 3, 3], lambda x, r: operation(images=x, size=[3, 4]))
        add(f"{method}_defaults_stripped", [1, 3, 2, 1], lambda x, r: operation(images=x, size=[4, 5]), strip=True)
        add(f"{method}_of_conv", [1, 2, 3, 2], lambda x, r: operation(images=convolution(x, r(1, 1, 2, 17)), size=[3, 5]))
    add("bilinear_to_size_of_other", [1, 6, 8, 2], lambda x, r: op.ResizeBilinear(
        images=op.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
        size=op.StridedSlice(input=op.Shape(input=x), begin=[1], end=[3], strides=[1])), "the size is computed from a shape")
    add("nearest_of_integers", [1, 4, 4, 2], lambda x, r: op.Cast(
        x=op.ResizeNearestNeighbor(images=op.Cast(x=x, DstT=tf.int32), size=[6, 6]), DstT=tf.float32), values=(-9, 9))
    add("bilinear_of_integers", [1, 4, 4, 2], lambda x, r: op.ResizeBilinear(
        images=op.Cast(x=x, DstT=tf.int32), size=[6, 6]), values=(-9, 9))
    add("bilinear_nchw", [1, 3, 4, 5], lambda x, r: op.Transpose(
        x=op.ResizeBilinear(images=op.Transpose(x=x, perm=[0, 2, 3, 1]), size=[8, 10], half_pixel_centers=True),
        perm=[0, 3, 1, 2]), "between two transposes, as NCHW graphs have it")


def local_responses(cases):
    add = cases.family("local_response")
    for name, shape, options in [
            ("default", [1, 3, 4, 12], {}), ("radius2", [1, 3, 4, 7], {"depth_radius": 2, "alpha": 0.2, "beta": 0.75}),
            ("bias2", [1, 3, 4, 17], {"depth_radius": 3, "bias": 2.0, "alpha": 1e-2, "beta": 0.75}),
            ("batch", [2, 3, 2, 5], {"depth_radius": 1, "beta": 1.0}),
            ("wider_than_channels", [1, 2, 3, 3], {"depth_radius": 9}), ("radius0", [1, 2, 3, 4], {"depth_radius": 0}),
            ("no_bias", [1, 3, 4, 6], {"depth_radius": 2, "bias": 0.0, "alpha": 0.5, "beta": 0.75})]:
        add(name, shape, lambda x, r: op.LRN(input=x, **options))
    add("defaults_stripped", [1, 3, 4, 12], lambda x, r: op.LRN(input=x), strip=True)
    add("of_conv", [1, 5, 6, 2], lambda x, r: op.LRN(
        input=op.Relu(features=convolution(x, r(3, 3, 2, 20))), depth_radius=4, alpha=0.001 / 9, beta=0.75),
        "as AlexNet has it")


def transposed(x, kernel, size, stride=(1, 1), padding="SAME", dilation=(1, 1), explicit=None, data_format="NHWC"):
    """Conv2DBackpropInput to height and width `size`. `explicit` is ((top, bottom), (left, right))."""
    def spatial(pair):
        return [1, *pair, 1] if data_format == "NHWC" else [1, 1, *pair]

    paddings = []
    if explicit:
        padding, edges = "EXPLICIT", [*explicit[0], *explicit[1]]
        paddings = [0, 0, *edges, 0, 0] if data_format == "NHWC" else [0, 0, 0, 0, *edges]
    batch, channels = x.shape[0], kernel.shape[2]
    shape = [batch, *size, channels] if data_format == "NHWC" else [batch, channels, *size]
    return op.Conv2DBackpropInput(input_sizes=shape, filter=kernel, out_backprop=x, strides=spatial(stride), padding=padding,
                                  explicit_paddings=paddings, data_format=data_format, dilations=spatial(dilation))


def transposed_convolutions(cases):
    add = cases.family("transposed_convolution")
    for name, kernel, size, options in [
            ("3x3_same", (3, 3), (4, 5), {}), ("2x2_same", (2, 2), (4, 5), {}), ("4x4_same", (4, 4), (4, 5), {}),
            ("3x3_same_stride2", (3, 3), (8, 10), {"stride": (2, 2)}),
            ("3x3_same_stride2_odd", (3, 3), (7, 9), {"stride": (2, 2)}),
            ("4x4_same_stride2", (4, 4), (8, 10), {"stride": (2, 2)}),
            ("2x2_same_stride2", (2, 2), (8, 10), {"stride": (2, 2)}),
            ("5x5_same_stride3", (5, 5), (12, 15), {"stride": (3, 3)}),
            ("2x2_same_stride3", (2, 2), (12, 15), {"stride": (3, 3)}),
            ("1x1_same_stride2", (1, 1), (8, 10), {"stride": (2, 2)}),
            ("3x2_same_stride_1x2", (3, 2), (4, 10), {"stride": (1, 2)}),
            ("3x3_valid", (3, 3), (6, 7), {"padding": "VALID"}),
            ("3x3_valid_stride2", (3, 3), (9, 11), {"padding": "VALID", "stride": (2, 2)}),
            ("3x3_valid_stride2_longer", (3, 3), (10, 12), {"padding": "VALID", "stride": (2, 2)}),
            ("2x2_valid_stride3_longer", (2, 2), (13, 15), {"padding": "VALID", "stride": (3, 3)}),
            ("3x3_explicit", (3, 3), (4, 4), {"explicit": ((1, 1), (1, 2))}),
            ("3x3_explicit_in_front", (3, 3), (4, 4), {"explicit": ((2, 0), (2, 1))}),
            ("4x4_explicit_stride2", (4, 4), (8, 8), {"explicit": ((1, 1), (0, 4)), "stride": (2, 2)})]:
        add(name, [1, 4, 5, 3], lambda x, r: transposed(x, r(*kernel, 2, 3), size, **options))
    for name, size, options in [
            ("same_dilation2", (4, 5), {"dilation": (2, 2)}), ("valid_dilation_1x2", (6, 9), {"padding": "VALID", "dilation": (1, 2)})]:
        add(f"3x3_{name}", [1, 4, 5, 3], lambda x, r: transposed(x, r(3, 3, 2, 3), size, **options))
    for name, size, options in [
            ("same", (4, 5), {}), ("same_stride2", (8, 10), {"stride": (2, 2)}),
            ("valid_stride_2x1", (9, 7), {"padding": "VALID", "stride": (2, 1)}),
            ("explicit", (5, 5), {"explicit": ((1, 0), (1, 1))})]:
        add(f"nchw_3x3_{name}", [1, 3, 4, 5], lambda x, r: transposed(x, r(3, 3, 2, 3), size, data_format="NCHW", **options))
    add("batch", [2, 3, 4, 3], lambda x, r: transposed(x, r(3, 3, 2, 3), (6, 8), stride=(2, 2)))
    add("channels_17_to_18", [1, 2, 3, 17], lambda x, r: transposed(x, r(2, 1, 18, 17), (4, 6), stride=(2, 2)),
        "channels no multiple of a block")
    add("defaults_stripped", [1, 4, 5, 3], lambda x, r: transposed(x, r(3, 3, 2, 3), (4, 5)), strip=True)
    add("size_of_two_numbers", [1, 4, 5, 3], lambda x, r: op.Conv2DBackpropInput(
        input_sizes=[8, 10], filter=r(3, 3, 2, 3), out_backprop=x, strides=[1, 2, 2, 1], padding="SAME"))

    def as_keras(x, r):
        """The result's shape computed by the graph, a bias, an activation."""
        shape = op.Shape(input=x)

        def size(axis):
            return op.Mul(x=op.StridedSlice(input=shape, begin=[axis], end=[axis + 1], strides=[1], shrink_axis_mask=1), y=2)

        batch = op.StridedSlice(input=shape, begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
        spread = op.Conv2DBackpropInput(input_sizes=op.Pack(values=[batch, size(1), size(2), 4]), filter=r(3, 3, 4, 3),
                                        out_backprop=x, strides=[1, 2, 2, 1], padding="SAME")
        return op.Relu(features=op.BiasAdd(value=spread, bias=r(4)))

    add("as_keras", [1, 4, 5, 3], as_keras, "the shape is computed by the graph")
    add("filters_computed", [1, 4, 5, 3], lambda x, r: transposed(
        x, op.Reshape(tensor=op.Tanh(x=x), shape=[2, 5, 2, 3]), (8, 9), padding="VALID", stride=(2, 1)))
    add("then_scaled", [1, 4, 5, 3], lambda x, r: op.Mul(
        x=transposed(x, r(3, 3, 4, 3), (10, 11), padding="VALID", stride=(2, 2)), y=r(4)))
    add("then_batch_norm", [1, 4, 5, 3], lambda x, r: op.FusedBatchNormV3(
        x=transposed(x, r(3, 3, 4, 3), (8, 10), stride=(2, 2)), scale=r.uniform(0.5, 1.5, 4), offset=r(4), mean=r(4),
        variance=r.uniform(0.3, 2, 4), is_training=False)[0])


def patches(cases):
    add = cases.family("patches")
    for name, size, stride, rate, padding in [
            ("3x3_valid", (3, 3), (1, 1), (1, 1), "VALID"), ("3x3_same", (3, 3), (1, 1), (1, 1), "SAME"),
            ("2x2_apart", (2, 2), (2, 2), (1, 1), "VALID"), ("2x3_same_stride_3x2", (2, 3), (3, 2), (1, 1), "SAME"),
            ("2x2_valid_rate_2x3", (2, 2), (1, 1), (2, 3), "VALID"), ("3x2_same_rate2_stride2", (3, 2), (2, 2), (2, 2), "SAME"),
            ("1x1_stride2", (1, 1), (2, 2), (1, 1), "VALID")]:
        add(name, [1, 6, 7, 2], lambda x, r: op.ExtractImagePatches(
            images=x, ksizes=[1, *size, 1], strides=[1, *stride, 1], rates=[1, *rate, 1], padding=padding))
    add("batch", [2, 4, 5, 3], lambda x, r: op.ExtractImagePatches(
        images=x, ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"))
    add = cases.family("convolution")
    for name, options in [("same", {}), ("valid_stride2", {"padding": "VALID", "stride": (2, 2)}),
                          ("same_dilation2", {"dilation": (2, 2)}), ("explicit", {"explicit": ((1, 2), (0, 3))})]:
        add(f"filters_computed_{name}", [1, 6, 6, 2], lambda x, r: convolution(
            x, op.Reshape(tensor=op.Tanh(x=x), shape=[3, 3, 2, 4]), **options))
    add("filters_computed_of_constant", [1, 3, 3, 8], lambda x, r: convolution(
        r(1, 5, 6, 2), op.Reshape(tensor=x, shape=[3, 3, 2, 4])), "the picture is known, the filters are not")
    add("nchw_filters_computed", [1, 2, 6, 6], lambda x, r: convolution(
        x, op.Reshape(tensor=op.Tanh(x=x), shape=[3, 3, 2, 4]), data_format="NCHW"))


def scaled(cases):
    """tf.image.resize with antialiasing and with filters that no other operation has."""
    add = cases.family("scale_and_translate")
    for kernel in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
        for name, size in [("smaller", (4, 3)), ("larger", (11, 9))]:
            for antialias in (True, False):
                add(f"{kernel}_{name}{'' if antialias else '_plain'}", [1, 8, 7, 2], lambda x, r: op.ScaleAndTranslate(
                    images=x, size=size, scale=[size[0] / 8, size[1] / 7], translation=[0.0, 0.0], kernel_type=kernel,
                    antialias=antialias))
    add("translated", [1, 8, 7, 3], lambda x, r: op.ScaleAndTranslate(
        images=x, size=[6, 10], scale=[0.7, 1.3], translation=[1.6, -2.2], kernel_type="triangle"), "pixels from outside are 0")
    add("batch", [2, 6, 5, 3], lambda x, r: op.ScaleAndTranslate(
        images=x, size=[3, 4], scale=[0.5, 0.8], translation=[0.0, 0.0], kernel_type="keyscubic"))
    add("integers", [1, 6, 5, 3], lambda x, r: op.ScaleAndTranslate(
        images=op.Cast(x=x, DstT=tf.uint8), size=[3, 4], scale=[0.5, 0.8], translation=[0.0, 0.0]), values=(0, 255))
    for method in ("bilinear", "lanczos3", "bicubic", "mitchellcubic"):
        add(f"image_resize_{method}", [1, 8, 7, 3], lambda x, r: tf.image.resize(x, [3, 5], method, antialias=True),
            "as tf.image.resize writes it", placeholder=[None, 8, 7, 3])


def positions(cases):
    """Pooling that also returns the indices of the maxima, which nothing reads."""
    add = cases.family("max_pool_with_argmax")
    for name, size, stride, padding in [("2x2", (2, 2), (2, 2), "VALID"), ("3x3_same", (3, 3), (2, 2), "SAME"),
                                        ("2x3_same_stride1", (2, 3), (1, 1), "SAME")]:
        add(name, [1, 6, 7, 3], lambda x, r: op.MaxPoolWithArgmax(
            input=x, ksize=[1, *size, 1], strides=[1, *stride, 1], padding=padding).output)
    add("batch", [2, 4, 5, 3], lambda x, r: op.MaxPoolWithArgmax(
        input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", include_batch_in_index=True).output)


def crops(cases):
    add = cases.family("crop_and_resize")
    boxes = [[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], [0.9, 0.7, 0.2, 0.1], [-0.3, 0.1, 1.2, 0.6]]
    for method in ("bilinear", "nearest"):
        for name, value in [("", 0.0), ("_extrapolated", -1.5)]:
            add(f"{method}{name}", [1, 6, 7, 3], lambda x, r: op.CropAndResize(
                image=x, boxes=boxes, box_ind=[0] * 4, crop_size=[4, 5], method=method, extrapolation_value=value))
        add(f"{method}_batch", [3, 5, 4, 2], lambda x, r: op.CropAndResize(
            image=x, boxes=boxes, box_ind=[2, 0, 1, 2], crop_size=[3, 2], method=method))
        add(f"{method}_boxes_computed", [1, 4, 5, 4], lambda x, r: op.CropAndResize(
            image=x, boxes=op.Sigmoid(x=op.Mean(input=x, axis=[1])[0]), box_ind=[0] * 5, crop_size=[3, 4], method=method))
    add("one_pixel", [1, 5, 6, 2], lambda x, r: op.CropAndResize(image=x, boxes=boxes, box_ind=[0] * 4, crop_size=[1, 1]))
    add("one_box", [1, 5, 6, 2], lambda x, r: op.CropAndResize(
        image=x, boxes=boxes[:1], box_ind=[0], crop_size=[7, 8]), "the middle of the picture, as TensorFlow's preprocessing has it")
    add("images_computed", [2, 3, 4, 3], lambda x, r: op.CropAndResize(
        image=x, boxes=boxes, crop_size=[2, 3],
        box_ind=op.ArgMax(input=op.Reshape(tensor=x, shape=[4, 2, 9])[:, :, 0], dimension=1, output_type=tf.int32)))


def colors(cases):
    add = cases.family("colors")
    for name, shape in [("", [1, 4, 5, 3]), ("_rank3", [4, 5, 3]), ("_batch", [2, 3, 2, 3]), ("_rank2", [7, 3])]:
        add(f"to_hsv{name}", shape, lambda x, r: op.RGBToHSV(images=x), values=(0, 1))
        add(f"from_hsv{name}", shape, lambda x, r: op.HSVToRGB(images=x), values=(0, 1))
        if len(shape) > 2:
            add(f"contrast{name}", shape, lambda x, r: op.AdjustContrastv2(images=x, contrast_factor=1.7))
    add("to_hsv_gray_and_black", [1, 4, 4, 3], lambda x, r: op.RGBToHSV(
        images=op.Mul(x=op.Floor(x=x), y=0.5)), "equal channels, and zeros", values=(0, 3))
    add("to_hsv_and_back", [1, 4, 5, 3], lambda x, r: op.HSVToRGB(images=op.RGBToHSV(images=x)), values=(0, 1))
    for name, shape in [("", [1, 4, 5, 3]), ("_rank3", [4, 5, 3]), ("_batch", [2, 3, 2, 3])]:
        for turn, delta in [("third", 1 / 3), ("back", -0.4), ("more_than_whole", 2.7)]:
            add(f"hue_{turn}{name}", shape, lambda x, r: op.AdjustHue(images=x, delta=delta), values=(0, 1))
        for what, factor in [("less", 0.4), ("more", 1.8), ("none", 0.0)]:
            add(f"saturation_{what}{name}", shape, lambda x, r: op.AdjustSaturation(images=x, scale=factor), values=(0, 1))
    add("hue_gray_and_black", [1, 4, 4, 3], lambda x, r: op.AdjustHue(
        images=op.Mul(x=op.Floor(x=x), y=0.5), delta=0.2), "equal channels, and zeros", values=(0, 3))
    add("hue_computed", [1, 4, 5, 3], lambda x, r: op.AdjustHue(
        images=x, delta=op.Reshape(tensor=op.Max(input=x, axis=[0, 1, 2, 3]), shape=[])), values=(0, 1))
    add("saturation_computed", [1, 4, 5, 3], lambda x, r: op.AdjustSaturation(
        images=x, scale=op.Reshape(tensor=op.Max(input=x, axis=[0, 1, 2, 3]), shape=[])), values=(0, 1))
    add("contrast_computed", [1, 4, 5, 3], lambda x, r: op.AdjustContrastv2(
        images=x, contrast_factor=op.Reshape(tensor=op.Max(input=x, axis=[0, 1, 2, 3]), shape=[])))


def dilations(cases):
    """Convolutions between SpaceToBatchND and BatchToSpaceND, in all forms of TensorFlow 1."""
    add = cases.family("dilation")

    def pair(x, inner, sizes, paddings, crops):
        batches = op.SpaceToBatchND(input=x, block_shape=sizes, paddings=paddings)
        return op.BatchToSpaceND(input=inner(batches), block_shape=sizes, crops=crops)

    def slide(r, channels=3, outputs=2, operation=op.Conv2D, **options):
        last = outputs if operation is op.Conv2D else 1
        kernel = r(3, 3, channels, last)
        return lambda x: convolution(x, kernel, operation=operation, **{"padding": "VALID", **options})

    even = [[2, 2], [2, 2]]
    for name, shape, sizes, paddings, crops in [
            ("same", [1, 8, 6, 3], [2, 2], even, [[0, 0], [0, 0]]), ("same_odd", [1, 7, 9, 3], [2, 2], [[2, 3], [2, 3]], [[0, 1], [0, 1]]),
            ("valid", [1, 8, 10, 3], [2, 2], [[0, 0], [0, 0]], [[0, 0], [0, 0]]),
            ("uneven", [1, 7, 8, 3], [3, 2], [[3, 5], [2, 2]], [[0, 2], [0, 0]]),
            ("crops_in_front", [1, 7, 8, 3], [2, 2], [[3, 2], [4, 4]], [[1, 0], [2, 1]]),
            ("crops_of_the_picture", [1, 10, 10, 3], [2, 2], [[0, 0], [1, 1]], [[1, 2], [3, 0]]),
            ("one_axis", [1, 6, 8, 3], [1, 2], [[1, 1], [2, 2]], [[0, 0], [0, 0]]),
            ("batch", [2, 6, 6, 3], [2, 2], even, [[0, 0], [0, 0]])]:
        add(name, shape, lambda x, r: pair(x, slide(r), sizes, paddings, crops))
        if name in ("same", "uneven", "crops_of_the_picture"):
            add(f"depthwise_{name}", shape, lambda x, r: pair(
                x, slide(r, operation=op.DepthwiseConv2dNative), sizes, paddings, crops))
    add("same_inside", [1, 8, 8, 3], lambda x, r: pair(x, slide(r, padding="SAME"), [2, 2], [[0, 0], [0, 0]], [[0, 0], [0, 0]]),
        "the convolution itself pads")
    add("dilated_inside", [1, 12, 12, 3], lambda x, r: pair(
        x, slide(r, dilation=(2, 1)), [2, 2], [[0, 0], [0, 0]], [[0, 0], [0, 0]]))
    add("stride_inside", [1, 8, 8, 3], lambda x, r: pair(
        x, slide(r, padding="SAME", stride=(2, 2)), [2, 2], [[0, 0], [0, 0]], [[0, 0], [0, 0]]), "which is no dilation")
    add("bias_and_relu_inside", [1, 7, 9, 3], lambda x, r: pair(
        x, lambda y: op.Relu(features=op.BiasAdd(value=slide(r)(y), bias=r(2))), [2, 2], [[2, 3], [2, 3]], [[0, 1], [0, 1]]))
    add("batch_norm_inside", [1, 8, 6, 3], lambda x, r: pair(
        x, lambda y: op.AddV2(x=op.Mul(x=slide(r)(y), y=r(2)), y=r(2)), [2, 2], even, [[0, 0], [0, 0]]))
    add("read_twice", [1, 8, 6, 3], lambda x, r: op.AddV2(
        x=pair(x, lambda y: op.Tanh(x=slide(r, outputs=3)(y)), [2, 2], even, [[0, 0], [0, 0]]), y=pair(
            x, lambda y: op.AddV2(x=(z := slide(r, outputs=3)(y)), y=op.Sigmoid(x=z)), [2, 2], even, [[0, 0], [0, 0]])),
        "one convolution is read by two nodes inside")
    add("padded_before", [1, 6, 6, 3], lambda x, r: pair(
        op.Pad(input=x, paddings=[[0, 0], [2, 2], [2, 2], [0, 0]]), slide(r), [2, 2], [[0, 0], [0, 0]], [[0, 0], [0, 0]]))
    add("nchw", [1, 3, 8, 6], lambda x, r: op.BatchToSpaceND(
        input=convolution(op.SpaceToBatchND(input=x, block_shape=[1, 2, 2], paddings=[[0, 0], *even]), r(3, 3, 3, 2),
                          padding="VALID", data_format="NCHW"), block_shape=[1, 2, 2], crops=[[0, 0]] * 3))
    add("old_operations", [1, 7, 8, 3], lambda x, r: op.BatchToSpace(
        input=slide(r)(op.SpaceToBatch(input=x, block_size=2, paddings=[[2, 3], [2, 2]])), block_size=2, crops=[[0, 1], [0, 0]]))


def write(cases):
    resizes(cases)
    local_responses(cases)
    transposed_convolutions(cases)
    patches(cases)
    crops(cases)
    colors(cases)
    scaled(cases)
    positions(cases)
    dilations(cases)
