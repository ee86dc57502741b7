"""Writes the fixtures in `sequences/`: recurrent layers, branches and loops, and packages of several functions, written by
coremltools.

    pip install coremltools==9.0 torch==2.7.1
    python Tests/Fixtures/make/sequences.py

`NAME.mlmodel` or `NAME.mlpackage` goes with `NAME.jsonl`: a line for each run, with inputs and outputs as nested lists.
`sequences.tsv` has the file, the function, and what the model is. The outputs are torch's, or those of the formulas in
NumPy in `sequence_formulas.py` if torch has no such layer.
"""
import json
import os
import shutil
import warnings
import zlib

import coremltools as ct
import numpy as np
import torch
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil import mil
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

import sequence_formulas as formulas

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sequences")
STEPS, BATCH, WIDTH, UNITS = 5, 2, 3, 4
rows = []
warnings.filterwarnings("ignore")


class Draw:
    """Float32 arrays from a generator seeded with a fixture's name."""

    def __init__(self, name):
        self.generator = np.random.default_rng(zlib.crc32(("sequences/" + name).encode()))

    def __call__(self, *shape, scale=0.6):
        return self.generator.normal(0, scale, shape).astype("f4")


def lists(value):
    """Nested lists of the shortest decimals that are these float32 values."""
    value = np.asarray(value)
    if value.ndim:
        return [lists(part) for part in value]
    return int(value) if value.dtype.kind in "iub" else float(str(np.float32(value)))


def save(name, model, runs, what, function="-"):
    """`runs`: pairs of inputs and outputs, by name."""
    outputs = [np.concatenate([np.ravel(value) for value in run[1].values()]) for run in runs]
    if not all(np.isfinite(output).all() for output in outputs):
        raise ValueError(name + ": an output is not finite")
    if len(runs) > 1 and np.abs(outputs[0] - outputs[1]).max() < 1e-3:
        raise ValueError(name + ": the output does not depend on the input")
    if model is not None:
        spec = model.get_spec() if hasattr(model, "get_spec") else model
        extension = ".mlpackage" if spec.WhichOneof("Type") == "mlProgram" else ".mlmodel"
        path = os.path.join(FOLDER, name + extension)
        if extension == ".mlpackage":
            model.save(path)
            tidy(path)
        else:
            with open(path, "wb") as file:
                file.write(spec.SerializeToString(deterministic=True))
        rows.append((name, name + extension, function, what))
    with open(os.path.join(FOLDER, name + ".jsonl"), "w") as file:
        for inputs, results in runs:
            line = {"inputs": {key: lists(value) for key, value in inputs.items()},
                    "outputs": {key: lists(value) for key, value in results.items()}}
            file.write(json.dumps(line) + "\n")


def tidy(package):
    """Gives the items of a package fixed identifiers, so that the same model has the same bytes."""
    manifest = os.path.join(package, "Manifest.json")
    with open(manifest) as file:
        content = json.load(file)
    names = {key: f"00000000-0000-0000-0000-{index:012}" for index, key in
             enumerate(sorted(content["itemInfoEntries"], key=lambda key: content["itemInfoEntries"][key]["path"]))}
    content["itemInfoEntries"] = {names[key]: value for key, value in content["itemInfoEntries"].items()}
    content["rootModelIdentifier"] = names[content["rootModelIdentifier"]]
    with open(manifest, "w") as file:
        json.dump(content, file, indent=4, sort_keys=True)


def program(build, inputs, target=ct.target.iOS15, optimized=True):
    """A program of float32 with the inputs that `inputs` has the shapes of, and the outputs that `build` names."""
    specs = [mb.TensorSpec(shape=shape, dtype=mil.types.fp32) for shape in inputs.values()]
    parameters = ", ".join(inputs)
    function = eval(f"lambda {parameters}: build({parameters})", {"build": build})
    made = mb.program(input_specs=specs, opset_version=target)(function)
    options = {} if optimized else {"pass_pipeline": ct.PassPipeline.EMPTY}
    return ct.convert(made, source="milinternal", convert_to="mlprogram", minimum_deployment_target=target,
                      compute_precision=ct.precision.FLOAT32, compute_units=ct.ComputeUnit.CPU_ONLY, **options)


def named(results, names):
    """Gives values the names of outputs."""
    return tuple(mb.identity(x=value, name=name) for value, name in zip(results, names))


# Recurrent operations of programs

def recurrent_programs():
    """One program for each case; the outputs are the formulas'."""
    directions = ("forward", "reverse")
    cases = [
        ("lstm", dict(gates=4), "lstm", {}),
        ("lstm_reverse", dict(gates=4), "lstm", dict(direction="reverse")),
        ("lstm_last", dict(gates=4), "lstm", dict(output_sequence=False, direction="reverse")),
        ("lstm_bidirectional", dict(gates=4, back=True), "lstm", dict(direction="bidirectional")),
        ("lstm_bidirectional_last", dict(gates=4, back=True, peephole=True), "lstm",
         dict(direction="bidirectional", output_sequence=False)),
        ("lstm_peephole", dict(gates=4, peephole=True), "lstm", {}),
        ("lstm_clip", dict(gates=4), "lstm", dict(clip=np.float32(0.25))),
        ("lstm_activations", dict(gates=4), "lstm",
         dict(recurrent_activation="hard_sigmoid", cell_activation="relu", activation="linear")),
        ("lstm_without_bias", dict(gates=4, bias=False), "lstm", dict(activation="sigmoid")),
        ("gru", dict(gates=3), "gru", {}),
        ("gru_reverse", dict(gates=3), "gru", dict(direction="reverse", recurrent_activation="hard_sigmoid")),
        ("gru_last", dict(gates=3, bias=False), "gru", dict(output_sequence=False, activation="relu")),
        ("gru_reset_after", dict(gates=3, input_bias=True), "gru", dict(reset_after=True)),
        ("gru_input_bias", dict(gates=3, input_bias=True), "gru", dict(direction="reverse")),
        ("rnn", dict(gates=1), "rnn", {}),
        ("rnn_reverse", dict(gates=1), "rnn", dict(direction="reverse", activation="relu")),
        ("rnn_last", dict(gates=1), "rnn", dict(output_sequence=False, activation="sigmoid")),
    ]
    for name, parts, kind, options in cases:
        draw = Draw(name)
        weights = cell_weights(draw, **parts)
        options = {"output_sequence": True, **options}
        states = ["h", "c"] if kind == "lstm" else ["h"]
        columns = UNITS * (2 if parts.get("back") else 1)
        shapes = {"x": (STEPS, BATCH, WIDTH), **{state: (BATCH, columns) for state in states}}
        outputs = ["y"] + [state + "_final" for state in states]

        def build(*values):
            initial = {"initial_" + state: value for state, value in zip(states, values[1:])}
            return named(getattr(mb, kind)(x=values[0], **initial, **weights, **options), outputs)

        target = ct.target.iOS18 if parts.get("input_bias") else ct.target.iOS15
        runs = []
        for _ in range(2):
            inputs = {key: draw(*shape, scale=1) for key, shape in shapes.items()}
            results = formulas.recurrent(kind, inputs, weights, options)
            runs.append((inputs, dict(zip(outputs, results))))
        save(name, program(build, shapes, target), runs, f"mb.{kind}({described(options)})")


def described(options):
    return ", ".join(f"{key}={value}" for key, value in options.items())


def cell_weights(draw, gates, back=False, bias=True, peephole=False, input_bias=False):
    weights = {}
    for suffix in ("", "_back") if back else ("",):
        weights["weight_ih" + suffix] = draw(gates * UNITS, WIDTH)
        weights["weight_hh" + suffix] = draw(gates * UNITS, UNITS)
        if bias:
            weights["bias" + suffix] = draw(gates * UNITS)
        if peephole:
            weights["peephole" + suffix] = draw(3 * UNITS)
        if input_bias:
            weights["input_bias" + suffix] = draw(gates * UNITS)
    return weights


# torch

def from_torch(name, module, what, *shapes, dialects=("mlprogram", "neuralnetwork"), **options):
    draw = Draw(name)
    torch.manual_seed(zlib.crc32(name.encode()))
    module = module().eval()
    examples = [torch.from_numpy(draw(*shape)) for shape in shapes]
    traced = torch.jit.trace(module, examples)
    runs = []
    for _ in range(2):
        values = [draw(*shape, scale=1) for shape in shapes]
        with torch.no_grad():
            results = traced(*[torch.from_numpy(value) for value in values])
        results = results if isinstance(results, tuple) else (results,)
        inputs = {f"x{index}": value for index, value in enumerate(values)}
        runs.append((inputs, {f"y{index}": result.numpy() for index, result in enumerate(results)}))
    for dialect in dialects:
        exact = {"compute_precision": ct.precision.FLOAT32} if dialect == "mlprogram" else {}
        model = ct.convert(
            traced, convert_to=dialect, inputs=[ct.TensorType(f"x{index}", shape) for index, shape in enumerate(shapes)],
            outputs=[ct.TensorType(f"y{index}") for index in range(len(runs[0][1]))], **exact, **options)
        save(f"{name}_{dialect}", model, runs, what)


class Layered(torch.nn.Module):
    """Layers of a recurrent network, and a dense layer on the last states."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers
        self.dense = torch.nn.Linear(UNITS * (2 if layers.bidirectional else 1), 3)

    def forward(self, x):
        y, _ = self.layers(x)
        return y, self.dense(y[-1])


def from_torch_all():
    shape = (STEPS, 1, WIDTH)
    from_torch("torch_lstm", lambda: Layered(torch.nn.LSTM(WIDTH, UNITS, 2)), "torch.nn.LSTM, two layers", shape)
    from_torch("torch_lstm_bidirectional", lambda: Layered(torch.nn.LSTM(WIDTH, UNITS, 2, bidirectional=True)),
               "torch.nn.LSTM, two bidirectional layers", shape)
    from_torch("torch_rnn", lambda: Layered(torch.nn.RNN(WIDTH, UNITS, nonlinearity="relu")), "torch.nn.RNN", shape)


# Neural networks

def network(name, add, shapes, outputs, exact=True):
    builder = NeuralNetworkBuilder(
        [(key, datatypes.Array(*shape)) for key, shape in shapes.items()], [(key, None) for key in outputs],
        disable_rank5_shape_mapping=exact)
    add(builder)
    return ct.models.MLModel(builder.spec, skip_model_load=True)


def recurrent_networks():
    gates = {"lstm": 4, "gru": 3, "rnn": 1}
    for name, kind, options in (
            ("network_lstm", "lstm", dict(reverse_input=True, peep=True)),
            ("network_lstm_coupled", "lstm", dict(coupled_input_forget_gate=True, forget_bias=True)),
            ("network_lstm_forget_bias", "lstm", dict(forget_bias=True, cell_clip_threshold=0.25, stateless=True)),
            ("network_lstm_one_step", "lstm", dict(inner_activation="SIGMOID_HARD", older=True)),
            ("network_bidirectional", "lstm", dict(back=True)),
            ("network_bidirectional_last", "lstm", dict(back=True, output_all=False, peep=True, stateless=True)),
            ("network_gru", "gru", dict(inner_activation="SIGMOID_HARD")),
            ("network_gru_reverse", "gru", dict(reverse_input=True, output_all=False, activation="RELU")),
            ("network_simple", "rnn", dict(activation="TANH")),
            ("network_simple_clip", "rnn", dict(activation="LINEAR", reverse_input=True, output_all=False, scale=40.0)),
    ):
        draw = Draw(name)
        options = dict(output_all=True) | options
        stateless, older, scale = (options.pop(key, default) for key, default in
                                   (("stateless", False), ("older", False), ("scale", 0.6)))
        back, peep = options.pop("back", False), options.pop("peep", False)
        weights = cell_weights(draw, gates[kind], back=back, peephole=peep)
        weights = {key: value * np.float32(scale / 0.6) for key, value in weights.items()}
        states = (["h", "c"] if kind == "lstm" else ["h"]) * (2 if back else 1)
        states = [state + ("_back" if index >= 2 else "") for index, state in enumerate(states)]
        steps, batch = (1, 1) if older else (STEPS, BATCH)
        shapes = {"x": (WIDTH,) if older else (steps, batch, WIDTH, 1, 1)}
        if not stateless:
            shapes |= {state: (UNITS,) if older else (1, batch, UNITS, 1, 1) for state in states}
        outputs = ["y"] + [state + "_final" for state in states]

        def add(builder):
            common = dict(name="layer", hidden_size=UNITS, input_size=WIDTH, input_names=list(shapes),
                          output_names=outputs, **options)
            parts = {key: np.split(value, 3 if "peephole" in key else gates[kind]) for key, value in weights.items()}
            if kind == "rnn":
                builder.add_simple_rnn(W_h=weights["weight_hh"], W_x=weights["weight_ih"], b=weights["bias"], **common)
            elif kind == "gru":
                order = {key: [value[2], value[0], value[1]] for key, value in parts.items()}
                builder.add_gru(W_h=order["weight_hh"], W_x=order["weight_ih"], b=order["bias"], **common)
            elif back:
                builder.add_bidirlstm(
                    W_h=parts["weight_hh"], W_x=parts["weight_ih"], b=parts["bias"], W_h_back=parts["weight_hh_back"],
                    W_x_back=parts["weight_ih_back"], b_back=parts["bias_back"], peep=parts.get("peephole"),
                    peep_back=parts.get("peephole_back"), **common)
            else:
                builder.add_unilstm(W_h=parts["weight_hh"], W_x=parts["weight_ih"], b=parts["bias"],
                                    peep=parts.get("peephole"), **common)

        model = network(name, add, shapes, outputs, exact=not older)
        runs = []
        for _ in range(2):
            inputs = {key: draw(*shape, scale=1) for key, shape in shapes.items()}
            results = formulas.network(kind, inputs, weights, options, UNITS, back)
            if older:
                results = [result.reshape(-1) for result in results]
            runs.append((inputs, dict(zip(outputs, results))))
        save(name, model, runs, f"{kind}, {described(options)}" + (", rank-5 mapping" if older else ""))


# Branches and loops

def control():
    draw = Draw("control")

    def scalar(x):
        return mb.reduce_sum(x=x, axes=[0, 1], keep_dims=False)

    def branch(x):
        weight = draw(2, 3)
        above = mb.greater(x=scalar(x), y=np.float32(0))
        outside = mb.mul(x=x, y=np.float32(3))
        results = mb.cond(pred=above, _true_fn=lambda: mb.linear(x=outside, weight=weight),
                          _false_fn=lambda: mb.slice_by_size(x=x, begin=[0, 0], size=[2, 2]))
        branch.weight = weight
        return named([results], ["y"])

    values = [draw(2, 3, scale=1) + shift for shift in (1, -1)]
    model = program(branch, {"x": (2, 3)}, optimized=False)
    runs = [({"x": x}, {"y": 3 * x @ branch.weight.T if x.sum() > 0 else x[:, :2]}) for x in values]
    assert values[0].sum() > 0 > values[1].sum()
    save("branch", model, runs, "mb.cond on a value of the input; one branch uses a value outside")

    def constant_branch(x):
        results = mb.cond(pred=mb.const(val=False), _true_fn=lambda: mb.sin(x=x), _false_fn=lambda: mb.exp(x=x))
        return named([results], ["y"])

    runs = [({"x": x}, {"y": np.exp(x)}) for x in values]
    save("branch_constant", program(constant_branch, {"x": (2, 3)}, optimized=False), runs, "mb.cond on a constant")

    def counted(rounds):
        def build(x):
            def body(i, y):
                return mb.add(x=i, y=np.int32(1)), mb.tanh(x=mb.add(x=mb.mul(x=y, y=np.float32(1.5)), y=x))

            _, y = mb.while_loop(_cond=lambda i, y: mb.less(x=i, y=np.int32(rounds)), _body=body,
                                 loop_vars=(np.int32(0), mb.mul(x=x, y=np.float32(0))))
            return named([y], ["y"])
        return build

    def counted_output(x, rounds):
        y = x * 0
        for _ in range(rounds):
            y = np.tanh(1.5 * y + x)
        return y

    for name, rounds, what in (("loop_unrolled", 4, "mb.while_loop of 4 rounds"),
                               ("loop_counted", 300, "mb.while_loop of 300 rounds"),
                               ("loop_never", 0, "mb.while_loop of no rounds")):
        runs = [({"x": x}, {"y": counted_output(x, rounds) if rounds else x * 0}) for x in values]
        if rounds == 0:
            runs = runs[:1]
        save(name, program(counted(rounds), {"x": (2, 3)}, optimized=False), runs, what)

    def until(x):
        """Doubles until the sum of squares exceeds 100; in every round, a branch adds 1 if the first value is negative."""
        def body(rounds, y):
            negative = mb.less(x=mb.squeeze(x=mb.slice_by_size(x=y, begin=[0, 0], size=[1, 1]), axes=[0, 1]), y=np.float32(0))
            y = mb.cond(pred=negative, _true_fn=lambda: mb.add(x=mb.mul(x=y, y=np.float32(2)), y=np.float32(1)),
                        _false_fn=lambda: mb.mul(x=y, y=np.float32(2)))
            return mb.add(x=rounds, y=np.float32(1)), y

        rounds, y = mb.while_loop(
            _cond=lambda rounds, y: mb.less(x=scalar(mb.mul(x=y, y=y)), y=np.float32(100)), _body=body,
            loop_vars=(mb.mul(x=scalar(x), y=np.float32(0)), x))
        return named([rounds, y], ["rounds", "y"])

    runs = []
    for x in (values[0] * np.float32(0.1), values[1], values[1] * np.float32(100)):
        y, rounds = x, 0
        while (y * y).sum() < 100:
            y, rounds = 2 * y + (1 if y[0, 0] < 0 else 0), rounds + 1
        runs.append(({"x": x}, {"rounds": np.float32(rounds), "y": y}))
    assert len({float(run[1]["rounds"]) for run in runs}) == 3 and runs[2][1]["rounds"] == 0
    save("loop_until", program(until, {"x": (2, 3)}, optimized=False), runs,
         "mb.while_loop as long as a computed value is below a limit, with a branch inside")


# Functions

def functions():
    """A package of two functions, made of two programs that share a layer."""
    draw = Draw("functions")
    weight = draw(3, 3)
    inputs = [draw(2, 3, scale=1) for _ in range(2)]

    def scaled(factor, output):
        return lambda x: named([mb.mul(x=mb.linear(x=x, weight=weight), y=np.float32(factor))], [output])

    descriptor = ct.utils.MultiFunctionDescriptor()
    for name, factor, output in (("double", 2, "doubled"), ("negate", -1, "negated")):
        path = os.path.join(FOLDER, name + ".mlpackage")
        program(scaled(factor, output), {"x": (2, 3)}, ct.target.iOS18).save(path)
        descriptor.add_function(path, "main", name)
    descriptor.default_function_name = "negate"
    package = os.path.join(FOLDER, "functions.mlpackage")
    ct.utils.save_multifunction(descriptor, package)
    tidy(package)
    for name, factor, output in (("double", 2, "doubled"), ("negate", -1, "negated")):
        shutil.rmtree(os.path.join(FOLDER, name + ".mlpackage"))
        runs = [({"x": x}, {output: factor * x @ weight.T}) for x in inputs]
        save(f"functions_{name}", None, runs, "")
        rows.append((f"functions_{name}", "functions.mlpackage", name, f"the function {name} of two"))
    save("functions_default", None, runs, "")
    rows.append(("functions_default", "functions.mlpackage", "-", "the same package, and its default function"))


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for write in (recurrent_programs, from_torch_all, recurrent_networks, control, functions):
        write()
    with open(os.path.join(FOLDER, "sequences.tsv"), "w") as file:
        for row in [("name", "file", "function", "what")] + sorted(rows):
            file.write("\t".join(row) + "\n")


if __name__ == "__main__":
    main()
