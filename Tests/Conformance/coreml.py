"""Checks Core ML files with independent interpreters, and with coremltools' conversion of the same graph.

For each graph, in both dialects and both precisions:
- Thaw's file passes `validate.py`, and `evaluate.py` gives TensorFlow's output for it: within 1e-4 of the larger of 1 and
  the output's range in float32; in float16 within 2e-2 of that, or 1.2 times the error of coremltools' own conversion, since
  random weights magnify rounding. The top label is the same, unless TensorFlow's two highest values are closer together
  than twice as much;
- Thaw's own engine agrees with `evaluate.py` on that file, and on coremltools' files, also compressed ones, within 1e-4;
- its file size and its number of layers are at most 1% above coremltools'.

The reference interpreters are in ../shared/judges (or THAW_SHARED).
"""
import contextlib
import json
import os
import subprocess
import sys

from converted import FORMS, NEURAL, PLAIN

HERE = os.path.dirname(os.path.abspath(__file__))
EXACT, SHORT = 1e-4, 2e-2
MORE_THAN_PEERS = 1.2
LARGER = 1.01
INPUTS = 2
# The limit depends on coremltools' largest error over random inputs, for which two inputs are too few.
PEER_INPUTS = 8
OPEN_SIZE = 48
COLUMNS = ("graph", "form", "validate", "written: error", "coremltools: error", "engine on written", "engine on coremltools",
           "bytes", "of coremltools'", "layers", "of coremltools'", "")


class Wrong(Exception):
    pass


class Network:
    """A graph with inputs and TensorFlow's outputs. `inputs` are after preprocessing: height, width, channel."""

    def __init__(self, name, graph, feed, fetch, inputs, expected, color, scale, bias, options, exact=None):
        self.name, self.graph, self.feed, self.fetch = name, graph, feed, fetch
        self.inputs, self.expected = inputs, expected.reshape(len(expected), -1)
        self.color, self.scale, self.bias, self.options = color, scale, bias, options
        self.exact = exact  # returns TensorFlow's outputs in float64

    def pixels(self, x):
        """The image that becomes `x` by preprocessing: channel, height, width."""
        import numpy as np
        return ((x - np.array(self.bias, "f4")) / np.float32(self.scale)).transpose(2, 0, 1)

    def seen(self, x):
        """The image after preprocessing, rounded as in all implementations, so that no value is rounded to another float16."""
        import numpy as np
        return (self.pixels(x) * np.float32(self.scale)).transpose(1, 2, 0) + np.array(self.bias, "f4")


def generated(name, graph, inputs, expected, kind, exact):
    """A network of networks.py."""
    import tensorflow as tf
    definition = tf.compat.v1.GraphDef()
    with open(graph, "rb") as file:
        definition.ParseFromString(file.read())
    read = {word.split(":")[0].lstrip("^") for node in definition.node for word in node.input}
    fetch = [node.name for node in definition.node
             if node.name not in read and node.op not in ("NoOp", "Const", "Placeholder")][-1]
    scale, bias, family = (1.0, [0.0] * 3, "none") if kind == "pixels" else (1 / 127.5, [-1.0] * 3, "inception")
    size = f"{inputs.shape[2]}x{inputs.shape[1]}"
    return Network(name, graph, "input", fetch, list(inputs[:PEER_INPUTS]), expected[:PEER_INPUTS], "rgb", scale, bias,
                   ["--preprocess", family, "--size", size], exact)


def shared_models(shared):
    with open(os.path.join(shared, "models", "models.json")) as file:
        return json.load(file)


def rank(tf, graph, name):
    """The number of axes of a placeholder; None if it is unknown."""
    definition = tf.compat.v1.GraphDef()
    with open(graph, "rb") as file:
        definition.ParseFromString(file.read())
    shape = next(node for node in definition.node if node.name == name).attr["shape"].shape
    return None if shape.unknown_rank else len(shape.dim)


def shared_graphs(shared, names):
    """The real graphs with these names. If no output is stored, `tf_ref.py` computes it, for smooth random images."""
    import numpy as np
    for model in shared_models(shared):
        if model["name"] not in names:
            continue
        graph = os.path.join(shared, model["graph"])
        width, height = model["width"] or OPEN_SIZE, model["height"] or OPEN_SIZE
        if model["references"]:
            inputs, expected = (
                [np.load(os.path.join(shared, pair[place])) for pair in model["references"]] for place in (0, 1))
        else:
            import tensorflow as tf
            import tf_ref
            coarse = np.random.default_rng(1).uniform(0, 255, (INPUTS, 8, 8, 1 if model["colour"] == "gray" else 3))
            pixels = np.clip(tf.image.resize(coarse, (height, width), "bicubic").numpy(), 0, 255)
            inputs = list((pixels * model["scale"] + model["bias"]).astype("f4"))
            batched = rank(tf, graph, model["input"]) != 3
            expected = [tf_ref.run(graph, x[None] if batched else x, model["input"], model["output"]) for x in inputs]
        channels = 1 if model["colour"] == "gray" else 3
        yield Network(model["name"], graph, model["input"], model["output"],
                      [x.reshape(height, width, channels) for x in inputs], np.array(expected), model["colour"], model["scale"],
                      model["bias"], ["--size", f"{width}x{height}", "--color", model["colour"], "--scale", model["scale"],
                                      "--bias", ",".join(map(str, model["bias"]))])


class CoreML:
    def __init__(self, thaw, folder, interpreters):
        sys.path.append(interpreters)
        import torch
        torch.set_num_threads(1)
        self.thaw, self.folder, self.interpreters = thaw, folder, interpreters
        self.failures = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *words):
        outcome = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if outcome.returncode != 0:
            lines = (outcome.stdout + outcome.stderr).strip().splitlines()
            raise Wrong(f"{os.path.basename(words[0] if words[0] == self.thaw else words[1])}: {lines[-1] if lines else ''}")
        return outcome.stdout

    # MARK: outputs

    def evaluated(self, model, network, exact, count=INPUTS):
        """The interpreter's outputs for this many inputs; `exact` omits the rounding to float16."""
        import numpy as np
        import cmcommon
        import evaluate
        spec, _, _ = cmcommon.load(model)
        feature = spec.description.input[0].type
        is_image = self.is_image(spec)
        rows = []
        for x in network.inputs[:count]:
            if feature.WhichOneof("Type") == "imageType":
                x = network.pixels(x)[None]
            else:
                x = x.reshape([int(size) for size in feature.multiArrayType.shape])
            _, out, mismatches = evaluate.run(model, np.ascontiguousarray(x, "f4"), exact)
            if mismatches:
                raise Wrong(f"evaluate.py: {mismatches[0]}")
            output = next(value for value in out.values() if isinstance(value, np.ndarray))
            if is_image:
                output = output.reshape(output.shape[-3:]).transpose(1, 2, 0)
            rows.append(output.reshape(-1))
        return np.array(rows)

    @staticmethod
    def is_image(spec):
        """Whether the output is an image: channels first, with values between 0 and 255."""
        return spec.description.output[0].type.WhichOneof("Type") == "imageType"

    def wanted(self, model, expected):
        """TensorFlow's outputs in the form of the model's output."""
        import cmcommon
        import numpy as np
        spec, _, _ = cmcommon.load(model)
        return np.clip(expected, 0, 255) if self.is_image(spec) else expected

    @staticmethod
    def behind_scaling(model, x, network):
        """The value after the first arithmetic on the image in a program by coremltools.

        In such a program, preprocessing cannot be distinguished from the network's own arithmetic. Thaw treats all of it as the
        former, and `run` takes the value after it.
        """
        import numpy as np
        import cmcommon
        spec, root, _ = cmcommon.load(model)
        if spec.WhichOneof("Type") != "mlProgram" or spec.description.input[0].type.WhichOneof("Type") != "imageType":
            return network.seen(x)
        values, constants = cmcommon.Values(root), {}
        functions = {"mul": np.multiply, "add": np.add, "sub": np.subtract, "real_div": np.divide}
        name = spec.description.input[0].name
        y = network.pixels(x)[None]
        function = spec.mlProgram.functions["main"]
        for operation in function.block_specializations[function.opset].operations:
            if operation.type == "const":
                constants[operation.outputs[0].name] = values.get(operation.attributes["val"])
                continue
            given = {key: argument.arguments[0] for key, argument in operation.inputs.items() if argument.arguments}
            if all(argument.name != name for argument in given.values()):
                continue
            if operation.type == "batch_norm":
                mean, variance, gamma, beta = (
                    constants.get(given[key].name) if given[key].name else values.get(given[key].value)
                    for key in ("mean", "variance", "gamma", "beta"))
                epsilon = given["epsilon"]
                epsilon = constants.get(epsilon.name) if epsilon.name else values.get(epsilon.value)
                shape = (1, -1, 1, 1)
                factor = gamma / np.sqrt(variance + epsilon)
                y = y * factor.reshape(shape) + (beta - mean * factor).reshape(shape)
                name = operation.outputs[0].name
                continue
            if operation.type not in functions or given["x"].name != name:
                break
            other = given["y"]
            y = functions[operation.type](y, constants.get(other.name) if other.name else values.get(other.value))
            name = operation.outputs[0].name
        return np.asarray(y[0].transpose(1, 2, 0), "f4")

    def computed(self, model, network, scaled=True):
        """Thaw's outputs; without `scaled`, it must detect the preprocessing itself."""
        import numpy as np
        fed, output = self.path(f"fed.{os.getpid()}.npy"), self.path(f"output.{os.getpid()}.npy")
        rows = []
        try:
            for x in network.inputs[:INPUTS]:
                np.save(fed, (network.seen(x) if scaled else self.behind_scaling(model, x, network))[None])
                self.run(self.thaw, "run", model, fed, "-o", output)
                rows.append(np.load(output).reshape(-1))
        finally:
            for path in (fed, output):
                if os.path.exists(path):
                    os.remove(path)
        return np.array(rows)

    @staticmethod
    def error(actual, expected):
        """The largest difference relative to the larger of 1 and the output's range."""
        import numpy as np
        if actual.shape != expected.shape:
            raise Wrong(f"an output of shape {actual.shape}, not {expected.shape}")
        return float((np.abs(actual - expected).max(1) / np.maximum(1, np.ptp(expected, 1))).max())

    @staticmethod
    def same_label(actual, expected, limit):
        import numpy as np
        if expected.shape[1] < 2:
            return True
        top = np.sort(expected, 1)
        close = top[:, -1] - top[:, -2] <= 2 * limit * np.maximum(1, np.ptp(expected, 1))
        return bool(((actual.argmax(1) == expected.argmax(1)) | close).all())

    # MARK: files

    @staticmethod
    def size(path):
        if os.path.isfile(path):
            return os.path.getsize(path)
        return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(path) for name in names)

    @staticmethod
    def kinds(path):
        """The kinds of a model's layers or operations, without constants."""
        import cmcommon
        spec, _, _ = cmcommon.load(path)
        if spec.WhichOneof("Type") != "mlProgram":
            return [layer.WhichOneof("layer") for layer in getattr(spec, spec.WhichOneof("Type")).layers]
        function = spec.mlProgram.functions["main"]
        kinds = [operation.type for operation in function.block_specializations[function.opset].operations]
        return [kind for kind in kinds if kind != "const" and not kind.startswith("constexpr_")]

    # MARK: rows

    def make_peers(self, network):
        shape = ",".join(str(n) for n in (1, *network.inputs[0].shape))
        words = [sys.executable, os.path.join(HERE, "converted.py"), network.graph, network.feed, network.fetch, shape,
                 network.color, network.scale, ",".join(map(str, network.bias)), self.path(network.name)]
        subprocess.run([str(word) for word in words], capture_output=True)

    def check(self, network):
        """Prints a row for each form."""
        self.make_peers(network)
        for form, ending in FORMS.items():
            cells = ["-"] * (len(COLUMNS) - 3)
            try:
                peer = self.path(f"{network.name}.{form}{ending}")
                if not os.path.exists(peer):
                    peer = None
                if form in PLAIN:
                    self.check_written(network, form, ending, peer, cells)
                elif peer is None:
                    continue
                self.check_peer(network, peer, cells)
                verdict = "pass"
            except Wrong as wrong:
                verdict = f"FAIL: {wrong}"
                self.failures += 1
            print("| " + " | ".join([network.name, form] + cells + [verdict]) + " |", flush=True)

    def check_written(self, network, form, ending, peer, cells):
        precision = form.split(".")[1]
        model = self.path(f"{network.name}.thaw.{form}{ending}")
        self.run(self.thaw, "convert", network.graph, "-o", model, "--weights", precision, *network.options)
        wrongs = []
        try:
            self.run(sys.executable, os.path.join(self.interpreters, "validate.py"), model)
            cells[0] = "good"
        except Wrong as wrong:
            cells[0] = "bad"
            wrongs.append(str(wrong))
        count = PEER_INPUTS if peer and precision == "float16" else INPUTS
        expected = self.wanted(model, network.expected[:count])
        actual = self.evaluated(model, network, False, count)
        error = self.error(actual, expected)
        cells[1] = f"{error:.1e}"
        limit = EXACT if precision == "float32" else SHORT
        if precision == "float32" and error > limit and network.exact:
            # If rounding errors are larger than that, TensorFlow's own are excluded.
            error = self.error(actual, network.exact().reshape(-1, actual.shape[1])[:count])
            cells[1] += f"; from float64 {error:.1e}"
        if peer:
            peers = self.error(self.evaluated(peer, network, False, count), network.expected[:count])
            cells[2] = f"{peers:.1e}"
            if precision == "float16":
                limit = max(limit, MORE_THAN_PEERS * peers)
        if not error <= limit:
            wrongs.append(f"error {error:.1e} above {limit:.1e}")
        if not self.same_label(actual, expected, limit):
            wrongs.append("another first label")
        # `run` returns the network's own values; the clip of an image output comes after them.
        engine = self.error(
            self.wanted(model, self.computed(model, network)), self.evaluated(model, network, exact=True))
        cells[3] = f"{engine:.1e}"
        if not engine <= EXACT:
            wrongs.append(f"the engine differs by {engine:.1e} from the interpreter")
        kinds = self.kinds(model)
        cells[5], cells[7] = str(self.size(model)), str(len(kinds))
        if peer:
            size, layers = self.size(model) / self.size(peer), len(kinds) / len(self.kinds(peer))
            cells[6], cells[8] = f"{size:.3f}", f"{layers:.3f}"
            if max(size, layers) > LARGER:
                wrongs.append("larger than coremltools'")
        if wrongs:
            if peer:
                try:
                    self.check_peer(network, peer, cells)
                except Wrong as wrong:
                    wrongs.append(str(wrong))
            raise Wrong("; ".join(wrongs))

    @contextlib.contextmanager
    def interpretable(self, model):
        """The model in a form that the interpreters can read: they assume another order for the quantized weights of a neural network's
        deconvolutions, so these are replaced by coremltools' dequantized values."""
        import cmcommon
        spec, _, _ = cmcommon.load(model)
        network = getattr(spec, spec.WhichOneof("Type"))
        quantized = [layer for layer in getattr(network, "layers", []) if layer.convolution.isDeconvolution
                     and layer.convolution.weights.HasField("quantization")]
        if not quantized:
            yield model
            return
        from coremltools.models.neural_network.quantization_utils import _dequantize_wp
        for layer in quantized:
            parameters = layer.convolution
            shape = (parameters.kernelChannels, parameters.outputChannels // parameters.nGroups, *parameters.kernelSize)
            _dequantize_wp(parameters.weights, shape, axis=1)
        path = self.path(f"interpretable.{os.getpid()}{NEURAL}")
        try:
            with open(path, "wb") as file:
                file.write(spec.SerializeToString())
            yield path
        finally:
            os.remove(path)

    def check_peer(self, network, peer, cells):
        if peer is None:
            return
        with self.interpretable(peer) as read:
            evaluated = self.evaluated(read, network, exact=True)
        error = self.error(self.computed(peer, network, scaled=False), evaluated)
        cells[4] = f"{error:.1e}"
        if not error <= EXACT:
            raise Wrong(f"the engine differs by {error:.1e} on coremltools' model")


def heading():
    return "| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS)
