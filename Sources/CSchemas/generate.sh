#!/bin/sh
# Writes the C of tensorflow.proto and coreml.proto (headers into include/). Needs protoc-c, of Debian's
# protobuf-c-compiler. With a folder as argument writes there instead, for comparing with what is checked in.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
mkdir -p "$out/include"
protoc-c --c_out="$out" tensorflow.proto coreml.proto
mv "$out/tensorflow.pb-c.h" "$out/coreml.pb-c.h" "$out/include/"
