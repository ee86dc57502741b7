extension Graph {
    /// Reduces the rank of operations on tensors with many axes by merging adjacent axes that the operation treats
    /// alike. Pixel blocks that are rearranged by reshapes have six axes, and Core ML supports five.
    ///
    /// - Parameter maximumRank: The highest rank that is left unchanged.
    func withMergedAxes(maximumRank: Int) throws -> Graph {
        guard nodes.contains(where: { ($0.inputs + $0.outputs).contains { self[$0].shape.rank > maximumRank } }) else {
            return self
        }
        return try rebuilt { node, inputs, builder in
            let shapes = (node.inputs + node.outputs.prefix(1)).map { self[$0].shape }
            guard node.outputs.count == 1, shapes.contains(where: { $0.rank > maximumRank }) else { return nil }
            if let constant = node.operation.constantValue {
                let row = Constant(constant.reshaped([constant.elementCount]))
                let value = try builder.add(row, [], name: node.name + "/merged")[0]
                return try builder.add(Reshape(shapes[0]), [value], name: node.name)
            }
            guard !inputs.isEmpty, let merger = AxisMerger(node.operation, shapes.dropLast(), shapes.last!) else {
                return nil
            }
            let narrow = try inputs.enumerated().map { index, input in
                try builder.add(Reshape(merger.shape(shapes[index])), [input], name: "\(node.name)/merged_\(index)")[0]
            }
            let result = try builder.add(merger.operation, narrow, name: node.name + "/of_merged")[0]
            return try builder.add(Reshape(shapes.last!), [result], name: node.name)
        }.withoutIdentities()
    }
}

/// An operation rewritten for fewer axes.
private struct AxisMerger {
    let operation: any Operation
    private let groups: AxisGroups

    init?(_ operation: any Operation, _ inputs: ArraySlice<Shape>, _ output: Shape) {
        // Lower-rank inputs get leading ones.
        let inputs = inputs.map { $0.padded(to: operation.isElementwise ? output.rank : $0.rank) }
        guard inputs.allSatisfy({ $0.rank == inputs[0].rank }),
            let merged = operation.mergingAxes(inputs, output)
        else { return nil }
        (self.operation, groups) = merged
    }

    /// The merged shape of an input.
    func shape(_ input: Shape) -> Shape { groups.merged(input.padded(to: groups.last?.axes.upperBound ?? 0)) }
}
