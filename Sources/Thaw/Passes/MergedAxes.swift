extension Graph {
    /// Reduces the rank of operations on tensors with many axes by merging adjacent axes that the operation treats
    /// alike. Pixel blocks that are rearranged by reshapes have six axes, and Core ML supports five.
    ///
    /// - Parameter most: The highest rank that is left unchanged.
    func withMergedAxes(most: Int) throws -> Graph {
        guard nodes.contains(where: { ($0.inputs + $0.outputs).contains { self[$0].shape.rank > most } }) else {
            return self
        }
        return try rebuilt { node, inputs, builder in
            let shapes = (node.inputs + node.outputs.prefix(1)).map { self[$0].shape }
            guard node.outputs.count == 1, shapes.contains(where: { $0.rank > most }) else { return nil }
            if let constant = node.operation as? Constant {
                let row = Constant(constant.value.reshaped([constant.value.elementCount]))
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
    /// Axes that are merged into one.
    private struct Group {
        let axes: Range<Int>
        /// The last of them with more than one element, or any if there is none.
        let leader: Int
    }

    private let groups: [Group]
    let operation: any Operation

    init?(_ operation: any Operation, _ inputs: ArraySlice<Shape>, _ to: Shape) {
        // Lower-rank inputs get leading ones.
        let inputs = inputs.map { $0.padded(to: operation.isElementwise ? to.rank : $0.rank) }
        let from = inputs[0]
        guard inputs.allSatisfy({ $0.rank == from.rank }) else { return nil }
        switch operation {
        case let transpose as Transpose:
            let moved = transpose.order.filter { from[$0] != 1 }
            let targets = from.indices.map { axis in moved.firstIndex(of: axis) ?? -1 }
            groups = AxisMerger.groups(from) { targets[$1] == targets[$0] + 1 }
            let leaders = groups.map { targets[$0.leader] }
            self.operation = Transpose(groups.indices.sorted { leaders[$0] < leaders[$1] })
        case let tile as Tile:
            // Axes can be merged if the outer ones are repeated and the inner ones are not.
            groups = AxisMerger.groups(to) { tile.multiples[$1] == 1 }
            self.operation = Tile(multiples: groups.map { $0.axes.reduce(1) { $0 * tile.multiples[$1] } })
        case is BroadcastTo where from.rank == to.rank:
            groups = AxisMerger.groups(to, repeating: inputs)
            self.operation = BroadcastTo(shape: AxisMerger.merged(to, groups))
        case var reduction as Reduction:
            let isReduced = from.indices.map(reduction.axes.contains)
            groups = AxisMerger.groups(from) { isReduced[$0] == isReduced[$1] }
            reduction.axes = groups.indices.filter { [groups] in isReduced[groups[$0].leader] }
            guard !reduction.axes.isEmpty else { return nil }
            self.operation = reduction
        case let concatenation as Concatenation:
            groups = AxisMerger.groups(to) { $0 != concatenation.axis && $1 != concatenation.axis }
            self.operation = Concatenation(axis: groups.firstIndex { $0.axes.contains(concatenation.axis) }!)
        case var softmax as Softmax:
            groups = AxisMerger.groups(to, apart: softmax.axis)
            softmax.axis = groups.firstIndex { $0.leader == softmax.axis }!
            self.operation = softmax
        // Operations with per-channel values.
        case is BatchNormalization, is FakeQuantize:
            groups = AxisMerger.groups(to, apart: to.rank - 1)
            self.operation = operation
        case var binary as Binary where from.rank == to.rank:
            let constant = binary.constant?.shape.padded(to: to.rank)
            groups = AxisMerger.groups(to, repeating: inputs + (constant.map { [$0] } ?? []))
            binary.constant = binary.constant?.reshaped(AxisMerger.merged(constant!, groups))
            self.operation = binary
        case _ where operation.isElementwise:
            groups = AxisMerger.groups(to, repeating: inputs)
            self.operation = operation
        default: return nil
        }
    }

    /// The merged shape of an input.
    func shape(_ input: Shape) -> Shape {
        AxisMerger.merged(input.padded(to: groups.last?.axes.upperBound ?? 0), groups)
    }

    /// - Parameter belong: Whether an axis merges with the one before it. An axis of one element merges with any.
    private static func groups(_ shape: Shape, _ belong: (Int, Int) -> Bool) -> [Group] {
        var groups: [Group] = []
        for axis in shape.indices {
            guard let last = groups.last else {
                groups.append(Group(axes: axis..<axis + 1, leader: axis))
                continue
            }
            if shape[axis] == 1 || shape[last.leader] == 1 || belong(last.leader, axis) {
                groups[groups.count - 1] = Group(
                    axes: last.axes.lowerBound..<axis + 1, leader: shape[axis] == 1 ? last.leader : axis)
            } else {
                groups.append(Group(axes: axis..<axis + 1, leader: axis))
            }
        }
        return groups
    }

    /// Three groups: the axes before one that stays separate, that axis, and the axes after it.
    private static func groups(_ shape: Shape, apart axis: Int) -> [Group] {
        [0..<axis, axis..<axis + 1, axis + 1..<shape.rank].filter { !$0.isEmpty }
            .map { axes in Group(axes: axes, leader: axes.last { shape[$0] != 1 } ?? axes.lowerBound) }
    }

    /// Groups for inputs that are broadcast to this shape.
    private static func groups(_ shape: Shape, repeating arrays: [Shape]) -> [Group] {
        groups(shape) { a, b in arrays.allSatisfy { ($0[a] == shape[a]) == ($0[b] == shape[b]) } }
    }

    private static func merged(_ shape: Shape, _ groups: [Group]) -> Shape {
        Shape(groups.map { $0.axes.reduce(1) { $0 * shape[$1] } })
    }
}
