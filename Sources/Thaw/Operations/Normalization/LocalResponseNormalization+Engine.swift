import Kernels

extension LocalResponseNormalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let powers: [Float: LocalNormalizationWork.Power] = [0.5: .half, 0.75: .threeQuarters, 1: .one]
        return powers[beta].map { .localNormalization(radius: radius, bias: bias, alpha: alpha, power: $0) }
    }
}
