import Thaw

extension InferRequest.Input {
    private var count: Int { Tensor.Shape(shape).elementCount }

    private func wrongCount(_ given: Int, _ unit: String, expected: Int) -> ErrorResponse {
        ErrorResponse(
            400, .wrongShape, "'\(name)' has \(given) \(unit)",
            remedy: "its shape \(Tensor.Shape(shape)) and datatype \(type.rawValue) need \(expected)")
    }

    /// The pixels of an image input.
    func pixelBytes() throws -> [UInt8] {
        switch content {
        case .binary(let bytes):
            guard bytes.count == count else { throw wrongCount(bytes.count, "bytes", expected: count) }
            return Array(bytes)
        case .numbers(let numbers, _):
            guard numbers.count == count else { throw wrongCount(numbers.count, "elements", expected: count) }
            return try numbers.map { number in
                guard let byte = UInt8(exactly: number) else {
                    throw ErrorResponse(
                        400, .wrongType, "'\(name)' contains \(spelled(number))",
                        remedy: "pixels are integers from 0 to 255")
                }
                return byte
            }
        case .strings: throw ErrorResponse(400, .wrongType, "'\(name)' contains strings", remedy: "expected pixels")
        }
    }

    /// The encoded images of a tensor of strings.
    func byteStrings() throws -> [ArraySlice<UInt8>] {
        var images: [ArraySlice<UInt8>] = []
        switch content {
        case .binary(let bytes): images = try strings(in: bytes)
        case .strings(let texts, let isBase64):
            guard isBase64 else {
                throw ErrorResponse.badRequest(
                    "'\(name)' contains images as text",
                    remedy: "encode them, and add the parameter \"content_type\": \"base64\"")
            }
            images = try texts.map { text in
                guard let bytes = base64Decoded(text) else {
                    throw ErrorResponse.badRequest("'\(name)' is not valid base64")
                }
                return bytes[...]
            }
        case .numbers(let numbers, _):
            guard numbers.isEmpty else {
                throw ErrorResponse(400, .wrongType, "'\(name)' contains numbers", remedy: "expected strings")
            }
        }
        guard images.count == count else { throw wrongCount(images.count, "strings", expected: count) }
        return images
    }

    /// The strings in binary data.
    private func strings(in bytes: ArraySlice<UInt8>) throws -> [ArraySlice<UInt8>] {
        var (rest, strings): (ArraySlice<UInt8>, [ArraySlice<UInt8>]) = (bytes, [])
        while !rest.isEmpty {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 4, length <= rest.count - 4 else {
                throw ErrorResponse.badRequest("the string lengths in the binary data of '\(name)' do not fit its size")
            }
            strings.append(rest.dropFirst(4).prefix(length))
            rest = rest.dropFirst(4 + length)
            guard strings.count <= count else { throw wrongCount(strings.count, "strings or more", expected: count) }
        }
        return strings
    }

    /// The strings of an input that is not an image.
    func texts() throws -> [String] {
        var texts: [String] = []
        switch content {
        case .strings(let strings, isBase64: false): texts = strings
        case .numbers(let numbers, _) where numbers.isEmpty: break
        case .numbers: throw ErrorResponse(400, .wrongType, "'\(name)' contains numbers", remedy: "expected strings")
        case .binary, .strings:
            texts = try byteStrings().map {
                guard let text = String(validating: $0, as: UTF8.self) else {
                    throw ErrorResponse(400, .wrongType, "'\(name)' contains a string that is not UTF-8")
                }
                return text
            }
        }
        guard texts.count == count else { throw wrongCount(texts.count, "strings", expected: count) }
        return texts
    }

    /// The elements of an input that is not an image, in the type that the network takes.
    func values() throws -> [Double] {
        switch content {
        case .numbers(let numbers, _):
            guard numbers.count == count else { throw wrongCount(numbers.count, "elements", expected: count) }
            if let bounds = type.bounds,
                let number = numbers.first(where: { !bounds.contains($0) || $0 != $0.rounded(.towardZero) })
            {
                throw ErrorResponse(
                    400, .wrongType, "'\(name)' contains \(spelled(number))",
                    remedy: "expected values of datatype \(type.rawValue)")
            }
            return numbers
        case .strings: throw ErrorResponse(400, .wrongType, "'\(name)' contains strings", remedy: "expected numbers")
        case .binary(let bytes):
            let size = type.size ?? 1
            guard bytes.count == count * size else { throw wrongCount(bytes.count, "bytes", expected: count * size) }
            return bytes.withUnsafeBytes { bytes in (0..<count).map { type.value(at: $0, of: bytes) } }
        }
    }

    /// The elements of an input of type INT64, which `values()` rounds.
    func integers() throws -> [Int] {
        let values = try values()
        if case .binary(let bytes) = content {
            return bytes.withUnsafeBytes { bytes in
                values.indices.map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Int.self) }
            }
        }
        var integers = values.map { Int(exactly: $0) }
        if case .numbers(_, let long) = content { for integer in long { integers[integer.index] = integer.value } }
        return try integers.map { integer in
            guard let integer else {
                throw ErrorResponse(
                    400, .wrongType, "'\(name)' contains an integer of more than 64 bits",
                    remedy: "expected values of datatype \(type.rawValue)")
            }
            return integer
        }
    }
}

/// A number as in JSON.
private func spelled(_ number: Double) -> String {
    number.isNaN ? "null" : Int(exactly: number).map(String.init) ?? number.description
}

extension DataType {
    /// The element at `index` of little-endian data.
    func value(at index: Int, of bytes: UnsafeRawBufferPointer) -> Double {
        func load<Number>(_ type: Number.Type) -> Number {
            bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Number>.size, as: type)
        }
        switch self {
        case .bool: return load(UInt8.self) == 0 ? 0 : 1
        case .uint8, .bytes: return Double(load(UInt8.self))
        case .uint16: return Double(load(UInt16.self))
        case .uint32: return Double(load(UInt32.self))
        case .uint64: return Double(load(UInt64.self))
        case .int8: return Double(load(Int8.self))
        case .int16: return Double(load(Int16.self))
        case .int32: return Double(load(Int32.self))
        case .int64: return Double(load(Int64.self))
        case .float16: return Double(Float16(bitPattern: load(UInt16.self)))
        case .float32: return Double(load(Float.self))
        case .float64: return load(Double.self)
        }
    }
}

/// The bytes of text in base64 (RFC 4648); nil if it is not valid. The padding may be missing.
func base64Decoded(_ text: String) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count / 4 * 3)
    var (bits, count): (UInt32, Int) = (0, 0)
    var characters = text.utf8[...]
    while characters.last == UInt8(ascii: "="), text.utf8.count - characters.count < 2 { characters.removeLast() }
    for character in characters {
        let value: UInt8
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): value = 62
        case UInt8(ascii: "/"): value = 63
        default: return nil
        }
        bits = bits << 6 | UInt32(value)
        count += 6
        if count >= 8 {
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
    }
    return count < 6 ? result : nil
}
