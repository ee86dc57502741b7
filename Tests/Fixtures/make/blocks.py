"""Cases of the operations that move blocks of an image."""
import tensorflow as tf

op = tf.raw_ops


def write(cases):
    add = cases.family("blocks")
    for size, channels in [(2, 8), (3, 9), (2, 4)]:
        add(f"depth_to_space_{size}_of_{channels}", [1, 3, 2, channels], lambda x, r: op.DepthToSpace(input=x, block_size=size))
    add("depth_to_space_batch", [2, 2, 3, 4], lambda x, r: op.DepthToSpace(input=x, block_size=2))
    for size in (2, 3):
        add(f"space_to_depth_{size}", [1, 6, 12, 2], lambda x, r: op.SpaceToDepth(input=x, block_size=size))
    for name, shape, sizes, amounts in [
            ("even", [1, 4, 6, 3], [2, 2], [[0, 0], [0, 0]]), ("padded", [1, 5, 7, 2], [2, 3], [[1, 0], [0, 2]]),
            ("batch", [2, 4, 4, 3], [2, 2], [[1, 1], [0, 0]]), ("one_axis", [1, 6, 5], [3], [[0, 0]])]:
        add(f"space_to_batch_{name}", shape, lambda x, r: op.SpaceToBatchND(input=x, block_shape=sizes, paddings=amounts))
    for name, shape, sizes, amounts in [
            ("even", [4, 2, 3, 3], [2, 2], [[0, 0], [0, 0]]), ("cropped", [6, 3, 3, 2], [2, 3], [[1, 0], [0, 2]]),
            ("batch", [8, 2, 2, 3], [2, 2], [[0, 1], [1, 0]]), ("one_axis", [3, 2, 5], [3], [[1, 1]])]:
        add(f"batch_to_space_{name}", shape, lambda x, r: op.BatchToSpaceND(input=x, block_shape=sizes, crops=amounts))
    add("dilated_convolution", [1, 7, 8, 3], lambda x, r: op.BatchToSpaceND(
        input=op.Conv2D(
            input=op.SpaceToBatchND(input=x, block_shape=[2, 2], paddings=[[2, 3], [2, 2]]), filter=r(3, 3, 3, 4),
            strides=[1, 1, 1, 1], padding="VALID"),
        block_shape=[2, 2], crops=[[0, 1], [0, 0]]), "a dilation as TensorFlow 1 wrote it")
    for mode in ("REFLECT", "SYMMETRIC"):
        name = mode.lower()
        add(f"mirror_pad_{name}", [1, 4, 5, 3], lambda x, r: op.MirrorPad(
            input=x, paddings=[[0, 0], [1, 2], [3, 0], [0, 0]], mode=mode))
        add(f"mirror_pad_{name}_rank2", [3, 5], lambda x, r: op.MirrorPad(input=x, paddings=[[2, 1], [0, 3]], mode=mode))
