/// A reshape, a transpose and another reshape, which move blocks of an image. Axes of one element are dropped along
/// the way, because Core ML supports at most five axes.
struct Rearrangement {
    var axes: [Int]
    var order: [Int]
    var result: Shape

    /// The equivalent sequence of operations.
    var steps: [any Operation] {
        let kept = axes.indices.filter { axes[$0] != 1 }
        let moves = order.compactMap { kept.firstIndex(of: $0) }
        return [Reshape(Shape(kept.map { axes[$0] })), Transpose(moves), Reshape(result)]
    }
}
