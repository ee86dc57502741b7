extension Dense: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let bias = bias?.reshaped([bias!.elementCount])
        guard bias == nil || bias?.elementCount == matrix.shape[1] else { return nil }
        return .dense(matrix: matrix, bias: bias)
    }
}

extension MatrixProduct: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .matrixProduct(transposeFirst: transposeFirst, transposeSecond: transposeSecond)
    }
}
