extension Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let shape = inputs[0].shape
        let channels = shape.last ?? 1
        if shape.rank == 4, axes == [1, 2] || axes == [1, 2, 3],
            let scale = row(scale, 1, channels), let offset = row(offset, 0, channels)
        {
            return .imageNormalization(acrossChannels: axes.count == 3, epsilon: epsilon, scale: scale, offset: offset)
        }
        if axes == [shape.rank - 1], let scale = row(scale, 1, channels), let offset = row(offset, 0, channels) {
            return .rowNormalization(epsilon: epsilon, scale: scale, offset: offset)
        }
        return nil
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
        axes == [inputs[0].shape.rank - 1] ? .rowL2(epsilon: epsilon) : nil
    }
}
