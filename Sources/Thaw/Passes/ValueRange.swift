extension Graph {
    /// The range that a value is guaranteed to be in for any input, or nil if none is known. Known ranges come from
    /// bounded functions and survive scaling, copies and averaging.
    func range(of value: Value) -> ClosedRange<Double>? { range(of: value, producers, depth: 0) }

    private func range(of value: Value, _ producers: [Value: Node], depth: Int) -> ClosedRange<Double>? {
        // Far more nodes than there are between a bounded function and an output.
        guard depth < 32, let node = producers[value] else { return nil }
        func ofInput(_ index: Int = 0) -> ClosedRange<Double>? {
            range(of: node.inputs[index], producers, depth: depth + 1)
        }
        if let bounds = (node.operation as? Unary)?.function.range { return bounds }
        switch node.operation {
        case is Softmax: return (node.operation as? Softmax)?.isLogarithmic == false ? 0...1 : nil
        case is Reshape, is Transpose, is StridedSlice, is Pooling, is Split: return ofInput()
        case is Concatenation:
            let parts = node.inputs.indices.map(ofInput)
            guard let first = parts.first, var whole = first, parts.allSatisfy({ $0 != nil }) else { return nil }
            for case let part? in parts {
                whole = min(whole.lowerBound, part.lowerBound)...max(whole.upperBound, part.upperBound)
            }
            return whole
        default:
            guard node.inputs.count == 1, let arithmetic = ChannelArithmetic(node.operation, on: self[node.inputs[0]]),
                let range = ofInput()
            else { return nil }
            let ends = zip(arithmetic.scale, arithmetic.offset).flatMap { scale, offset in
                [range.lowerBound * scale + offset, range.upperBound * scale + offset]
            }
            guard let low = ends.min(), let high = ends.max(), low.isFinite, high.isFinite else { return nil }
            return low...high
        }
    }
}

extension Unary.Function {
    /// The range of the function's results, or nil if it is unbounded.
    fileprivate var range: ClosedRange<Double>? {
        switch self {
        case .sigmoid, .hardSigmoid: 0...1
        case .tanh, .softsign, .sine, .cosine, .errorFunction: -1...1
        case .relu6: 0...6
        case .clip(let low, let high) where low.isFinite && high.isFinite && low < high: Double(low)...Double(high)
        default: nil
        }
    }
}
