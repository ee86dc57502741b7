"""thaw.models.MLModel: coremltools' class of this name, with predictions on Linux."""

from __future__ import annotations

import copy
import glob
import logging
import os
import shutil
import sys
import types
import weakref
from ctypes import byref, c_char, c_void_p
from typing import TYPE_CHECKING, Any, MutableMapping, overload

from . import _absent, _library, _loading, _metadata, _networks, _pipelines, _specification
from ._enums import ComputeUnit, target
from ._errors import Error, FileError, InvalidTypeError, InvalidValueError, MachineError
from ._library import encoded, encoded_path
from ._metadata import Descriptions, UserDefined
from ._options import SaveFormat
from ._owner import Owner
from ._specification import CONTENT
from ._types import member, name_of
from ._wording import of_library

_log = logging.getLogger("thaw")

__all__ = ["MLModel"]

# Python then looks for submodules, and finds the advice for those that only coremltools has.
__path__: list[str] = []

# The extensions of files and packages, by kind.
_EXTENSIONS = {"neuralNetwork": ".mlmodel", "mlProgram": ".mlpackage"}

# Names that only coremltools has, with what to use instead.
_ABSENT_IN_MODEL = {
    **dict.fromkeys(
        ("_mil_program", "_get_mil_internal", "package_path"), "save the model, and use coremltools on the file"
    ),
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


if TYPE_CHECKING:
    import numpy

    # coremltools' own.
    array_feature_extractor: Any
    datatypes: Any
    feature_vectorizer: Any
    ml_program: Any
    nearest_neighbors: Any
    neural_network: Any
    pipeline: Any
    tree_ensemble: Any
    utils: Any
else:

    def __getattr__(name: str) -> Any:
        return _absent.attribute(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_absent.forwarded(__name__)})


class MLModel(Owner):
    """A Core ML model: a network, a pipeline, or a model of another kind such as scikit-learn's.

    `model` is the path of a `.mlmodel` or `.mlpackage`, or a model or specification of coremltools. The weights of an ML
    Program's specification are in `weights_dir`, the folder of a `weight.bin`; `function_name` is one of its functions. The
    other arguments are accepted without effect.
    """

    _noun = "model"
    _instead = "save it, and pass the path"
    # As in coremltools; Thaw's models have no package of their own.
    is_temp_package = False
    optimization_hints: Any = None
    # The same compressed weights in the other kind of model, if its kind is not decided.
    _twin: _Twin | None = None
    # Whether it was made from a model whose kind the extension selects.
    _is_undecided = False
    # The folder of weights_dir.
    _folder: _specification.Folder | None = None
    # The message of _spec, with the bytes that it had when the handle was made.
    _edited: tuple[Any, bytes] | None = None

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
            handle = _library.call_for_handle("thaw_model_load_function", encoded_path(model), encoded(function_name))
        else:
            function_name = function_name or getattr(model, "function_name", None)
            handle = _specification.load(model, weights_dir, function_name)
        self._initialize(handle, SaveFormat(), compute_units, function_name)
        self.optimization_hints = copy.copy(optimization_hints)
        self._log_warnings()

    @classmethod
    def _of_coremltools(cls, model: Any) -> MLModel:
        """A result of coremltools, which is of a decided kind."""
        result = cls(model, compute_units=getattr(model, "compute_unit", ComputeUnit.ALL))
        result._decide()
        return result

    def _decide(self) -> None:
        """Keeps the kind that the model has."""
        if self._description["kind"] in _EXTENSIONS:
            self._format = SaveFormat(self._description["kind"])

    def _log_warnings(self) -> None:
        for warning in self._description["warnings"]:
            _log.warning(of_library(warning["parts"]))

    @classmethod
    def _of_handle(
        cls,
        handle: Any,
        save_format: SaveFormat,
        compute_units: Any = ComputeUnit.ALL,
        function_name: str | None = None,
    ) -> MLModel:
        model = cls.__new__(cls)
        model._initialize(handle, save_format, compute_units, function_name)
        return model

    def _initialize(self, handle: Any, save_format: SaveFormat, compute_units: Any, function_name: str | None) -> None:
        self._handle = handle
        self._format = save_format
        # None for the default.
        self.function_name = function_name
        self.compute_unit = member(ComputeUnit, compute_units, "compute_units", "thaw.ComputeUnit")
        self._precision = "float32"
        # Compressed models that have not been created yet.
        self._twins: Any = weakref.WeakSet()
        self._describe()

    def _describe(self) -> None:
        self._described = _library.call_for_json("thaw_model_describe", self._live())
        kind = _pipelines if self._described["kind"] == "pipeline" else _networks
        self._interface: Any = kind.Interface(self._described)

    @property
    def _description(self) -> dict[str, Any]:
        self._take_edits()
        return self._described

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise _absent.attribute_error("'MLModel' object", name, _ABSENT_IN_MODEL)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<MLModel, closed>"
        inputs, outputs = (
            ", ".join(feature["name"] for feature in self._description[part]) for part in ("inputs", "outputs")
        )
        return f"<MLModel, {inputs} to {outputs}>"

    def __str__(self) -> str:
        return repr(self) if self._handle is None else _metadata.summary(self._description)

    def close(self) -> None:
        """Frees the memory. The object cannot be used afterwards."""
        self._folder = self._edited = None
        self._release()
        self._twin = None

    def _release(self) -> None:
        """Frees the handle, unless compressed models that have not been created yet need it."""
        waiting = [twin for twin in self.__dict__.get("_twins", ()) if twin.source is self]
        if waiting and self._handle is not None:
            # They keep the memory, in a model of their own.
            kept = MLModel.__new__(MLModel)
            kept.__dict__.update(self.__dict__, _folder=None, _edited=None, _twin=None)
            for twin in waiting:
                twin.source = kept
            self._handle = None
        super().close()

    # MARK: Editing

    def _live(self) -> c_void_p:
        self._take_edits()
        return super()._live()

    @property
    def _spec(self) -> Any:
        """The model's message; requires coremltools. Changing it changes the model."""
        super()._live()
        with _loading:
            if self._edited is None:
                message = self.get_spec()
                self._own_folder()
                self._edited = message, _specification.content(message)
            return self._edited[0]

    def _take_edits(self) -> None:
        """Loads the message of `_spec` if it has been changed since it was returned."""
        if self._edited is None:
            return
        # One thread loads it, and the others wait.
        with _loading:
            if self._edited is None:
                return
            message, content = self._edited
            current = _specification.content(message)
            if current == content:
                return
            folder = self._folder.path if self._folder is not None else None
            handle = _specification.load(message, folder, self.function_name)
            precision = self._precision
            self._release()
            self._edited = message, current
            self._twin, self._is_undecided = None, False
            self._initialize(handle, SaveFormat(), self.compute_unit, self.function_name)
            self._decide()
            if precision != self._precision:
                self.precision = precision

    # MARK: Predicting

    @overload
    def predict(self, data: dict[str, Any], state: State | None = None) -> dict[str, Any]: ...

    @overload
    def predict(self, data: list[dict[str, Any]], state: State | None = None) -> list[dict[str, Any]]: ...

    def predict(self, data: Any, state: State | None = None) -> Any:
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
            if state._made_for is not self._live():
                raise InvalidValueError("the model has changed since make_state(); make a new state")
        parts = data if isinstance(data, list) else [data]
        for part in parts:
            if not isinstance(part, dict):
                message = "predict takes a dictionary of inputs, or a list of them, not {!r}"
                kind = type(part).__name__ if part is data else "a list with " + type(part).__name__
                raise InvalidTypeError(message.format(kind), "wrongType")
        handle = self._live()
        if state is None:
            answers = [self._interface.predict(handle, part) for part in parts]
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
        _library.warn_of_precision(precision)
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
        self._live()
        path = self._path(save_path)
        package = path.rstrip("/")
        is_package = package.endswith(_EXTENSIONS["mlProgram"])
        kind = "mlProgram" if is_package and not self._stays_neural_network() else "neuralNetwork"
        options = self._options("neuralNetwork" if self._stays_neural_network() else None)
        name = encoded_path(path)
        if is_package:
            # As in coremltools, a package's folder may be new.
            try:
                os.makedirs(os.path.dirname(package) or ".", exist_ok=True)
            except OSError as failure:
                message = f"{path}: the folder cannot be created: {failure.strerror}"
                raise FileError(message, "notWritable", filename=path) from failure

        def write() -> None:
            _library.call("thaw_model_save", self._handle_for(kind), name, byref(options), None)

        _library.in_background(write)

    def _path(self, given: Any) -> str:
        """The path to save to, with an extension."""
        path = os.fspath(given) if isinstance(given, os.PathLike) else given
        if not isinstance(path, str):
            raise InvalidTypeError(f"save takes a path, not {given!r}", "wrongType")
        path = _library.expanded(path)
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

    def _handle_for(self, kind: str | None) -> c_void_p:
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
        return self._format.kind or ("neuralNetwork" if described == "graph" else described)

    def _options(self, kind: str | None, weights: str | None = None) -> _library.SaveOptions:
        """The options for writing it in a kind."""
        options = self._format.save_options(weights, kind)
        if self._format.kind == "neuralNetwork" and self._description["kind"] == "graph" and not options.target:
            # Tensors then keep their rank, as in coremltools. No neural network needs a newer system.
            options.target = encoded(target.iOS14.name)
        return options

    def _stays_neural_network(self) -> bool:
        """Whether even a package of it contains a neural network."""
        if self._format.kind is None:
            return self._description["kind"] == "neuralNetwork" and not self._is_undecided
        return self._format.kind == "neuralNetwork"

    def _extension(self) -> str:
        kind = self._kind()
        is_package = self._description["isPackage"] if kind is None else kind == "mlProgram"
        return _EXTENSIONS["mlProgram" if is_package else "neuralNetwork"]

    def _as_written(self) -> MLModel:
        """The model as it is after writing and reading it."""
        content, weights = self._serialized()
        handle = _specification.handle(content, weights, self.function_name)
        return self._derived(handle, copy.copy(self._format))

    def _derived(self, handle: c_void_p, save_format: SaveFormat) -> MLModel:
        result = MLModel._of_handle(handle, save_format, self.compute_unit, self.function_name)
        result._is_undecided = self._format.kind is None and not self._stays_neural_network()
        return result

    def _specified_kind(self) -> str | None:
        """The kind that `get_spec` and `weights_dir` have: an ML Program if none is selected, as in coremltools."""
        self._live()
        is_undecided = self._format.kind is None and (self._description["kind"] == "graph" or self._is_undecided)
        return "mlProgram" if is_undecided else self._kind()

    def _serialized(self, with_weights: bool = True, kind: str | None = None) -> tuple[bytes, bytes | None]:
        """The message of the model, and the file of an ML Program's weights."""
        kind = kind or self._kind()
        options = self._options(kind)
        content, weights = _library.Buffer(), _library.Buffer()
        weights_result = byref(weights) if with_weights else None
        _library.call("thaw_model_serialize", self._handle_for(kind), byref(options), byref(content), weights_result)
        try:
            parts = [part.data and bytes((c_char * part.count).from_address(part.data)) for part in (content, weights)]
        finally:
            for part in (content, weights):
                _library.library().thaw_free(part.data)
        return parts[0], parts[1]

    @property
    def is_package(self) -> bool:
        """Whether the message of `get_spec` belongs into a package."""
        kind = self._specified_kind()
        return self._description["isPackage"] if kind is None else kind == "mlProgram"

    @property
    def weights_dir(self) -> str | None:
        """The folder of the weights for `get_spec()`; None for a neural network. It is removed when Python exits."""
        folder = self._own_folder()
        if folder is None:
            return None
        # As with coremltools, scripts use it after the model.
        _specification.publish(folder)
        return folder.path

    def _own_folder(self) -> _specification.Folder | None:
        """The folder of the weights, which is removed with the model unless `weights_dir` has returned it."""
        if self._folder is None:
            kind = self._specified_kind()
            if kind == "mlProgram":
                folder = _specification.Folder()
                weights = self._serialized(kind=kind)[1]
                # The folder is empty if the program has no weights.
                if weights:
                    with open(os.path.join(folder.path, "weight.bin"), "wb") as file:
                        file.write(weights)
                self._folder = folder
            elif kind is None and self._description["isPackage"]:
                # Each stage of a pipeline has a file of its own.
                folder = _specification.Folder()
                package = os.path.join(folder.path, "model.mlpackage")
                self.save(package)
                for path in glob.glob(os.path.join(glob.escape(package), CONTENT, "weights", "*")):
                    shutil.move(path, folder.path)
                shutil.rmtree(package)
                self._folder = folder
        return self._folder

    def _compressed(self, weights: str, minimum_count: int) -> MLModel:
        kind = self._kind()
        try:
            handle = _library.in_background(lambda: self._compress(kind, weights, minimum_count))
        except Error as failure:
            if failure.code != "nothingToCompress":
                raise
            # As in coremltools, the result is a copy.
            return self._as_written()
        result = self._derived(handle, SaveFormat(self._format.kind))
        if result._is_undecided:
            (other,) = set(_EXTENSIONS) - {kind}
            result._twin = _Twin(self, other, weights, minimum_count)
        return result

    def _compress(self, kind: str | None, weights: str, minimum_count: int) -> c_void_p:
        """The handle of a compressed model of this kind."""
        options = self._options(kind, weights)
        options.minimum_count = minimum_count
        handle = c_void_p()
        _library.call("thaw_model_compress", self._live(), byref(options), byref(handle), None)
        return handle

    def get_spec(self) -> Any:
        """The model as coremltools' message; requires coremltools."""
        if self._edited is not None:
            return copy.deepcopy(self._edited[0])
        return self._message(self._serialized(with_weights=False, kind=self._specified_kind())[0])

    def _specification(self, kind: str | None) -> tuple[Any, str | None]:
        """The message, and the folder of its weights; of this kind if the kind is undecided."""
        self._live()
        if kind == "neuralNetwork" and self._format.kind is None and self._description["kind"] == "graph":
            return self._message(self._serialized(with_weights=False, kind=kind)[0]), None
        folder = self._own_folder()
        return self.get_spec(), None if folder is None else folder.path

    @staticmethod
    def _message(content: bytes) -> Any:
        try:
            from coremltools.proto import Model_pb2
        except ImportError as failure:
            raise MachineError("get_spec() needs coremltools, which is not installed", "environment") from failure
        return Model_pb2.Model.FromString(content)

    # MARK: Metadata

    def _set(self, field: str, key: str | None, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise InvalidTypeError(f"metadata must be a string, not {value!r}", "wrongType")
        _library.call("thaw_model_set_metadata", self._live(), encoded(field), encoded(key), encoded(value))
        if self._edited is not None:
            message = self._edited[0]
            content = self._serialized(with_weights=False, kind=self._specified_kind())[0]
            _specification.take_description(message, self._message(content))
            self._edited = message, _specification.content(message)
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

    author = _metadata.text_field("author", "The author.")
    license = _metadata.text_field("license", "The license.")
    short_description = _metadata.text_field("shortDescription", "What the model is for.")
    version = _metadata.text_field("versionString", "The version of the model.")

    @property
    def user_defined_metadata(self) -> MutableMapping[str, str]:
        """The user-defined metadata, as a mutable mapping."""
        return UserDefined(self)

    @property
    def input_description(self) -> Descriptions:
        """The descriptions of the inputs by name; assigning to one changes the model."""
        return Descriptions(self, "inputs")

    @property
    def output_description(self) -> Descriptions:
        """The descriptions of the outputs by name; assigning to one changes the model."""
        return Descriptions(self, "outputs")


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
            self._model = MLModel._of_handle(self.source._compress(*self._options), SaveFormat())
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
        # A changed model has another handle.
        self._made_for = model._live()
        self._handle = _library.call_for_handle("thaw_state_create", self._made_for)

    def read_state(self, name: str) -> numpy.ndarray:
        """A copy of one of its arrays after the last prediction."""
        return _networks.read_state(self._live(), name_of(name, "the name of a state"))

    def write_state(self, name: str, value: Any) -> None:
        """Replaces one of its arrays with `value`, anything that NumPy can convert to the same shape."""
        _networks.write_state(self._live(), name_of(name, "the name of a state"), value)


# coremltools has these classes in a module.
model = types.ModuleType(__name__ + ".model", "coremltools' module of this name.")
model.__dict__.update(MLModel=MLModel, MLState=State, ComputeUnit=ComputeUnit)
sys.modules[model.__name__] = model
