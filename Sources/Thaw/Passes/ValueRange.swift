extension Graph {
    /// The range that a value is guaranteed to be in for any input, or nil if none is known. Known ranges come from
    /// bounded functions and survive scaling, copies and averaging.
    func range(of value: Value) -> ClosedRange<Double>? {
        var ranges: [Value: ClosedRange<Double>] = [:]
        for node in nodes {
            guard let range = range(of: node, ranges) else { continue }
            for output in node.outputs { ranges[output] = range }
        }
        return ranges[value]
    }

    /// The range of a node's outputs.
    /// - Parameter known: The ranges of the values before the node.
    private func range(of node: Node, _ known: [Value: ClosedRange<Double>]) -> ClosedRange<Double>? {
        if let range = node.operation.range(inputs: node.inputs.count, { known[node.inputs[$0]] }) { return range }
        guard node.inputs.count == 1, let range = known[node.inputs[0]],
            let arithmetic = ChannelArithmetic(node.operation, on: self[node.inputs[0]])
        else { return nil }
        let ends = [range.lowerBound, range.upperBound].flatMap { end in
            zip(arithmetic.scale, arithmetic.offset).map { end * $0 + $1 }
        }
        guard let low = ends.min(), let high = ends.max(), low.isFinite, high.isFinite else { return nil }
        return low...high
    }
}
