/// An array seen as having other axes, those in another order, and that as having another shape again: how blocks of an image
/// move. Axes of one element are left out on the way: Core ML knows five axes at most.
struct Rearrangement {
    var axes: [Int]
    var order: [Int]
    var result: Shape

    init(axes: [Int], order: [Int], result: Shape) {
        self.axes = axes
        self.order = order
        self.result = result
    }

    /// The operations that do it, one behind the other.
    var steps: [any Operation] {
        let kept = axes.indices.filter { axes[$0] != 1 }
        let moves = order.compactMap { kept.firstIndex(of: $0) }
        return [Reshape(Shape(kept.map { axes[$0] })), Transpose(moves), Reshape(result)]
    }
}
