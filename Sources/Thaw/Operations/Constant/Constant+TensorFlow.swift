extension Constant {
    static let tensorFlow = [
        TensorFlowRule("Const", axes: .lost, roles: .constant) { node, _ in
            if case .tensor(let tensor)? = node.definition.attributes["value"] { return [.constant(tensor)] }
            // The reader skips values that tensors do not support.
            switch node.definition.attributes["dtype"] {
            case .type(let type)? where type.element == nil: throw node.refusedElement("\(type)")
            case .int(let number)?: throw node.refusedElement("number \(number)")
            default: throw Failure.badAttribute(node.name, node.op, "value")
            }
        },
        TensorFlowRule("Fill", axes: .lost, roles: [], build: fill),
        TensorFlowRule("Rank", "Size", axes: .lost, roles: .size) { node, _ in
            let shape = try node.input(0).shape
            let element = try node.element("out_type", default: .int32)
            return [.constant(Tensor(Double(node.op == "Rank" ? shape.rank : shape.elementCount), element: element))]
        },
        // Usually a causal mask.
        TensorFlowRule("MatrixBandPart", axes: .lost, roles: []) { node, context in
            let band = ComposedShapes.band(try node.integer(1, "num_lower"), try node.integer(2, "num_upper"))
            return [try context.banded(node.input(0), band, node)]
        },
        filledLike("ZerosLike", 0, roles: [.comparison, .zeros]), filledLike("OnesLike", 1, roles: .comparison),
        TensorFlowRule("Range", axes: .lost, roles: .range, build: range),
        // Usually the pixel coordinates that a spatial softmax weights.
        TensorFlowRule("LinSpace", axes: .lost, roles: [], build: linSpace),
    ]

    /// The rule of an operation that returns a tensor of the input's type, with all elements equal.
    private static func filledLike(_ op: String, _ value: Double, roles: TensorFlowRoles) -> TensorFlowRule {
        TensorFlowRule(op, axes: .kept, roles: roles) { node, _ in
            let type = try node.input(0).type
            return [try ImportContext.filled(type.shape, value, type.element)]
        }
    }

    /// A tensor of equal values: a constant, or a broadcast of a computed value.
    private static func fill(_ node: TensorFlowNode, _ context: inout ImportContext) throws -> [Operand] {
        let shape = Shape(try node.integers(0, "shape"))
        let value = try node.input(1)
        guard value.shape.checkedCount == 1 else {
            throw Failure.notOneNumber(node.name, node.op, "value", value.shape.checkedCount ?? 0)
        }
        guard let constant = value.constant else {
            let number = try context.add(Reshape([]), value, name: node.name + "/value")
            return [try context.add(BroadcastTo(shape: shape), number, name: node.name)]
        }
        let number = constant.withElements { $0[0] }
        return [try ImportContext.filled(shape, number, constant.element)]
    }

    /// A range with constant ends.
    private static func range(_ node: TensorFlowNode, _: inout ImportContext) throws -> [Operand] {
        let parts = try scalars(node, "start", "limit", "delta")
        let numbers = parts.map { $0.withElements { $0[0] } }
        guard numbers[2] != 0,
            let range = ComposedShapes.range(from: numbers[0], to: numbers[1], step: numbers[2], parts[0].element)
        else { throw node.refused("the range never ends, or is too long") }
        return [.constant(range)]
    }

    /// Evenly spaced values between constant ends.
    private static func linSpace(_ node: TensorFlowNode, _: inout ImportContext) throws -> [Operand] {
        let parts = try scalars(node, "start", "stop", "num")
        let (start, stop) = (parts[0].withElements { $0[0] }, parts[1].withElements { $0[0] })
        let count = parts[2].integers[0]
        guard (1...ImportContext.largestConstant).contains(count) else {
            throw node.refused("\(count) values cannot be spread over an interval")
        }
        let step = count > 1 ? (stop - start) / Double(count - 1) : 0
        return [.constant(Tensor(shape: [count], element: parts[0].element) { start + Double($0) * step })]
    }

    /// The first three inputs, which must be constants of one element.
    private static func scalars(
        _ node: TensorFlowNode, _ first: String, _ second: String, _ third: String
    ) throws -> [Tensor] {
        let scalars = try [first, second, third].enumerated().map { try node.constant($0, $1) }
        guard scalars.allSatisfy({ $0.elementCount == 1 }) else {
            throw node.refused("\(first), \(second) and \(third) must be scalars")
        }
        return scalars
    }
}
