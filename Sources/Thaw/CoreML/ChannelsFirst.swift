extension Model {
    /// The indices of the graph's inputs that are images.
    var imageInputIndices: Set<Int> { Set(graph.inputs.indices.filter { image(at: $0) != nil }) }

    /// The graph in the form that both Core ML dialects use: channels first, pixels at the image output, and operations that
    /// only Core ML has.
    func channelsFirst() throws -> Graph {
        try graphOfPixels().rebuiltOutputs { index, value, builder in
            guard index == imageOutput?.index else { return value }
            // An image output has the same layout as an image input: batch, channel, height, width.
            return try builder.add(Transpose(Graph.toFirst), [value], name: graph.outputs[index].name + "/order")[0]
        }
        // Blocks in a TensorFlow graph are recognized in its axis order, those in a Core ML model in Core ML's.
        .withRecognizedBlocks().reordered(to: .channelsFirst, imageInputs: imageInputIndices).withRecognizedBlocks()
        .withMergedAxes(maximumRank: CoreMLDialect.maximumRank)
    }
}
