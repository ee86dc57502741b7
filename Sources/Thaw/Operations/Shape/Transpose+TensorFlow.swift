extension Transpose {
    static let tensorFlow = [
        TensorFlowRule("Transpose") { node, context in
            let order = try node.integers(1, "order of axes")
            guard order.sorted() == Array(0..<(try node.input(0).shape.rank)) else {
                throw node.refused("\(order) is not an order of the \(try node.input(0).shape.rank) axes")
            }
            return [try context.add(Transpose(order), node.input(0), name: node.name)]
        }
    ]
}
