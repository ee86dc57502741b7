"""Writes the fixtures in `inputs/`: models of several inputs, with flexible arrays, optional inputs and states, written by
coremltools 9 from torch. `python Tests/Fixtures/make/inputs.py` needs `pip install coremltools==9.0 torch==2.7.1`.

NAME.jsonl has lines {"inputs": {…}, "outputs": {…}} with torch's outputs; nested lists are arrays. Lines of a stateful model
follow each other.
"""
import json
import os

import coremltools as ct
import numpy as np
import torch
from coremltools.models.datatypes import Array
from coremltools.models.neural_network import NeuralNetworkBuilder, SgdParams


FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "inputs")


class Dense(torch.nn.Module):
    """A row of numbers of any length for each of any number of rows."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.relu(self.layer(x)) - x.mean(dim=-1, keepdim=True)


class Convolved(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(2, 3, 3, padding=1)

    def forward(self, x):
        return torch.sigmoid(self.layer(x)).mean(dim=1)


class Weighted(torch.nn.Module):
    def forward(self, x, weight, offset):
        return x * weight + offset


class Accumulator(torch.nn.Module):
    """A sum, and a moving mean of it, of all that it was given."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))
        self.register_buffer("mean", torch.zeros(2, 3))

    def forward(self, x):
        self.total.add_(x)
        self.mean.mul_(0.5)
        self.mean.add_(0.5 * self.total)
        return self.total + 2 * self.mean


def numbers(*shape, seed):
    # Multiples of 1/8 are exact in 16 bits.
    return np.random.default_rng(seed).integers(-16, 17, shape).astype("f4") / 8


def save(name, model, rows):
    model.save(os.path.join(FOLDER, name))
    lines = [json.dumps({part: {key: value.tolist() for key, value in row[part].items()} for part in ("inputs", "outputs")})
             for row in rows]
    with open(os.path.join(FOLDER, name.split(".")[0] + ".jsonl"), "w") as file:
        file.write("\n".join(lines) + "\n")


def runs_of(module, given):
    rows = []
    for inputs in given:
        with torch.no_grad():
            result = module(*[torch.from_numpy(value) for value in inputs.values()]).numpy()
        rows.append({"inputs": inputs, "outputs": {"y": result}})
    return rows


def converted(module, example, inputs, **options):
    options = dict(dict(compute_precision=ct.precision.FLOAT32), **options)
    traced = torch.jit.trace(module.eval(), example)
    return ct.convert(traced, inputs=inputs, outputs=[ct.TensorType(name="y")], **options)


def flexible():
    torch.manual_seed(1)
    module = Dense()
    shape = ct.Shape((ct.RangeDim(1, 6, 2), ct.RangeDim(1, 9, 5), 4))
    program = dict(convert_to="mlprogram", minimum_deployment_target=ct.target.iOS15)
    shapes = [(2, 5, 4), (1, 1, 4), (6, 9, 4), (3, 2, 4)]
    rows = runs_of(module, [{"x": numbers(*one, seed=index)} for index, one in enumerate(shapes)])
    save("ranges.mlpackage", converted(module, torch.zeros(2, 5, 4), [ct.TensorType("x", shape)], **program), rows)

    module = Convolved()
    shapes = [(1, 2, 6, 8), (1, 2, 4, 4), (1, 2, 5, 9)]
    rows = runs_of(module, [{"x": numbers(*one, seed=index)} for index, one in enumerate(shapes)])
    inputs = [ct.TensorType("x", ct.EnumeratedShapes(shapes, default=shapes[0]))]
    save("enumerated.mlpackage", converted(module, torch.zeros(1, 2, 6, 8), inputs, **program), rows)
    network = dict(convert_to="neuralnetwork", compute_precision=None)
    save("enumerated_network.mlmodel", converted(module, torch.zeros(1, 2, 6, 8), inputs, **network), rows)


def optional():
    module = Weighted()
    x, weight, offset = numbers(2, 3, seed=1), numbers(2, 3, seed=2), numbers(2, 3, seed=3)
    inputs = [ct.TensorType("x", (2, 3)), ct.TensorType("weight", (2, 3), default_value=np.full((2, 3), 1.5, "f4")),
              ct.TensorType("offset", (2, 3), default_value=np.zeros((2, 3), "f4"))]
    zeros = torch.zeros(2, 3)
    model = converted(module, (zeros, zeros, zeros), inputs, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16)
    rows = runs_of(module, [{"x": x, "weight": weight, "offset": offset}])
    for given in ({"x": x}, {"x": x, "weight": weight}, {"x": x, "offset": offset}):
        all_inputs = dict({"x": x, "weight": np.full((2, 3), 1.5, "f4"), "offset": np.zeros((2, 3), "f4")}, **given)
        rows.append({"inputs": given, "outputs": runs_of(module, [all_inputs])[0]["outputs"]})
    save("optional.mlpackage", model, rows)


def updatable():
    """A network that Core ML can train on a device, with losses and an optimizer, which must survive new metadata."""
    builder = NeuralNetworkBuilder([("x", Array(2))], [("y", Array(2))])
    builder.add_inner_product("dense", np.eye(2), np.zeros(2), 2, 2, True, "x", "scores")
    builder.add_softmax("softmax", "scores", "y")
    builder.make_updatable(["dense"])
    builder.set_categorical_cross_entropy_loss("loss", "y")
    builder.set_sgd_optimizer(SgdParams(lr=0.01, batch=4))
    builder.set_epochs(3)
    ct.models.utils.save_spec(builder.spec, os.path.join(FOLDER, "updatable.mlmodel"))


def stateful():
    module = Accumulator()
    given = [{"x": numbers(2, 3, seed=index)} for index in range(4)]
    traced = torch.jit.trace(module.eval(), torch.zeros(2, 3))
    states = [ct.StateType(wrapped_type=ct.TensorType(shape=(2, 3), dtype=np.float16), name=name) for name in ("total", "mean")]
    model = ct.convert(traced, inputs=[ct.TensorType("x", (2, 3))], outputs=[ct.TensorType(name="y")], states=states,
                       minimum_deployment_target=ct.target.iOS18)
    fresh = Accumulator()
    save("stateful.mlpackage", model, runs_of(fresh, given))


if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    flexible()
    optional()
    stateful()
    updatable()
