import Testing

@testable import Thaw

/// The traits of TensorFlow operations, compared with the operations to which they are converted.
@Suite struct TensorFlowTraitsTests {
    private static let rules = Operations.tensorFlow.sorted { $0.key < $1.key }

    /// The shape that an operation gives images of this shape; nil if it cannot be built without constants or
    /// attributes.
    private static func result(_ op: String, of image: Shape) -> Shape? {
        for count in 1...3 {
            var context = ImportContext()
            let inputs = (0..<count).map { index in
                Operand.edge(context.builder.input("\(index)", TensorType(image)), TensorType(image))
            }
            let definition = NodeDefinition(name: "node", op: op, inputs: (0..<count).map(String.init))
            let node = TensorFlowNode(definition: definition, inputs: inputs)
            if let result = try? Operations.tensorFlow[op]?.build(node, &context).first { return result.shape }
        }
        return nil
    }

    @Test func `operations that keep the axes of an image declare it`() {
        // All axes differ, so that an axis that moves or disappears shows.
        let image: Shape = [1, 4, 6, 5]
        var built = 0
        for (op, rule) in Self.rules {
            guard let result = Self.result(op, of: image) else { continue }
            built += 1
            switch rule.traits.axes {
            case .kept: #expect(result == image, "\(op) says that it keeps the axes")
            case .image, .channelsLast: #expect(result.rank == 4, "\(op) says that it reads an image")
            default: #expect(result != image, "\(op) keeps the axes")
            }
        }
        #expect(built > 50)
    }

    @Test func `every operation is known in exactly one place`() {
        for (op, _) in Self.rules { #expect(OtherOperations.traits[op] == nil, "\(op) has a rule") }
    }

    @Test func `operations with a data format declare it`() {
        for (op, rule) in Self.rules {
            guard case .image(let input) = rule.traits.axes else { continue }
            var context = ImportContext()
            let type = TensorType([1, 4, 4, 4])
            let inputs = (0...max(input, 1)).map { Operand.edge(context.builder.input("\($0)", type), type) }
            let definition = NodeDefinition(
                name: "node", op: op, inputs: inputs.indices.map(String.init),
                attributes: ["data_format": .string("other"), "is_training": .bool(false)])
            // Formats are refused before everything else is checked, except for inputs that must be constant.
            let failure = #expect(throws: Failure.self) {
                try rule.build(TensorFlowNode(definition: definition, inputs: inputs), &context)
            }
            let words = failure?.problemText ?? ""
            #expect(words.contains("data format other") || words.contains("constant"), "\(op): \(words)")
        }
    }

    @Test func `operations that compute the same function of two tensors have the same role`() {
        let type = TensorType([1, 4, 6, 5])
        var built = 0
        // These add any number of tensors.
        for (op, rule) in Self.rules where !["AddN", "AccumulateNV2"].contains(op) {
            var context = ImportContext()
            let inputs = ["a", "b"].map { Operand.edge(context.builder.input($0, type), type) }
            let definition = NodeDefinition(name: "node", op: op, inputs: ["a", "b"])
            guard (try? rule.build(TensorFlowNode(definition: definition, inputs: inputs), &context)) != nil,
                context.builder.graph.nodes.count == 1,
                let binary = context.builder.graph.nodes[0].operation as? Binary
            else { continue }
            built += 1
            #expect(rule.traits.roles.isSuperset(of: binary.function.role), "\(op)")
        }
        #expect(built > 10)
    }

    private static let roles: [(role: TensorFlowRoles, ops: [String], others: [String])] = [
        (.identity, ["Identity", "StopGradient", "PlaceholderWithDefault"], ["Cast", "Relu", "Placeholder"]),
        (.placeholder, ["Placeholder", "PlaceholderV2"], ["PlaceholderWithDefault", "Const", "VariableV2"]),
        (.variable, ["VarHandleOp"], ["ReadVariableOp", "Assign"]),
        (.update, ["Assign", "AssignSub", "AssignAddVariableOp"], ["ApplyAdam"]),
        (.optimizer, ["ApplyAdam", "ResourceApplyGradientDescent", "SparseApplyFtrl"], ["AssignSub"]),
        (.leftover, ["SaveV2", "RestoreV2", "ScalarSummary", "NoOp", "ApplyAdam", "Assign"], ["Softmax", "Unknown"]),
        (.layer, ["Conv2D", "MatMul", "PartitionedCall"], ["BiasAdd", "MaxPool"]),
        (.sum, ["Add", "AddV2"], ["AddN", "BiasAdd", "Sum"]),
        (.difference, ["Sub"], ["SquaredDifference"]),
        (.squaredDifference, ["SquaredDifference"], ["Sub", "Square"]),
        (.product, ["Mul"], ["MatMul", "Prod"]),
        (.quotient, ["Div", "RealDiv"], ["DivNoNan", "FloorDiv"]),
        (.summation, ["Sum"], ["Mean", "Add"]),
        (.mean, ["Mean"], ["Sum"]),
        (.dense, ["MatMul"], ["BatchMatMul", "Conv2D"]),
        (.reshape, ["Reshape"], ["Squeeze", "ExpandDims"]),
        (.pack, ["Pack"], ["ConcatV2"]),
        (.range, ["Range"], ["LinSpace"]),
        (.select, ["Select", "SelectV2"], ["Where"]),
        (.choice, ["ArgMax", "TopK", "TopKV2"], ["ArgMin", "Max"]),
        (.argMax, ["ArgMax"], ["ArgMin", "TopKV2"]),
        (.check, ["CheckNumerics"], ["Identity", "Assert"]),
        (.assertion, ["Assert"], ["NoOp", "CheckNumerics"]),
        (.barrier, ["NoOp"], ["Assert"]),
        (.iteration, ["NextIteration", "RefNextIteration"], ["Enter", "Merge"]),
        (.loop, ["While", "StatelessWhile"], ["If"]),
        (.total, ["Mean", "Sum"], ["Max"]),
        (.decoder, ["DecodeJpeg"], ["DecodeWav"]),
        (.softplus, ["Log1p", "Softplus"], ["Log", "Expm1", "Softsign"]),
        (.greater, ["Greater", "GreaterEqual"], ["Less", "Maximum"]),
        (.zeros, ["ZerosLike"], ["OnesLike", "Fill"]),
        (.reversal, ["ReverseV2"], ["Reverse", "ReverseSequence"]),
        (.iterator, ["IteratorGetNext", "QueueDequeue", "QueueDequeueManyV2"], ["QueueEnqueue", "FIFOQueueV2"]),
        (.dequeuing, ["QueueDequeueV2", "QueueDequeueUpTo"], ["IteratorGetNext", "QueueEnqueue"]),
        (.dequeuingBatch, ["QueueDequeueMany", "QueueDequeueUpToV2"], ["QueueDequeue", "QueueDequeueV2"]),
        (.condition, ["If", "StatelessIf", "Case", "StatelessCase"], ["Switch", "While"]),
        (.indexedCondition, ["Case", "StatelessCase"], ["If", "_SwitchN"]),
        (.random, ["RandomUniform"], ["RandomShuffle"]),
    ]

    @Test(arguments: roles.indices) func `roles tell operations apart`(_ index: Int) {
        let (role, ops, others) = Self.roles[index]
        for op in ops { #expect(NodeDefinition(name: "x", op: op).has(role), "\(op)") }
        for op in others { #expect(!NodeDefinition(name: "x", op: op).has(role), "\(op)") }
    }
}
