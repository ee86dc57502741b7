"""Messages with Python keywords and functions for the options and tasks that they name."""

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
    "has_integer_labels": "ClassifierConfig.class_labels",
    "target": "minimum_deployment_target",
    "input_type": "dtype",
    "output_type": "dtype",
    "minimum_count": "weight_threshold",
    "maximum_pixels": "max_pixels",
    "uses_moving_averages": "moving_averages=True",
    "preprocessing": "",
}

# The preprocessing of families.
_FAMILIES = {
    "inception": "ImageType(scale=1 / 127.5, bias=[-1, -1, -1])",
    "unit": "ImageType(scale=1 / 255)",
}

# The function for a task of the library, or the command if there is none. Tasks that are missing here keep their names.
_TASKS = {
    "convert": "thaw.convert",
    "quantize": "thaw.quantize",
    "classify": "thaw.Classifier",
    "detect": "thaw.Detector",
    "evaluate_detector": "thaw.evaluate",
    "apply": "'thaw apply'",
    "run": "MLModel.predict",
    "run_with_state": "MLModel.predict",
    "run_pipeline": "MLModel.predict",
}

# Members of the library's structures, and its functions, as messages about calls name them.
_MEMBERS = {
    "options.background": "background",
    "options.batch_norm": "batch_norm",
    "options.channels": "ImageType.channel_first",
    "options.class_label": "ClassifierConfig.predicted_feature_name",
    "options.compute_precision": "compute_precision",
    "options.confidence": "confidence",
    "options.crop": "crop",
    "options.input": "inputs",
    "options.input_type": "dtype",
    "options.inputs": "inputs",
    "options.integer_labels": "ClassifierConfig.class_labels",
    "options.iou": "iou",
    "options.kind": "convert_to",
    "options.labels": "ClassifierConfig.class_labels",
    "options.output_bias": "ImageType.bias",
    "options.output_color": "ImageType.color_layout",
    "options.output_scale": "ImageType.scale",
    "options.output_type": "dtype",
    "options.outputs": "outputs",
    "options.paths": "images",
    "options.precision": "precision",
    "options.preprocessing": "preprocessing",
    "options.probabilities": "ClassifierConfig.predicted_probabilities_output",
    "options.resize": "resize",
    "options.target": "minimum_deployment_target",
    "options.weights": "config",
    "create a state for the model first": "pass state=model.make_state()",
    "thaw_model_compress": "thaw.optimize.coreml",
    "thaw_model_predict": "MLModel.predict",
    "thaw_model_run": "MLModel.predict",
    "thaw_state_create": "MLModel.make_state",
    "thaw_state_run": "MLModel.predict",
}
_MEMBER = re.compile(r"(?<![\w/.-])(?:{})(?![\w/-]|\.\w+:)".format("|".join(re.escape(name) for name in _MEMBERS)))

# The value of an option, as the command takes it: a size, or the name of a node, which is at the end or before another option.
_SIZE = re.compile(r"[ =](W|\d+)[x×](H|\d+)(?!\w)")
_NODE = re.compile(r"[ =](NODE(?!\w)|[^\s'\"]+(?= ?$| returns | converts ))")
# An input and its shape, which are arguments of one call.
_SHAPED = re.compile(r'ImageType\("([^"]*)"\)\] ImageType\.shape=(\([^)]*\))')

_SETTING = re.compile(r"[ =]([^\s=]+)=([^\s,;]+)")
_WORD = re.compile(r"[ =](\w+)")
_LAST_WORD = re.compile(r"[ =](\S+)$")

_FAMILY = re.compile(r" (inception|unit)\b")

_HELP = re.compile(r"thaw (\w+) --help")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*(?![\w-])")


def of_library(parts: list[Any]) -> str:
    """A message of the library, given in parts: strings, and objects with the name of an option or task."""
    words, option = [], None
    for part in parts:
        if isinstance(part, str):
            words.append(_MEMBER.sub(lambda match: _MEMBERS[match.group()], _value(option, part)))
            option = None
        elif "task" in part:
            words.append(_TASKS.get(part["task"], part["task"]))
            option = None
        else:
            option = part["option"]
            words.append(_KEYWORDS.get(option, option))
    # The values of an option that is repeated are one list.
    text = "".join(words).replace('"] outputs=["', '", "')
    return _SHAPED.sub(r'ImageType("\1", shape=\2)]', text)


def _value(option: str | None, text: str) -> str:
    """The text after an option, with its value as Python's keyword takes it."""
    if option == "preprocessing":
        # There is no keyword for families, but messages also name scale and bias, or a single family.
        match = _FAMILY.match(text)
        return _FAMILIES[match.group(1)] + text[match.end() :] if match else re.sub("^, or ", "", text)
    if option == "size":
        match = _SIZE.match(text)
        if match:
            width, height = ({"W": "width", "H": "height"}.get(side, side) for side in match.groups())
            return f"=(1, {height}, {width}, channels)" + text[match.end() :]
    elif option == "placeholder_values":
        match = _SETTING.match(text)
        if match:
            name, value = match.groups()
            return f'={{"{name}": {value.capitalize() if value in ("true", "false") else value}}}' + text[match.end() :]
    elif option in ("signature", "tag", "batch_norm"):
        match = (_WORD if option == "batch_norm" else _LAST_WORD).match(text)
        if match:
            return f'="{match.group(1)}"' + text[match.end() :]
    elif option in ("input", "outputs"):
        match = _NODE.match(text)
        if match:
            value = '=[thaw.ImageType("{}")]' if option == "input" else '=["{}"]'
            return value.format(match.group(1)) + text[match.end() :]
    return text


def of_command(message: str) -> str:
    """A message of the command, for a function whose keywords are the command's options."""
    message = _HELP.sub(r"help(thaw.\1)", message)
    return _OPTION.sub(lambda match: match.group()[2:].replace("-", "_"), message)
