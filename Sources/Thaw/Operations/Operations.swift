/// Every operation that a TensorFlow graph may hold, by name. An operation enters by its line here.
enum Operations {
    static let tensorFlow: [String: TensorFlowRule] = {
        let rules =
            ArgMax.tensorFlow + BatchNormalization.tensorFlow + Binary.tensorFlow + Cast.tensorFlow
            + Concatenation.tensorFlow
            + Constant.tensorFlow + Convolution.tensorFlow + Dense.tensorFlow + DepthwiseConvolution.tensorFlow
            + Dequantize.tensorFlow
            + Pad.tensorFlow + PassThrough.tensorFlow + Pooling.tensorFlow + Reduction.tensorFlow + Reshape.tensorFlow
            + Slice.tensorFlow + Softmax.tensorFlow + Split.tensorFlow + Transpose.tensorFlow + Unary.tensorFlow
        return Dictionary(uniqueKeysWithValues: rules.flatMap { rule in rule.ops.map { ($0, rule) } })
    }()
}
