"""Programs with boxes, resized images, lists of tensors, and slices at computed positions."""
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.proto import MIL_pb2

from programs import normal

SAMPLING = ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS")


def points(mode, start, end, count):
    """The positions between two pixels (coremltools' documentation of resize_bilinear and of SamplingMode)."""
    length = end - start
    if mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS"):
        if count == 1:
            return np.array([start + length / 2 if mode == "ALIGN_CORNERS" else start])
        return np.linspace(start, end, count)
    size = length + 1
    if mode == "DEFAULT":
        return np.minimum(start + np.arange(count) * size / count, end)
    if mode == "OFFSET_CORNERS":
        step = max(1, length) / count
        return np.minimum(start + step / 2 + np.arange(count) * step, end)
    return np.clip(start + (np.arange(count) + 0.5) * size / count - 0.5, start, end)


def interpolated(image, rows, columns, outside=0.0):
    """Pixels of an image, channels first, at fractional positions."""
    result = np.empty((image.shape[0], len(rows), len(columns)))
    for i, y in enumerate(rows):
        for j, x in enumerate(columns):
            if not (-1e-6 <= y <= image.shape[1] - 1 + 1e-6 and -1e-6 <= x <= image.shape[2] - 1 + 1e-6):
                result[:, i, j] = outside
                continue
            y0, x0 = int(min(max(y, 0), image.shape[1] - 1)), int(min(max(x, 0), image.shape[2] - 1))
            y1, x1 = min(y0 + 1, image.shape[1] - 1), min(x0 + 1, image.shape[2] - 1)
            v, u = y - y0, x - x0
            result[:, i, j] = ((image[:, y0, x0] * (1 - u) + image[:, y0, x1] * u) * (1 - v)
                               + (image[:, y1, x0] * (1 - u) + image[:, y1, x1] * u) * v)
    return result


def cropped(image, box, height, width, mode, corners="CORNERS_HEIGHT_FIRST", normalized=False, scale=1.0, outside=0.0):
    box = np.asarray(box, "f8") * scale
    if "WIDTH_FIRST" in corners:
        box = box[[1, 0, 3, 2]]
    if normalized:
        box = box * np.array([image.shape[1] - 1, image.shape[2] - 1] * 2)
    if "CENTER" in corners:
        box = np.concatenate([box[:2] - box[2:] / 2, box[:2] + box[2:] / 2])
    return interpolated(image, points(mode, box[0], box[2], height), points(mode, box[1], box[3], width), outside)


def suppressed(boxes, scores, overlap, threshold, count, per_class):
    """Non-maximum suppression of one image at a time (coremltools' documentation of non_maximum_suppression)."""
    outputs = [np.zeros((len(boxes), count, 4)), np.zeros((len(boxes), count, scores.shape[2])),
               np.full((len(boxes), count), -1), np.zeros(len(boxes))]
    for image, (box, score) in enumerate(zip(boxes.astype("f8"), scores)):
        low, high = box[:, :2] - box[:, 2:] / 2, box[:, :2] + box[:, 2:] / 2
        area, best, label = box[:, 2] * box[:, 3], score.max(1), score.argmax(1)
        kept = []
        for i in np.argsort(-best, kind="stable"):
            if best[i] < threshold or len(kept) == count:
                break
            common = [np.prod(np.maximum(np.minimum(high[i], high[j]) - np.maximum(low[i], low[j]), 0)) for j in kept]
            if all((per_class and label[i] != label[j]) or shared / (area[i] + area[j] - shared) <= overlap
                   for j, shared in zip(kept, common)):
                kept.append(i)
        outputs[0][image, :len(kept)], outputs[1][image, :len(kept)] = boxes[image][kept], scores[image][kept]
        outputs[2][image, :len(kept)], outputs[3][image] = kept, len(kept)
    return outputs


def candidates(name, images, count, classes):
    boxes = np.abs(normal(name, images, count, 4)) + 0.3
    boxes[..., 2:] *= 0.8
    return boxes, 1 / (1 + np.exp(-normal(name + " scores", images, count, classes)))


def add(cases):
    add_boxes(cases)
    add_sizes(cases)
    add_lists(cases)
    add_slices(cases)
    add_branches(cases)


def add_boxes(cases):
    image = normal("boxes", 2, 3, 6, 7)
    regions = np.array([[1, 0.5, 4.5, 6], [0, 0, 5, 3.25], [2.5, 1, 2.75, 1.5]], "f4")
    for mode in SAMPLING:
        roi = regions.reshape(3, 1, 4, 1, 1)
        cases.add(
            f"crop_resize_{mode.lower()}", [image, roi],
            lambda a, b: mb.crop_resize(x=a, roi=b, target_height=4, target_width=3, sampling_mode=mode),
            np.stack([[cropped(x, box, 4, 3, mode) for x in image] for box in regions]))
        cases.add(
            f"crop_resize_{mode.lower()}_one", [image, roi],
            lambda a, b: mb.crop_resize(x=a, roi=b, target_height=1, target_width=1, sampling_mode=mode),
            np.stack([[cropped(x, box, 1, 1, mode) for x in image] for box in regions]))
    for corners in ("CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"):
        own = np.array([[0.5, 0.5, 0.75, 0.5], [0.25, 0.4, 0.3, 0.2]], "f4")
        # For several images, coremltools declares another shape than its documentation.
        roi = np.concatenate([np.zeros((2, 1), "f4"), own], 1).reshape(2, 1, 5, 1, 1)
        cases.add(
            f"crop_resize_{corners.lower()}", [image[:1], roi],
            lambda a, b: mb.crop_resize(x=a, roi=b, target_height=3, target_width=4, normalized_coordinates=True,
                                        box_coordinate_mode=corners, sampling_mode="ALIGN_CORNERS"),
            np.stack([[cropped(image[0], box, 3, 4, "ALIGN_CORNERS", corners, True)] for box in own]))
    large = np.array([[-3, 2, 14, 30], [4, 4, 8, 8]], "f4")
    cases.add(
        "crop_resize_outside", [image, large.reshape(2, 1, 4, 1, 1)],
        lambda a, b: mb.crop_resize(x=a, roi=b, target_height=5, target_width=4, spatial_scale=np.float32(0.5),
                                    sampling_mode="ALIGN_CORNERS", pad_value=np.float32(-2.5)),
        np.stack([[cropped(x, box, 5, 4, "ALIGN_CORNERS", scale=0.5, outside=-2.5) for x in image] for box in large]),
        opset=16)
    indices = np.array([1, 0, 1], "i4")
    cases.add(
        "crop_resize_indices", [image, regions, indices],
        lambda a, b, c: mb.crop_resize(x=a, boxes=b, box_indices=c, target_height=2, target_width=5,
                                       sampling_mode="OFFSET_CORNERS"),
        np.stack([cropped(image[i], box, 2, 5, "OFFSET_CORNERS") for i, box in zip(indices, regions)]), opset=17)
    cases.add(
        "crop_resize_in_order", [image, regions[:2]],
        lambda a, b: mb.crop_resize(x=a, boxes=b, target_height=2, target_width=2, sampling_mode="ALIGN_CORNERS"),
        np.stack([cropped(image[i], regions[i], 2, 2, "ALIGN_CORNERS") for i in range(2)]), opset=17)

    boxes, scores = candidates("suppressed", 2, 9, 3)
    for name, overlap, threshold, count, per_class in (
            ("loose", 0.5, 0.0, 9, False), ("strict", 0.1, 0.0, 9, False), ("few", 0.3, 0.0, 3, False),
            ("confident", 0.3, 0.75, 6, False), ("none", 0.3, 1.5, 4, False), ("classes", 0.1, 0.4, 9, True)):
        cases.add(
            f"non_maximum_suppression_{name}", [boxes, scores],
            lambda a, b: mb.non_maximum_suppression(
                boxes=a, scores=b, iou_threshold=np.float32(overlap), score_threshold=np.float32(threshold),
                max_boxes=count, per_class_suppression=per_class),
            suppressed(boxes, scores, overlap, threshold, count, per_class))
    add_newer_suppression(cases, boxes, scores)


def add_newer_suppression(cases, boxes, scores):
    """Since iOS 17, the boxes are along the last axis, without a score threshold, and they are not counted."""
    for name, overlap, count, per_class in (("few", 0.3, 3, False), ("classes", 0.1, 9, True)):
        kept = suppressed(boxes, scores, overlap, -np.inf, count, per_class)
        cases.add(
            f"non_maximum_suppression_ios17_{name}", [boxes.transpose(0, 2, 1).copy(), scores.transpose(0, 2, 1).copy()],
            lambda a, b: mb.non_maximum_suppression(
                boxes=a, scores=b, iou_threshold=np.float32(overlap), max_boxes=count, per_class_suppression=per_class),
            [kept[0].transpose(0, 2, 1), kept[1].transpose(0, 2, 1), kept[2]], opset=17)


def add_sizes(cases):
    image = normal("sizes", 2, 3, 5, 6)
    for mode in SAMPLING:
        cases.add(
            f"resize_linear_{mode.lower()}", [image],
            lambda a: mb.resize(x=a, shape=np.array([1, 8, 4], "i4"), resized_dims=np.uint32(2), sampling_mode=mode),
            np.stack([interpolated(x, points(mode, 0, 4, 8), points(mode, 0, 5, 4)) for x in image]), opset=17)
    # The pixels that contain the centers.
    rows, columns = (2 * np.arange(10) + 1) * 5 // 20, (2 * np.arange(4) + 1) * 6 // 8
    cases.add(
        "resize_nearest_neighbor", [image],
        lambda a: mb.resize_nearest_neighbor(x=a, target_size_height=10, target_size_width=4),
        image[:, :, rows][:, :, :, columns])
    cases.add(
        "resize_nearest", [image],
        lambda a: mb.resize(x=a, shape=np.array([10, 4], "i4"), resized_dims=np.uint32(2),
                            interpolation_mode="NEAREST_NEIGHBOR"),
        image[:, :, rows][:, :, :, columns], opset=17)
    cases.add(
        "resize_one_axis", [image],
        lambda a: mb.resize(x=a, shape=np.array([0, 9], "i4"), resized_dims=np.uint32(1), sampling_mode="ALIGN_CORNERS"),
        np.stack([interpolated(x, np.arange(5), points("ALIGN_CORNERS", 0, 5, 9)) for x in image]), opset=17)
    cases.add(
        "resize_kept_axis", [image],
        lambda a: mb.resize(x=a, shape=np.array([0, 9], "i4"), resized_dims=np.uint32(2), sampling_mode="ALIGN_CORNERS"),
        np.stack([interpolated(x, np.arange(5), points("ALIGN_CORNERS", 0, 5, 9)) for x in image]), opset=17)
    volume = normal("volume", 2, 2, 3, 4, 5)
    cases.add(
        "resize_volume", [volume],
        lambda a: mb.resize(x=a, shape=np.array([7, 3], "i4"), resized_dims=np.uint32(2), sampling_mode="UNALIGN_CORNERS"),
        np.stack([[interpolated(x, points("UNALIGN_CORNERS", 0, 3, 7), points("UNALIGN_CORNERS", 0, 4, 3)) for x in part]
                  for part in volume]), opset=17)
    matrix = normal("flat", 3, 4, 5)
    cases.add(
        "resize_bilinear_three_axes", [matrix],
        lambda a: mb.resize_bilinear(x=a, target_size_height=8, target_size_width=10, sampling_mode="ALIGN_CORNERS"),
        interpolated(matrix, points("ALIGN_CORNERS", 0, 3, 8), points("ALIGN_CORNERS", 0, 4, 10)))
    cases.refuse("resize_nearest_parts", [image],
                 lambda a: mb.resize(x=a, shape=np.array([3, 3], "i4"), resized_dims=np.uint32(2),
                                     interpolation_mode="NEAREST_NEIGHBOR", sampling_mode="OFFSET_CORNERS"),
                 "modes 'NEAREST_NEIGHBOR' 'OFFSET_CORNERS'", opset=17)


def add_lists(cases):
    x = normal("list", 4, 3)

    def empty(length, dynamic=False):
        return mb.make_list(init_length=length, elem_shape=(3,), dynamic_length=dynamic)

    def written(a):
        items = mb.list_write(ls=empty(3), index=2, value=mb.gather(x=a, indices=1))
        items = mb.list_scatter(ls=items, indices=np.array([1, 0], "i4"), value=mb.gather(x=a, indices=[3, 2]))
        return (mb.list_gather(ls=items, indices=np.array([2, 0, 1, 1], "i4")), mb.list_read(ls=items, index=1),
                mb.cast(x=mb.list_length(ls=items), dtype="fp32"))
    cases.add("list_written", [x], written, (x[[1, 2, 3, 3]], x[3], np.float32(3)))

    def growing(a):
        items = mb.list_write(ls=empty(1, dynamic=True), index=3, value=mb.gather(x=a, indices=1))
        return mb.list_gather(ls=items, indices=np.array([3, 2], "i4"))
    cases.add("list_growing", [x], growing, np.stack([x[1], x[1] * 0]))

    def recurrent(rounds):
        """A row per round: half of the last one plus the input's."""
        def build(a):
            def body(i, last, items):
                row = mb.gather(x=a, indices=mb.mod(x=i, y=4))
                now = mb.add(x=mb.mul(x=last, y=np.float32(0.5)), y=row)
                return mb.add(x=i, y=1), now, mb.list_write(ls=items, index=i, value=now)
            first = mb.mul(x=mb.gather(x=a, indices=0), y=np.float32(0))
            _, last, items = mb.while_loop(_cond=lambda i, last, items: mb.less(x=i, y=rounds), _body=body,
                                           loop_vars=(0, first, empty(rounds)))
            return last, mb.list_gather(ls=items, indices=np.arange(rounds, dtype="i4"))
        return build

    def expected(rounds):
        row, rows = np.zeros(3, "f4"), []
        for i in range(rounds):
            row = row * np.float32(0.5) + x[i % 4]
            rows.append(row)
        return row, np.stack(rows)
    cases.add("list_unrolled", [x], recurrent(6), expected(6))
    cases.add("list_in_a_loop", [x], recurrent(300), expected(300))

    def unknown(a, i):
        items = mb.list_write(ls=empty(2), index=mb.squeeze(x=i), value=mb.gather(x=a, indices=3))
        return mb.list_read(ls=items, index=mb.sub(x=mb.squeeze(x=i), y=0))
    cases.add("list_computed_index", [x, np.array([1], "i4")], unknown, x[3])
    cases.refuse(
        "list_growing_anywhere", [x, np.array([1], "i4")],
        lambda a, i: mb.list_read(ls=mb.list_write(ls=empty(1, dynamic=True), index=mb.squeeze(x=i),
                                                   value=mb.gather(x=a, indices=3)), index=0),
        "list grows at positions known only when model runs")

    def far(operations):
        for operation in operations:
            if operation.type == "const" and operation.outputs[0].name.startswith("list_write_0_index"):
                value = operation.attributes["val"]
                operation.outputs[0].type.tensorType.dataType = value.type.tensorType.dataType = MIL_pb2.INT64
                value.immediateValue.tensor.longInts.values.append(2**63 - 1)
    cases.refuse("list_growing_far", [x],
                 lambda a: mb.list_read(ls=mb.list_write(ls=empty(1, dynamic=True), index=1,
                                                         value=mb.gather(x=a, indices=3)), index=1),
                 "would be computed", change=far)


def add_slices(cases):
    x = normal("slices", 4, 3, 5)
    for name, start in (("plain", [1, 0, 2]), ("negative", [-3, 0, -4])):
        start = np.array(start, "i4")
        own = np.where(start < 0, start + x.shape, start)
        cases.add(f"slice_by_size_computed_{name}", [x, start],
                  lambda a, b: mb.slice_by_size(x=a, begin=b, size=np.array([2, 3, 3], "i4")),
                  x[own[0]:own[0] + 2, :, own[2]:own[2] + 3])
    cases.add("slice_by_index_computed", [x, np.array([2, 0, 0], "i4"), np.array([3, 0, 0], "i4")],
              lambda a, b, c: mb.slice_by_index(x=a, begin=b, end=c, begin_mask=[False, True, True],
                                                end_mask=[False, True, True], squeeze_mask=[True, False, False]), x[2])
    cases.refuse("slice_of_unknown_size", [x, np.array([2, 0, 0], "i4"), np.array([3, 0, 0], "i4")],
                 lambda a, b, c: mb.slice_by_index(x=a, begin=b, end=c), "size slice known only when model runs")


def add_branches(cases):
    """Two blocks whose constants have the same name, as names count within their block."""
    x = normal("branches", 4)
    first, second = normal("branches1", 4), normal("branches2", 4)

    def build(a, b):
        return mb.cond(pred=mb.greater(x=mb.squeeze(x=b), y=np.float32(0)),
                       _true_fn=lambda: mb.add(x=a, y=mb.const(val=first, name="first")),
                       _false_fn=lambda: mb.mul(x=a, y=mb.const(val=second, name="second")))

    def rename(operations):
        [branches] = [operation for operation in operations if operation.type == "cond"]
        for block in branches.blocks:
            for operation in block.operations:
                names = [*operation.outputs] + [a for value in operation.inputs.values() for a in value.arguments]
                for named in names:
                    if named.name in ("first", "second"):
                        named.name = "number"
    for name, sign, expected in (("true", 1, x + first), ("false", -1, x * second)):
        cases.add("branches_with_constants_of_one_name_" + name, [x, np.array([sign], "f4")], build, expected, change=rename)
