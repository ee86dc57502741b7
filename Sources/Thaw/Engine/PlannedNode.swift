import Kernels

/// A node of the graph during compilation, with everything that the engine has fused into it.
struct PlannedNode {
    var name: String
    var operation: any Operation
    /// Nil for operations without a kernel.
    let form: EngineForm?
    /// The traits of its form.
    let traits: FormTraits
    var inputs: [Graph.Value]
    var outputs: [Graph.Value]
    /// Added to a convolution's result before the activation.
    var residual: Graph.Value?
    /// How the residual is added, if it is quantized.
    var addition: QuantizedAddition?
    /// Applied to the result before it is stored.
    var activation: UnaryFunction?
    /// One value for each input channel of a pointwise convolution. In every run its weights are multiplied by them.
    /// This replaces the product with which squeeze-and-excitation scales the image before it.
    var gates: Graph.Value?
    /// The node before it that is fused with it, band of rows by band of rows, if any. Before a depthwise convolution,
    /// that is another convolution. Before a pointwise one, it is a scale or a depthwise one, which in turn may have a
    /// convolution before it.
    var before: [PlannedNode] = []
    var multiplyAdds: Int

    /// The number of convolutions, including fused ones.
    var convolutionCount: Int {
        before.reduce(traits.isConvolution ? 1 : 0) { $0 + $1.convolutionCount }
    }
}
