"""Compression of weights."""

from . import coreml as coreml

__all__ = ["coreml"]
