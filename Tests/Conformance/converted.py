#!/usr/bin/env python3
"""Converts a frozen graph with coremltools: both dialects, both precisions, and compressed.

usage: converted.py GRAPH INPUT OUTPUT N,H,W,C COLOR SCALE BIAS,BIAS,BIAS START

Writes START.FORM.mlmodel or START.FORM.mlpackage for each of FORMS, or START.FORM.failed with the reason. Needs
`pip install coremltools tensorflow-cpu`.
"""
import logging
import os
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Fixtures", "make"))
logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

NEURAL, PROGRAM = ".mlmodel", ".mlpackage"
PLAIN = {"neural.float32": NEURAL, "neural.float16": NEURAL, "program.float32": PROGRAM, "program.float16": PROGRAM}
COMPRESSED = {"neural.int8": NEURAL, "neural.list4": NEURAL, "program.int8": PROGRAM, "program.list4": PROGRAM,
              "program.sparse": PROGRAM}
FORMS = PLAIN | COMPRESSED
LAYOUTS = {"rgb": "RGB", "bgr": "BGR", "gray": "GRAYSCALE"}


def with_defaults(definition, feed, fetch):
    """The graph with all inputs except the image set to their defaults, as coremltools requires; a constant learning phase
    removes the branches of training, whose Switch and Merge coremltools does not support."""
    import tensorflow as tf
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.grappler import tf_optimizer
    held = [node for node in definition.node if node.op == "PlaceholderWithDefault" and node.name != feed]
    if not held:
        return definition
    for node in held:
        kind = node.attr["dtype"].type
        node.op = "Identity"
        node.attr.clear()
        node.attr["T"].type = kind
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        for name in (feed, fetch):
            graph.add_to_collection("train_op", graph.get_tensor_by_name(name + ":0"))
        whole = tf.compat.v1.train.export_meta_graph(graph=graph)
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.optimizers.extend(["constfold", "loop", "pruning"])
    config.graph_options.rewrite_options.min_graph_nodes = -1
    return tf_optimizer.OptimizeGraph(config, whole)


def constant(name, value):
    import tensorflow as tf
    node = tf.compat.v1.NodeDef(name=name, op="Const")
    tensor = tf.make_tensor_proto(value)
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
    return node


def dequantized(definition):
    """The graph with 8-bit weights converted to floating-point values: coremltools does not support their type."""
    import tensorflow as tf
    nodes = {node.name: node for node in definition.node}
    packed = [node for node in definition.node
              if node.op == "Dequantize" and all(nodes[word].op == "Const" for word in node.input)]
    if not packed:
        return definition
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            values = session.run([node.name + ":0" for node in packed])
    held = {word for node in packed for word in node.input}
    others = [node for node in definition.node if node.name not in held and node not in packed]
    folded = tf.compat.v1.GraphDef(versions=definition.versions)
    folded.node.extend([constant(node.name, value) for node, value in zip(packed, values)] + others)
    return folded


def with_batch(definition, feed):
    """The graph with an image of four axes instead of three, as coremltools requires."""
    import tensorflow as tf
    node = next(node for node in definition.node if node.name == feed)
    shape = [axis.size for axis in node.attr["shape"].shape.dim]
    if len(shape) != 3:
        return definition
    node.attr["shape"].shape.CopyFrom(tf.TensorShape([1] + shape).as_proto())
    without = tf.compat.v1.NodeDef(name=feed + "/without_batch", op="Reshape", input=[feed, feed + "/shape"])
    without.attr["T"].CopyFrom(node.attr["dtype"])
    without.attr["Tshape"].type = tf.int32.as_datatype_enum
    for reader in definition.node:
        for place, word in enumerate(reader.input):
            if word in (feed, feed + ":0"):
                reader.input[place] = without.name
    definition.node.extend([constant(feed + "/shape", [size for size in shape]), without])
    return definition


class Converted:
    def __init__(self, graph, feed, fetch, shape, color, scale, bias):
        import tensorflow as tf
        self.definition = tf.compat.v1.GraphDef()
        with open(graph, "rb") as file:
            self.definition.ParseFromString(file.read())
        if self.definition.library.function:
            from keras_graphs import without_functions
            self.definition, fetch = without_functions(self.definition, feed, fetch, shape)
        self.definition = with_batch(dequantized(with_defaults(self.definition, feed, fetch)), feed)
        self.feed, self.fetch, self.shape, self.color, self.scale, self.bias = feed, fetch, shape, color, scale, bias
        self.models = {}

    def plain(self, dialect, precision="float32"):
        import coremltools as ct
        key = dialect, precision
        if key not in self.models:
            shape = self.shape
            if len(shape) != 4:
                image = ct.TensorType(name=self.feed, shape=shape)
            else:
                bias = self.bias[0] if self.color == "gray" else self.bias
                image = ct.ImageType(name=self.feed, shape=shape, scale=self.scale, bias=bias,
                                     color_layout=getattr(ct.colorlayout, LAYOUTS[self.color]))
            options = {"convert_to": "neuralnetwork"} if dialect == "neural" else {
                "convert_to": "mlprogram", "minimum_deployment_target": ct.target.iOS16,
                "compute_precision": getattr(ct.precision, precision.upper())}
            self.models[key] = ct.convert(self.definition, source="tensorflow", inputs=[image],
                                          outputs=[ct.TensorType(name=self.fetch)], **options)
        return self.models[key]

    def make(self, form):
        import coremltools as ct
        import coremltools.optimize.coreml as optimize
        from coremltools.models.neural_network import quantization_utils
        dialect, kind = form.split(".")
        if form == "neural.float32":
            return self.plain("neural")
        if dialect == "neural":
            bits, mode = {"float16": (16, "linear"), "int8": (8, "linear"), "list4": (4, "linear_lut")}[kind]
            model = quantization_utils.quantize_weights(self.plain("neural"), bits, mode)
            return model if hasattr(model, "save") else ct.models.MLModel(model, skip_model_load=True)
        if form in PLAIN:
            return self.plain("program", kind)
        step, setting = {
            "int8": (optimize.linear_quantize_weights, optimize.OpLinearQuantizerConfig(mode="linear", dtype="uint8")),
            "list4": (optimize.palettize_weights, optimize.OpPalettizerConfig(mode="uniform", nbits=4)),
            "sparse": (optimize.prune_weights, optimize.OpMagnitudePrunerConfig(target_sparsity=0.5)),
        }[kind]
        return step(self.plain("program", "float16"), optimize.OptimizationConfig(global_config=setting))


def main(graph, feed, fetch, shape, color, scale, bias, start):
    converted = Converted(graph, feed, fetch, [int(n) for n in shape.split(",")], color, float(scale),
                          [float(n) for n in bias.split(",")])
    for form, ending in FORMS.items():
        path = f"{start}.{form}"
        if os.path.exists(path + ending) or os.path.exists(path + ".failed"):
            continue
        try:
            model = converted.make(form)
            names = [feature.name for feature in model.get_spec().description.input]
            if len(names) > 1:
                raise ValueError(f"it also requires {names[1]}")
            model.save(path + ".part" + ending)
            os.rename(path + ".part" + ending, path + ending)
        except Exception as error:
            with open(path + ".failed", "w") as file:
                file.write(f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
