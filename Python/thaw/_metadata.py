"""A model's metadata, as mappings and properties that change the model, and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping, MutableMapping

from ._errors import InvalidTypeError, UnknownNameError

if TYPE_CHECKING:
    from .models import MLModel


_KINDS = {
    "graph": "converted graph",
    "neuralNetwork": "neural network",
    "mlProgram": "ML Program",
    "pipeline": "pipeline",
}


def summary(description: dict[str, Any]) -> str:
    """The kind of a model and what it is for, with a line for each input and output."""
    lines = [f"MLModel, {_KINDS[description['kind']]}"]
    lines += [f"  {text}" for text in (description["metadata"]["shortDescription"] or "").splitlines()]
    for part in ("inputs", "outputs"):
        lines += [f"  {part[:-1]} {feature['name']!r}: {_type(feature)}" for feature in description[part]]
    return "\n".join(lines)


def _type(feature: dict[str, Any]) -> str:
    # Detectors have arrays of any shape.
    kind = feature["type"]
    if kind == "image":
        text = f"image of {feature['width']}×{feature['height']} pixels, {feature['color']}"
        return text + (", other sizes as well" if feature["sizes"] else "")
    if kind == "multiArray":
        text = f"{feature['dataType']} array"
        if feature["shape"]:
            text += f" of shape {tuple(feature['shape'])}"
        return text + (", other shapes as well" if feature["shapes"] else "")
    if kind == "dictionary":
        return f"dictionary with {feature['keyType']} keys"
    return kind


def text_field(field: str, doc: str) -> property:
    """A property for a field of a model's metadata."""

    def text(model: MLModel) -> str:
        model._live()
        return model._description["metadata"][field] or ""

    def set_text(model: MLModel, value: str) -> None:
        model._set(field, None, value)

    return property(text, set_text, doc=doc)


class _StringMapping(Mapping[str, str]):
    """A read-only view of strings of a model, by name."""

    def __init__(self, model: MLModel):
        self._model = model

    @property
    def _values(self) -> dict[str, str]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


class UserDefined(_StringMapping, MutableMapping[str, str]):
    """Additional metadata by key; assigning changes the model."""

    @property
    def _values(self) -> dict[str, str]:
        return self._model._description["metadata"]["userDefined"] or {}

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __setitem__(self, key: str, value: str) -> None:
        for text in (key, value):
            if not isinstance(text, str):
                raise InvalidTypeError(f"metadata must be a string, not {text!r}", "wrongType")
        self._model._set("userDefined", key, value)

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._model._set("userDefined", key, None)


class Descriptions(_StringMapping):
    """The descriptions of inputs or outputs by name; assigning changes the model."""

    def __init__(self, model: MLModel, part: str):
        super().__init__(model)
        self._part = part

    @property
    def _values(self) -> dict[str, str]:
        return {feature["name"]: feature["description"] or "" for feature in self._model._description[self._part]}

    def __getitem__(self, name: str) -> str:
        values = self._values
        if name not in values:
            message = "the model has no {} {!r}; its {} are {}"
            names = ", ".join(repr(name) for name in values)
            text = message.format(self._part[:-1], name, self._part, names)
            raise UnknownNameError(text, "noSuchFeature", names=[str(name)])
        return values[name]

    def __setitem__(self, name: str, text: str) -> None:
        self[name]
        self._model._set("feature", name, text)
