"""Programs that select, sort and write elements."""
import numpy as np
from coremltools.converters.mil import Builder as mb

from programs import normal

MODES = {"update": None, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
         "min": np.minimum}


def combined(mode, old, new):
    return new if mode == "update" else MODES[mode](old, new)


def scattered(data, indices, updates, mode):
    """Slices written one by one; the last axis of the indices has one for each of the first axes."""
    result = data.copy()
    for position in np.ndindex(indices.shape[:-1]):
        target = tuple(indices[position])
        result[target] = combined(mode, result[target], updates[position])
    return result


def scattered_along(data, indices, updates, mode, axis):
    result = data.copy()
    for position in np.ndindex(indices.shape):
        target = list(position)
        target[axis] = indices[position]
        result[tuple(target)] = combined(mode, result[tuple(target)], updates[position])
    return result


def add(cases):
    x = normal("selections", 3, 4, 5)
    image = normal("image", 2, 3, 4, 5)

    for axis in (0, 1, -1):
        for ascending in (True, False):
            name = f"{axis % 3}_{'up' if ascending else 'down'}"
            sign = 1 if ascending else -1
            order = np.argsort(sign * x, axis=axis, kind="stable")
            cases.add("argsort_" + name, [x], lambda a: mb.argsort(x=a, axis=axis, ascending=ascending), order)
            best = np.take(order, [0, 1], axis=axis)
            cases.add("topk_" + name, [x], lambda a: mb.topk(x=a, k=2, axis=axis, ascending=ascending),
                      (np.take_along_axis(x, best, axis), best))
    cases.add("argsort_image", [image], lambda a: mb.argsort(x=a, axis=1, ascending=True),
              np.argsort(image, axis=1, kind="stable"))

    rows = np.array([[2, 0], [1, 1], [0, 3]], "i4")
    for name, axis in (("axis_1", 1), ("axis_2", 2)):
        picked = np.stack([np.take(x[i], rows[i], axis=axis - 1) for i in range(3)])
        cases.add("gather_batch_" + name, [x, rows], lambda a, b: mb.gather(x=a, indices=b, axis=axis, batch_dims=1),
                  picked, opset=16)
    negative = np.array([[-1, 0], [1, -4], [0, 3]], "i4")
    picked = np.stack([x[i][negative[i]] for i in range(3)])
    cases.add("gather_batch_negative", [x, negative], lambda a, b: mb.gather(x=a, indices=b, axis=1, batch_dims=1), picked,
              opset=16)
    cases.add("gather_batch_known", [x], lambda a: mb.gather(x=a, indices=negative, axis=1, batch_dims=1), picked, opset=16)
    points = np.array([[[1, 4], [0, 0]], [[3, 2], [2, 2]], [[0, 1], [1, 0]]], "i4")
    cases.add("gather_nd_batch", [x, points], lambda a, b: mb.gather_nd(x=a, indices=b, batch_dims=1),
              np.stack([x[i][points[i, :, 0], points[i, :, 1]] for i in range(3)]), opset=16)

    for axis in (0, 1, 2):
        shape = [2 if i == axis else n for i, n in enumerate(x.shape)]
        size = x.shape[axis]
        own = np.random.default_rng(axis).integers(-size, size, shape).astype("i4")
        cases.add(f"gather_along_axis_{axis}", [x, own], lambda a, b: mb.gather_along_axis(x=a, indices=b, axis=axis),
                  np.take_along_axis(x, np.where(own < 0, own + size, own), axis))
    own = np.random.default_rng(3).integers(0, 3, (2, 6, 4, 5)).astype("i4")
    cases.add("gather_along_axis_image", [image, own], lambda a, b: mb.gather_along_axis(x=a, indices=b, axis=1),
              np.take_along_axis(image, own, 1))

    data = np.abs(normal("data", 4, 3, 5)) + 0.5
    for mode in MODES:
        places = np.array([2, 0], "i4")
        updates = np.abs(normal("updates", 4, 2, 5)) + 0.5
        along = np.broadcast_to(places[:, None], (4, 2, 5))
        cases.add("scatter_" + mode, [data, places, updates],
                  lambda a, b, c: mb.scatter(data=a, indices=b, updates=c, axis=1, mode=mode),
                  scattered_along(data, along, updates, mode, 1))
        own = np.random.default_rng(4).integers(0, 4, (2, 3, 5)).astype("i4")
        updates = np.abs(normal("updates along", 2, 3, 5)) + 0.5
        cases.add("scatter_along_axis_" + mode, [data, own, updates],
                  lambda a, b, c: mb.scatter_along_axis(data=a, indices=b, updates=c, axis=0, mode=mode),
                  scattered_along(data, own, updates, mode, 0))
        points = np.array([[[3, 0], [1, 2]], [[0, 0], [3, 0]]], "i4")
        updates = np.abs(normal("updates nd", 2, 2, 5)) + 0.5
        cases.add("scatter_nd_" + mode, [data, points, updates],
                  lambda a, b, c: mb.scatter_nd(data=a, indices=b, updates=c, mode=mode),
                  scattered(data, points, updates, mode))
    # As Swin writes a window's mask.
    zeros = np.zeros((1, 4, 4), "f4")
    cases.add("scatter_nd_constant", [normal("mask", 2, 4), zeros + 1],
              lambda a, b: mb.add(x=b, y=mb.scatter_nd(data=zeros, indices=np.array([[0, 1], [0, 3]], "i4"), updates=a,
                                                       mode="update")),
              lambda a, b: b + scattered(zeros, np.array([[0, 1], [0, 3]]), a, "update"))

    cases.refuse("scatter_outside", [data, normal("u", 4, 1, 5)],
                 lambda a, c: mb.scatter(data=a, indices=np.array([3], "i4"), updates=c, axis=1, mode="add"),
                 "index 3 out bounds")
    cases.refuse("gather_along_axis_outside", [x],
                 lambda a: mb.gather_along_axis(x=a, indices=np.full((3, 4, 1), -6, "i4"), axis=2), "index -6 out bounds")
