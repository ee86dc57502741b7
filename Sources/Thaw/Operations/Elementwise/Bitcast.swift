/// TensorFlow's Bitcast between types of the same size. Constants are reinterpreted during import. Computed values
/// can only change the sign of 8-bit and 16-bit integers.
enum Bitcast {
    static let tensorFlow = [
        TensorFlowRule("Bitcast", axes: .kept, roles: []) { node, context in
            let input = try node.input(0)
            let element = try node.element("type")
            guard input.type.element.size == element.size else {
                throw node.refused(
                    "\(input.type.element.rawValue) is read as \(element.rawValue)",
                    remedy: "types of the same size are supported")
            }
            if let tensor = input.constant {
                return [.constant(Tensor(shape: tensor.shape, element: element, storage: tensor.storage))]
            }
            if input.type.element == element { return [input] }
            guard element.size < 4, let bounds = element.bounds, input.type.element.bounds != nil else {
                throw node.refused(
                    "the bits of a computed \(input.type.element.rawValue) are read as \(element.rawValue)",
                    remedy: "for computed values only 8-bit and 16-bit integers are supported")
            }
            func apply(_ function: Binary.Function, _ operand: Operand, _ number: Double) throws -> Operand {
                let constant = Operand.constant(Tensor(number, element: .int32))
                return try context.combine(function, operand, constant, name: "\(node.name)/\(function)")
            }
            // Values outside the bounds of the new type wrap around once.
            let int32Value = try context.add(Cast(element: .int32), input, name: node.name + "/wide")
            let modulus = bounds.upperBound - bounds.lowerBound + 1
            let rest = try apply(.floorRemainder, apply(.subtract, int32Value, bounds.lowerBound), modulus)
            let number = try apply(.add, rest, bounds.lowerBound)
            return [try context.add(Cast(element: element), number, name: node.name)]
        }
    ]
}
