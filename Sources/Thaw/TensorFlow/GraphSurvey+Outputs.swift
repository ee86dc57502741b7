extension GraphSurvey {
    /// The detected outputs: nodes without consumers that depend on the image but not on labels. Nodes that only train, save,
    /// report or compare with labels do not count.
    ///
    /// - Parameter fed: Placeholders that get arrays, and therefore are not labels.
    func outputs(fed: Set<String> = []) throws -> [String] {
        let truths = try TruthSearch(self).truths(fed: fed)
        let search = try OutputSearch(self)
        let outputs = search.outputs(truths)
        return outputs.isEmpty && !truths.isEmpty ? search.outputs([]) : outputs
    }

    /// Whether a node is a mean or a sum over the images of a batch.
    func reducesBatch(_ node: NodeDefinition) -> Bool {
        guard GraphSurvey.totals.contains(node.op), node.data.count == 2 else { return false }
        let axes = self.node(Reference(node.data[1]).node)
        // A reduction over all axes has a range that depends on the rank.
        guard axes?.op == "Const" else { return axes?.op == "Range" }
        guard case .tensor(let tensor)? = axes?.attributes["value"] else { return false }
        return tensor.integers.contains(0)
    }

    // MARK: Kinds of operations

    /// Operations that only train, evaluate, save or report.
    fileprivate static let leftovers: Set<String> = [
        "NoOp", "Assert", "MergeV2Checkpoints", "ShardedFilename", "PrintV2", "InTopK", "InTopKV2",
        "IteratorToStringHandle", "MakeIterator", "SoftmaxCrossEntropyWithLogits",
        "SparseSoftmaxCrossEntropyWithLogits", "L2Loss", "CTCLoss",
    ]
    fileprivate static let leftoverPrefixes = ["Save", "Restore", "QueueEnqueue"] + optimizerPrefixes
    fileprivate static let optimizerPrefixes = ["Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"]

    /// Operations that store their input in a variable.
    static let updates: Set<String> = [
        "Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp",
    ]

    static let sources: Set<String> = [
        "Const", "Placeholder", "PlaceholderV2", "VariableV2", "Variable", "VarHandleOp",
    ]

    /// Operations that need only the size of their input.
    static let sizeOperations: Set<String> = ["Shape", "ShapeN", "Size", "Rank"]

    /// Operations that select the largest of a result's values.
    static let choices: Set<String> = ["ArgMax", "TopK", "TopKV2"]

    /// Operations on a result that prepare a comparison with labels or a loss.
    static let comparisons: Set<String> = choices.union([
        "Log", "Log1p", "Exp", "Neg", "Abs", "ClipByValue", "Maximum", "Minimum", "StopGradient", "Round", "Rint",
        "Cast", "Square",
        "Greater", "GreaterEqual", "Less", "LessEqual", "Select", "SelectV2", "ZerosLike", "OnesLike",
    ])

    static let questions: Set<String> = ["Equal", "NotEqual"]

    /// The operations at the end of a spelled-out loss, and those that may follow.
    static let totals: Set<String> = ["Mean", "Sum"]
    static let arithmetic: Set<String> = [
        "Neg", "Add", "AddV2", "AddN", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "Sqrt", "Log", "Pow", "Identity",
        "Cast",
    ]

    fileprivate static let layers: Set<String> = [
        "Conv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput", "MatMul", "BatchMatMul", "BatchMatMulV2",
        "BatchMatMulV3", "PartitionedCall", "StatefulPartitionedCall",
    ]
}

extension NodeDefinition {
    /// Whether a node has weights.
    var isLayer: Bool { GraphSurvey.layers.contains(op) }

    /// Whether a node only trains, evaluates, saves or reports, according to its operation or its name scope.
    var onlyTrains: Bool {
        GraphSurvey.leftovers.contains(op) || GraphSurvey.updates.contains(op) || op.contains("Summary")
            || GraphSurvey.leftoverPrefixes.contains(where: op.hasPrefix)
            || name.split(separator: "/").contains { $0.hasPrefix("gradients") || $0.hasPrefix("assert_") }
    }

    /// Whether a node belongs to an optimizer.
    var changesWeights: Bool { GraphSurvey.optimizerPrefixes.contains(where: op.hasPrefix) }

    /// The width and height that a placeholder declares for an image.
    var imageSize: (width: Int, height: Int)? {
        guard let sizes = declaredShape(0), sizes.count >= 3 else { return nil }
        let (height, width) = (sizes[sizes.count - 3], sizes[sizes.count - 2])
        return height > 0 && width > 0 ? (width, height) : nil
    }

    var dataType: DataType? { if case .type(let type)? = attributes["dtype"] { type } else { nil } }

    /// The sizes that a source declares for an output; nil if the rank is unknown.
    func declaredShape(_ output: Int) -> [Int]? {
        if case .shape(let sizes)? = attributes["shape"] { return sizes }
        guard case .list(let shapes)? = attributes["output_shapes"], shapes.indices.contains(output),
            case .shape(let sizes) = shapes[output]
        else { return nil }
        return sizes
    }
}
