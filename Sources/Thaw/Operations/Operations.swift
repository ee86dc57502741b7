/// The rules for every supported TensorFlow operation, by name. New operations are registered here.
enum Operations {
    static let tensorFlow: [String: TensorFlowRule] = {
        let floatingPoint: [[TensorFlowRule]] = [
            ArgMax.tensorFlow,
            BatchNormalization.tensorFlow,
            Binary.tensorFlow,
            Bitcast.tensorFlow,
            BroadcastTo.tensorFlow,
            Cast.tensorFlow,
            Colors.tensorFlow,
            Concatenation.tensorFlow,
            Constant.tensorFlow,
            Convolution.tensorFlow,
            CropAndResize.tensorFlow,
            CumulativeProduct.tensorFlow,
            CumulativeSum.tensorFlow,
            DepthToSpaceOperations.tensorFlow,
            DepthwiseConvolution.tensorFlow,
            Dequantize.tensorFlow,
            Diagonals.tensorFlow,
            Einsum.tensorFlow,
            FakeQuantize.tensorFlow,
            Gather.tensorFlow,
            GatherSlices.tensorFlow,
            LocalResponseNormalization.tensorFlow,
            MatrixProduct.tensorFlow,
            OneHot.tensorFlow,
            Pad.tensorFlow,
            PassThrough.tensorFlow,
            Patches.tensorFlow,
            Pooling.tensorFlow,
            Reduction.tensorFlow,
            Reshape.tensorFlow,
            Resize.tensorFlow,
            Roll.tensorFlow,
            ScaleAndTranslate.tensorFlow,
            Scatter.tensorFlow,
            Select.tensorFlow,
            Softmax.tensorFlow,
            SpaceToBatch.tensorFlow,
            Split.tensorFlow,
            StridedSlice.tensorFlow,
            Tile.tensorFlow,
            TopK.tensorFlow,
            Transpose.tensorFlow,
            TransposedConvolution.tensorFlow,
            Unary.tensorFlow,
            WhereAndUnique.tensorFlow,
        ]
        // Quantized operations are imported as floating-point ones.
        let quantized = Quantized(rules: byName(floatingPoint)).tensorFlow
        return byName(floatingPoint + [quantized])
    }()

    private static func byName(_ rules: [[TensorFlowRule]]) -> [String: TensorFlowRule] {
        Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.ops.map { ($0, rule) } })
    }

    /// Every supported layer type of Core ML neural networks.
    static let neural: [String: NeuralRule] = {
        let rules: [[NeuralRule]] = [
            ArgMax.neural,
            BatchNormalization.neural,
            Binary.neural,
            BroadcastTo.neural,
            ComposedLayers.neural,
            Concatenation.neural,
            Constant.neural,
            Convolution.neural,
            CumulativeSum.neural,
            Dense.neural,
            Gather.neural,
            GatherAlongAxis.neural,
            GatherSlices.neural,
            LocalResponseNormalization.neural,
            Normalization.neural,
            Pad.neural,
            Pooling.neural,
            Recurrence.neural,
            Reduction.neural,
            Reshape.neural,
            Resize.neural,
            ScatterAlongAxis.neural,
            ScatterSlices.neural,
            Select.neural,
            Softmax.neural,
            Split.neural,
            StridedSlice.neural,
            Tile.neural,
            TopK.neural,
            Transpose.neural,
            Unary.neural,
        ]
        return Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.kinds.map { ($0, rule) } })
    }()

    /// Every supported operation of ML Programs.
    static let mil: [String: MILRule] = {
        let rules: [[MILRule]] = [
            AffineDequantize.mil,
            AffineQuantize.mil,
            ArgMax.mil,
            BatchNormalization.mil,
            Binary.mil,
            Cast.mil,
            ComposedOperations.mil,
            ComposedShapes.mil,
            CompressedWeights.mil,
            Concatenation.mil,
            Convolution.mil,
            CumulativeSum.mil,
            Dense.mil,
            Gather.mil,
            GatherAlongAxis.mil,
            GatherSlices.mil,
            GridSample.mil,
            LocalResponseNormalization.mil,
            MatrixProduct.mil,
            Normalization.mil,
            OneHot.mil,
            Pad.mil,
            Pooling.mil,
            Recurrence.mil,
            Reduction.mil,
            Reshape.mil,
            Resize.mil,
            ScatterAlongAxis.mil,
            ScatterSlices.mil,
            Select.mil,
            Softmax.mil,
            SparseWeights.mil,
            Split.mil,
            StridedSlice.mil,
            Tile.mil,
            TopK.mil,
            Transpose.mil,
            TransposedConvolution.mil,
            Unary.mil,
        ]
        return Dictionary(uniqueKeysWithValues: rules.joined().flatMap { rule in rule.kinds.map { ($0, rule) } })
    }()
}
