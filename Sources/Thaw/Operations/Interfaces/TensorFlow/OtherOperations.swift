/// TensorFlow operations without a rule that have known traits: sources of values, operations for training only, and
/// control flow, which the importer resolves itself.
enum OtherOperations {
    static let traits: [String: TensorFlowTraits] = {
        let groups: [(ops: [String], axes: ImageAxes, roles: TensorFlowRoles)] = [
            // Sources.
            (["Placeholder", "PlaceholderV2"], .lost, .placeholder),
            (["Variable", "VariableV2", "VarHandleOp"], .lost, .variable),
            (
                ["DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeGif", "DecodeImage"], .lost, .decoder
            ), (["DecodeAndCropJpeg"], .lost, [.decoder, .cropping]),
            (["IteratorGetNext", "IteratorGetNextSync", "DatasetToSingleElement"], .lost, .iterator),
            (["QueueDequeue", "QueueDequeueV2"], .lost, [.iterator, .dequeuing]),
            (
                ["QueueDequeueMany", "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2"], .lost,
                [.iterator, .dequeuing, .dequeuingBatch]
            ),
            (["RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"], .lost, .random),
            // Control flow.
            (["Switch", "RefSwitch"], .kept, .switching),
            (["_SwitchN"], .lost, .selecting),
            (["Merge", "RefMerge"], .kept, [.merge, .totalArithmetic]),
            (["NextIteration", "RefNextIteration"], .lost, .iteration),
            (["While", "StatelessWhile"], .lost, .loop),
            (["If", "StatelessIf"], .lost, .condition),
            (["Case", "StatelessCase"], .lost, [.condition, .indexedCondition]),
            (["PartitionedCall", "StatefulPartitionedCall"], .lost, [.call, .layer]),
            // Training.
            (["Assign", "AssignVariableOp"], .lost, [.assignment, .update, .leftover]),
            (
                ["AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"], .lost,
                [.update, .leftover]
            ),
            (["NoOp"], .lost, [.leftover, .barrier]),
            (["Assert"], .lost, [.leftover, .assertion]),
            (
                [
                    "MergeV2Checkpoints", "ShardedFilename", "PrintV2", "InTopK", "InTopKV2",
                    "IteratorToStringHandle", "MakeIterator", "SoftmaxCrossEntropyWithLogits",
                    "SparseSoftmaxCrossEntropyWithLogits", "L2Loss", "CTCLoss",
                ], .lost, .leftover
            ),
            // Not supported.
            (["TopK"], .lost, [.choice, .comparison]),
            (["MaxPoolV2"], .image(input: 0), []),
            (["Conv3D"], .lost, .map),
            (["QuantizeAndDequantizeV2"], .kept, []),
        ]
        return groups.reduce(into: [:]) { table, group in
            for op in group.ops { table[op] = TensorFlowTraits(axes: group.axes, roles: group.roles) }
        }
    }()

    /// Operations whose name prefix is sufficient.
    private static let prefixes: [(prefix: String, roles: TensorFlowRoles)] = [
        ("Save", .leftover), ("Restore", .leftover), ("QueueEnqueue", .leftover),
        ("Apply", [.leftover, .optimizer]), ("ResourceApply", [.leftover, .optimizer]),
        ("SparseApply", [.leftover, .optimizer]), ("ResourceSparseApply", [.leftover, .optimizer]),
    ]

    /// The traits of an operation without a rule.
    static func traits(of op: String) -> TensorFlowTraits {
        if let known = traits[op] { return known }
        let prefix = prefixes.first { op.hasPrefix($0.prefix) }
        return TensorFlowTraits(axes: .lost, roles: prefix?.roles ?? (op.contains("Summary") ? .leftover : []))
    }
}

extension TensorFlowTraits {
    static func of(_ op: String) -> TensorFlowTraits {
        Operations.tensorFlow[op]?.traits ?? OtherOperations.traits(of: op)
    }
}

extension NodeDefinition {
    /// Whether the operation has one of these roles.
    func has(_ roles: TensorFlowRoles) -> Bool { !traits.roles.isDisjoint(with: roles) }
}
