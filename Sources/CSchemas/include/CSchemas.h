// The message types of TensorFlow's graphs and Core ML's models: what protoc-c makes of the two .proto files.
#ifndef THAW_CSCHEMAS_H
#define THAW_CSCHEMAS_H

#include "coreml.pb-c.h"
#include "tensorflow.pb-c.h"

// Swift may copy a C constant when asked for its address, and protobuf-c needs the one there is.
static inline const ProtobufCMessageDescriptor *thaw_node_def(void) { return &tensor_flow__node_def__descriptor; }
static inline const ProtobufCMessageDescriptor *thaw_tensor(void) { return &tensor_flow__tensor__descriptor; }
static inline const ProtobufCMessageDescriptor *thaw_core_ml_model(void) { return &core_ml__model__descriptor; }
static inline const ProtobufCMessageDescriptor *thaw_core_ml_layer(void) { return &core_ml__layer__descriptor; }

#endif
