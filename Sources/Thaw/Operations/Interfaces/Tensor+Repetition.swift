extension Tensor {
    /// The first of `count` parts along an axis if all are equal; nil if they differ.
    func oneOf(_ count: Int, along axis: Int) -> Tensor? {
        guard shape.indices.contains(axis), shape[axis] % count == 0, shape[axis] > 0 else { return nil }
        let parts = Split(axis: axis, sizes: Array(repeating: shape[axis] / count, count: count)).evaluate([self])
        return parts.dropFirst().allSatisfy { $0 == parts[0] } ? parts[0] : nil
    }

    /// The tensor repeated `count` times along an axis.
    func repeated(_ count: Int, along axis: Int) -> Tensor {
        Concatenation(axis: axis).evaluate(Array(repeating: self, count: count))[0]
    }
}
