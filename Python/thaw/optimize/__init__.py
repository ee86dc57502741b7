"""Compression of weights."""

from typing import Any

from .. import _absent
from . import coreml as coreml

__all__ = ["coreml"]


def __getattr__(name: str) -> Any:
    return _absent.attribute(__name__, name)
