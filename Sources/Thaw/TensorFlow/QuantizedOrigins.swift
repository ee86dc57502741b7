/// Checks that quantized values are read as they were written.
///
/// The import represents quantized values by real ones (see `QuantizedRange`), so Dequantize does nothing. That is correct
/// only if a node reads values with the range, and in the mode, that they were quantized with.
struct QuantizedOrigins {
    private let graph: GraphIndex
    /// The output that the first output of a node passes on, for nodes between quantized operations.
    private var origins: [String: GraphIndex.Reference] = [:]
    private let isNeeded: Bool

    private static let dequantizing = Set(Dequantize.tensorFlow.flatMap(\.ops))

    init(_ graph: GraphIndex) {
        self.graph = graph
        isNeeded = graph.contains(Self.dequantizing)
    }

    /// Checks a node. The nodes that it reads must have been checked before.
    /// - Throws: `Failure` if it reads quantized values with another range or in another mode.
    mutating func check(_ node: NodeDefinition) throws {
        guard isNeeded else { return }
        let inputs = node.data.map { text in
            let reference = GraphIndex.Reference(text)
            return origins[reference.node] ?? reference
        }
        let isDequantizing = Self.dequantizing.contains(node.op)
        guard isDequantizing || Quantized.outputs[node.op] != nil else {
            origins[node.name] = inputs.first
            return
        }
        for input in inputs {
            guard let origin = graph.node(input.node), Quantized.returnsQuantized(origin.op, output: input.output)
            else {
                continue
            }
            let bounds = (1...2).map { inputs.firstIndex(of: GraphIndex.Reference("\(origin.name):\($0)")) }
            guard let minimum = bounds[0], let maximum = bounds[1], minimum < maximum else {
                throw Failure.otherRange(node, origin)
            }
            if isDequantizing { try checkModes(node, origin) }
        }
    }

    /// MIN_FIRST and MIN_COMBINED differ by less than a step. Operations without the attribute write neither SCALED nor narrow
    /// values.
    private func checkModes(_ node: NodeDefinition, _ origin: NodeDefinition) throws {
        func mode(_ definition: NodeDefinition) throws -> (isScaled: Bool, isNarrow: Bool) {
            let node = TensorFlowNode(definition: definition, inputs: [])
            return (try Dequantize.Mode(node) == .scaled, try node.bool("narrow_range", default: false))
        }
        let (read, written) = (try mode(node), try mode(origin))
        guard read.isScaled == written.isScaled, !read.isScaled || !read.isNarrow || written.isNarrow else {
            throw Failure.otherMode(node, origin)
        }
    }
}

extension Failure {
    fileprivate static func otherRange(_ node: NodeDefinition, _ origin: NodeDefinition) -> Failure {
        refused(
            node.name, node.op, "reads the quantized values of '\(origin.name)' without the range that it returns",
            "its outputs 1 and 2 are the range")
    }

    fileprivate static func otherMode(_ node: NodeDefinition, _ origin: NodeDefinition) -> Failure {
        refused(
            node.name, node.op, "reads the quantized values of '\(origin.name)' in another mode",
            "mode and narrow_range must be those of the quantization")
    }
}
