"""thaw.models.MLModel: coremltools' class of this name, with predictions on Linux."""

from __future__ import annotations

import copy
import glob
import json
import os
import shutil
import tempfile
import weakref
from ctypes import byref, c_char, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, Mapping, MutableMapping

from . import _absent, _library, _predict, _values
from ._errors import (
    Error,
    InvalidTypeError,
    InvalidValueError,
    MachineError,
    NotFoundError,
    UnknownNameError,
)
from ._library import encoded
from ._options import Form
from ._owner import Owner
from ._settings import ComputeUnit
from ._types import member, name_of

__all__ = ["MLModel"]

# Python then looks for submodules, and finds the advice for those that only coremltools has.
__path__: list[str] = []

# The extensions of files and packages, by kind.
_EXTENSIONS = {"neuralNetwork": ".mlmodel", "mlProgram": ".mlpackage"}

# Names that only coremltools has, with what to use instead.
_ABSENT_IN_MODEL = {
    "_spec": "get_spec() returns a copy, and MLModel(spec, weights_dir=model.weights_dir) takes a changed one",
    **dict.fromkeys(("_mil_program", "package_path"), "save the model, and use coremltools on the file"),
    "_is_multifunction": "coremltools' functions take models of its own: "
    "coremltools.models.MLModel(model.get_spec(), weights_dir=model.weights_dir)",
    **dict.fromkeys(
        (
            "get_compiled_model_path", "get_available_compute_devices", "load_duration_in_nano_seconds",
            "last_predict_duration_in_nano_seconds",
        ),
        "it is part of Core ML itself, which exists on macOS only",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    return _absent.attribute(__name__, name)


def _metadata(field: str, doc: str) -> property:
    """A property for a field of a model's metadata."""

    def text(model: MLModel) -> str:
        return model._description["metadata"][field] or ""

    def set_text(model: MLModel, value: str) -> None:
        model._set(field, None, value)

    return property(text, set_text, doc=doc)


class MLModel(Owner):
    """A Core ML model: a network, a pipeline, or a model of another kind such as scikit-learn's.

    `model` is the path of a `.mlmodel` or `.mlpackage`, or a model or specification of coremltools. The weights of an ML
    Program's specification are in `weights_dir`, the folder of a `weight.bin`; `function_name` is one of its functions. The
    other arguments are accepted without effect.
    """

    _noun = "model"
    _instead = "save it, and pass the path"
    # The same compressed weights in the other kind of model, if its kind is not decided.
    _twin: _Twin | None = None
    # Whether it was made from a model whose kind the extension selects.
    _is_undecided = False
    # Removes the folder of weights_dir.
    _weights: Any = None

    def __init__(
        self,
        model: Any,
        is_temp_package: bool = False,
        mil_program: Any = None,
        skip_model_load: bool = False,
        compute_units: ComputeUnit = ComputeUnit.ALL,
        weights_dir: str | None = None,
        function_name: str | None = None,
        optimization_hints: Any = None,
    ):
        if function_name is not None:
            name_of(function_name, "function_name")
        if isinstance(model, (str, os.PathLike)):
            path = os.path.expanduser(os.fsdecode(model))
            handle = _library.handle("thaw_model_load_function", encoded(path), encoded(function_name))
        else:
            function_name = function_name or getattr(model, "function_name", None)
            handle = _load_message(model, weights_dir, function_name)
        self._take(handle, Form(), compute_units, function_name)

    @classmethod
    def _of_handle(
        cls, handle: Any, form: Form, compute_units: Any = ComputeUnit.ALL, function_name: str | None = None
    ) -> MLModel:
        model = cls.__new__(cls)
        model._take(handle, form, compute_units, function_name)
        return model

    def _take(self, handle: Any, form: Form, compute_units: Any, function_name: str | None) -> None:
        self._handle = handle
        self._form = form
        # None for the default.
        self.function_name = function_name
        self.compute_unit = member(ComputeUnit, compute_units, "compute_units", "thaw.ComputeUnit")
        self._precision = "float32"
        # Compressed models that have not been created yet.
        self._twins: Any = weakref.WeakSet()
        self._describe()

    def _describe(self) -> None:
        self._description = _library.text("thaw_model_describe", self._live())
        kind = _values if self._description["kind"] == "pipeline" else _predict
        self._interface: Any = kind.Interface(self._description)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise _absent.of("'MLModel' object", name, _ABSENT_IN_MODEL)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<MLModel, closed>"
        inputs, outputs = (
            ", ".join(feature["name"] for feature in self._description[part]) for part in ("inputs", "outputs")
        )
        return f"<MLModel, {inputs} to {outputs}>"

    def close(self) -> None:
        """Frees the memory. The object cannot be used afterwards."""
        if self._weights is not None:
            self._weights()
        waiting = [twin for twin in self.__dict__.get("_twins", ()) if twin.source is self]
        if waiting and self._handle is not None:
            # They keep the memory, in a model of their own.
            kept = MLModel.__new__(MLModel)
            kept.__dict__.update(self.__dict__, _weights=None, _twin=None)
            for twin in waiting:
                twin.source = kept
            self._handle = None
        self._twin = None
        super().close()

    # MARK: Predicting

    def predict(self, data: Any, state: Any = None) -> Any:
        """The outputs for a dictionary of inputs by name, as a dictionary; for a list of dictionaries, a list.

        Images are PIL images of the model's size and mode; arrays are anything that NumPy can convert. The other values of
        pipelines are numbers, strings, and dictionaries of numbers. A stateful model needs a `state`, which
        `make_state` returns, and updates it.
        """
        if state is not None:
            if not isinstance(state, State):
                message = "state= takes what make_state() returns, not a {!r}"
                raise InvalidTypeError(message.format(type(state).__name__), "wrongType")
            if state._model is not self:
                raise InvalidValueError("the state belongs to another model")
        parts = data if isinstance(data, list) else [data]
        for part in parts:
            if not isinstance(part, dict):
                message = "predict takes a dictionary of inputs, or a list of them, not {!r}"
                kind = type(part).__name__ if part is data else "a list with " + type(part).__name__
                raise InvalidTypeError(message.format(kind), "wrongType")
        if state is None:
            answers = [self._interface.predict(self._live(), part) for part in parts]
        else:
            answers = [self._interface.predict(state._live(), part, "thaw_state_run") for part in parts]
        return answers if isinstance(data, list) else answers[0]

    @property
    def precision(self) -> str:
        """The precision that `predict` computes networks in: "float32", "bf16", "int8" or "auto"."""
        return self._precision

    @precision.setter
    def precision(self, precision: str) -> None:
        _library.call("thaw_model_set_precision", self._live(), encoded(name_of(precision, "precision")))
        self._precision = precision

    def make_state(self) -> State:
        """A state for a new sequence of predictions of a stateful model. It begins as zeros."""
        return State(self)

    # MARK: Writing

    def save(self, save_path: str | os.PathLike[str]) -> None:
        """Writes the model: a neural network if the path ends in `.mlmodel`, an ML Program if in `.mlpackage`.

        A model that is a neural network already, or was converted to one, stays one in a package, too. Without an extension,
        the one for the model's kind is added. A pipeline is written unchanged.
        """
        path = self._path(save_path)
        is_program = path.rstrip("/").endswith(_EXTENSIONS["mlProgram"]) and not self._is_network()
        kind = "mlProgram" if is_program else "neuralNetwork"
        options = self._form.record(kind="neuralNetwork" if self._is_network() else None)
        name = encoded(path)

        def write() -> None:
            _library.call("thaw_model_save", self._in(kind), name, byref(options), None)

        _library.in_background(write)

    def _path(self, given: Any) -> str:
        """The path to save to, with an extension."""
        path = os.fspath(given) if isinstance(given, os.PathLike) else given
        if not isinstance(path, str):
            raise InvalidTypeError(f"save takes a path, not {given!r}", "wrongType")
        path = os.path.expanduser(path)
        name = os.path.basename(path.rstrip("/"))
        extension = os.path.splitext(name)[1]
        is_folder = path.endswith("/") and extension != _EXTENSIONS["mlProgram"]
        if is_folder or name in ("", ".", "..", *_EXTENSIONS.values()):
            message = "save takes the path of a file, such as 'model{}', not {!r}"
            raise InvalidValueError(message.format(self._extension(), given))
        if extension and extension not in _EXTENSIONS.values():
            message = "{}: the path ends in {}; expected .mlmodel, .mlpackage, or no extension"
            raise InvalidValueError(message.format(path, extension), "unknownFormat")
        return path if extension else path + self._extension()

    def _in(self, kind: str | None) -> c_void_p:
        """The handle of the model that is written in this kind."""
        handle = self._live()
        if self._twin is None or self._twin.kind != kind:
            return handle
        return self._twin.handle(self._description)

    def _kind(self) -> str | None:
        """The kind in which it is written; None for a pipeline, which has only one."""
        described = self._description["kind"]
        if described == "pipeline":
            return None
        return self._form.kind or ("neuralNetwork" if described == "graph" else described)

    def _is_network(self) -> bool:
        """Whether it is a neural network whatever the extension."""
        if self._form.kind is None:
            return self._description["kind"] == "neuralNetwork" and not self._is_undecided
        return self._form.kind == "neuralNetwork"

    def _extension(self) -> str:
        kind = self._kind()
        is_package = self._description["isPackage"] if kind is None else kind == "mlProgram"
        return _EXTENSIONS["mlProgram" if is_package else "neuralNetwork"]

    def _as_written(self) -> MLModel:
        """The model as it is after writing and reading it."""
        content, weights = self._serialized()
        handle = _handle(content, weights, self.function_name)
        return self._derived(handle, copy.copy(self._form))

    def _derived(self, handle: c_void_p, form: Form) -> MLModel:
        result = MLModel._of_handle(handle, form, self.compute_unit, self.function_name)
        result._is_undecided = self._form.kind is None and not self._is_network()
        return result

    def _specified(self, with_weights: bool = True) -> tuple[bytes, bytes | None]:
        """The model as `get_spec` and `weights_dir` have it: an ML Program if no kind is selected, as in coremltools."""
        undecided = self._form.kind is None and self._description["kind"] == "graph"
        return self._serialized(with_weights, "mlProgram" if undecided else self._kind())

    def _serialized(self, with_weights: bool = True, kind: str | None = None) -> tuple[bytes, bytes | None]:
        """The message of the model, and the file of an ML Program's weights."""
        options = self._form.record(kind=kind or self._kind())
        content, weights = _library.Buffer(), _library.Buffer()
        target = byref(weights) if with_weights else None
        _library.call("thaw_model_serialize", self._live(), byref(options), byref(content), target)
        try:
            parts = [part.data and bytes((c_char * part.count).from_address(part.data)) for part in (content, weights)]
        finally:
            for part in (content, weights):
                _library.library().thaw_free(part.data)
        return parts[0], parts[1]

    @property
    def weights_dir(self) -> str | None:
        """The folder of the weights for `get_spec()`; None if the model has none. It is removed with the model."""
        if self._weights is None or not self._weights.alive:
            is_pipeline = self._description["kind"] == "pipeline"
            weights = None if is_pipeline else self._specified()[1]
            if not weights and not (is_pipeline and self._description["isPackage"]):
                return None
            folder = tempfile.mkdtemp(prefix="thaw-weights-")
            # A forked process does not remove the folder of its parent.
            self._weights = weakref.finalize(self, _remove, folder, os.getpid())
            if weights:
                with open(os.path.join(folder, "weight.bin"), "wb") as file:
                    file.write(weights)
            else:
                # Each stage has a file of its own.
                package = os.path.join(folder, "model.mlpackage")
                self.save(package)
                for path in glob.glob(os.path.join(glob.escape(package), _CONTENT, "weights", "*")):
                    shutil.move(path, folder)
                shutil.rmtree(package)
        return self._weights.peek()[2][0]

    def _compressed(self, weights: str, minimum_count: int) -> MLModel:
        kind = self._kind()
        try:
            handle = _library.in_background(lambda: self._compress(kind, weights, minimum_count))
        except Error as failure:
            if failure.code != "nothingToCompress":
                raise
            # As in coremltools, the result is a copy.
            return self._as_written()
        result = self._derived(handle, Form(self._form.kind))
        if result._is_undecided:
            (other,) = set(_EXTENSIONS) - {kind}
            result._twin = _Twin(self, other, weights, minimum_count)
        return result

    def _compress(self, kind: str | None, weights: str, minimum_count: int) -> c_void_p:
        """The handle of a compressed model of this kind."""
        options = self._form.record(weights=weights, kind=kind)
        options.minimum_count = minimum_count
        handle = c_void_p()
        _library.call("thaw_model_compress", self._live(), byref(options), byref(handle), None)
        return handle

    def get_spec(self) -> Any:
        """The model as coremltools' message; requires coremltools."""
        try:
            from coremltools.proto import Model_pb2
        except ImportError as failure:
            raise MachineError("get_spec() needs coremltools, which is not installed", "environment") from failure
        return Model_pb2.Model.FromString(self._specified(with_weights=False)[0])

    # MARK: Metadata

    def _set(self, field: str, key: str | None, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise InvalidTypeError(f"metadata must be a string, not {value!r}", "wrongType")
        _library.call("thaw_model_set_metadata", self._live(), encoded(field), encoded(key), encoded(value))
        self._describe()

    def _take_metadata(self, description: dict[str, Any]) -> None:
        """Takes the metadata and the descriptions of features from those of the same model in the other kind."""
        metadata, current = description["metadata"], self._description["metadata"]
        changes = [
            (field, None, metadata[field])
            for field in ("shortDescription", "author", "license", "versionString")
            if metadata[field] != current[field]
        ]
        given, present = metadata["userDefined"] or {}, current["userDefined"] or {}
        changes += [("userDefined", key, None) for key in present if key not in given]
        changes += [("userDefined", key, value) for key, value in given.items() if present.get(key) != value]
        for part in ("inputs", "outputs"):
            changes += [
                ("feature", mine["name"], feature["description"])
                for mine, feature in zip(self._description[part], description[part])
                if mine["description"] != feature["description"]
            ]
        for change in changes:
            self._set(*change)

    author = _metadata("author", "The author.")
    license = _metadata("license", "The license.")
    short_description = _metadata("shortDescription", "What the model is for.")
    version = _metadata("versionString", "The version of the model.")

    @property
    def user_defined_metadata(self) -> MutableMapping[str, str]:
        return _UserDefined(self)

    @property
    def input_description(self) -> _Descriptions:
        return _Descriptions(self, "inputs")

    @property
    def output_description(self) -> _Descriptions:
        return _Descriptions(self, "outputs")


class _Twin:
    """A compressed model of another kind, which is made when it is first written."""

    def __init__(self, source: MLModel, kind: str, weights: str, minimum_count: int):
        self.source: MLModel | None = source
        self.kind = kind
        self._options = (kind, weights, minimum_count)
        self._model: MLModel | None = None
        source._twins.add(self)

    def handle(self, description: dict[str, Any]) -> c_void_p:
        """The handle of the model, with the metadata of this description."""
        if self.source is not None:
            self._model = MLModel._of_handle(self.source._compress(*self._options), Form())
            self.source = None
        assert self._model is not None
        self._model._take_metadata(description)
        return self._model._live()


class State(Owner):
    """The state of a stateful model between predictions."""

    _noun = "state"
    _instead = "read_state and write_state copy its arrays"

    def __init__(self, model: MLModel):
        self._model = model
        self._handle = _library.handle("thaw_state_create", model._live())

    def read_state(self, name: str) -> Any:
        """A copy of one of its arrays after the last prediction."""
        return _predict.read_state(self._live(), name)

    def write_state(self, name: str, value: Any) -> None:
        """Replaces one of its arrays with `value`, anything that NumPy can convert to the same shape."""
        _predict.write_state(self._live(), name, value)


class _UserDefined(MutableMapping):
    """Additional metadata by key; assigning changes the model."""

    def __init__(self, model: MLModel):
        self._model = model

    @property
    def _values(self) -> dict[str, str]:
        return self._model._description["metadata"]["userDefined"] or {}

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __setitem__(self, key: str, value: str) -> None:
        self._model._set("userDefined", key, value)

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._model._set("userDefined", key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


class _Descriptions(Mapping):
    """The descriptions of inputs or outputs by name; assigning changes the model."""

    def __init__(self, model: MLModel, part: str):
        self._model, self._part = model, part

    @property
    def _values(self) -> dict[str, str]:
        return {feature["name"]: feature["description"] or "" for feature in self._model._description[self._part]}

    def __getitem__(self, name: str) -> str:
        values = self._values
        if name not in values:
            message = "the model has no {} {!r}; its {} are {}"
            names = ", ".join(repr(name) for name in values)
            text = message.format(self._part[:-1], name, self._part, names)
            raise UnknownNameError(text, "noSuchFeature", names=[str(name)])
        return values[name]

    def __setitem__(self, name: str, text: str) -> None:
        self[name]
        self._model._set("feature", name, text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


def _handle(content: bytes, weights: bytes | None, function_name: str | None) -> c_void_p:
    """The handle of a model given by its message, and the file of an ML Program's weights."""
    return _library.handle(
        "thaw_model_load_function_bytes", content, len(content), weights, len(weights or b""), encoded(function_name)
    )


def _load_message(model: Any, weights_dir: Any, function_name: str | None) -> c_void_p:
    """Loads a model or a specification of coremltools."""
    if weights_dir is not None:
        if not isinstance(weights_dir, (str, os.PathLike)):
            raise InvalidTypeError(f"weights_dir must be the path of a folder, not {weights_dir!r}", "wrongType")
        weights_dir = os.path.expanduser(os.fsdecode(weights_dir))
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
    if "weight.bin" in names:
        with open(os.path.join(weights_dir, "weight.bin"), "rb") as file:
            weights = file.read()
    elif names:
        return _load_pipeline(content, weights_dir, names, function_name)
    try:
        return _handle(content, weights, function_name)
    except Error as failure:
        if weights is None and failure.code == "incomplete":
            problem = "weights_dir is missing" if weights_dir is None else f"{weights_dir} has no weight.bin"
            failure.hint = f"{problem}; {_EXPECTED}"
        raise


def _load_pipeline(content: bytes, weights_dir: str, names: list[str], function_name: str | None) -> c_void_p:
    """Loads a pipeline whose stages have files of weights of their own: only packages have several."""
    with tempfile.TemporaryDirectory(prefix="thaw-") as folder:
        package = os.path.join(folder, "model.mlpackage")
        weights = os.path.join(package, _CONTENT, "weights")
        os.makedirs(weights)
        for name in names:
            shutil.copyfile(os.path.join(weights_dir, name), os.path.join(weights, name))
        with open(os.path.join(package, _CONTENT, "model.mlmodel"), "wb") as file:
            file.write(content)
        item = {"author": "com.apple.CoreML", "name": "model.mlmodel", "path": "com.apple.CoreML/model.mlmodel"}
        manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": {"model": item}, "rootModelIdentifier": "model"}
        with open(os.path.join(package, "Manifest.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        return _library.handle("thaw_model_load_function", encoded(package), encoded(function_name))


# The folder of a package that its files are in.
_CONTENT = os.path.join("Data", "com.apple.CoreML")

_EXPECTED = "expected the folder with the package's weight.bin, as MLModel.weights_dir names it"


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
