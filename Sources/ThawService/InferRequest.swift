import Thaw

/// A request of the protocol to run a model, read but not yet compared with the model.
struct InferRequest {
    struct Input {
        var name: String
        var shape: [Int]
        var type: DataType
        var content: TensorContent
    }

    /// How the client wants an output.
    struct Output {
        var name: String
        var isBinary: Bool
        /// The number of classes to return instead of values; nil for values.
        var classes: Int?
    }

    let id: String?
    let inputs: [Input]
    /// Nil for all outputs.
    let outputs: [Output]?
    /// Whether outputs that the client does not list are sent as binary data.
    let isBinary: Bool

    /// - Parameters:
    ///   - body: The request, decompressed.
    ///   - headerLength: The length of the JSON before binary data, according to the header of the request.
    /// - Throws: `ErrorResponse` if it does not conform to the protocol.
    init(_ body: ArraySlice<UInt8>, headerLength: String?) throws {
        guard !body.isEmpty else { throw ErrorResponse.noBody() }
        var binary = body[body.endIndex...]
        var text = body
        if let headerLength {
            guard let length = Int(headerLength), 1...body.count ~= length else {
                throw ErrorResponse.badParameter(
                    "Inference-Header-Content-Length", headerLength, expected: "an integer from 1 to \(body.count)")
            }
            (text, binary) = (body.prefix(length), body.dropFirst(length))
        }
        let json = try JSON(text)
        guard case .object = json else { throw ErrorResponse.badRequest("the request is not a JSON object") }
        id = try json["id"].map {
            guard case .string(let id) = $0 else { throw ErrorResponse.missing("id", "a string") }
            return id
        }
        // Clients that rely on these would get results of unrelated requests.
        if let parameters = json["parameters"],
            let key = ["sequence_id", "sequence_start", "sequence_end"].first(where: { parameters[$0] != nil })
        {
            throw ErrorResponse.badRequest(
                "'\(key)' is not supported", remedy: "requests are independent of each other")
        }
        guard case .array(let list)? = json["inputs"] else { throw ErrorResponse.missing("inputs", "an array") }
        inputs = try list.map { try Input($0, &binary) }
        guard binary.isEmpty else {
            throw ErrorResponse.badRequest("binary data of \(binary.count) bytes is left after the last input")
        }
        isBinary = try json["parameters"]?.flag("binary_data_output") ?? false
        let isBinaryByDefault = isBinary
        outputs = try json["outputs"].flatMap {
            guard case .array(let list) = $0 else { throw ErrorResponse.missing("outputs", "an array") }
            // Some clients send an empty list for all outputs.
            return list.isEmpty ? nil : try list.map { try Output($0, isBinary: isBinaryByDefault) }
        }
    }
}

/// The elements of a tensor in the form of the request.
enum TensorContent {
    /// Long integers, which `Double` may round, are also listed exactly.
    case numbers([Double], long: [LongInteger])
    case strings([String], isBase64: Bool)
    /// Little-endian values in the order of the tensor. Each string is preceded by its length in 4 bytes.
    case binary(ArraySlice<UInt8>)
}

extension InferRequest.Input {
    /// - Parameter binary: The binary data of this input and later ones. The data of this one is removed.
    fileprivate init(_ json: JSON, _ binary: inout ArraySlice<UInt8>) throws {
        guard case .string(let name)? = json["name"] else {
            throw ErrorResponse.missing("name", "the name of an input")
        }
        guard case .string(let word)? = json["datatype"], let type = DataType(rawValue: word) else {
            throw ErrorResponse.missing("datatype", "a type such as FP32, UINT8 or BYTES for '\(name)'")
        }
        guard case .array(let list)? = json["shape"] else {
            throw ErrorResponse.missing("shape", "a list of integers for '\(name)'")
        }
        let shape = try list.map { size -> Int in
            guard let size = size.integer, 0...Int(Int32.max) ~= size else {
                throw ErrorResponse.badRequest(
                    "the shape of '\(name)' has an invalid size", remedy: "expected non-negative integers")
            }
            return size
        }
        guard shape.count <= 16, Tensor.Shape(shape).checkedCount != nil else {
            throw ErrorResponse(413, .limitExceeded, "the shape of '\(name)' is too large")
        }
        let parameters = json["parameters"]
        if let key = ["shared_memory_region", "shared_memory_byte_size"].first(where: { parameters?[$0] != nil }) {
            throw ErrorResponse.badRequest("'\(key)' is not supported")
        }
        (self.name, self.type, self.shape) = (name, type, shape)
        if let size = parameters?["binary_data_size"] {
            guard let count = size.integer, count >= 0 else {
                throw ErrorResponse.missing("binary_data_size", "a number of bytes")
            }
            guard json["data"] == nil else { throw ErrorResponse.badRequest("'\(name)' has both data and binary data") }
            guard count <= binary.count else {
                throw ErrorResponse.badRequest(
                    "'\(name)' has \(count) bytes of binary data", remedy: "the request has only \(binary.count)")
            }
            content = .binary(binary.prefix(count))
            binary = binary.dropFirst(count)
            return
        }
        switch json["data"] {
        case .numbers(let numbers, let long)?: content = .numbers(numbers, long: long)
        case .strings(let strings)?:
            content = .strings(strings, isBase64: try parameters.map { try InferRequest.Input.isBase64($0) } ?? false)
        default: throw ErrorResponse.missing("data", "a list of the elements of '\(name)', or binary_data_size")
        }
    }

    private static func isBase64(_ parameters: JSON) throws -> Bool {
        guard let type = parameters["content_type"] else { return false }
        guard case .string("base64") = type else {
            throw ErrorResponse.badRequest("the content_type of an input is not supported", remedy: "expected base64")
        }
        return true
    }
}

extension InferRequest.Output {
    fileprivate init(_ json: JSON, isBinary: Bool) throws {
        guard case .string(let name)? = json["name"] else {
            throw ErrorResponse.missing("name", "the name of an output")
        }
        let parameters = json["parameters"]
        self.name = name
        self.isBinary = try parameters?.flag("binary_data") ?? isBinary
        classes = try parameters?["classification"].flatMap { count in
            guard let count = count.integer, count >= 0 else {
                throw ErrorResponse.missing("classification", "a number of classes")
            }
            return count == 0 ? nil : count
        }
        if parameters?["shared_memory_region"] != nil {
            throw ErrorResponse.badRequest("'shared_memory_region' is not supported")
        }
    }
}

extension JSON {
    /// The value as an integer; nil if it is not one.
    var integer: Int? {
        guard case .number(let number) = self else { return nil }
        return Int(exactly: number)
    }

    fileprivate func flag(_ name: String) throws -> Bool? {
        try self[name].map {
            guard case .bool(let flag) = $0 else { throw ErrorResponse.missing(name, "true or false") }
            return flag
        }
    }
}
