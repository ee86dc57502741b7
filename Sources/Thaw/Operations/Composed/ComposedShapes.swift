/// Core ML's operations on shapes and positions, imported as constants or as a combination of other operations.
enum ComposedShapes {
    /// Numbers from a start to an end, which is excluded; nil if their count is invalid.
    static func range(from start: Double, to end: Double, step: Double, _ element: ElementType) -> Tensor? {
        // In float32, 0 to 0.3 in steps of 0.1 has 3 values, as in TensorFlow.
        let count =
            element == .float32
            ? Double(((Float(end) - Float(start)) / Float(step)).rounded(.up)) : ((end - start) / step).rounded(.up)
        guard count.isFinite, count <= Double(ImportContext.largestConstant) else { return nil }
        return Tensor(shape: [Int(Swift.max(0, count))], element: element) { start + Double($0) * step }
    }

    /// The positions of all elements that are not 0, one in each row.
    /// - Throws: `Failure` if there are too many.
    static func positions(of tensor: Tensor, _ element: ElementType) throws -> Tensor {
        let strides = tensor.shape.strides
        let elements = tensor.withElements { x in (0..<tensor.elementCount).filter { x[$0] != 0 } }
        try ImportContext.checkConstant([elements.count, tensor.shape.rank])
        let positions = elements.flatMap { element in
            tensor.shape.indices.map { element / strides[$0] % tensor.shape[$0] }
        }
        return Tensor(integers: positions, shape: [elements.count, tensor.shape.rank], element: element)
    }

    /// Whether an element is at most `lower` diagonals below the main one, and at most `upper` above it; negative means
    /// unlimited.
    static func band(_ lower: Int, _ upper: Int) -> (_ row: Int, _ column: Int) -> Bool {
        { row, column in (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper) }
    }
}

extension ImportContext {
    /// Matrices in which only some elements are kept and the others are 0.
    mutating func banded(
        _ x: Operand, _ keeps: (_ row: Int, _ column: Int) -> Bool, _ node: some SourceNode
    ) throws -> Operand {
        guard x.shape.rank >= 2 else { throw Failure.tooFewAxes(2, x.shape) }
        let matrix = Shape(x.shape.suffix(2))
        // A constant has no fewer elements.
        if x.constant == nil { try Self.checkConstant(matrix) }
        let isKept = Tensor(shape: matrix, element: .bool) { keeps($0 / matrix[1], $0 % matrix[1]) ? 1 : 0 }
        let zero = Tensor(0, element: x.type.element)
        return try add(Select(), [.constant(isKept), x, .constant(zero)], node)[0]
    }

    /// Windows along an axis, which is replaced by an axis of windows and one of their elements; nil if no window fits.
    mutating func windows(
        _ x: Operand, along axis: Int, size: Int, step: Int, _ node: some SourceNode
    ) throws -> Operand? {
        guard size > 0, step > 0, size <= x.shape[axis], step < 1 << 24 else { return nil }
        let count = (x.shape[axis] - size) / step + 1
        try Self.checkConstant([count, size])
        let indices = Tensor(integers: (0..<count * size).map { $0 / size * step + $0 % size }, shape: [count, size])
        return try add(Gather(axis: axis), [x, .constant(indices)], node)[0]
    }

    /// A batch of sequences, each of them reversed up to its length; nil if the lengths do not fit.
    mutating func reversed(
        _ x: Operand, _ lengths: Operand, along axis: Int, batch: Int, _ node: some SourceNode
    ) throws -> Operand? {
        guard axis != batch, lengths.shape == [x.shape[batch]] else { return nil }
        try Self.checkConstant([x.shape[axis]])
        func aligned(_ operand: Operand, _ axis: Int) throws -> Operand {
            var shape = Shape(x.shape.map { _ in 1 })
            shape[axis] = x.shape[axis]
            return try reshaped(operand, shape, node)
        }
        let element = lengths.type.element
        let range = Tensor(shape: [x.shape[axis]], element: element) { Double($0) }
        let positions = try aligned(.constant(range), axis)
        func number(_ value: Double) -> Operand {
            .constant(Tensor(shape: Shape(x.shape.map { _ in 1 }), element: element) { _ in value })
        }
        let last = try combine(.subtract, aligned(lengths, batch), number(1), node)
        let reversed = try combine(.subtract, last, positions, node)
        // Elements after the end of the sequence stay.
        let isInside = try combine(.greaterOrEqual, reversed, number(0), node)
        let indices = try add(Select(), [isInside, reversed, positions], node)[0]
        let all = try add(BroadcastTo(shape: x.shape), indices, node)
        return try add(GatherAlongAxis(axis: axis), [x, all], node)[0]
    }

    /// A slice that begins at computed positions and has known sizes.
    /// - Parameters:
    ///   - starts: One position for each axis; negative ones count from the end.
    ///   - counts: The size of the slice along each axis; nil for the whole axis.
    mutating func slice(
        _ x: Operand, from starts: Operand, counts: [Int?], _ node: some SourceNode
    ) throws -> Operand {
        var x = x
        for (axis, count) in counts.enumerated() {
            guard let count else { continue }
            try Self.checkConstant([count])
            let start = try add(StridedSlice(ranges: [.init(start: axis, count: 1)]), starts, node)
            let offsets = Tensor(integers: Array(0..<count), shape: [count], element: starts.type.element)
            let indices = try combine(.add, start, .constant(offsets), node)
            x = try add(Gather(axis: axis, countsFromEnd: true), [x, indices], node)[0]
        }
        return x
    }
}

/// Messages that several refusals share.
enum Phrases {
    static let unknownCount: Phrase = "the number of nonzero elements is known only when the model runs"
    static let knownShapes: Phrase = "shapes must be known in advance"
}
