/// The types and constants of ML Programs as messages.
extension MessageType {
    /// The messages for a function, an operation, a constant and a type of an ML Program.
    static let program = MessageType.model.type(of: "mlProgram")
    static let function = program.type(of: "functions").type(of: "value")
    static let block = function.type(of: "block_specializations").type(of: "value")
    static let operation = block.type(of: "operations")
    /// An argument of an operation with its name, and one of the values that are bound to it.
    static let argument = operation.type(of: "inputs")
    static let binding = argument.type(of: "value").type(of: "arguments")
    static let value = operation.type(of: "attributes").type(of: "value")
    static let valueType = value.type(of: "type")
}

extension ElementType {
    /// The format's name for the type.
    var milName: String {
        switch self {
        case .bool: "BOOL"
        case .float16: "FLOAT16"
        case .float32: "FLOAT32"
        case .float64: "FLOAT64"
        case .bfloat16: "BFLOAT16"
        case .int8: "INT8"
        case .int16: "INT16"
        case .int32: "INT32"
        case .int64: "INT64"
        case .uint8: "UINT8"
        case .uint16: "UINT16"
        case .uint32: "UINT32"
        case .uint64: "UINT64"
        }
    }
}

extension Message {
    // MARK: Types

    /// The type of a tensor.
    static func tensorType(_ type: TensorType) -> Message {
        var message = Message(.valueType)
        message.tensorType.dataType = type.element.milName
        message.tensorType.rank = type.shape.rank
        message.tensorType.dimensions = type.shape.map { size in
            var dimension = Message(MessageType.valueType.type(of: "tensorType").type(of: "dimensions"))
            dimension.constant.size = size
            return dimension
        }
        return message
    }

    /// The type of a string.
    static var text: Message {
        var message = Message(.valueType)
        message.tensorType.dataType = "STRING"
        return message
    }

    // MARK: Values

    static func text(_ text: String) -> Message {
        var message = Message(.value)
        message.type = .text
        message.immediateValue.tensor.strings.values = [text]
        return message
    }

    /// A 64-bit integer.
    static func integer(_ integer: Int) -> Message {
        var message = Message(.value)
        message.type = .tensorType(TensorType([], .int64))
        message.immediateValue.tensor.longInts.values = [integer]
        return message
    }

    /// A list of strings or numbers as separate values.
    static func list(_ values: [Message], of type: Message) -> Message {
        var message = Message(.value)
        message.type.listType.type = type
        message.type.listType.length.constant.size = values.count
        message.immediateValue.list.values = values
        return message
    }

    /// A constant that is stored in the program itself.
    static func immediate(_ tensor: Tensor) -> Message {
        var message = Message(.value)
        message.type = .tensorType(tensor.type)
        switch tensor.element {
        case .float32: message.immediateValue.tensor.floats.values = tensor.view
        case .int32: message.immediateValue.tensor.ints.values = tensor.integers
        case .bool: message.immediateValue.tensor.bools.values = tensor.integers.map { $0 != 0 }
        default: message.immediateValue.tensor.bytes.values = tensor.view
        }
        return message
    }

    /// The weight file next to the program, as programs refer to it.
    static let weightFile = "@model_path/weights/weight.bin"

    /// A constant in the weight file.
    static func inFile(_ type: Message, offset: Int) -> Message {
        var message = Message(.value)
        message.type = type
        message.blobFileValue.fileName = weightFile
        message.blobFileValue.offset = offset
        return message
    }

    // MARK: Entries of operations

    /// A value of an operation or function, with its name and type.
    static func named(_ name: String, _ type: Message) -> Message {
        var message = Message(MessageType.operation.type(of: "outputs"))
        message.name = name
        message.type = type
        return message
    }

    /// An attribute of an operation.
    static func attribute(_ key: String, _ value: Message) -> Message {
        var entry = Message(MessageType.operation.type(of: "attributes"))
        entry.key = key
        entry.value = value
        return entry
    }
}
