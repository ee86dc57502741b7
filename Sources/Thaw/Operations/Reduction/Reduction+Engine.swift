import Kernels

extension Reduction: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard !axes.isEmpty else { return nil }
        let count = axes.reduce(1) { $0 * inputs[0].shape[$1] }
        let factor = function == .mean ? 1 / Float(count) : 1
        let isSum = function == .mean || function == .sum
        if inputs[0].shape.rank == 4, axes == [1, 2], isSum { return .pixelSum(factor: factor) }
        let kinds: [Function: ReductionWork.Kind] = [.maximum: .maximum, .minimum: .minimum, .product: .product]
        return .reduction(kinds[function] ?? .sum, axes: axes, factor: factor)
    }
}
