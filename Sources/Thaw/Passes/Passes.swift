/// A step from one graph to another that computes the same.
struct Pass: Sendable {
    /// What it does, as a bug report should name it.
    let name: String
    let run: @Sendable (Graph) throws -> Graph
}

/// What is done to every graph once it is read, whatever it is to become. Each line gives the reason for its place.
enum Passes {
    static let simplification: [Pass] = [
        // Before axes are moved about: reshapes around a normalisation look after rows of memory.
        Pass(name: "do normalisations without reshapes") { $0.withoutRegrouping() },
        // Before all that looks at neighbours: transposes of NCHW graphs stand between nodes that belong together.
        Pass(name: "settle the order of axes") { try $0.reordered(to: .last) },
        // Reshapes that change nothing would hide what follows what.
        Pass(name: "remove what does nothing") { try $0.withoutIdentities() },
        // While the numbers in them still stand by themselves: folding would draw some into the layers around them.
        Pass(name: "name normalisations") { $0.withNamedNormalizations() },
        Pass(name: "name activations") { $0.withNamedFunctions() },
        // Before padding is fused: what stood before the blocks is padding of the dilated convolution.
        Pass(name: "take blocks made batches for dilations") { try $0.withDilations() },
        // A pad belongs to the convolution behind it, whatever else is folded into that.
        Pass(name: "fuse padding") { try $0.withFusedPadding() },
        // Biases, batch norms and all other arithmetic by channel, one after another, into the layer before them.
        Pass(name: "fold arithmetic by channel") { try $0.withFoldedArithmetic() },
        // A bound above and one below are one operation, often a well-known one.
        Pass(name: "join bounds") { try $0.withJoinedBounds() },
        // Last: what looks after neighbours wants each reader to have its own.
        Pass(name: "do once what is done twice") { try $0.withoutDuplicates() },
    ]

    /// Runs the passes in turn, and checks the graph after each.
    /// - Throws: `Failure` naming the pass that broke the graph.
    static func run(_ passes: [Pass], on graph: Graph) throws -> Graph {
        try passes.reduce(graph) { graph, pass in
            try naming(place: "pass '\(pass.name)'") {
                let result = try pass.run(graph)
                try result.validate()
                return result
            }
        }
    }
}
