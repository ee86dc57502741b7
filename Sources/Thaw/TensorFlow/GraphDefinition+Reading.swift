import CProtobuf
import CSchemas

extension GraphDefinition {
    private static let expected = "a TensorFlow graph (.pb, SavedModel, checkpoint)"

    /// Field numbers of GraphDef and of its FunctionDefLibrary.
    private enum Field { static let node = 1, library = 2, function = 1 }

    /// Reads the frozen graph at `path`.
    /// - Parameter kind: The file's kind, if it has been determined already.
    /// - Throws: `Failure` naming the file if it is missing, not a frozen graph (with its kind), or corrupt.
    init(contentsOfFile path: String, kind: FileKind? = nil, isMapped: Bool = true) throws {
        self = try naming(file: path) {
            let kind = try kind ?? FileKind.at(path, isMapped: isMapped)
            guard kind == .frozenGraph else { throw Failure.wrongKind(kind, expected: GraphDefinition.expected) }
            let file = try MappedFile(path: path, isMapped: isMapped)
            return try GraphDefinition(ByteView(viewing: file.bytes, of: file), at: 0..<file.bytes.count)
        }
    }

    /// Reads a frozen graph, or one with variables, from its serialized GraphDef.
    /// - Throws: `Failure` if it is something else (naming what it is), or corrupt.
    public init(decoding bytes: UnsafeRawBufferPointer) throws {
        try Limits.requireValid()
        guard !bytes.isEmpty else { throw Failure.emptyGraph() }
        let kind = FileKind(bytes)
        guard kind == .frozenGraph else {
            throw Failure.wrongKind(kind, expected: "a serialized GraphDef").of("the graph")
        }
        let copy = ByteView(copying: bytes)
        try self.init(copy, at: 0..<copy.count)
    }

    /// Reads the GraphDef message at `range` of the file, node by node. Large constants are views of the file.
    /// - Throws: `Failure` if it is corrupt, or if a constant does not match its shape (naming the node).
    init(_ file: ByteView, at range: Range<Int>) throws {
        let unpacker = Unpacker(file)
        var tensors = TensorDecoder(file: file)
        var reader = WireReader(file.bytes, range)
        self.init(nodes: [])
        while reader.position < reader.end {
            let start = reader.position
            guard let field = try? reader.next() else { throw Failure.graphCutOff(after: nodes.count, at: start) }
            guard field.wireType == .lengthPrefixed else { continue }
            if field.number == Field.node {
                nodes.append(try NodeDefinition(unpacker, at: field.value, &tensors))
            } else if field.number == Field.library {
                for function in try RawMessage(file, at: field.value).messages(Field.function) {
                    functions.append(try FunctionDefinition(function, unpacker, &tensors))
                }
            }
        }
        guard !nodes.isEmpty else { throw Failure.emptyGraph() }
    }
}

extension FunctionDefinition {
    /// Field numbers of FunctionDef, and of its signature, an OpDef.
    private enum Field {
        static let signature = 1, node = 3, result = 4
        static let name = 1, input = 2, output = 3
    }

    fileprivate init(_ message: RawMessage, _ unpacker: Unpacker, _ tensors: inout TensorDecoder) throws {
        let signature = try message.message(Field.signature)
        self.init(
            name: try signature?.string(Field.name) ?? "",
            inputs: try signature?.messages(Field.input).map { try $0.string(Field.name) } ?? [],
            outputs: try signature?.messages(Field.output).map { try $0.string(Field.name) } ?? [], nodes: [],
            results: Dictionary(try message.map(Field.result).map { ($0.key, $0.value.text) }, uniquingKeysWith: { $1 })
        )
        nodes = try naming(location: name) {
            try message.messages(Field.node).map { try NodeDefinition(unpacker, at: $0.range, &tensors) }
        }
    }
}

extension NodeDefinition {
    /// Reads the NodeDef message at `range` of the unpacker's file.
    fileprivate init(_ unpacker: Unpacker, at range: Range<Int>, _ tensors: inout TensorDecoder) throws {
        self = try unpacker.unpack(thaw_node_def(), at: range) { message in
            let node = UnsafeRawPointer(message).assumingMemoryBound(to: TensorFlow__NodeDef.self).pointee
            var definition = NodeDefinition(name: String(cString: node.name), op: String(cString: node.op))
            guard !definition.name.isEmpty, !definition.op.isEmpty else {
                throw Failure.namelessNode(at: range.lowerBound)
            }
            definition.inputs = fieldElements(node.input, node.n_input).map { String(cString: $0!) }
            for name in [definition.name, definition.op] + definition.inputs where name.utf8.count > Limits.nameLength {
                throw Failure.nameTooLong(name, limit: Limits.nameLength).at("node at byte \(range.lowerBound)")
            }
            definition.attributes.reserveCapacity(node.n_attr)
            try naming(location: definition.name) {
                for entry in fieldElements(node.attr, node.n_attr) {
                    guard let value = entry!.pointee.value?.pointee else { continue }
                    let decoder = AttributeDecoder(unpacker: unpacker)
                    definition.attributes[String(cString: entry!.pointee.key)] = try decoder.attribute(value, &tensors)
                }
            }
            return definition
        }
    }
}

/// Reads attribute values from protobuf-c's structures.
private struct AttributeDecoder {
    let unpacker: Unpacker

    /// The value, or nil if there is none that can be used: not set, a tensor of complex numbers, or a reference to an
    /// attribute of the enclosing function.
    func attribute(_ value: TensorFlow__AttrValue, _ tensors: inout TensorDecoder) throws -> Attribute? {
        switch value.value_case {
        case TENSOR_FLOW__ATTR_VALUE__VALUE_LIST: .list(try list(value.list.pointee, &tensors))
        case TENSOR_FLOW__ATTR_VALUE__VALUE_S: string(value.s)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_I: .int(FileNumber(value.i).attribute)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_F: .float(value.f)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_B: .bool(value.b != 0)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_TYPE: type(value.type)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_SHAPE: shape(value.shape.pointee)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_TENSOR: try tensor(value.tensor.pointee, &tensors)
        case TENSOR_FLOW__ATTR_VALUE__VALUE_FUNC: .function(String(cString: value.func.pointee.name))
        default: nil
        }
    }

    private func tensor(_ tensor: TensorFlow__Tensor, _ tensors: inout TensorDecoder) throws -> Attribute? {
        if DataType(tensor.dtype) == .string {
            guard tensor.n_string_val > 0 else { return nil }
            return .list(fieldElements(tensor.string_val, tensor.n_string_val).map(string))
        }
        return try tensors.tensor(tensor, unpacker).map { .tensor($0) }
    }

    /// A list contains values of one kind; the other fields are empty.
    private func list(_ value: TensorFlow__ListValue, _ tensors: inout TensorDecoder) throws -> [Attribute] {
        var result: [Attribute] = fieldElements(value.i, value.n_i).map { .int(FileNumber($0).attribute) }
        result += fieldElements(value.f, value.n_f).map { .float($0) }
        result += fieldElements(value.b, value.n_b).map { .bool($0 != 0) }
        result += fieldElements(value.s, value.n_s).map(string)
        result += fieldElements(value.type, value.n_type).map(type)
        result += fieldElements(value.shape, value.n_shape).map { shape($0!.pointee) }
        result += fieldElements(value.func, value.n_func).map { .function(String(cString: $0!.pointee.name)) }
        for tensor in fieldElements(value.tensor, value.n_tensor) {
            if let tensor = try tensors.tensor(tensor!.pointee, unpacker) { result.append(.tensor(tensor)) }
        }
        return result
    }

    private func string(_ bytes: ProtobufCBinaryData) -> Attribute {
        .string(String(decoding: UnsafeBufferPointer(start: bytes.data, count: bytes.len), as: UTF8.self))
    }

    /// The type, or its enum value if it is newer than this code.
    private func type(_ type: TensorFlow__DataType) -> Attribute {
        DataType(type).map { .type($0) } ?? .int(Int(type.rawValue))
    }

    private func shape(_ shape: TensorFlow__TensorShape) -> Attribute {
        .shape(
            shape.unknown_rank != 0
                ? nil
                : fieldElements(shape.dim, shape.n_dim).map { FileNumber($0!.pointee.size).clamped(to: -1...1 << 31) }
        )
    }
}
