/// Every operation that a TensorFlow graph may hold, by name. An operation enters by its line here.
enum Operations {
    static let tensorFlow: [String: TensorFlowRule] = {
        let rules =
            ArgMax.tensorFlow + BatchNormalization.tensorFlow + Binary.tensorFlow + Cast.tensorFlow
            + Concatenation.tensorFlow
            + Constant.tensorFlow + Convolution.tensorFlow + Dense.tensorFlow + DepthwiseConvolution.tensorFlow
            + Dequantize.tensorFlow
            + Pad.tensorFlow + PassThrough.tensorFlow + Pooling.tensorFlow + Reduction.tensorFlow + Reshape.tensorFlow
            + StridedSlice.tensorFlow + Softmax.tensorFlow + Split.tensorFlow + Transpose.tensorFlow + Unary.tensorFlow
        return Dictionary(uniqueKeysWithValues: rules.flatMap { rule in rule.ops.map { ($0, rule) } })
    }()

    /// Every kind of layer of a Core ML neural network that can be read.
    static let neural: [String: NeuralRule] = {
        let rules =
            ArgMax.neural + BatchNormalization.neural + Binary.neural + Concatenation.neural + Constant.neural
            + Convolution.neural
            + Dense.neural + Pad.neural + Pooling.neural + Reduction.neural + Reshape.neural + StridedSlice.neural
            + Softmax.neural
            + Split.neural + Transpose.neural + Unary.neural
        return Dictionary(uniqueKeysWithValues: rules.flatMap { rule in rule.kinds.map { ($0, rule) } })
    }()
}
