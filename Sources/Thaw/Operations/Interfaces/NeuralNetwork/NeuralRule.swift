/// Where layers of a Core ML neural network are read to: a graph whose channels stand first.
struct NeuralReading {
    var builder = GraphBuilder(channelOrder: .first)
    let arrays: NeuralArrays
    /// The arrays that are known so far, by name.
    var values: [String: Graph.Value] = [:]

    init(_ arrays: NeuralArrays) { self.arrays = arrays }

    func shape(_ value: Graph.Value) -> Shape { builder[value].shape }

    /// Adds an operation with one output.
    mutating func add(_ operation: any Operation, _ inputs: [Graph.Value], _ layer: NeuralLayer) throws -> Graph.Value {
        try builder.add(operation, inputs, name: layer.name)[0]
    }

    /// The value in another shape.
    mutating func reshaped(_ value: Graph.Value, _ shape: Shape, _ layer: NeuralLayer) throws -> Graph.Value {
        self.shape(value) == shape ? value : try add(Reshape(shape), [value], layer)
    }

    /// The value as float32, as every array is to Core ML.
    mutating func asFloats(_ value: Graph.Value, _ layer: NeuralLayer) throws -> Graph.Value {
        builder[value].element == .float32 ? value : try add(Cast(element: .float32), [value], layer)
    }
}

/// A layer as its rule meets it: its parameters, and the arrays it reads.
struct NeuralLayer {
    let name: String
    let kind: String
    let parameters: Message
    let inputs: [Graph.Value]
    let outputCount: Int

    /// - Throws: `Failure` when the layer has fewer inputs.
    func input(_ index: Int = 0) throws -> Graph.Value {
        guard inputs.indices.contains(index) else { throw refused("input \(index) is missing") }
        return inputs[index]
    }

    func refused(_ problem: String, remedy: String? = nil) -> Failure {
        Failure.layerRefused(name, kind, problem, remedy)
    }

    /// The weights in a field, as an array of this shape.
    /// - Parameter axis: Of the output channels: along it quantised weights may have a line for each place.
    /// - Throws: `Failure` where they are too few or too many, stored twice, or in a way that is not supported.
    func weights(_ message: Message, _ shape: Shape, channelAxis axis: Int = 0) throws -> Tensor {
        guard let count = shape.checkedCount else { throw refused("\(shape) is no shape of weights") }
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
            throw refused("the weights are products of 8-bit integers", remedy: "other quantised weights are supported")
        }
        guard bytes.count == count * element.size else {
            throw refused("\(bytes.count / element.size) weights are stored", remedy: "\(count) are expected")
        }
        return Tensor(shape: shape, element: element, storage: Tensor.Storage(viewing: bytes.bytes, of: bytes.owner))
            .asFloat32
    }

    /// Weights that are codes on a line, or places in a list of numbers; the codes' highest bits come first.
    private func quantized(_ message: Message, _ shape: Shape, _ count: Int, _ axis: Int) throws -> Tensor {
        let quantization: Message = message["quantization"]
        let bits: Int = quantization.numberOfBits
        let raw: ByteView = message.rawValue
        guard (1...8).contains(bits) else { throw refused("weights of \(bits) bits are not possible") }
        guard raw.count == (count * bits + 7) / 8 else {
            throw refused("\(raw.count) bytes of weights are stored", remedy: "\(count) of \(bits) bits are expected")
        }
        let codes = raw.withBytes { unpacked($0, count: count, bits: bits, .highestFirst) }
        func numbers(_ view: ByteView) -> [Float] {
            view.withBytes { bytes in
                (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
            }
        }
        if quantization.has("lookupTableQuantization") {
            let list = numbers(quantization.lookupTableQuantization.floatValue)
            guard list.count == 1 << bits else {
                throw refused("the list has \(list.count) numbers", remedy: "\(1 << bits) are expected")
            }
            return Tensor(codes.map { list[Int($0)] }, shape: shape)
        }
        let line: Message = quantization["linearQuantization"]
        let (scales, biases) = (numbers(line.scale), numbers(line.bias))
        let rows = shape.indices.contains(axis) ? Swift.max(1, shape[axis]) : 1
        guard [1, rows].contains(scales.count), [0, 1, rows].contains(biases.count) else {
            throw refused(
                "there are \(scales.count) scales and \(biases.count) biases", remedy: "one, or \(rows), are expected")
        }
        let length = Swift.max(1, shape.dropFirst(axis + 1).reduce(1, *))
        return Tensor(
            codes.enumerated().map { place, code in
                let row = place / length % rows
                let bias = biases.isEmpty ? 0 : biases[biases.count == 1 ? 0 : row]
                return Float(code) * scales[scales.count == 1 ? 0 : row] + bias
            }, shape: shape)
    }

    /// Numbers that a field gives for height and width, or `value` for both where it is empty.
    func pair(_ numbers: [Int], default value: Int) throws -> (height: Int, width: Int) {
        if numbers.isEmpty { return (value, value) }
        guard numbers.count == 2, numbers.allSatisfy({ (0..<1 << 24).contains($0) }) else {
            throw refused("\(numbers) are no numbers for height and width")
        }
        return (numbers[0], numbers[1])
    }
}

/// How layers of certain kinds enter a graph.
struct NeuralRule: Sendable {
    /// The layers' kinds: the fields of the format's choice of layers.
    let kinds: [String]
    /// Adds what the layer computes and returns one value an output.
    let build: @Sendable (NeuralLayer, inout NeuralReading) throws -> [Graph.Value]

    init(_ kinds: String..., build: @escaping @Sendable (NeuralLayer, inout NeuralReading) throws -> [Graph.Value]) {
        self.init(kinds: kinds, build: build)
    }

    init(
        kinds: [String], build: @escaping @Sendable (NeuralLayer, inout NeuralReading) throws -> [Graph.Value]
    ) {
        self.kinds = kinds
        self.build = build
    }
}
