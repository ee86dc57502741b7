/// Scaled dot-product attention (Vaswani et al., Attention Is All You Need, 2017): every query receives an average of the
/// values, weighted by how well their keys match it. softmax(factor · query · keyᵀ + mask) · value.
///
/// Inputs: queries (batch axes, rows, width), keys (batch axes, keys, width), values (batch axes, keys, channels) and,
/// optionally, a mask that is broadcast to (batch axes, rows, keys).
struct Attention: Operation {
    var factor: Float
    /// A mask that is known, in addition to a computed one.
    var mask: Tensor?

    var kind: String { "Attention" }
    var weights: [Tensor] { mask.map { [$0] } ?? [] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (query, key, value) = (inputs[0].shape, inputs[1].shape, inputs[2].shape)
        let rank = query.rank
        guard rank >= 2 else { throw Failure.tooFewAxes(2, query) }
        for other in [key, value] where other.rank != rank || !other.dropLast(2).elementsEqual(query.dropLast(2)) {
            throw Failure.shapesDiffer(query, other)
        }
        guard key[rank - 1] == query[rank - 1] else { throw Failure.shapesDiffer(query, key) }
        guard key[rank - 2] == value[rank - 2] else { throw Failure.shapesDiffer(key, value) }
        let scores = scores(inputs)
        for other in masks(inputs) where try scores.broadcast(with: other) != scores {
            throw Failure.shapesDiffer(scores, other)
        }
        return [TensorType(Shape(query.dropLast() + [value[rank - 1]]))]
    }

    /// The shape of the scores: a row of keys for each query.
    private func scores(_ inputs: [TensorType]) -> Shape {
        let rank = inputs[0].shape.rank
        return Shape(inputs[0].shape.dropLast() + [inputs[1].shape[rank - 2]])
    }

    private func masks(_ inputs: [TensorType]) -> [Shape] {
        inputs.dropFirst(3).map(\.shape) + [mask?.shape].compactMap { $0 }
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        let channels = inputs[0].shape.last! + inputs[2].shape.last!
        return scores(inputs).elementCount * channels
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        var scores = MatrixProduct(transposeSecond: true).evaluate([inputs[0], inputs[1]])[0]
        scores = Binary(.multiply, constant: Tensor([factor], shape: [])).evaluate([scores])[0]
        for other in inputs.dropFirst(3) + [mask].compactMap({ $0 }) {
            scores = Binary(.add).evaluate([scores, other])[0]
        }
        let weights = Softmax(axis: scores.shape.rank - 1).evaluate([scores])[0]
        return MatrixProduct().evaluate([weights, inputs[2]])
    }
}

// MARK: Facts

extension Attention {
    var family: Family { .dense }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let rank = inputs[0].shape.rank
        let shape = inputs[input].shape
        let aligned = axis + rank - shape.rank
        let isLast = aligned == rank - 1
        let isRow = aligned == rank - 2 && (input == 0 || input == 3)
        guard aligned < rank - 2 || isRow else { return input == 2 && isLast ? .kept(aligned) : .combined }
        let whole = scores(inputs)
        if shape[axis] == 1, whole[aligned] != 1 { return .rearranged }
        let maskSize = mask?.shape.padded(to: rank)[aligned] ?? 1
        return maskSize == 1 ? .kept(aligned) : .weighted(aligned)
    }

    /// A mask along the batch axis must repeat for each image.
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? {
        guard let mask else { return self }
        let maskAxis = axis + mask.shape.rank - inputs[0].shape.rank
        guard maskAxis >= 0, mask.shape[maskAxis] != 1 else { return self }
        guard let part = mask.oneOf(batch, along: maskAxis) else { return nil }
        var attention = self
        attention.mask = part.repeated(count, along: maskAxis)
        return attention
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption { Caption("Attention") }
}

// MARK: Core ML

extension Attention: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let product = MatrixProduct(transposeSecond: true)
        var scores = try parts.add(product, inputs[0], inputs[1], as: "scores")
        if factor != 1 {
            scores = try parts.combine(.multiply, scores, .constant(Tensor([factor], shape: [])), as: "scaled")
        }
        for other in inputs.dropFirst(3) + [mask.map { .constant($0) }].compactMap({ $0 }) {
            scores = try parts.combine(.add, scores, other, as: "masked")
        }
        let weights = try parts.add(Softmax(axis: scores.shape.rank - 1), scores, as: "weights")
        return try parts.add(MatrixProduct(), weights, inputs[2])
    }
}

// MARK: Engine

extension Attention: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .attention(factor: factor, mask: mask)
    }
}
