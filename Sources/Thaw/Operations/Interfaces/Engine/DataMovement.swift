/// Elements moved about and nothing else: a transposition, a slice, a border, parts of an array.
///
/// Each piece takes elements of an input, so many along each of some axes and so far apart, to places of an output that lie
/// so far apart. Elements of an output that no piece writes are `filling`.
struct DataMovement: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        var input = 0
        var output = 0
        var sizes: [Int]
        /// In elements, from the first one of the array; a step may be negative or 0.
        var inputStart = 0
        var inputSteps: [Int]
        var outputStart = 0
        var outputSteps: [Int]
    }

    var pieces: [Piece]
    var filling: Float?
}

extension DataMovement {
    /// The axes in another order: axis i of the result is axis `order[i]` of an array of this shape.
    init(transposing shape: Shape, _ order: [Int]) {
        let target = shape.permuted(order)
        pieces = [
            Piece(sizes: target.dimensions, inputSteps: order.map { shape.strides[$0] }, outputSteps: target.strides)
        ]
    }

    /// The parts of an array of this shape, one an output.
    init(taking parts: [[StridedSlice.Range]], of shape: Shape) {
        pieces = parts.enumerated().map { index, ranges in
            let target = Shape(ranges.map(\.count))
            return Piece(
                output: index, sizes: target.dimensions,
                inputStart: zip(ranges, shape.strides).reduce(0) { $0 + $1.0.start * $1.1 },
                inputSteps: zip(ranges, shape.strides).map { $0.step * $1 }, outputSteps: target.strides)
        }
    }

    /// A border around an array of this shape.
    init(padding shape: Shape, before: [Int], after: [Int], with value: Float) {
        let target = Shape(shape.indices.map { before[$0] + shape[$0] + after[$0] })
        pieces = [
            Piece(
                sizes: shape.dimensions, inputSteps: shape.strides,
                outputStart: zip(before, target.strides).reduce(0) { $0 + $1.0 * $1.1 }, outputSteps: target.strides)
        ]
        filling = value
    }

    /// An array of this shape repeated along its axes.
    init(tiling shape: Shape, _ multiples: [Int]) {
        let target = Shape(zip(shape, multiples).map { $0 * $1 })
        // Each axis in two: which copy, and where in it.
        pieces = [
            Piece(
                sizes: shape.indices.flatMap { [multiples[$0], shape[$0]] },
                inputSteps: shape.indices.flatMap { [0, shape.strides[$0]] },
                outputSteps: shape.indices.flatMap { [shape[$0] * target.strides[$0], target.strides[$0]] })
        ]
    }

    /// An array of this shape repeated to another, as NumPy broadcasts.
    init(broadcasting shape: Shape, to target: Shape) {
        pieces = [
            Piece(sizes: target.dimensions, inputSteps: shape.broadcastSteps(to: target), outputSteps: target.strides)
        ]
    }
}

extension Shape {
    /// How far apart the elements are that neighbours in an array of shape `target` are made of, along each of its axes.
    func broadcastSteps(to target: Shape) -> [Int] {
        let padded = padded(to: target.rank)
        return target.indices.map { padded[$0] == 1 ? 0 : padded.strides[$0] }
    }
}
