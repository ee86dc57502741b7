"""The library's messages in Python's words: keywords for the options of the command that they name."""

from __future__ import annotations

import re

# What sets the option in Python. Options that are missing here are the command's alone.
KEYWORDS = {
    "--input": "inputs",
    "--output": "outputs",
    "--image-output": "outputs",
    "--size": "ImageType.shape",
    "--color": "ImageType.color_layout",
    "--channels": "ImageType.channel_first",
    "--scale": "ImageType.scale",
    "--bias": "ImageType.bias",
    "--labels": "ClassifierConfig.class_labels",
    "--integer-labels": "ClassifierConfig.class_labels",
    "--class-label": "ClassifierConfig.predicted_feature_name",
    "--probabilities": "ClassifierConfig.predicted_probabilities_output",
    "--target": "minimum_deployment_target",
    "--compute-precision": "compute_precision",
}

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?![\w-])")


def of_convert(message: str) -> str:
    """The message with keywords for options; options without one are said to be the command's."""
    return _OPTION.sub(lambda match: KEYWORDS.get(match.group(), f"the command's {match.group()}"), message)


def of_command(message: str) -> str:
    """The message for a function whose keywords are the command's options."""
    return _OPTION.sub(lambda match: match.group()[2:].replace("-", "_"), message)
