/// A model's record of its quantization.
public struct QuantizationRecord: Hashable, Sendable {
    /// The number of photos on which the quantized model was compared with the original; 0 if it was not.
    public var photoCount: Int
    /// The number of these photos with a different top label.
    public var changedCount: Int
    /// The quantization parameters of values, by the names of the nodes that compute them, if the model's format cannot
    /// express them.
    var codes: [String: QuantizedValue] = [:]
    /// The names of the layers that are computed in floating point although their inputs are quantized.
    var kept: [String] = []

    /// The effect of the quantization, without the parameters.
    public init(photoCount: Int, changedCount: Int) {
        (self.photoCount, self.changedCount) = (photoCount, changedCount)
    }
}

// MARK: In metadata

extension QuantizationRecord {
    /// The metadata key.
    static let key = "thaw.quantization"

    /// An object in JSON: see docs/quantizing.md.
    var json: String {
        let codes = codes.keys.sorted().map { name in
            (
                key: name,
                value: JSON.array([.numeral("\(self.codes[name]!.scale)"), .numeral("\(self.codes[name]!.zeroPoint)")])
            )
        }
        return JSON.object([
            ("version", .numeral("1")), ("photos", .numeral("\(photoCount)")), ("changed", .numeral("\(changedCount)")),
            ("float", .array(kept.map { .string($0) })), ("codes", .object(codes)),
        ]).text
    }

    /// - Throws: `Failure` describing the problem with the text.
    init(json text: String) throws {
        var text = text
        let json = try text.withUTF8 { try JSON(UnsafeRawBufferPointer($0)) }
        guard json["version"] == .number(1) else { throw Failure.quantizationDamaged("its version is not 1") }
        func count(_ key: String) throws -> Int {
            guard case .number(let number)? = json[key], let count = Int(exactly: number), count >= 0 else {
                throw Failure.quantizationDamaged("'\(key)' is not a number of photos")
            }
            return count
        }
        self.init(photoCount: try count("photos"), changedCount: try count("changed"))
        guard changedCount <= photoCount else {
            throw Failure.quantizationDamaged("\(changedCount) of \(photoCount) labels changed")
        }
        guard case .array(let names)? = json["float"], case .object(let members)? = json["codes"] else {
            throw Failure.quantizationDamaged("'float' or 'codes' is missing")
        }
        kept = try names.map {
            guard let name = $0.string else { throw Failure.quantizationDamaged("'float' is not a list of names") }
            return name
        }
        for (name, value) in members {
            guard case .array(let numbers) = value, numbers.count == 2, case .number(let scale) = numbers[0],
                case .number(let point) = numbers[1], Float(scale).isFinite, Float(scale) > 0,
                let zeroPoint = Int(exactly: point), 0...255 ~= zeroPoint
            else { throw Failure.quantizationDamaged("the scale and zero point of '\(name)' are invalid") }
            codes[name] = QuantizedValue(scale: Float(scale), zeroPoint: zeroPoint)
        }
    }
}

// MARK: The quantized network

extension Model {
    /// Whether the network is quantized, or the metadata have quantization parameters for it.
    public var isQuantized: Bool { graph.hasCodes || quantization?.codes.isEmpty == false }

    /// The network in which values are rounded to quantized values and back, for 8-bit integer arithmetic; nil if the
    /// model is not quantized.
    ///
    /// It is the network itself if the model's format has operations for quantization; otherwise it follows from the
    /// metadata, or from the levels of quantization-aware training.
    /// - Throws: `Failure` if the metadata do not belong to the network.
    func quantizedGraph() throws -> Graph? {
        if graph.hasCodes { return graph }
        guard let quantization, !quantization.codes.isEmpty else { return try graph.quantizedAsTrained() }
        let values = try rangedValues()
        return try graph.quantized(values.codes, keeping: values.kept)
    }

    /// The layers that int8 computes with 8-bit integers, and those it does not; empty if the model is not quantized.
    /// - Throws: `Failure` if the metadata do not belong to the network.
    public func layerPrecisions() throws -> [LayerPrecision] { try quantizedGraph()?.layerPrecisions() ?? [] }

    /// The quantization parameters in the metadata by value, and the nodes that are computed in floating point.
    /// - Throws: `Failure` if the network has no such values or nodes.
    func rangedValues() throws -> (codes: [Graph.Value: QuantizedValue], kept: Set<String>) {
        guard let quantization else { return ([:], []) }
        var values: [String: Graph.Value] = [:]
        for port in graph.inputs { values[featureName(port.name)] = port.value }
        // If one layer was read as several nodes, the last one has the layer's value.
        for node in graph.nodes { values[featureName(node.name)] = node.outputs[0] }
        let plan = QuantizationPlan(graph)
        var codes: [Graph.Value: QuantizedValue] = [:]
        for (name, code) in quantization.codes.sorted(by: { $0.key < $1.key }) {
            guard let value = values[name], graph[value].element == .float32 else {
                throw Failure.quantizationDamaged("there is no value '\(name)'")
            }
            codes[plan.ends[value.index]] = code
        }
        let nodes = Dictionary(graph.nodes.map { (featureName($0.name), $0.name) }) { _, last in last }
        let kept = try quantization.kept.map { name in
            guard let node = nodes[name] else { throw Failure.quantizationDamaged("there is no layer '\(name)'") }
            return node
        }
        return (codes, Set(kept))
    }
}

extension Failure {
    static func quantizationDamaged(_ what: Phrase) -> Failure {
        Failure(.invalidModel, what)
    }
}

extension Note {
    static func quantizationIgnored(_ problem: Phrase) -> Note {
        Note(
            .quantizationIgnored,
            "the ranges for 8-bit integers in the metadata do not fit the model, which is computed in float32: \(problem)"
        )
    }
}
