"""ML Programs of one operation each, written by coremltools, with outputs computed by NumPy: `programs/CASE.mlmodel`.

`CASE.inputI.npy` and `CASE.outputI.npy` are its inputs and outputs in order, in the shapes of the program.
`programs/refuse/CASE.mlmodel` are programs that must be refused. Needs coremltools only, not TensorFlow:

    python Tests/Fixtures/make/programs.py
"""
import os
import shutil
import zlib

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.backend.mil import load
from coremltools.converters.mil.mil import types

FIXTURES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(FIXTURES, "programs")
TYPES = {"float32": types.fp32, "int32": types.int32, "bool": types.bool}
OPSETS = {15: ct.target.iOS15, 16: ct.target.iOS16, 17: ct.target.iOS17, 18: ct.target.iOS18}

# All constants are in the program itself, so that a case is one file.
load.should_use_weight_file = lambda value, version: False


class Cases:
    """Writes cases and collects the rows of their index."""

    def __init__(self):
        self.rows = []
        self.refused = []

    def program(self, path, opset, inputs, build, change=None):
        """The file of a program with these inputs. `change` edits the operations of its block."""
        specs = [mb.TensorSpec(shape=x.shape, dtype=TYPES[str(x.dtype)]) for x in inputs]
        names = ["abcdefgh"[i] for i in range(len(inputs))]
        # The function's parameters name the inputs.
        parameters = ", ".join(names)
        function = eval(f"lambda {parameters}: build({parameters})", {"build": build})
        program = mb.program(input_specs=specs, opset_version=OPSETS[opset])(function)
        model = ct.convert(
            program, convert_to="mlprogram", minimum_deployment_target=OPSETS[opset],
            compute_precision=ct.precision.FLOAT32, pass_pipeline=ct.PassPipeline.EMPTY)
        spec = model.get_spec()
        spec.description.metadata.ClearField("userDefined")
        if change:
            [block] = spec.mlProgram.functions["main"].block_specializations.values()
            change(block.operations)
        full = os.path.join(FOLDER, path + ".mlmodel")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(spec.SerializeToString(deterministic=True))
        return spec

    def add(self, name, inputs, build, expected, opset=15, tolerance="1e-5", change=None):
        """`build` returns the program's outputs. `expected` are their values, or a function of the inputs."""
        spec = self.program(name, opset, inputs, build, change)
        expected = expected(*inputs) if callable(expected) else expected
        expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
        if len(expected) != len(spec.description.output):
            raise ValueError(f"{name}: {len(spec.description.output)} outputs")
        for role, arrays in (("input", inputs), ("output", expected)):
            for index, array in enumerate(arrays):
                array = np.asarray(array, "<f4", order="C")
                if not np.isfinite(array).all():
                    raise ValueError(name + ": a value is not finite")
                np.save(os.path.join(FOLDER, f"{name}.{role}{index}.npy"), array)
        self.rows.append((name, str(len(inputs)), str(len(expected)), str(opset), tolerance))

    def refuse(self, name, inputs, build, words, opset=15, change=None):
        """A program that must be refused; the message must contain the words."""
        self.program("refuse/" + name, opset, inputs, build, change)
        self.refused.append((name + ".mlmodel", words))


def normal(name, *shape, scale=1.0):
    """Normally distributed values from a generator seeded with a name."""
    return np.random.default_rng(zlib.crc32(name.encode())).normal(0, scale, shape).astype("f4")


def save_table(path, header, rows):
    text = "".join("\t".join(row) + "\n" for row in [header] + sorted(rows))
    os.makedirs(os.path.dirname(os.path.join(FOLDER, path)), exist_ok=True)
    with open(os.path.join(FOLDER, path), "w") as file:
        file.write(text)


def write():
    import programs_boxes
    import programs_products
    import programs_quantized
    import programs_selections
    import programs_shapes
    import programs_windows

    shutil.rmtree(FOLDER, ignore_errors=True)
    cases = Cases()
    for module in (programs_boxes, programs_products, programs_quantized, programs_selections, programs_shapes, programs_windows):
        module.add(cases)
    save_table("programs.tsv", ("program", "inputs", "outputs", "opset", "tolerance"), cases.rows)
    save_table("refuse/refuse.tsv", ("file", "words"), cases.refused)


if __name__ == "__main__":
    # The modules of cases import this one by its name.
    import programs

    programs.write()
