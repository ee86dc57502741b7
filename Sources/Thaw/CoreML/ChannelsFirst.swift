extension Model {
    /// The positions of the graph's inputs that are images.
    var imagePositions: Set<Int> { Set(graph.inputs.indices.filter { image(at: $0) != nil }) }

    /// The graph as both dialects of Core ML hold it: channels before height, pixels at the image output, and operations that
    /// only Core ML has.
    func channelsFirst() throws -> Graph {
        try graphOfPixels().rebuiltOutputs { index, value, builder in
            guard index == imageOutput?.index else { return value }
            // An image goes out as it comes in: batch, channel, height, width.
            return try builder.add(Transpose(Graph.toFirst), [value], name: graph.outputs[index].name + "/order")[0]
        }
        // Blocks of a graph of TensorFlow's are found in its order of axes, those of a Core ML model in that one.
        .withNamedBlocks().reordered(to: .first, imageInputs: imagePositions).withNamedBlocks()
        .withMergedAxes(most: MILBlock.mostAxes)
    }
}
