/// The names of the outputs of TensorFlow operations, as function bodies refer to them.
enum OutputNames {
    /// Those of operations with several names. Any other operation has one name for all its outputs.
    static let all: [String: [String]] = {
        let statistics = ["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"]
        return [
            "FusedBatchNorm": statistics, "FusedBatchNormV2": statistics, "FusedBatchNormV3": statistics,
            "_FusedBatchNormEx": statistics, "TopK": ["values", "indices"], "TopKV2": ["values", "indices"],
            "Switch": ["output_false", "output_true"], "RefSwitch": ["output_false", "output_true"],
            "Merge": ["output", "value_index"], "RefMerge": ["output", "value_index"],
            "MaxPoolWithArgmax": ["output", "argmax"], "Unique": ["y", "idx"],
            "SoftmaxCrossEntropyWithLogits": ["loss", "backprop"],
            "SparseSoftmaxCrossEntropyWithLogits": ["loss", "backprop"],
        ].merging(Quantized.outputs) { $1 }
    }()
}
