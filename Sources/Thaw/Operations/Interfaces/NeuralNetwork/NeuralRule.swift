/// A layer, as its rule sees it, with its parameters and inputs.
struct NeuralLayer: SourceNode {
    let name: String
    let kind: String
    let parameters: Message
    var inputs: [Operand]
    let outputCount: Int

    var location: String { "layer '\(name)' (\(kind))" }

    /// - Throws: `Failure` if the layer has fewer inputs.
    func input(_ index: Int = 0) throws -> Operand {
        guard inputs.indices.contains(index) else { throw refused("input \(index) is missing") }
        return inputs[index]
    }

    /// - Throws: `Failure` if the layer has fewer inputs, or the input is not constant.
    func constant(_ index: Int) throws -> Tensor {
        guard let tensor = try input(index).constant else {
            throw refused("input \(index) is known only when the model runs", remedy: "a constant is supported")
        }
        return tensor
    }

    /// The value of a constant input that newer layers may have instead of a parameter.
    func number(_ index: Int, default parameter: Float) throws -> Float {
        guard inputs.count > index else { return parameter }
        let values = try constant(index).floats
        guard values.count == 1 else { throw refused("input \(index) is not a single value") }
        return values[0]
    }

    /// The numbers of a constant input.
    func integers(_ index: Int) throws -> [Int] { try integers(of: constant(index), "input \(index)") }

    func refused(_ problem: Phrase, remedy: Phrase? = nil) -> Failure {
        Failure.layerRefused(name, kind, problem, remedy)
    }

    /// The weights in a field as a tensor of this shape.
    /// - Parameter axis: The output channel axis: quantized weights may have a scale and bias for each index along
    ///   it.
    /// - Throws: `Failure` if there are too few or too many, if they are stored twice, or in an unsupported way.
    func weights(_ message: Message, _ shape: Shape, channelAxis axis: Int = 0) throws -> Tensor {
        guard let count = shape.checkedCount else { throw refused("\(shape) is not a valid weight shape") }
        let forms = ["floatValue", "float16Value", "rawValue", "int8RawValue"]
        let stored = forms.filter { (message[$0] as ByteView).count > 0 }
        guard stored.count < 2 else {
            throw refused("the weights are stored \(stored.count) times", remedy: "\(stored.joined(separator: ", "))")
        }
        let floats: ByteView = message.floatValue
        let halves: ByteView = message.float16Value
        let element: ElementType = floats.count == 0 && halves.count > 0 ? .float16 : .float32
        let bytes = element == .float16 ? halves : floats
        if stored == ["rawValue"] { return try quantized(message, shape, count, axis) }
        guard stored != ["int8RawValue"] else {
            throw refused(
                "the layer quantizes its input when it runs (int8DynamicQuantize)",
                remedy: "quantized weights alone are supported")
        }
        guard bytes.count == count * element.size else {
            throw refused("\(bytes.count / element.size) weights are stored", remedy: "expected \(count)")
        }
        return Tensor(shape: shape, element: element, storage: Tensor.Storage(viewing: bytes.bytes, of: bytes.owner))
            .asFloat32
    }

    /// Weights with affine quantization or indices into a lookup table. The most significant bits come first.
    private func quantized(_ message: Message, _ shape: Shape, _ count: Int, _ axis: Int) throws -> Tensor {
        let quantization: Message = message["quantization"]
        let bits: Int = quantization.numberOfBits
        let raw: ByteView = message.rawValue
        guard (1...8).contains(bits) else { throw refused("\(bits)-bit weights are not valid") }
        guard raw.count == (count * bits).dividedRoundingUp(by: 8) else {
            throw refused("\(raw.count) bytes of weights are stored", remedy: "expected \(count) of \(bits) bits")
        }
        let quantized = raw.withBytes { unpacked($0, count: count, bits: bits, .highestFirst) }
        func numbers(_ view: ByteView) -> [Float] {
            view.withBytes { bytes in
                (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
            }
        }
        if quantization.has("lookupTableQuantization") {
            let table = numbers(quantization.lookupTableQuantization.floatValue)
            guard table.count == 1 << bits else {
                throw refused("the lookup table has \(table.count) values", remedy: "expected \(1 << bits)")
            }
            return Tensor(quantized.map { table[Int($0)] }, shape: shape)
        }
        let affine: Message = quantization["linearQuantization"]
        let (scales, biases) = (numbers(affine.scale), numbers(affine.bias))
        let rows = shape.indices.contains(axis) ? Swift.max(1, shape[axis]) : 1
        guard [1, rows].contains(scales.count), [0, 1, rows].contains(biases.count) else {
            throw refused(
                "there are \(scales.count) scales and \(biases.count) biases", remedy: "expected 1 or \(rows)")
        }
        let length = Swift.max(1, shape.dropFirst(axis + 1).reduce(1, *))
        return Tensor(shape: shape) { floats in
            quantized.withUnsafeBufferPointer { quantized in
                for first in stride(from: 0, to: count, by: length) {
                    let row = first / length % rows
                    let scale = scales[scales.count == 1 ? 0 : row]
                    let bias = biases.isEmpty ? 0 : biases[biases.count == 1 ? 0 : row]
                    for index in first..<first + length { floats[index] = Float(quantized[index]) * scale + bias }
                }
            }
        }
    }

    /// The height and width values of a field, or `value` for both if it is empty.
    func pair(_ numbers: [Int], default value: Int) throws -> (height: Int, width: Int) {
        if numbers.isEmpty { return (value, value) }
        guard numbers.count == 2, numbers.allSatisfy({ (0..<1 << 24).contains($0) }) else {
            throw refused("\(numbers) are not a valid height and width")
        }
        return (numbers[0], numbers[1])
    }
}

/// How layers of certain kinds are imported.
struct NeuralRule: Sendable {
    /// The kinds of layers: fields of the layer choice in the format.
    let kinds: [String]
    /// Adds the equivalent operations and returns one value per output.
    let build: @Sendable (NeuralLayer, inout ImportContext) throws -> [Operand]

    init(_ kinds: String..., build: @escaping @Sendable (NeuralLayer, inout ImportContext) throws -> [Operand]) {
        self.init(kinds: kinds, build: build)
    }

    init(
        kinds: [String], build: @escaping @Sendable (NeuralLayer, inout ImportContext) throws -> [Operand]
    ) {
        self.kinds = kinds
        self.build = build
    }

    /// A rule for a layer on images: channels, height and width. All axes before these are a batch. `build` gets the
    /// first input with one batch axis, and its results get the original axes back.
    init(
        onImages kind: String, leastRank: Int = 3,
        build: @escaping @Sendable (NeuralLayer, inout ImportContext) throws -> [Operand]
    ) {
        self.init(kinds: [kind]) { layer, reading in
            let shape = try layer.input().shape
            guard shape.rank >= leastRank else { throw Failure.tooFewAxes(leastRank, shape).at(layer.name) }
            let batch = shape.dropLast(3)
            let images = try reading.reshaped(
                layer.input(), Shape([batch.reduce(1, *)] + shape.suffix(3)), layer)
            let onImages = NeuralLayer(
                name: layer.name, kind: layer.kind, parameters: layer.parameters,
                inputs: [images] + layer.inputs.dropFirst(), outputCount: layer.outputCount)
            return try build(onImages, &reading).map {
                try reading.reshaped($0, Shape(batch + $0.shape.suffix(3)), layer)
            }
        }
    }
}
