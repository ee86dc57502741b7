"""thaw.inspect, thaw.quantize, thaw.evaluate and thaw.compare: the results of these commands as dictionaries."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Iterator

from . import _library
from ._errors import InvalidTypeError, InvalidValueError, error
from ._types import name_of
from ._wording import of_command
from .models import MLModel


def inspect(model: Any, tag: str | None = None) -> dict[str, Any]:
    """Describes a model: `model` is an MLModel, or the path of a model or graph.

    For a file, `file` has its format, size, operations or layers, and stored weights, even if it cannot be converted; then
    `model` is None and `error` has the reason.
    """
    if isinstance(model, MLModel):
        return {"file": None, "model": model._description, "error": None}
    tag = None if tag is None else name_of(tag, "tag")
    file = _library.call_for_json("thaw_inspect", _library.encoded_path(_path(model)), _library.encoded(tag))
    try:
        with MLModel(model) as loaded:
            return {"file": file, "model": loaded._description, "error": None}
    except _library.Error as failure:
        return {"file": file, "model": None, "error": failure}


def quantize(model: Any, images: Any, out: Any, **options: Any) -> dict[str, Any]:
    """Quantizes a model's weights and activations to 8-bit integers: the results of `thaw quantize --format json`.

    `images` is the path of a file or folder, or a list of paths: photos that resemble those that the model will see. `out` is
    the path of the model to write, which `MLModel` loads. The options are those of the command, with underscores:
    `keep_accuracy=1, threads=2`.
    """
    with _file(model) as path:
        options["out"] = _path(out)
        return _run("quantize", [path, *_paths(images)], options)


def evaluate(model: Any, truth: Any, **options: Any) -> dict[str, Any]:
    """Measures a model's accuracy: the results of `thaw evaluate --format json`.

    `truth` is a folder with a subfolder of images per class, or a table of paths and classes. The options are those of
    the command, with underscores: `offset=1, crop="center:0.875", threads=2`. `baseline` is another model, or its path.
    """
    with contextlib.ExitStack() as stack:
        if isinstance(options.get("baseline"), MLModel):
            options["baseline"] = stack.enter_context(_file(options["baseline"]))
        arguments = [stack.enter_context(_file(model)), _path(truth)]
        return _run("evaluate", arguments, options)


def compare(model: Any, other: Any, images: Any, **options: Any) -> dict[str, Any]:
    """Compares two models, or a model and a graph, on images: the results of `thaw compare --format json`.

    `images` is the path of a file or folder, or a list of paths.
    """
    with contextlib.ExitStack() as stack:
        arguments = [stack.enter_context(_file(part)) for part in (model, other)]
        return _run("compare", [*arguments, *_paths(images)], options)


@contextlib.contextmanager
def _file(model: Any) -> Iterator[str]:
    """The path of a model; one in memory is written to a temporary file."""
    if not isinstance(model, MLModel):
        yield _path(model)
        return
    if model.function_name is not None:
        raise InvalidValueError("reports are on a model's default function; set it, and save the model")
    with tempfile.TemporaryDirectory(prefix="thaw-") as folder:
        path = os.path.join(folder, "model" + model._extension())
        model.save(path)
        yield path


def _path(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidTypeError(f"expected a path, not {path!r}", "wrongType")
    return _library.expanded(path)


def _paths(images: Any) -> list[str]:
    return [_path(image) for image in (images if isinstance(images, (list, tuple)) else [images])]


def _option_arguments(options: dict[str, Any]) -> list[str]:
    """Keyword arguments as options of the command."""
    arguments = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for part in value if isinstance(value, (list, tuple)) else [value]:
            if part is True:
                arguments.append(option)
            elif part is not None and part is not False:
                if not isinstance(part, (str, int, float, os.PathLike)):
                    raise InvalidTypeError(f"{name} cannot be {part!r}", "wrongType")
                arguments.append(f"{option}={part if isinstance(part, (int, float)) else _path(part)}")
    return arguments


def _run(name: str, arguments: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Runs a command in a separate process, and returns its results."""
    arguments = [name] + _option_arguments(options) + ["--format=json", "--quiet", "--"] + arguments
    # The same library, whatever folder the process starts in.
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    start = "import sys; sys.path.insert(0, sys.argv.pop(1)); from thaw._child import main; sys.exit(main())"
    child = subprocess.run([sys.executable, "-c", start, package] + arguments, capture_output=True, check=False)
    text = child.stderr.decode("utf-8", "replace").strip()
    try:
        # A child that was killed may have written a part of its results.
        if child.stdout.strip():
            return json.loads(child.stdout.decode())
        failure = json.loads(text.splitlines()[-1])
    except (ValueError, IndexError):
        raise error("environment", text or f"thaw {name} ended with status {child.returncode}") from None
    raise error(failure["code"], of_command(failure["message"]))
