"""Specifications of coremltools, with the folders of their weights."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from ctypes import c_void_p
from typing import Any

from . import _library
from ._errors import Error, InvalidTypeError, NotFoundError
from ._library import encoded, encoded_path

# The folder of a package that its files are in.
CONTENT = os.path.join("Data", "com.apple.CoreML")

_EXPECTED = "expected the folder with the package's weight.bin, as MLModel.weights_dir names it"


def handle(content: bytes, weights: bytes | None, function_name: str | None) -> c_void_p:
    """The handle of a model given by its message, and the file of an ML Program's weights."""
    return _library.call_for_handle(
        "thaw_model_load_function_bytes", content, len(content), weights, len(weights or b""), encoded(function_name)
    )


def load(model: Any, weights_dir: Any, function_name: str | None) -> c_void_p:
    """Loads a model or a specification of coremltools."""
    if weights_dir is not None:
        if not isinstance(weights_dir, (str, os.PathLike)):
            raise InvalidTypeError(f"weights_dir must be the path of a folder, not {weights_dir!r}", "wrongType")
        weights_dir = _library.expanded(weights_dir)
        if not os.path.isdir(weights_dir):
            message = f"weights_dir: {weights_dir} is not a folder; {_EXPECTED}"
            raise NotFoundError(message, "noSuchFile", filename=weights_dir)
    if hasattr(model, "get_spec"):
        weights_dir = weights_dir or getattr(model, "weights_dir", None)
        model = model.get_spec()
    descriptor = getattr(type(model), "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", "") != "CoreML.Specification.Model":
        message = "expected a path, or a model or specification of coremltools, not {}"
        raise InvalidTypeError(message.format(type(model).__name__), "wrongType")
    content, weights = model.SerializeToString(), None
    names = [] if weights_dir is None else [name for name in os.listdir(weights_dir) if name.endswith(".bin")]
    # Like coremltools, this ignores weights that a neural network does not use.
    if (model.WhichOneof("Type") or "").startswith("neuralNetwork"):
        names = []
    if "weight.bin" in names:
        with open(os.path.join(weights_dir, "weight.bin"), "rb") as file:
            weights = file.read()
    elif names:
        return _load_pipeline(content, weights_dir, names, function_name)
    try:
        return handle(content, weights, function_name)
    except Error as failure:
        if weights is None and failure.code == "incomplete":
            problem = "weights_dir is missing" if weights_dir is None else f"{weights_dir} has no weight.bin"
            failure.hint = f"{problem}; {_EXPECTED}"
        raise


def _load_pipeline(content: bytes, weights_dir: str, names: list[str], function_name: str | None) -> c_void_p:
    """Loads a pipeline whose stages have files of weights of their own: only packages have several."""
    with tempfile.TemporaryDirectory(prefix="thaw-") as folder:
        package = os.path.join(folder, "model.mlpackage")
        weights = os.path.join(package, CONTENT, "weights")
        os.makedirs(weights)
        for name in names:
            shutil.copyfile(os.path.join(weights_dir, name), os.path.join(weights, name))
        with open(os.path.join(package, CONTENT, "model.mlmodel"), "wb") as file:
            file.write(content)
        item = {"author": "com.apple.CoreML", "name": "model.mlmodel", "path": "com.apple.CoreML/model.mlmodel"}
        manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": {"model": item}, "rootModelIdentifier": "model"}
        with open(os.path.join(package, "Manifest.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        return _library.call_for_handle("thaw_model_load_function", encoded_path(package), encoded(function_name))


class Folder:
    """A temporary folder, which is removed with the object, or when Python exits."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="thaw-weights-")
        # A forked process does not remove the folder of its parent.
        weakref.finalize(self, _remove, self.path, os.getpid())


_published: set[Folder] = set()


def publish(folder: Folder) -> None:
    """Keeps a folder until Python exits."""
    _published.add(folder)


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def content(message: Any) -> bytes:
    """The bytes of a message; the same for equal messages."""
    return message.SerializeToString(deterministic=True)


def take_description(message: Any, current: Any) -> None:
    """Copies metadata and the descriptions of features. References to parts of the message stay valid."""
    ours, theirs = message.description, current.description
    ours.metadata.CopyFrom(theirs.metadata)
    for old, new in [(ours, theirs), *zip(ours.functions, theirs.functions)]:
        for part in ("input", "output"):
            for feature, changed in zip(getattr(old, part), getattr(new, part)):
                feature.shortDescription = changed.shortDescription
