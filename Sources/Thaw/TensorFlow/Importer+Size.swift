/// Infers image sizes that a graph leaves open.
extension Importer {
    /// The options with the size and number of channels inferred from the graph's layers, and notes on them.
    /// - Throws: `Failure` with the sizes that fit, if there are several.
    static func withOpenSize(_ flat: FlatGraph, _ input: InputNode, _ options: ImportOptions) throws -> (
        options: ImportOptions, notes: [Note]
    ) {
        guard !options.forInput(input.name).isTensor, let finding = try finding(flat, input, options) else {
            return (options, [])
        }
        var options = options
        if options.size == nil {
            guard finding.sizes.count == 1 else {
                // Not needed for a graph that is only inspected, or that takes each image in its own size.
                guard options.openSize == nil else { return (options, []) }
                let op = flat.graph.node(input.name)?.op ?? "Placeholder"
                throw Failure.severalSizes(
                    input.name, op, finding.sizes, likely: likely(finding.sizes), layer: finding.layer)
            }
            options.size = finding.sizes[0]
        }
        options.openChannels = finding.channels
        return (options, [.sizeFound(finding.sizes[0], finding.channels, layer: finding.layer)])
    }

    /// The hint if a graph cannot be converted because of the given size.
    static func sizeHint(_ flat: FlatGraph, _ input: InputNode, _ options: ImportOptions) throws -> Phrase? {
        guard let size = options.size else { return nil }
        var open = options
        open.size = nil
        let (image, _) = try image(flat, input)
        guard image.openSize(options) != nil else { return nil }
        if let finding = try finding(flat, input, open) {
            guard !finding.sizes.contains(size) else { return nil }
            return Failure.sizesFit(finding.sizes, layer: finding.layer)
        }
        // Networks halve their images several times, and the sizes must match when they are upscaled again.
        let block = 32
        let rounded = ImageSize(
            width: size.width.rounded(upToMultipleOf: block), height: size.height.rounded(upToMultipleOf: block))
        for factor in 1...2 {
            let other = ImageSize(width: rounded.width * factor, height: rounded.height * factor)
            guard other != size else { continue }
            open.size = other
            if (try? run(flat, flat.outputs, [input], open)) != nil { return Failure.sizeWorks(other) }
        }
        return nil
    }

    private static func finding(_ flat: FlatGraph, _ input: InputNode, _ options: ImportOptions) throws -> SizeSearch
        .Finding?
    {
        let (image, nodes) = try image(flat, input)
        guard nodes.contains(where: { $0.name == input.name }), image.refusal == nil else { return nil }
        var search = SizeSearch(image, input: input.name, through: nodes, input.graph) { name, size, channels in
            var trial = options
            (trial.size, trial.openChannels) = (size, channels)
            guard let graph = try? run(flat, [FlatGraph.Output(name)], [input], trial).graph else { return nil }
            return graph[graph.outputs[0].value].shape
        }
        return search.find(options)
    }

    /// The input as an image, and the nodes that the outputs need.
    private static func image(_ flat: FlatGraph, _ input: InputNode) throws -> (
        image: InputImage, nodes: [NodeDefinition]
    ) {
        let nodes = try input.graph.nodes(neededBy: flat.names)
        return (InputImage(input.graph.node(input.name)!, through: nodes, input.graph), nodes)
    }

    /// The size that divides by two most often.
    private static func likely(_ sizes: [ImageSize]) -> ImageSize {
        sizes.max { $0.width.trailingZeroBitCount < $1.width.trailingZeroBitCount }!
    }
}
