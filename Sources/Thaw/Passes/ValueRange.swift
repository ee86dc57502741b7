extension Graph {
    /// The range that a value is guaranteed to be in for any input, or nil if none is known. Known ranges come from
    /// bounded functions and survive scaling, copies and averaging.
    func range(of value: Value) -> ClosedRange<Double>? { range(of: value, producers, depth: 0) }

    private func range(of value: Value, _ producers: [Value: Node], depth: Int) -> ClosedRange<Double>? {
        // Far more nodes than there are between a bounded function and an output.
        guard depth < 32, let node = producers[value] else { return nil }
        func ofInput(_ index: Int) -> ClosedRange<Double>? {
            range(of: node.inputs[index], producers, depth: depth + 1)
        }
        if let range = node.operation.range(inputs: node.inputs.count, ofInput) { return range }
        guard node.inputs.count == 1, let arithmetic = ChannelArithmetic(node.operation, on: self[node.inputs[0]]),
            let range = ofInput(0)
        else { return nil }
        let ends = [range.lowerBound, range.upperBound].flatMap { end in
            zip(arithmetic.scale, arithmetic.offset).map { end * $0 + $1 }
        }
        guard let low = ends.min(), let high = ends.max(), low.isFinite, high.isFinite else { return nil }
        return low...high
    }
}
