extension Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let shape = inputs[0].shape
        if shape.rank == 4, axes == [1, 2] || axes == [1, 2, 3], let scale = row(scale, 1, shape[3]),
            let offset = row(offset, 0, shape[3])
        {
            return .imageNormalization(acrossChannels: axes.count == 3, epsilon: epsilon, scale: scale, offset: offset)
        }
        return axes.isEmpty
            ? nil
            : .normalization(axes: axes, epsilon: epsilon, scale: scale?.asFloat32, offset: offset?.asFloat32)
    }

    /// One number for each place of the last axis, or nil where they differ along others.
    private func row(_ constant: Tensor?, _ absent: Float, _ count: Int) -> Tensor? {
        guard let constant, constant.elementCount > 1 else {
            return Tensor([Float](repeating: constant?.floats[0] ?? absent, count: count), shape: [count])
        }
        guard constant.elementCount == count, constant.shape.last == count else { return nil }
        return constant.asFloat32.reshaped([count])
    }
}

extension L2Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        axes.isEmpty ? nil : .lengthNormalization(axes: axes, epsilon: epsilon)
    }
}
