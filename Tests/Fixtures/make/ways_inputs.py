"""Nodes in front of networks: decoders, resizing, iterators, queues, several placeholders, batches of a fixed size."""
import numpy as np
import tensorflow as tf

from tiny import convolved, dense, pooled, tiny

op = tf.raw_ops


def decoded(kind="DecodeJpeg", **options):
    contents = tf.compat.v1.placeholder(tf.string, [], name="DecodeJpeg/contents")
    return getattr(op, kind)(contents=contents, name=kind, **options)


def resized(x, size=(8, 8), kind="ResizeBilinear"):
    return getattr(op, kind)(images=x, size=list(size), name=kind)


def inception():
    """The head of Google's Inception graph of 2015."""
    x = decoded(channels=3)
    y = op.ExpandDims(input=op.Cast(x=x, DstT=tf.float32, name="Cast"), axis=0, name="ExpandDims")
    y = op.Mul(x=op.Sub(x=resized(y), y=128.0, name="Sub"), y=1 / 128, name="Mul")
    return x, tiny(y)


def scaled_first():
    """Arithmetic before a resize, as in tf.image.convert_image_dtype."""
    x = decoded("DecodePng", channels=3)
    y = op.Mul(x=op.Cast(x=x, DstT=tf.float32), y=1 / 255)
    y = resized(op.ExpandDims(input=op.Sub(x=y, y=np.array([0.5, 0.4, 0.3], "f4")), axis=0), kind="ResizeBicubic")
    return x, tiny(op.Mul(x=y, y=2.0))


def reversed_channels():
    """BGR for Caffe models, before a batch axis is added."""
    x = decoded(channels=3)
    y = op.Cast(x=x, DstT=tf.float32)[:, :, ::-1]
    y = op.ExpandDims(input=op.Sub(x=y, y=np.array([104, 117, 123], "f4")), axis=0)
    return x, tiny(op.Mul(x=resized(y), y=1 / 128))


def reshaped():
    x = decoded("DecodePng")
    return x, tiny(op.RealDiv(x=op.Cast(x=op.Reshape(tensor=x, shape=[1, 8, 8, 3]), DstT=tf.float32), y=255.0))


def undecided():
    x = decoded("DecodeImage", channels=3)
    return x, tiny(op.ExpandDims(input=op.RealDiv(x=op.Cast(x=x, DstT=tf.float32), y=255.0), axis=0))


def iterator(second):
    def build():
        shapes, types = [[None, 8, 8, 3], [None]], [tf.float32, tf.int64]
        if second:
            shapes, types = shapes[::-1], types[::-1]
        handle = op.Iterator(shared_name="", container="", output_types=types, output_shapes=shapes, name="Iterator")
        parts = op.IteratorGetNext(iterator=handle, output_types=types, output_shapes=shapes, name="IteratorGetNext")
        x = parts[1 if second else 0]
        op.Equal(x=parts[0 if second else 1], y=tf.constant(1, tf.int64), name="accuracy")
        return x, tiny(x)
    return build


def queue():
    handle = op.FIFOQueueV2(component_types=[tf.float32, tf.int32], shapes=[[8, 8, 3], []], name="queue")
    parts = op.QueueDequeueManyV2(handle=handle, n=4, component_types=[tf.float32, tf.int32], name="batch")
    return parts[0], tiny(parts[0])


def settings(x):
    factor = tf.compat.v1.placeholder(tf.float32, [], name="factor")
    shift = tf.compat.v1.placeholder(tf.float32, [3], name="shift")
    axes = tf.compat.v1.placeholder(tf.int32, [None], name="axes")
    flip = tf.compat.v1.placeholder(tf.bool, [], name="flip")
    y = op.AddV2(x=op.Mul(x=x, y=factor), y=shift)
    y = op.ReverseV2(tensor=y, axis=axes)
    return tiny(op.Select(condition=flip, x=op.Neg(x=y), y=y))


def settings_reference(x):
    return tiny(op.Neg(x=op.ReverseV2(tensor=op.AddV2(x=op.Mul(x=x, y=0.5), y=np.array([1, -2, 0.25], "f4")), axis=[2])))


def batched(x):
    """A batch of eight, which appears in constants."""
    y = convolved(x)
    z = op.Slice(input=y, begin=[0, 1, 0, 0], size=[8, 2, 4, 4])
    y = op.Reshape(tensor=y, shape=[8, -1], name="flat")
    y = op.Reshape(tensor=y, shape=[8, 4, 4, 4])
    y = op.ConcatV2(values=[y, op.Reshape(tensor=z, shape=[-1, 2, 4, 4])], axis=1)
    return op.Softmax(logits=dense(pooled(op.AddV2(x=y, y=np.full([8, 1, 1, 4], 0.25, "f4")))))


def batched_rows(x):
    y = convolved(op.Reshape(tensor=x, shape=[8, 8, 8, 3]))
    y = op.Reshape(tensor=op.Relu(features=op.Reshape(tensor=y, shape=[128, 4])), shape=[8, 4, 4, 4])
    return op.Softmax(logits=dense(pooled(y)))


def write(ways):
    add = ways.add
    add("decode_inception", inception, "DecodeJpeg, Cast, ExpandDims, ResizeBilinear, Sub, Mul", feed=None, kind="pixels",
        fed=lambda x: x[0])
    add("decode_scaled_first", scaled_first, "DecodePng, arithmetic before ResizeBicubic and behind it", feed=None, kind="pixels",
        fed=lambda x: x[0])
    add("decode_reversed", reversed_channels, "DecodeJpeg, channels reversed, Sub, ExpandDims, ResizeBilinear", feed=None,
        kind="pixels", fed=lambda x: x[0])
    add("decode_reshaped", reshaped, "DecodePng, Reshape", feed=None, kind="pixels", fed=lambda x: x[0])
    add("decode_without_size", undecided, "DecodeImage without resizing", feed=None, kind="pixels", fed=lambda x: x[0],
        options="--size 8x8")
    add("resize_of_unknown", lambda x: tiny(op.Sub(x=resized(op.Mul(x=x, y=1 / 127.5)), y=1.0)),
        "a placeholder of unknown size, resized", declared=[None, None, None, 3], kind="pixels")
    add("resize_of_known", lambda x: tiny(op.Sub(x=op.Mul(x=resized(x, (10, 12))[..., ::-1], y=np.array([1, 2, 3], "f4") / 255),
                                                  y=np.array([0.5, 1, 1.5], "f4"))),
        "a placeholder of known size, resized, channels reversed", kind="pixels")
    add("resize_of_bytes", lambda x: tiny(resized(op.ExpandDims(input=op.Cast(x=x, DstT=tf.float32), axis=0),
                                                  kind="ResizeNearestNeighbor")),
        "a placeholder [?,?,3] of type uint8, expanded and resized", declared=[None, None, 3], dtype=tf.uint8, kind="pixels",
        fed=lambda x: x[0])
    add("iterator", iterator(False), "IteratorGetNext, the image first", feed=None)
    add("iterator_second", iterator(True), "IteratorGetNext, the image second", feed=None)
    add("queue", queue, "QueueDequeueManyV2", feed=None)
    add("settings", settings, "four placeholders beside the image", reference=settings_reference,
        options="--input input --set factor=0.5 --set shift=1,-2,0.25 --set axes=2 --set flip=true")
    add("batch", batched, "a batch of 8: Reshape, Slice and a sum know of it", declared=[8, 8, 8, 3],
        fed=lambda x: np.repeat(x, 8, 0))
    add("batch_in_rows", batched_rows, "a batch of 8 pictures in rows, and of their pixels", declared=[8, 192],
        fed=lambda x: np.repeat(x.reshape(1, 192), 8, 0))
