"""Objects that own a handle of the library."""

from __future__ import annotations

import _thread
import threading
from ctypes import c_void_p
from typing import Any, TypeVar

from . import _library
from ._errors import InvalidTypeError, InvalidValueError

Self = TypeVar("Self", bound="Owner")


class Owner:
    """An object with a handle, which is freed by `close`, by the end of a `with` block, or with the object."""

    # The kind of object, in messages and in the names of the library's functions.
    _noun = ""
    # What a script does instead of copying it or passing it to another process.
    _instead = "pass the path of the model"
    _handle: c_void_p | None = None

    def _live(self) -> c_void_p:
        """The handle, unless it was freed."""
        if self._handle is None:
            raise InvalidValueError(f"the {self._noun} was closed", "invalidHandle")
        return self._handle

    def close(self) -> None:
        """Frees the memory. The object cannot be used afterwards."""
        handle, self._handle = self._handle, None
        if handle is not None:
            getattr(_library.library(), f"thaw_{self._noun}_free")(handle)

    def __reduce__(self) -> Any:
        # copy.copy, copy.deepcopy and pickle call this.
        message = "a {} of Thaw cannot be copied or pickled; {}"
        raise InvalidTypeError(message.format(self._noun, self._instead), "wrongType")

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except KeyboardInterrupt:
            # Python ignores exceptions of destructors. Control-C is not lost: it is raised again after this has returned.
            threading.Timer(0.05, _thread.interrupt_main).start()
        except Exception:
            # The interpreter is shutting down, or the object was never complete.
            pass
