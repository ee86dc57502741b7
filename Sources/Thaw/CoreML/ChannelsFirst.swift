extension Model {
    /// The graph as both dialects of Core ML hold it: channels before height, and pixels at the image output.
    func channelsFirst() throws -> Graph {
        try graphOfPixels().rebuiltOutputs { index, value, builder in
            guard index == imageOutput?.index else { return value }
            // An image goes out as it comes in: batch, channel, height, width.
            return try builder.add(Transpose(Graph.toFirst), [value], name: graph.outputs[index].name + "/order")[0]
        }.reordered(to: .first, imageInput: image != nil)
    }
}
