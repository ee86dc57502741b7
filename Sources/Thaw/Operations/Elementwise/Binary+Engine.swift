import Kernels

extension Binary: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard let kernel else { return nil }
        guard let constant else {
            if inputs[0] == inputs[1] { return .binary(kernel) }
            guard let image = inputs.firstIndex(of: output), output.shape.rank == 4,
                inputs[1 - image].shape == [output.shape[0], 1, 1, output.shape[3]]
            else { return .broadcast(kernel) }
            return .binaryChannels(kernel, image: image)
        }
        let isChannel = constant.elementCount == output.shape.last && constant.shape.last == output.shape.last
        guard inputs[0] == output, constant.elementCount == 1 || isChannel else {
            guard constant.elementCount > 0, constant.element == .float32 else { return nil }
            return .broadcastConstant(kernel, operand: constant, constantFirst: constantFirst)
        }
        return channelScale(inputs[0]) ?? .binaryConstant(kernel, operand: constant, constantFirst: constantFirst)
    }

    /// The exact scale of an image's channels, which can be fused with what follows; nil if it is none.
    private func channelScale(_ image: TensorType) -> EngineForm? {
        guard image.shape.rank == 4, constant!.elementCount > 1, function != .divide,
            let arithmetic = ChannelArithmetic(self, on: image)
        else { return nil }
        return BatchNormalization(arithmetic).engineForm([image], image)
    }

    private var kernel: BinaryFunction? {
        switch function {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .maximum: .maximum
        case .minimum: .minimum
        case .squaredDifference: .squaredDifference
        case .power: .power
        default: nil
        }
    }
}
