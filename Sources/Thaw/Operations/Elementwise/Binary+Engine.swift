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
        return .binaryConstant(kernel, operand: constant, constantFirst: constantFirst)
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
