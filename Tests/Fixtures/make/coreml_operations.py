"""Lists what coremltools knows of Core ML's formats: `coreml_operations.tsv`, the operations of ML Programs with the iOS
versions in which they appeared and changed, and the layers of neural networks. The test of docs/coreml-operations.md
compares.

    pip install coremltools==9.0
    python Tests/Fixtures/make/coreml_operations.py

Operations whose names begin with an underscore are coremltools' own and never in a file.
"""
import os

from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry
from coremltools.proto import NeuralNetwork_pb2

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "coreml_operations.tsv")
# The specification's version of ML Programs begins with iOS 15, its sixth.
FIRST = 6


def versions(classes):
    """The iOS versions in which an operation appeared or changed."""
    found, last = [], None
    for version in sorted(classes, key=int):
        if classes[version] is not last and int(version) > FIRST and last is not None or not found and int(version) >= FIRST:
            found.append(str(int(version) + 9))
        last = classes[version]
    return ", ".join(found)


def main():
    rows = [("program", name, versions(classes)) for name, classes in SSAOpRegistry.core_ops.items()
            if not name.startswith("_")]
    layers = NeuralNetwork_pb2.NeuralNetworkLayer.DESCRIPTOR.oneofs_by_name["layer"].fields
    rows += [("network", field.name, "-") for field in layers]
    with open(PATH, "w") as file:
        file.writelines("\t".join(row) + "\n" for row in [("format", "kind", "versions")] + sorted(rows))


if __name__ == "__main__":
    main()
