"""Graphs that must be refused: impossible resizes, transposed convolutions and crops."""
import tensorflow as tf

from refused_graphs import set_attribute
from refusing import IMAGE, edited, graph, values

op = tf.raw_ops


def resized(x):
    return op.ResizeBilinear(images=x, size=[9, 9], name="resize")


def spread(x):
    return op.Conv2DBackpropInput(input_sizes=[1, 12, 12, 4], filter=values(3, 3, 4, 3), out_backprop=x,
                                  strides=[1, 2, 2, 1], padding="SAME", name="spread")


def patches(x):
    return op.ExtractImagePatches(images=x, ksizes=[1, 3, 3, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID",
                                  name="patches")


def constant(build, name, value):
    """The graph with another value in one of its constants."""
    tensor = tf.make_tensor_proto(value)
    return edited(build, name, lambda node: node.attr["value"].tensor.CopyFrom(tensor))


def attribute(build, name, key, value):
    """The graph with another value of a node's attribute."""
    return edited(build, name, lambda node: set_attribute(node, key, value))


def write(add):
    both = edited(resized, "resize", lambda node: [set_attribute(node, key, True) for key in ("align_corners", "half_pixel_centers")])
    add("resize_corners_and_centers.pb", both, "a resize with align_corners and half_pixel_centers", "resize half_pixel_centers")
    for name, size, wrong in [("zero", [0, 9], "to height 0"), ("negative", [9, -1], "to a negative width"),
                              ("huge", [2**31 - 1, 2**31 - 1], "to 2^62 pixels"), ("one_number", [9], "to one number")]:
        add(f"resize_{name}.pb", constant(resized, "resize/size", size), f"a resize {wrong}", "resize")
    add("resize_rank3.pb", edited(resized, "input", lambda node: node.attr["shape"].shape.CopyFrom(
        tf.TensorShape(IMAGE[1:]).as_proto())), "a resize of three axes", "resize")
    add("resize_by_activation.pb", graph(lambda x: op.ResizeBilinear(
        images=x, size=op.Cast(x=x[0, 0, 0, :2], DstT=tf.int32), name="resize")), "a size that depends on the picture", "resize")
    for name, sizes, wrong in [("other_size", [1, 14, 12, 4], "6 pixels to 14 with stride 2"), ("channels", [1, 12, 12, 5], "to 5 channels"),
                               ("zero", [1, 0, 12, 4], "to height 0"), ("three_numbers", [1, 12, 12], "to three sizes"),
                               ("huge", [1, 1 << 30, 1 << 30, 4], "to 2^60 pixels")]:
        add(f"spread_{name}.pb", constant(spread, "spread/input_sizes", sizes), f"a transposed convolution {wrong}", "spread")
    add("spread_stride_zero.pb", attribute(spread, "spread", "strides", [1, 0, 2, 1]), "a transposed convolution with stride 0",
        "spread strides")
    add("spread_filters_of_activation_channels.pb", edited(lambda x: op.Conv2D(
        input=x, filter=op.Reshape(tensor=op.Tanh(x=x), shape=[3, 3, 3, 4]), strides=[1, 1, 1, 1], padding="SAME", name="conv"),
        "Reshape/shape", lambda node: node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([3, 3, 4, 3]))),
        "computed filters for 4 channels, a picture of 3", "conv")
    boxes = lambda x: op.CropAndResize(image=x, boxes=[[0, 0, 1, 1]], box_ind=[0], crop_size=[4, 4], name="boxes")
    for name, key, value, wrong in [("other_picture", "box_ind", [1], "of picture 1 of 1"), ("two_pictures", "box_ind", [0, 0], "of two pictures"),
                                    ("zero", "crop_size", [0, 4], "of height 0"), ("huge", "crop_size", [1 << 30, 4], "2^30 pixels high")]:
        add(f"boxes_{name}.pb", constant(boxes, f"boxes/{key}", value), f"one box {wrong}", "boxes")
    add("boxes_method.pb", edited(boxes, "boxes", lambda node: set_attribute(node, "method", b"cubic")), "boxes by cubic curves",
        "boxes method")
    add("hsv_of_four.pb", edited(lambda x: op.RGBToHSV(images=x, name="hue"), "input", lambda node: node.attr["shape"].shape.CopyFrom(
        tf.TensorShape([1, 6, 6, 4]).as_proto())), "a hue of four channels", "hue")
    add("contrast_rank2.pb", edited(lambda x: op.AdjustContrastv2(images=x, contrast_factor=2.0, name="more"), "input",
        lambda node: node.attr["shape"].shape.CopyFrom(tf.TensorShape([6, 3]).as_proto())), "the contrast of two axes", "more")
    add("hue_of_four.pb", edited(lambda x: op.AdjustHue(images=x, delta=0.1, name="hue"), "input", lambda node: node.attr[
        "shape"].shape.CopyFrom(tf.TensorShape([1, 6, 6, 4]).as_proto())), "another hue of four channels", "hue")
    add("hue_two_angles.pb", constant(lambda x: op.AdjustHue(images=x, delta=0.1, name="hue"), "hue/delta", [0.1, 0.2]),
        "two angles of a hue", "hue angle")
    scaled = lambda x: op.ScaleAndTranslate(images=x, size=[4, 4], scale=[0.5, 0.5], translation=[0.0, 0.0], name="scaled")
    for name, key, value, wrong in [("to_nothing", "size", [0, 4], "to height 0"), ("by_nothing", "scale", [0.0, 1.0], "by 0"),
                                    ("translated_thrice", "translation", [0.0, 0.0, 0.0], "by three numbers")]:
        add(f"scaled_{name}.pb", constant(scaled, f"scaled/{key}", value), f"an image scaled {wrong}", "scaled")
    add("scaled_kernel.pb", edited(scaled, "scaled", lambda node: set_attribute(node, "kernel_type", b"sinc")),
        "an image scaled by an unknown filter", "scaled kernel_type")
    add("positions_of_largest.pb", graph(lambda x: op.Cast(x=op.MaxPoolWithArgmax(
        input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", name="pool").argmax, DstT=tf.float32, name="places")),
        "the positions of the largest values under a window", "places pool MaxPoolWithArgmax")
    add("bits_of_computed.pb", graph(lambda x: op.Cast(x=op.Bitcast(input=x, type=tf.int32, name="bits"), DstT=tf.float32)),
        "the bits of computed numbers", "bits float32 int32")
    add("bits_of_another_size.pb", graph(lambda x: op.Cast(x=op.Bitcast(input=x, type=tf.uint8, name="bits"), DstT=tf.float32)),
        "a number's bits as four", "bits size")
    add("roll_two_shifts.pb", constant(lambda x: op.Roll(input=x, shift=[1], axis=[1], name="roll"), "roll/shift", [1, 2]),
        "two shifts of one axis", "roll shifts")
    add("roll_no_axis.pb", constant(lambda x: op.Roll(input=x, shift=[1], axis=[1], name="roll"), "roll/axis", [7]),
        "a shift along axis 7", "roll")
    add("lrn_negative_radius.pb", edited(lambda x: op.LRN(input=x, name="norm"), "norm", lambda node: set_attribute(
        node, "depth_radius", -1)), "local response normalization over −1 channels", "norm depth_radius")
    for name, key, value, wrong in [("over_channels", "ksizes", [1, 3, 3, 2], "over the channels"), ("zero", "ksizes", [1, 0, 3, 1], "of no height"),
                                    ("large", "ksizes", [1, 4000, 4000, 1], "of 16 million pixels"),
                                    ("rate_zero", "rates", [1, 0, 1, 1], "with rate 0")]:
        add(f"patches_{name}.pb", attribute(patches, "patches", key, value), f"patches {wrong}", "patches")
