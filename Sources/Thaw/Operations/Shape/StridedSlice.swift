/// A strided slice of a tensor: along each axis every `step`-th element from `start` on, `count` of them.
struct StridedSlice: Operation {
    /// The elements taken along one axis. A negative step reverses them.
    struct Range: Hashable, Sendable {
        var start: Int
        var count: Int
        var step = 1
        /// Whether the indices of the first and of the last element are written from the end of the axis, because they depend
        /// on the size of the image.
        var startsFromEnd = false
        var endsFromEnd = false

        /// The index after the last element, or before it if the step is negative.
        var end: Int { start + count * step }

        init(start: Int, count: Int, step: Int = 1) {
            self.start = start
            self.count = count
            self.step = step
        }

        /// From one index up to another, which is excluded; `nil` means as far as possible. Indices may be negative,
        /// which counts from the end, and may be out of bounds: they are clamped to `size`.
        /// - Precondition: `isStep(step)`.
        init(from begin: Int?, to end: Int?, step: Int, of size: Int) {
            func clamped(_ index: Int) -> Int {
                let counted = index < 0 ? index + size : index
                return step > 0 ? Swift.min(Swift.max(counted, 0), size) : Swift.min(Swift.max(counted, -1), size - 1)
            }
            let start = begin.map(clamped) ?? (step > 0 ? 0 : size - 1)
            let end = end.map(clamped) ?? (step > 0 ? size : -1)
            self.init(start: start, count: Swift.max(0, (end - start + step - step.signum()) / step), step: step)
        }

        /// The only element along an axis that is then removed: at `begin`, or the first one if it is nil. A negative index
        /// counts from the end.
        init(squeezedAt begin: Int?, along axis: Int, of shape: Shape) throws {
            let size = shape[axis]
            let start = begin.map { $0 < 0 ? $0 + size : $0 } ?? 0
            guard (0..<size).contains(start) else { throw Failure.sliceOutside(shape) }
            self.init(start: start, count: 1)
        }

        /// Whether both take the same elements, however their indices are written.
        static func == (one: Range, other: Range) -> Bool {
            (one.start, one.count, one.step) == (other.start, other.count, other.step)
        }

        func hash(into hasher: inout Hasher) {
            for number in [start, count, step] { hasher.combine(number) }
        }

        /// Whether a value is a valid step: not 0, and small enough to avoid overflow.
        static func isStep(_ step: Int) -> Bool { step != 0 && abs(Double(step)) < 0x1p31 }
    }

    var ranges: [Range]

    var kind: String { "StridedSlice" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard ranges.count == shape.rank else { throw Failure.wrongRank(ranges.count, shape) }
        for (range, size) in zip(ranges, shape) where range.count > 0 {
            guard (0..<size).contains(range.start), range.count <= size else { throw Failure.sliceOutside(shape) }
            let last = range.start + (range.count - 1) * range.step
            guard (0..<size).contains(last) else { throw Failure.sliceOutside(shape) }
        }
        return [TensorType(Shape(ranges.map(\.count)), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let indices = flatIndices(in: inputs[0].shape)
        return inputs[0].withElements { x in
            [Tensor(shape: Shape(ranges.map(\.count)), element: inputs[0].element) { x[indices[$0]] }]
        }
    }

    /// The indices of its elements in the flattened tensor.
    func flatIndices(in shape: Shape) -> [Int] {
        let strides = shape.strides
        var indices: [Int] = []
        Shape(ranges.map(\.count)).forEachIndex { index in
            indices.append(
                index.indices.reduce(0) { $0 + (ranges[$1].start + index[$1] * ranges[$1].step) * strides[$1] })
        }
        return indices
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(StridedSlice(ranges: orders[0].map { ranges[$0] }), inputs: orders, outputs: orders)
    }
}

extension StridedSlice {
    /// A slice along one axis, with all elements of the others.
    init(_ range: Range, along axis: Int, of shape: Shape) {
        self.init(ranges: shape.map { Range(start: 0, count: $0) })
        ranges[axis] = range
    }
}

// MARK: Facts

extension StridedSlice {
    var family: Family { .arrangement }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let range = ranges[axis]
        guard range.step > 0 else { return .reversed(axis) }
        return .local(axis, Reach(step: Fraction(range.step), movedBy: range.start))
    }

    func followingImageSize(unlike other: any Operation) -> (any Operation)? {
        guard let other = other as? StridedSlice, other.ranges.count == ranges.count else { return nil }
        var slice = self
        for (axis, (own, range)) in zip(ranges, other.ranges).enumerated() {
            slice.ranges[axis].startsFromEnd = own.startsFromEnd || range.startsFromEnd || own.start != range.start
            slice.ranges[axis].endsFromEnd = own.endsFromEnd || range.endsFromEnd || own.end != range.end
        }
        return slice
    }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { range(0) }

    func isIdentity(_ inputs: [TensorType]) -> Bool {
        zip(ranges, inputs[0].shape).allSatisfy { $0 == Range(start: 0, count: $1) }
    }

    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? {
        let size = inputs[0].shape[axis]
        guard ranges[axis] == Range(start: 0, count: size) else { return nil }
        var slice = self
        slice.ranges[axis].count = size / batch * count
        return slice
    }
}

// MARK: Core ML

extension StridedSlice {
    /// The indices as Core ML takes them: those that are negative count from the end of an axis.
    struct Indices {
        var begins: [Int]
        var ends: [Int]
        /// Whether the slice reaches the end of an axis, whatever its size; a reversed slice, the beginning.
        var reachEnd: [Bool]
    }

    /// The indices for an input of this shape.
    func indices(in shape: Shape) -> Indices {
        // A reversed slice that includes the first element has no valid end index.
        let reachEnd = zip(ranges, shape).map { range, size in
            range.end < 0 || range.endsFromEnd && range.end >= size
        }
        return Indices(
            begins: zip(ranges, shape).map { $0.startsFromEnd ? $0.start - $1 : $0.start },
            ends: zip(zip(ranges, shape), reachEnd).map { pair, reachesEnd in
                let (range, size) = pair
                return reachesEnd ? 0 : range.endsFromEnd ? range.end - size : range.end
            }, reachEnd: reachEnd)
    }
}

// MARK: Engine

extension StridedSlice: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .dataMovement(DataMovement(taking: [ranges], of: inputs[0].shape))
    }
}

extension DataMovement {
    /// Parts of a tensor of this shape, one per output.
    init(taking parts: [[StridedSlice.Range]], of shape: Shape) {
        pieces = parts.enumerated().map { index, ranges in
            let target = Shape(ranges.map(\.count))
            return Piece(
                output: index, sizes: target.dimensions,
                inputStart: zip(ranges, shape.strides).reduce(0) { $0 + $1.0.start * $1.1 },
                inputSteps: zip(ranges, shape.strides).map { $0.step * $1 }, outputSteps: target.strides)
        }
    }
}

// MARK: Integers

extension StridedSlice: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
