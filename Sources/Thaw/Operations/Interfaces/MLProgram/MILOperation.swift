/// An operation that can be written to ML Programs.
protocol MILOperation: CoreMLOperation {
    /// Adds the operations that compute the node. See `MILBlock`.
    /// - Throws: `Failure` if no operation can express it, or the target system does not support it.
    func write(_ node: MILNode, to block: inout MILBlock) throws
    /// Whether the operation is computed in float32 in a program that computes in float16, which cannot express its
    /// parameters.
    var needsFloat32: Bool { get }
}

extension MILOperation {
    /// Whether any weight exceeds the range of float16.
    var needsFloat32: Bool { weights.contains(where: \.exceedsFloat16) }
}

extension Tensor {
    /// Whether any finite element exceeds the range of float16.
    var exceedsFloat16: Bool {
        guard element.isFloatingPoint, element != .float16 else { return false }
        return withFloats { $0.contains { abs($0) > .largestHalf && $0.isFinite } }
    }
}
