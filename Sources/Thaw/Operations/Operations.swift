/// Every operation that a TensorFlow graph may hold, by name. An operation enters by its line here.
enum Operations {
    static let tensorFlow: [String: TensorFlowRule] = {
        let rules: [[TensorFlowRule]] = [
            ArgMax.tensorFlow, BatchNormalization.tensorFlow, Binary.tensorFlow, Blocks.tensorFlow, Cast.tensorFlow,
            Colors.tensorFlow,
            Concatenation.tensorFlow, Constant.tensorFlow, Convolution.tensorFlow, CropAndResize.tensorFlow,
            CumulativeSum.tensorFlow,
            DepthwiseConvolution.tensorFlow, Dequantize.tensorFlow, Diagonals.tensorFlow, Einsum.tensorFlow,
            FakeQuantize.tensorFlow,
            Gather.tensorFlow, LocalResponseNormalization.tensorFlow, MatrixProduct.tensorFlow, Occurrences.tensorFlow,
            OneHot.tensorFlow,
            Pad.tensorFlow, PassThrough.tensorFlow, Patches.tensorFlow, Pooling.tensorFlow, Reduction.tensorFlow,
            Reshape.tensorFlow, Resize.tensorFlow, Scatter.tensorFlow, Select.tensorFlow,
            StridedSlice.tensorFlow, Softmax.tensorFlow,
            SpaceToBatch.tensorFlow,
            Split.tensorFlow, Tile.tensorFlow, TopK.tensorFlow, TransposedConvolution.tensorFlow,
            Transpose.tensorFlow, Unary.tensorFlow,
        ]
        return Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.ops.map { ($0, rule) } })
    }()

    /// Every kind of layer of a Core ML neural network that can be read.
    static let neural: [String: NeuralRule] = {
        let rules: [[NeuralRule]] = [
            ArgMax.neural, BatchNormalization.neural, Binary.neural, ComposedLayers.neural, Concatenation.neural,
            Constant.neural,
            Convolution.neural, CumulativeSum.neural, Dense.neural, Gather.neural, LocalResponseNormalization.neural,
            Normalization.neural,
            Pad.neural, Pooling.neural, Reduction.neural, Reshape.neural, Resize.neural, StridedSlice.neural,
            Softmax.neural, Split.neural, Transpose.neural, Unary.neural,
        ]
        return Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.kinds.map { ($0, rule) } })
    }()

    /// Every kind of operation of an ML Program that can be read.
    static let mil: [String: MILRule] = {
        let rules: [[MILRule]] = [
            BatchNormalization.mil, Binary.mil, Cast.mil, ComposedOperations.mil, CompressedWeights.mil,
            Concatenation.mil, Convolution.mil,
            Dense.mil, Gather.mil, LocalResponseNormalization.mil, Normalization.mil, Pad.mil, Pooling.mil,
            Reduction.mil,
            Reshape.mil, Resize.mil, Softmax.mil, SparseWeights.mil, Split.mil, StridedSlice.mil, Transpose.mil,
            TransposedConvolution.mil,
            Unary.mil,
        ]
        return Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.kinds.map { ($0, rule) } })
    }()
}
