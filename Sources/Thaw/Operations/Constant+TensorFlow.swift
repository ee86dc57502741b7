extension Constant {
    static let tensorFlow = [
        TensorFlowRule("Const") { node, _ in
            if case .tensor(let tensor)? = node.definition.attributes["value"] { return [.constant(tensor)] }
            // A value that a tensor here cannot hold was left out when the file was read.
            switch node.definition.attributes["dtype"] {
            case .type(let type)? where type.element == nil: throw node.refusedElement("\(type)")
            case .int(let number)?: throw node.refusedElement("number \(number)")
            default: throw Failure.badAttribute(node.name, node.op, "value")
            }
        },
        TensorFlowRule("Fill") { node, _ in
            let shape = Shape(try node.integers(0, "shape"))
            let value = try node.constant(1, "value")
            guard let count = shape.checkedCount, count <= ImportContext.largestConstant else {
                throw node.refused("\(shape) is not a shape, or too large")
            }
            guard value.elementCount == 1 else {
                throw Failure.notOneNumber(node.name, node.op, "value", value.elementCount)
            }
            return [.constant(value.withElements { x in Tensor(shape: shape, element: value.element) { _ in x[0] } })]
        },
        TensorFlowRule("Rank", "Size") { node, _ in
            let shape = try node.input(0).shape
            let element = try node.element("out_type", default: .int32)
            return [.constant(Tensor(Double(node.op == "Rank" ? shape.rank : shape.elementCount), element: element))]
        },
        TensorFlowRule("ZerosLike", "OnesLike") { node, _ in
            let type = try node.input(0).type
            guard type.shape.checkedCount ?? .max <= ImportContext.largestConstant else {
                throw Failure.constantTooLarge(type.shape).at(node.name)
            }
            let number: Double = node.op == "OnesLike" ? 1 : 0
            return [.constant(Tensor(shape: type.shape, element: type.element) { _ in number })]
        },
        TensorFlowRule("Range") { node, _ in
            let parts = try (0..<3).map { try node.constant($0, ["start", "limit", "delta"][$0]) }
            guard parts.allSatisfy({ $0.elementCount == 1 }) else {
                throw node.refused("start, limit and delta must be single numbers")
            }
            let numbers = parts.map { $0.withElements { $0[0] } }
            let count = ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up)
            guard numbers[2] != 0, count.isFinite, count <= Double(ImportContext.largestConstant) else {
                throw node.refused("the range never ends, or is too long")
            }
            return [
                .constant(
                    Tensor(shape: [Swift.max(0, Int(count))], element: parts[0].element) {
                        numbers[0] + Double($0) * numbers[2]
                    })
            ]
        },
    ]
}
