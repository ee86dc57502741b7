/// A transformation of a graph that preserves its results.
struct Pass: Sendable {
    /// The effect of the pass, as it appears in a bug report.
    let name: String
    let run: @Sendable (Graph) throws -> Graph
}

/// The passes that run on every graph after import. A comment explains the position of each.
enum Passes {
    static let simplification: [Pass] = [
        // Around normalizations, before any axes are permuted: their reshapes preserve rows of memory.
        regrouping,
        // Before all passes that match neighboring nodes: the transposes of NCHW graphs separate nodes that belong
        // together.
        Pass(name: "convert to channels last") { try $0.reordered(to: .channelsLast) },
        // Reshapes without effect would hide which nodes follow each other.
        Pass(name: "remove identities") { try $0.withoutIdentities() },
        // Around dense layers, after the conversion: these become convolutions, which read channels-last images.
        regrouping,
        // While their constants are still separate: folding would merge some of them into adjacent layers.
        Pass(name: "recognize normalizations") { $0.withRecognizedNormalizations() },
        Pass(name: "recognize activations") { $0.withRecognizedFunctions() },
        // While the scaling of the scores is separate: it could be folded into a layer.
        Pass(name: "recognize attention") { try $0.withRecognizedAttention() },
        // Before padding is fused: padding before SpaceToBatch becomes padding of the dilated convolution.
        Pass(name: "recognize dilated convolutions") { try $0.withDilations() },
        // A pad belongs to the convolution after it, whatever else is folded into that.
        Pass(name: "fuse padding") { try $0.withFusedPadding() },
        // Biases, batch normalizations and all other per-channel arithmetic are folded, in sequence, into the layer
        // before them.
        Pass(name: "fold per-channel arithmetic") { try $0.withFoldedArithmetic() },
        // A lower and an upper bound form one operation, often a well-known one.
        Pass(name: "merge bounds") { try $0.withMergedBounds() },
        // Last: passes that match neighboring nodes need each consumer to have its own producer.
        Pass(name: "remove duplicates") { try $0.withoutDuplicates() },
    ]

    /// Both times it may remove the reshapes around any operation.
    private static let regrouping = Pass(name: "remove enclosing reshapes") { $0.withoutRegrouping() }

    /// Runs the passes in order and validates the graph after each.
    /// - Throws: `Failure` naming the pass that broke the graph.
    static func run(_ passes: [Pass], on graph: Graph) throws -> Graph {
        try passes.reduce(graph) { graph, pass in
            try naming(location: "pass '\(pass.name)'") {
                let result = try pass.run(graph)
                try result.validate()
                return result
            }
        }
    }
}
