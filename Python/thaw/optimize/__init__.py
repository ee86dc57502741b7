"""Compression of weights."""

from typing import TYPE_CHECKING, Any

from .. import _absent
from . import coreml as coreml

__all__ = ["coreml"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return _absent.attribute(__name__, name)
