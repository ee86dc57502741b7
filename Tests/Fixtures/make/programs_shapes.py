"""Programs on shapes and positions, and programs that sample images."""
import numpy as np
from coremltools.converters.mil import Builder as mb

from programs import normal


def sampled(image, grid, mode, outside, aligned, value=0.0, kind="normalized_minus_one_to_one"):
    """The pixels of an image at coordinates, one by one."""
    batch, channels, height, width = image.shape
    result = np.zeros((batch, channels) + grid.shape[1:3])

    def pixel(c, size):
        share = {"normalized_minus_one_to_one": (c + 1) / 2, "normalized_zero_to_one": c, "unnormalized": None}[kind]
        p = c if share is None else share * (size - 1) if aligned else share * size - 0.5
        if outside == "border":
            return min(max(p, 0), size - 1)
        low, span = (0, size - 1) if outside == "reflection" else (-0.5, size)
        if outside in ("reflection", "symmetric"):
            d = abs(p - low) % (2 * span)
            return min(max(low + min(d, 2 * span - d), 0), size - 1)
        return p

    def at(n, y, x):
        return image[n, :, y, x].astype("f8") if 0 <= y < height and 0 <= x < width else np.full(channels, value)

    for n, i, j in np.ndindex(batch, *grid.shape[1:3]):
        x, y = pixel(float(grid[n, i, j, 0]), width), pixel(float(grid[n, i, j, 1]), height)
        if mode == "nearest":
            result[n, :, i, j] = at(n, int(np.round(y)), int(np.round(x)))
            continue
        x0, y0 = int(np.floor(x)), int(np.floor(y))
        for dy, dx in np.ndindex(2, 2):
            result[n, :, i, j] += (dy * (y - y0) + (1 - dy) * (1 - y + y0)) * (
                dx * (x - x0) + (1 - dx) * (1 - x + x0)) * at(n, y0 + dy, x0 + dx)
    return result


def add(cases):
    x = normal("shapes", 3, 4, 5)
    image = normal("image of shapes", 2, 3, 4, 6)

    for lower, upper in ((0, -1), (-1, 0), (1, 2), (0, 0)):
        rows, columns = np.indices((4, 5))
        band = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
        cases.add(f"band_part_{lower}_{upper}".replace("-1", "all"), [x],
                  lambda a: mb.band_part(x=a, lower=lower, upper=upper), x * band)
    cases.add("fill_like", [x], lambda a: mb.add(x=a, y=mb.fill_like(ref_tensor=a, value=np.float32(2.5))), x + 2.5, opset=16)
    cases.add("reshape_like", [x, image],
              lambda a, b: mb.reshape_like(x=mb.slice_by_index(x=b, begin=[0, 0, 0, 0], end=[2, 3, 4, 5]), ref_tensors=(a, b),
                                           begins=(1, 0), ends=(3, 2), end_masks=(False, False)),
              image[:, :, :, :5].reshape(4, 5, 2, 3), opset=16)
    for axis, size, step in ((1, 2, 1), (-1, 3, 2), (0, 3, 1)):
        windows = np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, size, axis), -1, axis % 3 + 1)
        windows = np.take(windows, range(0, windows.shape[axis % 3], step), axis=axis % 3)
        cases.add(f"sliding_windows_{axis % 3}", [x], lambda a: mb.sliding_windows(x=a, axis=axis, size=size, stride=step), windows)
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (0, 0)))
    blocks = padded.reshape(2, 3, 3, 2, 2, 3).transpose(3, 5, 0, 1, 2, 4).reshape(12, 3, 3, 2)
    cases.add("space_to_batch", [image],
              lambda a: mb.space_to_batch(x=a, block_shape=[2, 3], paddings=[[1, 1], [0, 0]]), blocks)
    cases.add("batch_to_space", [blocks], lambda a: mb.batch_to_space(x=a, block_shape=[2, 3], crops=[[1, 1], [0, 2]]),
              image[:, :, :, :4])
    lengths = np.array([2, 5, 0], "i4")
    expected = np.stack([np.concatenate([x[i][:, :n][:, ::-1], x[i][:, n:]], 1) for i, n in enumerate(lengths)])
    cases.add("reverse_sequence", [x, lengths],
              lambda a, b: mb.reverse_sequence(x=a, lengths=b, seq_axis=2, batch_axis=0), expected)
    cases.add("reverse_sequence_known", [x],
              lambda a: mb.reverse_sequence(x=a, lengths=lengths, seq_axis=-1, batch_axis=0), expected)
    a, b = normal("einsum a", 2, 3, 4, 5), normal("einsum b", 1, 5, 4, 6)
    cases.add("einsum_4", [a, b], lambda a, b: mb.einsum(values=(a, b), equation="nchw,nwhu->nchu"),
              np.einsum("nchw,whu->nchu", a, b[0]))
    cases.add("einsum_3", [a[0], b[0]], lambda a, b: mb.einsum(values=(a, b), equation="chw,whr->chr"),
              np.einsum("chw,whr->chr", a[0], b[0]))
    for name, begin, end, options in (
            ("plain", [0, 1, 2], [3, 3, 5], {}),
            ("strides", [2, 3, -1], [0, 0, -6], dict(stride=[-1, -2, -2], begin_mask=[False, True, False],
                                                    end_mask=[True, True, True])),
            ("squeezed", [1, -2, 0], [0, 0, 4], dict(squeeze_mask=[True, True, False]))):
        index = {"plain": np.s_[0:3, 1:3, 2:5], "strides": np.s_[2::-1, ::-2, -1::-2], "squeezed": np.s_[1, -2, 0:4]}[name]
        cases.add("slice_by_index_" + name, [x], lambda a: mb.slice_by_index(x=a, begin=begin, end=end, **options), x[index])
        update = normal("update", *x[index].shape)
        expected = x.copy()
        expected[index] = update
        cases.add("slice_update_" + name, [x, update],
                  lambda a, b: mb.slice_update(x=a, update=b, begin=begin, end=end, **options), expected, opset=18)
    for axis in (-1, -2, 0):
        ids = np.array([[0, 2], [1, 3]], "i4")
        cut = axis % 3
        cases.add(f"one_hot_{cut}", [ids],
                  lambda a: mb.one_hot(indices=a, one_hot_vector_size=4, axis=axis, on_value=np.float32(2), off_value=np.float32(-1)),
                  np.moveaxis(np.where(ids[..., None] == np.arange(4), 2, -1), -1, cut))
    for rank in (3, 4):
        y = normal("instance", *(2, 3, 4, 6)[:rank])
        gamma, beta = normal("gamma", 3), normal("beta", 3)
        axes = tuple(range(2, rank))
        shape = [-1] + [1] * (rank - 2)
        cases.add(f"instance_norm_{rank}", [y], lambda a: mb.instance_norm(x=a, gamma=gamma, beta=beta, epsilon=1e-3),
                  (y - y.mean(axes, keepdims=True)) / np.sqrt(y.var(axes, keepdims=True) + 1e-3) * gamma.reshape(shape)
                  + beta.reshape(shape))

    grid = normal("grid", 2, 5, 3, 2, scale=0.9)
    for mode in ("bilinear", "nearest"):
        for outside in ("constant", "border", "reflection", "symmetric"):
            for aligned in (True, False):
                cases.add(f"resample_{mode}_{outside}_{'centers' if aligned else 'edges'}", [image, grid],
                          lambda a, b: mb.resample(x=a, coordinates=b, sampling_mode=mode, padding_mode=outside,
                                                   padding_value=np.float32(0.5), coordinates_mode="normalized_minus_one_to_one",
                                                   align_corners=aligned),
                          sampled(image, grid, mode, outside, aligned, 0.5))
    for kind, factor in (("unnormalized", 3), ("normalized_zero_to_one", 0.7)):
        cases.add("resample_" + kind, [image, grid * np.float32(factor)],
                  lambda a, b: mb.resample(x=a, coordinates=b, sampling_mode="bilinear", padding_mode="constant",
                                           padding_value=np.float32(0), coordinates_mode=kind, align_corners=True),
                  sampled(image, grid * np.float32(factor), "bilinear", "constant", True, 0, kind))
    for count in (1, 2):
        matrix = np.array([[0.8, 0.2, 0.1, -0.3, 0.9, -0.2], [1.1, 0, 0, 0.1, 0.7, 0.3]], "f4")[:count]
        ys, xs = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 7), indexing="ij")
        base = np.stack([xs, ys, np.ones_like(xs)], -1)
        places = np.einsum("hwk,nck->nhwc", base, matrix.reshape(count, 2, 3))
        cases.add(f"affine_{count}", [image],
                  lambda a: mb.affine(x=a, transform_matrix=matrix, output_height=5, output_width=7, sampling_mode="bilinear",
                                      padding_mode="constant", padding_value=np.float32(0),
                                      coordinates_mode="normalized_minus_one_to_one", align_corners=True),
                  sampled(image, np.broadcast_to(places, (2, 5, 7, 2)), "bilinear", "constant", True))
    cases.refuse("non_zero", [x], lambda a: mb.non_zero(x=a), "known only when model runs")
