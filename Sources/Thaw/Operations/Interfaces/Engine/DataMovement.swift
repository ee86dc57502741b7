/// Copies elements and does nothing else: a transpose, a slice, padding, parts of a tensor.
///
/// Each piece copies a grid of elements, with given sizes and steps along its axes, from an input to an output with its
/// own steps. Output elements that no piece writes are set to `filling`.
struct DataMovement: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        var input = 0
        var output = 0
        var sizes: [Int]
        /// In elements, from the first element of the tensor. A step may be negative or 0.
        var inputStart = 0
        var inputSteps: [Int]
        var outputStart = 0
        var outputSteps: [Int]
    }

    var pieces: [Piece]
    var filling: Float?
}

extension DataMovement {
    /// Permutes axes: axis i of the result is axis `order[i]` of a tensor of this shape.
    init(transposing shape: Shape, _ order: [Int]) {
        let target = shape.permuted(order)
        pieces = [
            Piece(sizes: target.dimensions, inputSteps: order.map { shape.strides[$0] }, outputSteps: target.strides)
        ]
    }

    /// Pads a tensor of this shape.
    init(padding shape: Shape, before: [Int], after: [Int], with value: Float) {
        let target = Shape(shape.indices.map { before[$0] + shape[$0] + after[$0] })
        pieces = [
            Piece(
                sizes: shape.dimensions, inputSteps: shape.strides,
                outputStart: zip(before, target.strides).reduce(0) { $0 + $1.0 * $1.1 }, outputSteps: target.strides)
        ]
        filling = value
    }

    /// Repeats a tensor of this shape along its axes.
    init(tiling shape: Shape, _ multiples: [Int]) {
        let target = Shape(zip(shape, multiples).map { $0 * $1 })
        // Split each axis into two: the copy, and the index in it.
        pieces = [
            Piece(
                sizes: shape.indices.flatMap { [multiples[$0], shape[$0]] },
                inputSteps: shape.indices.flatMap { [0, shape.strides[$0]] },
                outputSteps: shape.indices.flatMap { [shape[$0] * target.strides[$0], target.strides[$0]] })
        ]
    }

    /// Broadcasts a tensor of this shape to another shape, as NumPy does.
    init(broadcasting shape: Shape, to target: Shape) {
        pieces = [
            Piece(sizes: target.dimensions, inputSteps: shape.broadcastSteps(to: target), outputSteps: target.strides)
        ]
    }
}

extension Shape {
    /// The distance between the source elements of neighboring elements in a tensor of shape `target`, along each of
    /// its axes.
    func broadcastSteps(to target: Shape) -> [Int] {
        let padded = padded(to: target.rank)
        return target.indices.map { padded[$0] == 1 ? 0 : padded.strides[$0] }
    }
}
