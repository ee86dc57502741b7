/// Types and constants.
extension ProgramReader {
    /// The shape and the element type of a tensor whose sizes are all known.
    func type(_ type: Message, of name: String) throws -> (Shape, ElementType) {
        let (sizes, element) = try openType(type, of: name)
        guard Shape(sizes).declaredCount != nil else { throw Failure.valueShape(name, sizes) }
        return (Shape(sizes), element)
    }

    /// The sizes of a tensor, −1 for those left open, and its element type.
    func openType(_ type: Message, of name: String) throws -> ([Int], ElementType) {
        guard type.has("tensorType") else { throw Failure.valueType(name, type.choice ?? "none") }
        let tensor: Message = type["tensorType"]
        let sizes = (tensor.dimensions as [Message]).map { $0.has("constant") ? $0.constant.size as Int : -1 }
        let element: String = tensor.dataType
        if element == "BOOL" { return (sizes, .bool) }
        guard let known = MILElement(element)?.element ?? (element == "INT64" ? .int64 : nil) else {
            throw Failure.valueElement(name, element)
        }
        return (sizes, known)
    }

    /// A constant of the program.
    mutating func constant(_ value: Message, of name: String) throws -> MILRead.Argument {
        if value.has("immediateValue") {
            let immediate: Message = value["immediateValue"]
            if immediate.has("list") {
                let elements: [Message] = immediate.list.values
                return .texts(try elements.flatMap { try texts($0, of: name) })
            }
            if (value.type.tensorType.dataType as String) == "STRING" { return .texts(try texts(value, of: name)) }
        }
        let (shape, element) = try type(value["type"], of: name)
        let elementName: String = value.type.tensorType.dataType
        let tensor: Tensor
        if value.has("blobFileValue") {
            let fileName: String = value.blobFileValue.fileName
            guard let known = MILElement(elementName) else { throw Failure.valueElement(name, elementName) }
            guard let weightFiles else { throw Failure.weightsElsewhere(name) }
            if files[fileName] == nil { files[fileName] = try weightFiles.weights(fileName) }
            tensor = try files[fileName]!.tensor(at: value.blobFileValue.offset, shape, known)
        } else {
            tensor = try Self.immediate(value.immediateValue["tensor"], shape, element, elementName, of: name)
        }
        return .operand(.constant(element.isFloatingPoint ? tensor.asFloat32 : tensor))
    }

    /// A constant stored in the program itself.
    static func immediate(
        _ message: Message, _ shape: Shape, _ element: ElementType, _ elementName: String, of name: String
    ) throws -> Tensor {
        let count = shape.elementCount
        func checked(_ found: Int) throws { if found != count { throw Failure.valueCount(name, found, shape) } }
        switch message.choice {
        case "floats":
            let view: ByteView = message.floats.values
            try checked(view.count / 4)
            return Tensor(
                shape: shape, element: .float32, storage: Tensor.Storage(viewing: view.bytes, of: view.owner))
        case "ints", "longInts":
            let integers: [Int] = message.has("ints") ? message.ints.values : message.longInts.values
            try checked(integers.count)
            return Tensor(integers: integers, shape: shape, element: element)
        case "bools":
            let bools: [Bool] = message.bools.values
            try checked(bools.count)
            return Tensor(shape: shape, element: .bool) { bools[$0] ? 1 : 0 }
        case "bytes":
            let view: ByteView = message.bytes.values
            guard let known = MILElement(elementName) else { throw Failure.valueElement(name, elementName) }
            guard view.count == known.kind.byteCount(count) else { throw Failure.valueCount(name, view.count, shape) }
            return known.tensor(shape, view)
        default:
            try checked(0)
            return Tensor(shape: shape, element: element) { _ in 0 }
        }
    }

    /// The strings of a value. Integers are converted to strings.
    private func texts(_ value: Message, of name: String) throws -> [String] {
        let tensor: Message = value.immediateValue["tensor"]
        switch tensor.choice {
        case "strings": return tensor.strings.values
        case "ints": return (tensor.ints.values as [Int]).map(String.init)
        case "longInts": return (tensor.longInts.values as [Int]).map(String.init)
        // 64-bit integers may be stored as bytes.
        case "bytes":
            let view: ByteView = tensor.bytes.values
            return view.withBytes { bytes in
                stride(from: 0, to: bytes.count - 7, by: 8).map {
                    "\(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)))"
                }
            }
        default: throw Failure.valueType(name, tensor.choice ?? "none")
        }
    }
}
