/// An index of the operations of an ML Program by the values that they read.
struct ProgramUses {
    /// The operations whose argument `weight` contains trained weights.
    static let layers: Set<String> = ["conv", "conv_transpose", "linear"]
    /// Operations between convolutions that compute each channel from one channel of each input.
    private static let channelwise: Set<String> = [
        "add", "batch_norm", "cast", "clamped_relu", "clip", "elu", "gelu", "identity", "leaky_relu",
        "linear_activation",
        "mul", "pad", "prelu", "real_div", "relu", "relu6", "sigmoid", "sigmoid_hard", "silu", "softplus", "softsign",
        "sub",
        "tanh", "thresholded_relu",
    ]

    private var consumerIndices: [String: [Int]] = [:]
    /// The inputs of depthwise convolutions, directly or after channelwise operations.
    let depthwiseInputs: Set<String>

    init(_ operations: [Message]) {
        var ranks: [String: [Int]] = [:]
        var links: [LayerLink] = []
        for (index, operation) in operations.enumerated() {
            let kind: String = operation.type
            let inputs: [Message] = operation.inputs
            let names = inputs.flatMap { operation.boundNames($0.key) }
            for name in names { consumerIndices[name, default: []].append(index) }
            if kind == "const" || kind.hasPrefix("constexpr_"), let output = (operation.outputs as [Message]).first {
                let dimensions: [Message] = output.type.tensorType.dimensions
                ranks[output.name] = dimensions.map { $0.constant.size }
            }
            // The filters of a depthwise convolution have one input channel.
            let filters = operation.boundNames("weight").first.flatMap { ranks[$0] } ?? []
            let isDepthwise = kind == "conv" && filters.count == 4 && filters[0] > 1 && filters[1] == 1
            links.append(
                LayerLink(
                    kind: isDepthwise ? .depthwise : Self.channelwise.contains(kind) ? .channelwise : .other,
                    inputs: isDepthwise ? operation.boundNames("x") : names, outputs: operation.outputNames))
        }
        depthwiseInputs = LayerLink.depthwiseInputs(links)
    }

    /// The indices of the operations that read a value, once for each argument.
    func consumers(_ name: String) -> [Int] { consumerIndices[name] ?? [] }
}
