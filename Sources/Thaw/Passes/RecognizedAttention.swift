// Recognizes attention that a graph spells out: two matrix products with a softmax between them. The scores may be
// scaled on the way, as may the queries and keys, and masks may be added to them.

extension Graph {
    /// Replaces spelled-out scaled dot-product attention by one operation. Scores with other consumers are left
    /// unchanged.
    func withRecognizedAttention() throws -> Graph {
        let counts = consumerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            let outputs =
                try builder.attention(endingIn: node, inputs, readOnce)
                ?? builder.add(node.operation, inputs, name: node.name)
            for (old, new) in zip(node.outputs, outputs) where counts[old.index] == 1 { readOnce.insert(new) }
            return outputs
        }
    }
}

/// The operations on the scores between the first product and the softmax.
private struct Scores {
    /// The product, or a value computed from it.
    var value: Graph.Value
    var factor: Float = 1
    /// In a shape that is broadcast to the value's.
    var mask: Tensor?
    var computedMask: Graph.Value?

    /// The most elements of a mask, because a broadcast mask may have to be expanded.
    static let largestMask = 1 << 22
}

extension GraphBuilder {
    fileprivate mutating func attention(
        endingIn node: Graph.Node, _ inputs: [Graph.Value], _ readOnce: Set<Graph.Value>
    ) throws -> [Graph.Value]? {
        guard let mixing = node.operation as? MatrixProduct, !mixing.transposeFirst, readOnce.contains(inputs[0]),
            let producer = producer(of: inputs[0]), let softmax = producer.operation as? Softmax,
            !softmax.isLogarithmic, softmax.axis == self[inputs[0]].shape.rank - 1,
            var scores = scores(endingAt: Scores(value: producer.inputs[0]), readOnce),
            let product = self.producer(of: scores.value), let scoring = product.operation as? MatrixProduct,
            !scoring.transposeFirst, self[scores.value].shape == self[inputs[0]].shape
        else { return nil }
        let query = scaled(product.inputs[0], &scores.factor, readOnce)
        var key = scaled(product.inputs[1], &scores.factor, readOnce)
        var value = inputs[1]
        let shapes = [query, key, value].map { self[$0].shape }
        guard shapes.allSatisfy({ $0.rank == shapes[0].rank && $0.dropLast(2) == shapes[0].dropLast(2) }) else {
            return nil
        }
        if !scoring.transposeSecond { key = try transposed(key, name: node.name + "/keys") }
        if mixing.transposeSecond { value = try transposed(value, name: node.name + "/values") }
        let attention = Attention(factor: scores.factor, mask: scores.mask)
        return try add(attention, [query, key, value] + [scores.computedMask].compactMap { $0 }, name: node.name)
    }

    /// Traces scores back to the matrix product that computes them; nil if there is any other operation in between.
    private func scores(endingAt last: Scores, _ readOnce: Set<Graph.Value>) -> Scores? {
        var scores = last
        while readOnce.contains(scores.value), let producer = producer(of: scores.value) {
            switch producer.operation {
            case is MatrixProduct: return scores
            case let reshape as Reshape:
                guard scores.pass(from: self[producer.inputs[0]].shape, to: reshape.shape) else { return nil }
                scores.value = producer.inputs[0]
            case let binary as Binary where binary.constant != nil:
                guard scores.pass(binary, shape: self[scores.value].shape) else { return nil }
                scores.value = producer.inputs[0]
            case let binary as Binary where binary.function == .add:
                guard scores.computedMask == nil, scores.factor == 1, producer.inputs[0] != producer.inputs[1] else {
                    return nil
                }
                let shape = self[scores.value].shape
                for (index, value) in producer.inputs.enumerated() where self[value].shape == shape {
                    var inner = scores
                    inner.value = value
                    inner.computedMask = producer.inputs[1 - index]
                    if let found = self.scores(endingAt: inner, readOnce) { return found }
                }
                return nil
            default: return nil
            }
        }
        return nil
    }

    /// The value before it is multiplied by a number, which becomes part of the factor.
    private func scaled(_ value: Graph.Value, _ factor: inout Float, _ readOnce: Set<Graph.Value>) -> Graph.Value {
        guard readOnce.contains(value), let producer = producer(of: value),
            let number = (producer.operation as? Binary)?.factor
        else { return value }
        factor *= number
        return producer.inputs[0]
    }

    /// The matrices transposed.
    private mutating func transposed(_ value: Graph.Value, name: String) throws -> Graph.Value {
        let swap = MatrixProduct.swappingLastAxes(self[value].shape.rank)
        guard let producer = producer(of: value), let transpose = producer.operation as? Transpose else {
            return try add(Transpose(swap), [value], name: name)[0]
        }
        let order = swap.map { transpose.order[$0] }
        if order == Array(order.indices) { return producer.inputs[0] }
        return try add(Transpose(order), producer.inputs, name: name)[0]
    }
}

extension Scores {
    /// Takes arithmetic with a constant into account; returns whether that is possible.
    fileprivate mutating func pass(_ binary: Binary, shape: Shape) -> Bool {
        if let number = binary.factor {
            factor *= number
            return true
        }
        guard binary.function == .add, let constant = binary.constant, constant.element == .float32,
            (try? shape.broadcast(with: constant.shape)) == shape
        else { return false }
        let added = factor == 1 ? constant : constant.multiplied(by: factor)
        mask = mask.map { Binary(.add).evaluate([$0, added])[0] } ?? added
        return true
    }

    /// Takes a change of the batch axes into account.
    fileprivate mutating func pass(from: Shape, to: Shape) -> Bool {
        guard computedMask == nil, from.rank >= 2, from.suffix(2).elementsEqual(to.suffix(2)) else { return false }
        guard let mask else { return true }
        guard mask.elementCount > 1 else {
            self.mask = mask.reshaped([])
            return true
        }
        guard to.elementCount <= Scores.largestMask else { return false }
        self.mask = BroadcastTo(shape: to).evaluate([mask])[0].reshaped(from)
        return true
    }
}

extension Binary {
    /// The number by which it multiplies, if it does only that.
    fileprivate var factor: Float? {
        guard let constant, constant.elementCount == 1, constant.element == .float32, constant.shape.rank <= 2 else {
            return nil
        }
        switch (function, constantFirst) {
        case (.multiply, _): return constant.floats[0]
        case (.divide, false): return 1 / constant.floats[0]
        default: return nil
        }
    }
}

extension Tensor {
    fileprivate func multiplied(by number: Float) -> Tensor {
        Binary(.multiply, constant: Tensor([number], shape: [])).evaluate([self])[0]
    }
}
