"""The shared library, as its header thaw.h declares it."""

from __future__ import annotations

import json
import logging
import os
import threading
from ctypes import (
    CDLL,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
    sizeof,
    string_at,
)  # fmt: skip
from typing import Any, Callable, Sequence

from . import _loading
from ._errors import Error, MachineError, error
from ._wording import of_library

_log = logging.getLogger("thaw")

OK, FAILED, INVALID_ARGUMENT, CANCELED, TIMED_OUT, FORKED = range(6)

# The names of NumPy's types that the library supports.
TYPES = {
    "float32": 1, "float16": 2, "float64": 3, "int8": 5, "uint8": 6, "int16": 7, "uint16": 8, "int32": 9, "uint32": 10,
    "int64": 11, "uint64": 12, "bool": 13,
}  # fmt: skip
TYPE_NAMES = {number: name for name, number in TYPES.items()}


class Sized(Structure):
    """A structure whose first member is its size."""

    def __init__(self, **members: Any):
        super().__init__(size=sizeof(type(self)), **members)


class Tensor(Sized):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("data", c_void_p), ("byte_count", c_size_t), ("type", c_int32),
        ("rank", c_int32), ("shape", POINTER(c_int64)),
    ]  # fmt: skip


class Buffer(Structure):
    _fields_ = [("data", c_void_p), ("count", c_size_t)]


class InputOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("width", c_int32), ("height", c_int32), ("color", c_char_p),
        ("scale", POINTER(c_double)), ("scale_count", c_size_t), ("bias", POINTER(c_double)), ("bias_count", c_size_t),
        ("sizes", POINTER(c_int32)), ("size_count", c_size_t), ("minimum_width", c_int32), ("maximum_width", c_int32),
        ("minimum_height", c_int32), ("maximum_height", c_int32), ("shape", POINTER(c_int64)), ("rank", c_int32),
        ("is_tensor", c_int32), ("keeps_integers", c_int32),
    ]  # fmt: skip


class Pair(Structure):
    _fields_ = [("key", c_char_p), ("value", c_char_p)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("values", POINTER(c_double)), ("count", c_size_t)]


class ConvertOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("input", c_char_p), ("inputs", POINTER(InputOptions)), ("input_count", c_size_t),
        ("outputs", POINTER(c_char_p)), ("output_count", c_size_t), ("labels", POINTER(c_char_p)),
        ("label_count", c_size_t), ("integer_labels", POINTER(c_int64)), ("integer_label_count", c_size_t),
        ("label_file", c_char_p), ("file_has_integers", c_int32), ("image_output", c_int32), ("class_label", c_char_p),
        ("probabilities", c_char_p), ("channels", c_char_p), ("preprocessing", c_char_p), ("batch_norm", c_char_p),
        ("tag", c_char_p), ("signature", c_char_p), ("settings", POINTER(Setting)), ("setting_count", c_size_t),
        ("output_scale", POINTER(c_double)), ("output_scale_count", c_size_t), ("output_bias", POINTER(c_double)),
        ("output_bias_count", c_size_t), ("output_color", c_char_p), ("renamings", POINTER(Pair)),
        ("renaming_count", c_size_t), ("image_output_name", c_char_p),
        ("uses_moving_averages", c_int32),
    ]  # fmt: skip


class SaveOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("kind", c_char_p), ("target", c_char_p), ("weights", c_char_p),
        ("minimum_count", c_size_t), ("includes_depthwise", c_int32), ("keeps_existing", c_int32),
        ("compute_precision", c_char_p), ("input_type", c_char_p), ("output_type", c_char_p),
    ]  # fmt: skip


class ClassifierOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("crop", c_char_p), ("resize", c_char_p), ("background", c_char_p),
        ("maximum_pixels", c_uint64), ("is_strict", c_int32), ("is_fast", c_int32), ("threads", c_int32),
        ("precision", c_char_p),
    ]  # fmt: skip


class Image(Sized):
    _fields_ = [
        ("size", c_size_t), ("path", c_char_p), ("bytes", c_void_p), ("byte_count", c_size_t), ("pixels", c_void_p),
        ("width", c_int32), ("height", c_int32), ("channels", c_int32), ("row_stride", c_size_t),
    ]  # fmt: skip


class Entry(Structure):
    _fields_ = [("string", c_char_p), ("integer", c_int64), ("value", c_double)]


class Value(Sized):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("kind", c_int32), ("integer", c_int64), ("number", c_double),
        ("string", c_char_p), ("array", POINTER(Tensor)), ("entries", POINTER(Entry)), ("entry_count", c_size_t),
        ("image", POINTER(Image)),
    ]  # fmt: skip


# The kinds of values.
INTEGER, NUMBER, STRING, ARRAY, DICTIONARY, IMAGE = range(1, 7)


class DetectorOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("crop", c_char_p), ("resize", c_char_p), ("background", c_char_p),
        ("maximum_pixels", c_uint64), ("is_strict", c_int32), ("threads", c_int32), ("confidence", POINTER(c_double)),
        ("iou", POINTER(c_double)), ("precision", c_char_p),
    ]  # fmt: skip


class ObjectRecord(Structure):
    _fields_ = [
        ("label", c_char_p), ("index", c_size_t), ("confidence", c_float), ("x", c_double), ("y", c_double),
        ("width", c_double), ("height", c_double),
    ]  # fmt: skip


class DetectionRecord(Sized):
    _fields_ = [
        ("size", c_size_t), ("index", c_size_t), ("path", c_char_p), ("warning", c_char_p), ("error", c_void_p),
        ("width", c_int32), ("height", c_int32), ("objects", POINTER(ObjectRecord)), ("count", c_size_t),
    ]  # fmt: skip


class ClassificationRecord(Sized):
    _fields_ = [
        ("size", c_size_t), ("index", c_size_t), ("path", c_char_p), ("warning", c_char_p), ("error", c_void_p),
        ("probabilities", POINTER(c_float)), ("count", c_size_t),
    ]  # fmt: skip


class BatchOptions(Sized):
    _fields_ = [
        ("size", c_size_t), ("paths", POINTER(c_char_p)), ("path_count", c_size_t), ("threads", c_int32),
        ("window", c_int32),
    ]  # fmt: skip


# Results and arguments of every function. Pointers to opaque types, and to memory that must be freed, are void.
_OUT = POINTER(c_void_p)
_FUNCTIONS = {
    "thaw_free": (None, [c_void_p]),
    "thaw_error_code": (c_char_p, [c_void_p]),
    "thaw_error_message": (c_char_p, [c_void_p]),
    "thaw_error_details": (c_char_p, [c_void_p]),
    "thaw_error_free": (None, [c_void_p]),
    "thaw_model_load_function": (c_int, [c_char_p, c_char_p, _OUT, _OUT]),
    "thaw_model_load_function_bytes": (c_int, [c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, _OUT, _OUT]),
    "thaw_model_free": (None, [c_void_p]),
    "thaw_convert": (c_int, [c_char_p, POINTER(ConvertOptions), _OUT, _OUT]),
    "thaw_convert_bytes": (
        c_int, [c_char_p, c_size_t, POINTER(Tensor), c_size_t, POINTER(ConvertOptions), _OUT, _OUT],
    ),
    "thaw_model_describe": (c_int, [c_void_p, _OUT, _OUT]),
    "thaw_inspect": (c_int, [c_char_p, c_char_p, _OUT, _OUT]),
    "thaw_model_set_metadata": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, _OUT]),
    "thaw_model_save": (c_int, [c_void_p, c_char_p, POINTER(SaveOptions), _OUT, _OUT]),
    "thaw_model_serialize": (c_int, [c_void_p, POINTER(SaveOptions), POINTER(Buffer), POINTER(Buffer), _OUT]),
    "thaw_model_compress": (c_int, [c_void_p, POINTER(SaveOptions), _OUT, _OUT, _OUT]),
    "thaw_model_set_precision": (c_int, [c_void_p, c_char_p, _OUT]),
    "thaw_model_run": (c_int, [c_void_p, POINTER(Tensor), c_size_t, c_int32, _OUT, _OUT]),
    "thaw_state_create": (c_int, [c_void_p, _OUT, _OUT]),
    "thaw_state_free": (None, [c_void_p]),
    "thaw_state_read": (c_int, [c_void_p, c_char_p, _OUT, _OUT]),
    "thaw_state_write": (c_int, [c_void_p, POINTER(Tensor), _OUT]),
    "thaw_state_run": (c_int, [c_void_p, POINTER(Tensor), c_size_t, c_int32, _OUT, _OUT]),
    "thaw_model_predict": (c_int, [c_void_p, POINTER(Value), c_size_t, c_int32, _OUT, _OUT]),
    "thaw_detector_create": (c_int, [c_void_p, POINTER(DetectorOptions), _OUT, _OUT]),
    "thaw_detector_free": (None, [c_void_p]),
    "thaw_detector_batch_create": (c_int, [c_void_p, POINTER(BatchOptions), _OUT, _OUT]),
    "thaw_precision_note": (c_int, [c_char_p, _OUT, _OUT]),
    "thaw_classifier_create": (c_int, [c_void_p, POINTER(ClassifierOptions), _OUT, _OUT]),
    "thaw_classifier_free": (None, [c_void_p]),
    "thaw_result_free": (None, [c_void_p]),
    "thaw_result_classification": (c_int, [c_void_p, POINTER(ClassificationRecord), _OUT]),
    "thaw_result_top": (c_int, [c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_size_t), _OUT]),
    "thaw_result_detection": (c_int, [c_void_p, POINTER(DetectionRecord), _OUT]),
    "thaw_result_value_count": (c_size_t, [c_void_p]),
    "thaw_result_value": (c_int, [c_void_p, c_size_t, POINTER(Value), _OUT]),
    "thaw_result_output_count": (c_size_t, [c_void_p]),
    "thaw_result_output": (c_int, [c_void_p, c_size_t, POINTER(Tensor), _OUT]),
    "thaw_batch_create": (c_int, [c_void_p, POINTER(BatchOptions), _OUT, _OUT]),
    "thaw_batch_add": (c_int, [c_void_p, POINTER(Image), _OUT]),
    "thaw_batch_window": (c_size_t, [c_void_p]),
    "thaw_batch_next": (c_int, [c_void_p, c_int32, _OUT, _OUT]),
    "thaw_batch_free": (None, [c_void_p]),
    "thaw_command": (c_int, [c_int, POINTER(c_char_p), POINTER(c_int), _OUT]),
    "thaw_main": (c_int, [c_int, POINTER(c_char_p)]),
}  # fmt: skip

_loaded = None


def path() -> str:
    """The path of the library: next to this module in a wheel, or in THAW_LIBRARY."""
    return os.environ.get("THAW_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libthaw.so")


def library() -> Any:
    """The library, which is loaded at its first use."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                try:
                    loaded = CDLL(path())
                except OSError as failure:
                    message = f"Thaw's library cannot be loaded: {failure}"
                    raise MachineError(message, "environment") from failure
                for name, (result, arguments) in _FUNCTIONS.items():
                    function = getattr(loaded, name)
                    function.restype, function.argtypes = result, arguments
                _loaded = loaded
    return _loaded


def call(name: str, *arguments: Any) -> int:
    """Calls a function whose last argument is the error. Raises for every failure; returns the status otherwise."""
    failure = c_void_p()
    status = getattr(library(), name)(*arguments, byref(failure))
    if status in (OK, TIMED_OUT):
        return status
    raise pop_exception(failure)


def pop_exception(failure: c_void_p) -> Error:
    """The exception for an error of the library, which is freed."""
    try:
        return exception(failure)
    finally:
        library().thaw_error_free(failure)


def exception(failure: Any) -> Error:
    """The exception for an error of the library, with Python keywords for options, and functions for tasks."""
    code = library().thaw_error_code(failure)
    if code is None:
        return error("environment", "the library failed without a reason")
    details = json.loads(library().thaw_error_details(failure) or b"{}")
    message = library().thaw_error_message(failure).decode("utf-8", "replace")
    result = error(code.decode(), of_library(details.get("parts") or [message]))
    result.nodes = details.get("nodes") or []
    result.names = details.get("names") or []
    result.filename = details.get("file")
    return result


def call_for_handle(name: str, *arguments: Any) -> c_void_p:
    """Calls a function with a handle as the second-to-last argument, before its error."""
    result = c_void_p()
    call(name, *arguments, byref(result))
    return result


def call_for_json(name: str, *arguments: Any) -> Any:
    """Calls a function with a JSON object as the second-to-last argument, before its error."""
    result = c_void_p()
    call(name, *arguments, byref(result))
    try:
        return json.loads(string_at(result.value or 0).decode())
    finally:
        library().thaw_free(result)


def warn_of_precision(precision: str) -> None:
    """Logs what this machine does instead if it lacks the instructions for a precision."""
    note = c_void_p()
    call("thaw_precision_note", precision.encode(), byref(note))
    if note.value is None:
        return
    try:
        _log.warning(string_at(note.value).decode())
    finally:
        library().thaw_free(note)


def in_background(body: Callable[[], Any]) -> Any:
    """Returns the result of `body`, which runs in a separate thread, so that Control-C ends the wait for it."""
    if threading.current_thread() is not threading.main_thread():
        return body()
    outcome: list[Any] = []

    def work() -> None:
        try:
            outcome.append((body(), None))
        except BaseException as failure:
            outcome.append((None, failure))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join()
    result, failure = outcome[0]
    if failure is not None:
        raise failure
    return result


def array(kind: Any, values: Sequence[Any]) -> Any:
    """A C array; None for no values."""
    return (kind * len(values))(*values) if len(values) else None


def encoded(text: str | None) -> bytes | None:
    """A string for the library, which takes UTF-8 whatever the locale is."""
    if text is None:
        return None
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as failure:
        raise error("invalidOption", f"{text!r} cannot be encoded as UTF-8") from failure
    _check_nulls(data, text)
    return data


def expanded(path: str | os.PathLike[str]) -> str:
    """A path with the home folder in place of a tilde."""
    try:
        # Checked before anything else, because Python's functions for paths raise errors of their own.
        _check_nulls(os.fsencode(path), path)
        return os.path.expanduser(os.fsdecode(path))
    except UnicodeEncodeError as failure:
        raise error("invalidOption", f"the path {path!r} cannot be encoded in the locale's encoding") from failure


def encoded_path(path: str | os.PathLike[str]) -> bytes:
    """A path for the library, which takes any bytes."""
    return os.fsencode(expanded(path))


def _check_nulls(data: bytes, given: Any) -> None:
    """The library, which takes C strings, would ignore what follows a null character."""
    if b"\0" in data:
        raise error("invalidOption", f"{given!r} contains a null character")
