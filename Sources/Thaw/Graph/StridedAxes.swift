/// Converts linear indices in row-major order to offsets, given a step along each axis.
struct IndexSpace: Equatable {
    var sizes: [Int]

    var count: Int { sizes.reduce(1, *) }

    /// The offset of the element at linear `index`, given the step along each axis.
    func offset(_ index: Int, _ steps: [Int]) -> Int {
        var rest = index
        var offset = 0
        for axis in sizes.indices.reversed() {
            offset += rest % sizes[axis] * steps[axis]
            rest /= sizes[axis]
        }
        return offset
    }
}

/// An axis over which several tensors are iterated at once: its size, and the step along it in each tensor.
struct SharedAxis {
    var size: Int
    var steps: [Int]

    /// The axes of these sizes, without those of size 1. Axes that are contiguous in all tensors are merged into one.
    /// - Parameter steps: For each tensor, the step along each axis.
    static func merged(_ sizes: some Sequence<Int>, steps: [[Int]]) -> [SharedAxis] {
        var axes: [SharedAxis] = []
        for (index, size) in sizes.enumerated() where size != 1 {
            let steps = steps.map { $0[index] }
            if let last = axes.last, last.steps == steps.map({ $0 * size }) {
                axes[axes.count - 1] = SharedAxis(size: last.size * size, steps: steps)
            } else {
                axes.append(SharedAxis(size: size, steps: steps))
            }
        }
        return axes
    }
}
