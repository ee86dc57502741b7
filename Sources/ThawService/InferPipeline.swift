import Thaw

/// Requests to pipelines. Each item is a row of features.
extension ServedModel.Port {
    /// - Throws: `Failure` for a type that the protocol does not have.
    init(_ feature: PipelineFeature) throws {
        (name, content) = (feature.name, .pipeline(feature))
        switch feature.type {
        case .integer: (type, shape) = (.int64, [-1, 1])
        case .number: (type, shape) = (.float64, [-1, 1])
        // A dictionary is an object in JSON.
        case .string, .dictionary: (type, shape) = (.bytes, [-1, 1])
        case .image(let image): (type, shape) = (.uint8, [-1, image.height, image.width, image.color.channels])
        case .multiArray(let fixed):
            (type, shape) = (try DataType(feature.element, feature.name), [-1] + (fixed ?? [-1]))
        }
    }

    /// Whether the input takes a tensor of this shape.
    func accepts(_ given: [Int]) -> Bool {
        if case .pipeline(let feature) = content {
            switch feature.type {
            case .multiArray(nil): return given.count > 1
            // A column may lack its axis.
            case .integer, .number, .string, .dictionary: if given.count == 1 { return true }
            default: break
            }
        }
        return given.count == shape.count && zip(given, shape).allSatisfy { $1 == -1 || $0 == $1 }
    }
}

extension InferPlan {
    /// The inputs of an item.
    /// - Throws: `Failure` for an image that cannot be decoded and for JSON that is not a dictionary.
    func row(_ item: Int, _ exchange: Exchange) throws -> [String: FeatureValue] {
        var row: [String: FeatureValue] = [:]
        for case let input? in inputs { row[input.name] = try input.value(at: item, exchange) }
        return row
    }
}

extension InferPlan.Input {
    fileprivate func value(at item: Int, _ exchange: Exchange) throws -> FeatureValue {
        guard case .pipeline(let feature) = port.content else { preconditionFailure("a network takes tensors") }
        switch items {
        case .encoded(let images, let work):
            return .image(try work.pixels(decoding: images, at: item, exchange).reordered(work.image))
        case .pixels(let bytes, let image):
            let count = image.width * image.height * image.color.channels
            let itemBytes = Array(bytes[item * count..<(item + 1) * count])
            let pixels = Pixels(
                width: image.width, height: image.height, channels: image.color.channels, bytes: itemBytes)
            return .image(pixels.reordered(image))
        case .numbers(let values):
            guard case .multiArray = feature.type else { return .number(values[item]) }
            let count = Tensor.Shape(shape).elementCount
            return .multiArray(Array(values[item * count..<(item + 1) * count]), shape: shape)
        case .integers(let values): return .integer(values[item])
        case .texts(let texts):
            return feature.type == .string ? .string(texts[item]) : try feature.type.value(json: texts[item])
        }
    }
}

extension Pixels {
    /// Pixels in the color order of a model as the value of a feature, which is red, green, blue.
    func reordered(_ image: ImageInput) -> Pixels { image.color == .bgr ? converted(to: .bgr) : self }
}

extension OutputValues {
    /// Appends the value for an item.
    /// - Throws: `ErrorResponse` if its shape differs from that of the previous items.
    mutating func append(_ value: FeatureValue, _ output: InferPlan.Output) throws {
        var itemShape = [1]
        switch value {
        case .integer(let number): append(Int64(number))
        case .number(let number): append(numbers: [number], output.port.type)
        case .string(let text): bytes.append(string: text)
        case .multiArray(let values, let shape):
            append(numbers: values, output.port.type)
            itemShape = shape
        case .dictionary(let entries):
            guard let count = output.classes else {
                bytes.append(string: Self.json(entries))
                break
            }
            let top = Classification.topIndices(of: entries.map { Float($0.value) }, count: count)
            for index in top { bytes.append(string: "\(entries[index].value):\(index):\(entries[index].key)") }
            itemShape = [top.count]
        case .image(let pixels):
            bytes.append(contentsOf: pixels.bytes)
            itemShape = [pixels.height, pixels.width, pixels.channels]
        }
        guard itemShape == shape ?? itemShape else {
            throw ErrorResponse.unequalItems(output.port.name, shape ?? [], itemShape)
        }
        shape = itemShape
    }

    private mutating func append(numbers: [Double], _ type: DataType) {
        for number in numbers {
            switch type {
            case .int32: append(Int32(exactly: number.rounded(.towardZero)) ?? 0)
            case .int8: append(Int8(exactly: number.rounded(.towardZero)) ?? 0)
            case .float32: append(Float(number).bitPattern)
            case .float16: append(Float16(number).bitPattern)
            default: append(number.bitPattern)
            }
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func json(_ entries: [(key: FeatureKey, value: Double)]) -> String {
        var json = JSONText()
        json.object { json in
            for (key, value) in entries {
                json.key(key.description)
                json.number(value)
            }
        }
        return json.text
    }
}

/// Strings in binary data: each is preceded by its length in 4 bytes.
extension [UInt8] {
    mutating func append(string text: String) {
        Swift.withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { append(contentsOf: $0) }
        append(contentsOf: text.utf8)
    }
}

extension UnsafeRawBufferPointer {
    var strings: [String] {
        var (rest, strings): (Slice<UnsafeRawBufferPointer>, [String]) = (self[...], [])
        while !rest.isEmpty {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            strings.append(String(decoding: rest.dropFirst(4).prefix(length), as: UTF8.self))
            rest = rest.dropFirst(4 + length)
        }
        return strings
    }
}
