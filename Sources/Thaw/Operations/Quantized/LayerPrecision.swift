/// How int8 computes a node of a quantized network.
public struct LayerPrecision: Hashable, Sendable {
    /// The name of the node.
    public let name: String
    /// Its operation, for example "Conv2D".
    public let operation: String
    /// Whether it reads or returns quantized values. Otherwise it is computed in float32.
    public let isInteger: Bool
    /// The range that its quantized result can represent; nil if the result is floating point.
    public let range: ClosedRange<Float>?
    /// The quantization step; nil if the result is floating point.
    public let step: Float?
}

extension Graph {
    /// The nodes of a quantized network that compute with 8-bit integers, and the layers with weights that do not, in
    /// order.
    func layerPrecisions() throws -> [LayerPrecision] {
        let (integers, sources) = try integersAndSources()
        let consumers = consumers
        return integers.nodes.compactMap { node in
            let types = (node.inputs + node.outputs).map { integers[$0].element }
            let isInteger = types.contains(.uint8) && !(node.operation is AffineDequantize)
            guard isInteger || node.operation is any QuantizableLayer else { return nil }
            let source = sources[node.name]!
            let scale = parameters(of: source, consumers)
            return LayerPrecision(
                name: source.name, operation: source.operation.kind, isInteger: isInteger,
                range: scale.map { $0.lowest...$0.highest }, step: scale?.scale)
        }
    }

    /// The scale of a node's quantized result, possibly after elementwise functions.
    private func parameters(of node: Node, _ consumers: [Value: [Node]]) -> QuantizationParameters? {
        var node = node
        while true {
            if let quantize = node.operation as? AffineQuantize { return quantize.unsignedScale }
            guard let next = consumers[node.outputs[0]] else { return nil }
            if let quantize = next.lazy.compactMap({ $0.operation as? AffineQuantize }).first {
                return quantize.unsignedScale
            }
            guard next.count == 1, next[0].operation.isElementwise, next[0].inputs.count == 1 else { return nil }
            node = next[0]
        }
    }
}
