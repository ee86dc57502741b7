#!/usr/bin/env python3
"""Compares networks at full size with TensorFlow's outputs: `make conformance`.

usage: conformance.py [--thaw BINARY] [--folder FOLDER] [--coreml] [NAME ...]

Creates each network with a hundred inputs and TensorFlow's outputs (networks.py), unless it is already in the folder,
and runs `thaw` on the graph and on the converted Core ML model, and the reference implementations on the first input.
An output may differ by 1e-4 of the larger of 1 and its range. The top label must be the same, unless TensorFlow's two
highest values are within 2e-4. If rounding errors are larger than that, exact.py shows their cause: TensorFlow computes
the graph in float64, the output must be within 1e-4 of that, and the table shows both errors. `thaw compare` must find
that graph and model agree on a photo. If the reference interpreters of ../shared/judges (or THAW_SHARED) and their
packages are available, they run the model too. Prints a table; the exit code is 1 if anything fails.

TensorFlow is installed from PyPI into a virtual environment in .build, unless PYTHON names an interpreter that has it.
"""
import argparse
import glob
import os
import subprocess
import sys
import time
import venv

import coreml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
TOLERANCE = 1e-4
CLOSE = 2e-4
# The last three are for the interpreters and their references.
PACKAGES = ["tensorflow-cpu==2.21.0", "tf_keras==2.21.0", "coremltools==9.0", "torch", "scikit-learn"]


def use_tensorflow():
    """Continues in an interpreter that has TensorFlow."""
    python = os.environ.get("PYTHON")
    if not python:
        folder = os.path.join(ROOT, ".build", "tensorflow")
        python = os.path.join(folder, "bin", "python")
        done = os.path.join(folder, "done")
        if not os.path.exists(done):
            venv.create(folder, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
            open(done, "w").close()
    if os.environ.get("THAW_CONFORMANCE") != python:
        os.environ["THAW_CONFORMANCE"] = python
        os.execvp(python, [python, os.path.abspath(sys.argv[0])] + sys.argv[1:])


def run(*words):
    outcome = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    return outcome.returncode, outcome.stdout + outcome.stderr


class Failed(Exception):
    pass


def largest(actual, expected):
    """The largest difference relative to the larger of 1 and the range of the expected values."""
    import numpy as np
    ranges = np.maximum(1, expected.max(1) - expected.min(1))
    return float((np.abs(actual - expected).max(1) / ranges).max())


class Conformance:
    def __init__(self, thaw, folder):
        self.thaw, self.folder = thaw, folder
        self.shared = os.environ.get("THAW_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
        self.interpreters = os.path.join(self.shared, "judges")
        self.has_interpreters = (os.path.isdir(self.interpreters)
                                 and run(sys.executable, "-c", "import coremltools, sklearn, torch")[0] == 0)
        self.photograph = sorted(glob.glob(os.path.join(ROOT, "Tests", "Fixtures", "photographs", "*.jpg")))[0]

    def path(self, name):
        return os.path.join(self.folder, name)

    def shared_graphs(self):
        """The names of the real graphs that come with the reference interpreters."""
        return [model["name"] for model in coreml.shared_models(self.shared)] if self.has_interpreters else []

    def command(self, *words):
        status, text = run(self.thaw, *words)
        if status != 0:
            raise Failed(f"thaw {words[0]} ends with {status}: {text.strip().splitlines()[-1] if text.strip() else ''}")
        return text

    def outputs(self, model, inputs, *options):
        """Thaw's outputs; as many rows as TensorFlow's."""
        import numpy as np
        output = self.path(f"out.{os.getpid()}.npy")
        try:
            self.command("run", model, inputs, "-o", output, *options)
            return np.load(output)
        finally:
            if os.path.exists(output):
                os.remove(output)

    def hold(self, actual, expected, what, name):
        """The largest difference relative to the range, and the number of inputs with the same top label."""
        import numpy as np
        actual = actual.reshape(len(actual), -1)
        expected = expected.reshape(len(expected), -1)[:len(actual)]
        if actual.shape != expected.shape:
            raise Failed(f"{what} gives {actual.shape}, not {expected.shape}")
        worst = largest(actual, expected)
        top = np.sort(expected, 1)
        same = actual.argmax(1) == expected.argmax(1)
        close = top[:, -1] - top[:, -2] <= CLOSE
        text = f"{worst:.1e}, {same.sum()}/{len(same)}" + (f" ({(~same & close).sum()} close)" if not same.all() else "")
        if worst > TOLERANCE:
            exact = self.exact(name).reshape(-1, actual.shape[1])[:len(actual)]
            worst = largest(actual, exact)
            text += f"; from float64 {worst:.1e}, TensorFlow {largest(expected, exact):.1e}"
        if not worst <= TOLERANCE or not (same | close).all():
            raise Failed(f"{what}: {text}")
        return text

    def exact(self, name):
        """TensorFlow's outputs in float64."""
        import numpy as np
        path = self.path(name + "_exact.npy")
        if not os.path.exists(path):
            status, text = run(sys.executable, os.path.join(HERE, "exact.py"), name, self.folder)
            if status != 0:
                raise Failed("it cannot be computed in float64: " + text.strip().splitlines()[-1])
        return np.load(path)

    def make(self, name):
        """Creates a network, unless it exists."""
        if not os.path.exists(self.path(name + "_expected.npy")):
            status, text = run(sys.executable, os.path.join(HERE, "networks.py"), name, self.folder)
            if status != 0:
                raise Failed("it cannot be created: " + text.strip().splitlines()[-1])

    def check(self, name, inputs_path, kind):
        """The cells of a network's row, or `Failed`."""
        import numpy as np
        graph, model = self.path(name + ".pb"), self.path(name + ".mlmodel")
        inputs = np.load(inputs_path, mmap_mode="r")
        expected = np.load(self.path(name + "_expected.npy"))
        size = f"{inputs.shape[2]}x{inputs.shape[1]}"
        start = time.time()
        # Scaling in the graph itself is detected.
        family = "none" if kind == "pixels" else "inception"
        self.command("convert", graph, "-o", model, "--preprocess", family, "--size", size)
        seconds = time.time() - start
        one = self.path(f"one.{os.getpid()}.npy")
        np.save(one, inputs[:1])
        try:
            cells = [self.hold(self.outputs(graph, inputs_path, "--size", size), expected, "the graph", name),
                     self.hold(self.outputs(model, inputs_path), expected, "the model", name),
                     self.hold(self.outputs(graph, one, "--size", size, "--reference"), expected, "the reference",
                               name)]
        finally:
            os.remove(one)
        self.command("compare", graph, model, self.photograph)
        return cells + ["the same", f"{seconds:.1f}"]

    def check_networks(self, names):
        """Prints a row for each network; returns the number of failures."""
        import networks
        print("| network | graph | model | references | compare | conversion, s |\n|---|---|---|---|---|---|", flush=True)
        failures = 0
        for name in names:
            try:
                self.make(name)
                cells = self.check(name, networks.inputs_of(name, self.folder), networks.ALL[name][2])
                print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
            except Failed as failure:
                failures += 1
                print(f"| {name} | FAIL: {failure} | | | | |", flush=True)
        print(f"\n{len(names) - failures} of {len(names)} networks conform\n", flush=True)
        return failures

    def check_files(self, names, shared):
        """Checks the Core ML files of networks and of shared graphs with the interpreters; returns the number of failures."""
        import networks
        import numpy as np
        checker = coreml.CoreML(self.thaw, self.folder, self.interpreters)

        def graphs():
            for name in names:
                self.make(name)
                inputs = np.load(networks.inputs_of(name, self.folder), mmap_mode="r")
                expected = np.load(self.path(name + "_expected.npy"))
                yield coreml.generated(name, self.path(name + ".pb"), inputs, expected, networks.ALL[name][2],
                                       lambda name=name: self.exact(name))
            yield from coreml.shared_graphs(self.shared, shared)

        print(coreml.heading(), flush=True)
        for graph in graphs():
            checker.check(graph)
        print(f"\n{checker.failures} of the Core ML files fail" if checker.failures else "\nall Core ML files pass")
        return checker.failures


def main():
    use_tensorflow()
    import networks

    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*",
                        help="networks, or graphs of ../shared; default: all of " + ", ".join(networks.ALL))
    parser.add_argument("--thaw", default=os.path.join(ROOT, ".build", "release", "thaw"))
    parser.add_argument("--folder", default=os.path.join(ROOT, ".build", "conformance"))
    parser.add_argument("--coreml", action="store_true", help="check only the Core ML files")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    conformance = Conformance(os.path.abspath(arguments.thaw), arguments.folder)
    graphs = conformance.shared_graphs()
    for name in arguments.names:
        if name not in networks.ALL and name not in graphs:
            parser.error(f"there is no network '{name}'; " + ", ".join([*networks.ALL, *graphs]))
    names = [name for name in networks.ALL if name in (arguments.names or networks.ALL)]
    failures = 0 if arguments.coreml else conformance.check_networks(names)
    if conformance.has_interpreters:
        failures += conformance.check_files(names, [name for name in graphs if name in (arguments.names or graphs)])
    else:
        print("the Core ML files were not checked: the reference interpreters are missing")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
