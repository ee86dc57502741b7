"""Messages with Python keywords for the options that they name."""

from __future__ import annotations

import re
from typing import Any

# The keyword for an option of the library. Options that are missing here keep their names.
_KEYWORDS = {
    "input": "inputs",
    "image_output": "outputs",
    "size": "ImageType.shape",
    "color": "ImageType.color_layout",
    "output_color": "ImageType.color_layout",
    "channels": "ImageType.channel_first",
    "scale": "ImageType.scale",
    "bias": "ImageType.bias",
    "integer_labels": "ClassifierConfig.class_labels",
    "target": "minimum_deployment_target",
    "input_type": "dtype",
    "output_type": "dtype",
}

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?![\w-])")


def of_library(parts: list[Any]) -> str:
    """A message of the library, given in parts: strings, and objects with the name of an option."""
    return "".join(part if isinstance(part, str) else _KEYWORDS.get(part["option"], part["option"]) for part in parts)


def of_command(message: str) -> str:
    """A message of the command, for a function whose keywords are the command's options."""
    return _OPTION.sub(lambda match: match.group()[2:].replace("-", "_"), message)
