#!/usr/bin/env python3
"""Compares tensorflow.proto and coreml.proto with the descriptors that TensorFlow and coremltools carry.

Every field must have the name, the number, the type, and the labels (repeated, packed, member of a choice) of the
official one; messages are compared recursively, regardless of their names here. The numbers of extent fields
(`…_extent`) must be unused there. Needs protoc-c and `pip install tensorflow-cpu coremltools`.
"""

import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor, descriptor_pb2, descriptor_pool

FOLDER = pathlib.Path(__file__).resolve().parent
EXTENT = 100000
# The message type whose contents are skipped.
OPAQUE = "Unsupported"


def compile_schema(name):
    with tempfile.NamedTemporaryFile() as out:
        arguments = [f"--proto_path={FOLDER}", f"--descriptor_set_out={out.name}", name]
        subprocess.run(["protoc-c", *arguments], check=True, cwd=FOLDER)
        files = descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out.name).read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


class Comparison:
    def __init__(self):
        self.seen = set()
        self.fields = 0
        self.faults = []

    def messages(self, ours, theirs):
        if (ours.full_name, theirs.full_name) in self.seen or ours.name == OPAQUE:
            return
        self.seen.add((ours.full_name, theirs.full_name))
        for field in ours.fields:
            if field.number > EXTENT:
                base = ours.fields_by_number.get(field.number - EXTENT)
                if base is None or base.name + "_extent" != field.name or field.number in theirs.fields_by_number:
                    self.faults.append(f"{ours.name}.{field.name} is not an extent field")
            elif field.number not in theirs.fields_by_number:
                self.faults.append(f"{ours.name}.{field.name} = {field.number} is not in {theirs.full_name}")
            else:
                self.field(f"{ours.name}.{field.name}", field, theirs.fields_by_number[field.number])

    @staticmethod
    def is_kept(ours, theirs):
        """Whether a message is read as bytes, because it is only kept."""
        return ours.type == ours.TYPE_BYTES and theirs.type == theirs.TYPE_MESSAGE

    def field(self, location, ours, theirs):
        self.fields += 1
        for what, a, b in [
            ("name", ours.name, theirs.name),
            ("type", ours.type, ours.type if self.is_kept(ours, theirs) else theirs.type),
            ("repeated", ours.is_repeated, theirs.is_repeated),
            ("packed", ours.is_packed, theirs.is_packed),
            ("choice", bool(ours.containing_oneof), bool(theirs.containing_oneof)),
        ]:
            if a != b:
                self.faults.append(f"{location}: {what} is {a}, in {theirs.full_name} {b}")
        if ours.message_type and theirs.message_type:
            self.messages(ours.message_type, theirs.message_type)
        if ours.enum_type and theirs.enum_type:
            for value in ours.enum_type.values:
                other = theirs.enum_type.values_by_name.get(value.name)
                if other is None or other.number != value.number:
                    self.faults.append(f"{location}: {value.name} = {value.number} is not in {theirs.enum_type.full_name}")


def main():
    import coremltools.proto.Model_pb2 as model
    from tensorflow.core.framework import graph_pb2

    comparison = Comparison()
    for schema, root, official in [
        ("tensorflow.proto", "TensorFlow.GraphDef", graph_pb2.GraphDef.DESCRIPTOR),
        ("coreml.proto", "CoreML.Model", model.Model.DESCRIPTOR),
    ]:
        comparison.messages(compile_schema(schema).FindMessageTypeByName(root), official)
    for fault in comparison.faults:
        print(fault)
    print(f"{comparison.fields} fields in {len(comparison.seen)} messages, {len(comparison.faults)} faults")
    sys.exit(bool(comparison.faults))


if __name__ == "__main__":
    main()
