import Kernels

// Grouped convolutions, and depthwise ones with a multiplier, as full convolutions of sections of the channels. A
// section is as narrow as blocks allow, so that few multiplications are by zero.

extension EngineForm {
    /// The maximum number of weights of all sections.
    private static let largestExpansion = 1 << 24

    /// The form with a grouped convolution divided into sections; nil if it would have too many weights. All other forms
    /// stay as they are.
    func inSections(inputChannels: Int, blockWidth: Int) -> EngineForm? {
        let (grouped, bias, window): (Tensor, Tensor?, Window)
        switch self {
        case .convolution(let filters, let offsets, let size) where filters.shape[2] != inputChannels:
            (grouped, bias, window) = (filters, offsets, size)
        case .depthwise(let filters, let offsets, let size) where filters.shape[3] != 1:
            let outputs = inputChannels * filters.shape[3]
            grouped = filters.reshaped([filters.shape[0], filters.shape[1], 1, outputs])
            (bias, window) = (offsets, size)
        default: return self
        }
        let groups = inputChannels / grouped.shape[2]
        let sections = ChannelSections(
            inputsPerGroup: grouped.shape[2], outputsPerGroup: grouped.shape[3] / groups, groups: groups,
            blockWidth: blockWidth)
        guard grouped.elementCount * sections.groupsPerSection <= EngineForm.largestExpansion else { return nil }
        if sections.count == 1 {
            return .convolution(filters: sections.filters(of: 0, grouped), bias: bias, window: window)
        }
        return .sections(filters: grouped, bias: bias, window: window, sections)
    }
}

extension Compiler {
    /// One step for all sections: each is a separate image within the memory of the whole image.
    mutating func addSections(
        _ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window, _ sections: ChannelSections
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = native(node.outputs[0])
        var parts: [(from: Location, layer: ConvolutionLayer, partition: WorkPartition)] = []
        for index in 0..<sections.count {
            let (inputs, outputs) = (sections.inputs(of: index), sections.outputs(of: index))
            let source = from.section(inputs)
            var layer = directLayer(
                node, from: source, to: to.section(outputs), filters: sections.filters(of: index, filters),
                bias: bias.map { Tensor(Array($0.floats[outputs]), shape: [outputs.count]) }, window: window)
            layer.residual = layer.residual?.section(outputs)
            let minimum = minimumChunks.dividedRoundingUp(by: sections.count)
            parts.append((source, layer, partition(layer.steps, from: source, to: layer.to, minimumChunks: minimum)))
        }
        let chunks = parts.indices.flatMap { part in (0..<parts[part].partition.chunks).map { (part, $0) } }
        var step = Step(
            node, algorithm: parts[0].layer.algorithm + ", grouped",
            reads: [from.slot] + parts[0].layer.reads, writes: [to.slot], multiplyAdds: node.multiplyAdds,
            chunks: from.images * chunks.count
        ) { [parts] memory, chunk in
            let (image, index) = chunk.quotientAndRemainder(dividingBy: chunks.count)
            let part = parts[chunks[index].0]
            memory.run(part.layer, image, part.partition[chunks[index].1], from: part.from)
        }
        step.scratchBytes = parts.map(\.layer.scratchBytes).max() ?? 0
        step.precision = parts[0].layer.precision
        add(step)
    }
}

extension Location {
    /// Some channels of an image in blocks, which begin at a block.
    fileprivate func section(_ channels: Range<Int>) -> Location {
        var location = self
        location.firstBlock += channels.lowerBound / blockWidth
        location.wholeBlocks = wholeBlocks ?? blocks
        location.channels = channels.count
        return location
    }
}
