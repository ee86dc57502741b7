"""The exceptions of the package. Each has the stable code of docs/failure-codes.md."""

from __future__ import annotations

import errno as _errno


class Error(Exception):
    """A failure of Thaw. `code` identifies its kind; the wording of the message may change."""

    # The file that caused the failure. OSError's own member would be lost in pickling.
    filename: str | None = None

    def __init__(
        self,
        message: str,
        code: str = "invalidOption",
        hint: str | None = None,
        names: list[str] | None = None,
        filename: str | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        # The details: nodes with their names and operations, and names.
        self.nodes: list[dict[str, str]] = []
        self.names: list[str] = names or []
        self.filename = filename

    def __str__(self) -> str:
        return self.message + ("\n" + self.hint if self.hint else "")

    def __reduce__(self):
        return type(self), (self.message, self.code, self.hint), self.__dict__


class NotFoundError(Error, FileNotFoundError):
    """A file that does not exist."""

    errno = _errno.ENOENT


class ExistsError(Error, FileExistsError):
    """A file that must not be replaced."""

    errno = _errno.EEXIST


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class InvalidValueError(Error, ValueError):
    """A file, shape, size, label or argument of the right type that is wrong."""


class InvalidTypeError(Error, TypeError):
    """A value of the wrong type."""


class UnknownNameError(Error, KeyError):
    """A name that the model or graph does not have."""


class UnsupportedError(Error, NotImplementedError):
    """A model or operation that is unsupported."""


class MachineError(Error, RuntimeError):
    """A feature that this process or machine lacks."""


_CLASSES = {
    "noSuchFile": NotFoundError,
    "fileExists": ExistsError,
    "notReadable": FileError,
    "notWritable": FileError,
    "wrongType": InvalidTypeError,
    "noSuchNode": UnknownNameError,
    "noSuchFeature": UnknownNameError,
    "noSuchSignature": UnknownNameError,
    "unsupportedOperations": UnsupportedError,
    "unsupportedModel": UnsupportedError,
    "unsupportedTarget": UnsupportedError,
    "environment": MachineError,
    "forked": MachineError,
}


def error(code: str, message: str, hint: str | None = None) -> Error:
    """The exception for a failure of this code."""
    return _CLASSES.get(code, InvalidValueError)(message, code, hint)
