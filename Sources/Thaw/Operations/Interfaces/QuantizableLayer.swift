/// A layer with constant weights that a quantized network stores as integers: convolutions and dense layers.
protocol QuantizableLayer: Operation {
    /// The weights. The output channels are the last axis, or the last two.
    var kernel: Tensor { get set }
    /// One value per output channel.
    var bias: Tensor? { get set }
    var outputChannels: Int { get }

    /// The largest magnitude of the weights of each input channel; nil if some channels share weights.
    func largestWeights(inputChannels: Int) -> [Float]?

    /// The layer for inputs whose channels were divided by these factors.
    /// - Precondition: There are `largestWeights` for this many channels.
    func multiplyingInputs(by factors: [Double]) -> any QuantizableLayer
}

extension QuantizableLayer {
    /// The largest magnitudes along the axis of the weights before the last.
    func largestAlongRows() -> [Float] {
        let (rows, columns) = (kernel.shape[kernel.shape.rank - 2], kernel.shape[kernel.shape.rank - 1])
        var largest = [Float](repeating: 0, count: rows)
        kernel.withFloats { floats in
            for (index, weight) in floats.enumerated() {
                largest[index / columns % rows] = max(largest[index / columns % rows], abs(weight))
            }
        }
        return largest
    }

    /// The layer with its weights multiplied along the axis before the last.
    func multiplyingRows(by factors: [Double]) -> any QuantizableLayer {
        let columns = kernel.shape[kernel.shape.rank - 1]
        var result = self
        result.kernel = kernel.scaled(lastAxes: factors.flatMap { Array(repeating: $0, count: columns) })
        return result
    }
}
