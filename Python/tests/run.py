#!/usr/bin/env python3
"""Tests the wheel in virtual environments under .build.

    run.py base         with NumPy and Pillow, in every version of Python that is installed here
    run.py own          the same, only in the Python that runs this
    run.py tensorflow   with TensorFlow, Keras and coremltools; also with TensorFlow 1.15 if there is a Python 3.7
    run.py spark        with PySpark 4, and 3.5 if there is a Python for it, on a cluster of this machine

Words after -- are passed to pytest. What PyPI does not have, or no Python is here for, is skipped, and said at the end.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

TESTS = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.path.dirname(os.path.dirname(TESTS)), ".build")

OWN = "{}.{}".format(*sys.version_info)
BASE = ["numpy", "pillow", "pytest", "tqdm"]

# Each environment: its name, the versions of Python that it is for, what it installs, and what is tested.
ENVIRONMENTS = {
    "base": [("base", None, BASE, ["."])],
    "own": [("base", [OWN], BASE, ["."])],
    "tensorflow": [
        (
            "tensorflow", ["3.11", "3.12", "3.13", "3.10"],
            [
                "tensorflow-cpu==2.21.0", "tf_keras==2.21.0", "coremltools==9.0", "scikit-learn==1.5.1", "pillow", "pytest",
                "pandas", "tqdm",
            ],
            ["tensorflow", "test_classifier.py"],
        ),
        (
            "tensorflow-1.15", ["3.7"],
            ["tensorflow==1.15.5", "protobuf<3.21", "h5py<3", "pillow", "pytest"], ["tensorflow/test_article.py"],
        ),
    ],
    "spark": [
        ("spark-4", ["3.11", "3.12", "3.13"], ["pyspark>=4,<5", "pandas", "pyarrow", "pytest", "pillow"], ["spark"]),
        (
            "spark-3.5", ["3.10", "3.11", "3.9"],
            ["pyspark>=3.5,<3.6", "numpy<2", "pandas<3", "pyarrow<20", "setuptools<80", "pytest", "pillow"], ["spark"],
        ),
    ],
}  # fmt: skip


def pythons():
    """The interpreters of this machine by version, such as 3.9: those on PATH, and those of pyenv."""
    found = {OWN: sys.executable}
    folders = os.environ.get("PATH", "").split(":")
    folders += glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))
    for folder in folders:
        for path in glob.glob(os.path.join(folder, "python3.*")):
            version = os.path.basename(path)[len("python") :]
            if not re.match(r"3\.\d+$", version) or version in found or int(version[2:]) < 7:
                continue
            # A command that pyenv puts on PATH fails if that version is not installed.
            if subprocess.run([path, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
                found[version] = path
    return found


def wheel():
    """The path of the wheel that `make wheel` made."""
    wheels = glob.glob(os.path.join(BUILD, "wheel", "thaw_coreml-*.whl"))
    if len(wheels) != 1:
        sys.exit("there is no wheel; make wheel builds it")
    return wheels[0]


def environment(name, python, packages):
    """The Python of a virtual environment with the wheel and what its tests need; None if PyPI does not have that."""
    folder = os.path.join(BUILD, "environments", name)
    own = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "packages.txt")
    if not os.path.exists(ready) or open(ready).read() != " ".join(packages):
        subprocess.check_call([python, "-m", "venv", "--clear", folder])
        subprocess.run([own, "-m", "pip", "install", "-q", "--upgrade", "pip", "wheel"], stderr=subprocess.DEVNULL)
        if subprocess.run([own, "-m", "pip", "install", "-q"] + packages).returncode != 0:
            return None
        with open(ready, "w") as file:
            file.write(" ".join(packages))
    subprocess.check_call([own, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel()])
    return own


def main():
    words = sys.argv[1:]
    options = words[words.index("--") + 1 :] if "--" in words else []
    kinds = words[: words.index("--")] if "--" in words else words
    available = pythons()
    skipped, failed = [], []
    for kind in kinds:
        if kind == "spark" and shutil.which("java") is None:
            skipped.append("spark: there is no Java")
            continue
        for name, versions, packages, tests in ENVIRONMENTS[kind]:
            chosen = sorted(available, key=lambda version: int(version[2:])) if versions is None else [
                version for version in versions if version in available
            ][:1]  # fmt: skip
            if not chosen:
                skipped.append("{}: no Python {} is installed".format(name, " or ".join(versions)))
            for version in chosen:
                label = f"{name}-{version}"
                own = environment(label, available[version], packages)
                if own is None:
                    skipped.append("{}: PyPI does not have {}".format(label, ", ".join(packages)))
                    continue
                print("==", label, flush=True)
                paths = [os.path.join(TESTS, test) for test in tests]
                ignored = (
                    ["--ignore=" + os.path.join(TESTS, part) for part in ("tensorflow", "spark")]
                    if tests == ["."]
                    else []
                )
                # Not in the folder of the sources, so that the wheel is what is tested.
                run = subprocess.run(
                    [own, "-m", "pytest", "-q", "-rs", "-c", os.path.join(TESTS, "pytest.ini"), "--rootdir", TESTS]
                    + ignored + paths + options,
                    cwd=BUILD, env={key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "THAW_LIBRARY")},
                )  # fmt: skip
                if run.returncode != 0:
                    failed.append(label)
    for line in skipped:
        print("skipped:", line)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
