"""thaw.models.MLModel: coremltools' class of this name, with predictions on Linux."""

from __future__ import annotations

import copy
import os
from ctypes import byref, c_char, c_void_p
from typing import Any, Iterator, Mapping, MutableMapping

from . import _library, _predict, _values
from ._errors import InvalidTypeError, InvalidValueError, MachineError
from ._library import encoded
from ._options import Form
from ._owner import Owner
from ._settings import ComputeUnit

__all__ = ["MLModel"]


class MLModel(Owner):
    """A Core ML model: a network, a pipeline, or a model of another kind such as scikit-learn's.

    `model` is the path of a `.mlmodel` or `.mlpackage`, or a model or specification of coremltools. The weights of an ML
    Program's specification are in `weights_dir`; `function_name` is one of its functions. The other arguments are accepted
    without effect.
    """

    _noun = "model"

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
        if isinstance(model, (str, os.PathLike)):
            function = encoded(function_name)
            handle = _library.handle("thaw_model_load_function", os.fsencode(model), function)
        elif function_name is not None:
            raise InvalidValueError("function_name= needs the path of a model")
        else:
            handle = _load_message(model, weights_dir)
        self._take(handle, Form(), compute_units)

    @classmethod
    def _of_handle(cls, handle: Any, form: Form, compute_units: Any = ComputeUnit.ALL) -> MLModel:
        model = cls.__new__(cls)
        model._take(handle, form, compute_units)
        return model

    def _take(self, handle: Any, form: Form, compute_units: Any) -> None:
        self._handle = handle
        self._form = form
        self.compute_unit = compute_units
        self._precision = "float32"
        self._describe()

    def _describe(self) -> None:
        self._description = _library.text("thaw_model_describe", self._live())
        kind = _values if self._description["kind"] == "pipeline" else _predict
        self._interface: Any = kind.Interface(self._description)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<MLModel, closed>"
        inputs, outputs = (
            ", ".join(feature["name"] for feature in self._description[part]) for part in ("inputs", "outputs")
        )
        return f"<MLModel, {inputs} to {outputs}>"

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
            parts = [data] if isinstance(data, dict) else data
            answers = [self._interface.predict(state._live(), part, "thaw_state_run") for part in parts]
            return answers[0] if isinstance(data, dict) else answers
        if isinstance(data, dict):
            return self._interface.predict(self._live(), data)
        if not isinstance(data, list) or not all(isinstance(part, dict) for part in data):
            message = "predict takes a dictionary of inputs, or a list of them, not {!r}"
            raise InvalidTypeError(message.format(type(data).__name__), "wrongType")
        return [self._interface.predict(self._live(), part) for part in data]

    @property
    def precision(self) -> str:
        """The precision that `predict` computes networks in: "float32", "bf16", "int8" or "auto"."""
        return self._precision

    @precision.setter
    def precision(self, precision: str) -> None:
        _library.call("thaw_model_set_precision", self._live(), encoded(precision))
        self._precision = precision

    def make_state(self) -> State:
        """A state for a new sequence of predictions of a stateful model. It begins as zeros."""
        return State(self)

    # MARK: Writing

    def save(self, save_path: str | os.PathLike[str]) -> None:
        """Writes the model: a neural network if the path ends in `.mlmodel`, an ML Program if in `.mlpackage`.

        Without such an extension, the one for the model's kind is added. A pipeline is written unchanged.
        """
        path = os.fspath(save_path)
        if not path.rstrip("/").endswith((".mlmodel", ".mlpackage")):
            path += self._extension()
        options = self._form.record()
        _library.in_background(
            lambda: _library.call("thaw_model_save", self._live(), os.fsencode(path), byref(options), None)
        )

    def _kind(self) -> str | None:
        """The kind in which it is written; None for a pipeline, which has only one."""
        described = self._description["kind"]
        if described == "pipeline":
            return None
        return self._form.kind or ("neuralNetwork" if described == "graph" else described)

    def _extension(self) -> str:
        kind = self._kind()
        is_package = self._description["isPackage"] if kind is None else kind == "mlProgram"
        return ".mlpackage" if is_package else ".mlmodel"

    def _as_written(self) -> MLModel:
        """The model as it is after writing and reading it."""
        content, weights = self._serialized()
        handle = _library.handle("thaw_model_load_bytes", content, len(content), weights, len(weights or b""))
        return MLModel._of_handle(handle, copy.copy(self._form), self.compute_unit)

    def _serialized(self) -> tuple[bytes, bytes | None]:
        """The message of the model, and the file of an ML Program's weights."""
        options = self._form.record(kind=self._kind())
        content, weights = _library.Buffer(), _library.Buffer()
        _library.call("thaw_model_serialize", self._live(), byref(options), byref(content), byref(weights))
        try:
            parts = [part.data and bytes((c_char * part.count).from_address(part.data)) for part in (content, weights)]
        finally:
            for part in (content, weights):
                _library.library().thaw_free(part.data)
        return parts[0], parts[1]

    def _compressed(self, weights: str, minimum_count: int) -> MLModel:
        options = self._form.record(weights=weights, kind=self._kind())
        options.minimum_count = minimum_count
        handle = c_void_p()
        _library.in_background(
            lambda: _library.call("thaw_model_compress", self._live(), byref(options), byref(handle), None)
        )
        return MLModel._of_handle(handle, Form(), self.compute_unit)

    def get_spec(self) -> Any:
        """The model as coremltools' message; requires coremltools."""
        try:
            from coremltools.proto import Model_pb2
        except ImportError as failure:
            raise MachineError("get_spec() needs coremltools, which is not installed", "environment") from failure
        return Model_pb2.Model.FromString(self._serialized()[0])

    # MARK: Metadata

    def _set(self, field: str, key: str | None, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise InvalidTypeError(f"metadata must be a string, not {value!r}", "wrongType")
        _library.call("thaw_model_set_metadata", self._live(), encoded(field), encoded(key), encoded(value))
        self._describe()

    @property
    def author(self) -> str:
        return self._description["metadata"]["author"] or ""

    @author.setter
    def author(self, text: str) -> None:
        self._set("author", None, text)

    @property
    def license(self) -> str:
        return self._description["metadata"]["license"] or ""

    @license.setter
    def license(self, text: str) -> None:
        self._set("license", None, text)

    @property
    def short_description(self) -> str:
        return self._description["metadata"]["shortDescription"] or ""

    @short_description.setter
    def short_description(self, text: str) -> None:
        self._set("shortDescription", None, text)

    @property
    def version(self) -> str:
        return self._description["metadata"]["versionString"] or ""

    @version.setter
    def version(self, text: str) -> None:
        self._set("versionString", None, text)

    @property
    def user_defined_metadata(self) -> MutableMapping[str, str]:
        return _UserDefined(self)

    @property
    def input_description(self) -> _Descriptions:
        return _Descriptions(self, "inputs")

    @property
    def output_description(self) -> _Descriptions:
        return _Descriptions(self, "outputs")


class State(Owner):
    """The state of a stateful model between predictions."""

    _noun = "state"

    def __init__(self, model: MLModel):
        self._model = model
        self._handle = _library.handle("thaw_state_create", model._live())

    def read_state(self, name: str) -> Any:
        """A copy of one of its arrays after the last prediction."""
        return _predict.read_state(self._live(), name)

    def write_state(self, name: str, value: Any) -> None:
        """Replaces one of its arrays by `value`, anything that NumPy can convert to the same shape."""
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
        return self._values[name]

    def __setitem__(self, name: str, text: str) -> None:
        self._values[name]
        self._model._set("feature", name, text)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


def _load_message(model: Any, weights_dir: str | None) -> c_void_p:
    """Loads a model or a specification of coremltools."""
    if hasattr(model, "get_spec"):
        weights_dir = weights_dir or getattr(model, "weights_dir", None)
        model = model.get_spec()
    descriptor = getattr(type(model), "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", "") != "CoreML.Specification.Model":
        message = "expected a path, or a model or specification of coremltools, not {}"
        raise InvalidTypeError(message.format(type(model).__name__), "wrongKind")
    content, weights = model.SerializeToString(), None
    if weights_dir is not None and os.path.exists(os.path.join(weights_dir, "weight.bin")):
        with open(os.path.join(weights_dir, "weight.bin"), "rb") as file:
            weights = file.read()
    return _library.handle("thaw_model_load_bytes", content, len(content), weights, len(weights or b""))
