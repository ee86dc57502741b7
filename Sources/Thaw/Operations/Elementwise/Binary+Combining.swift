/// Functions of two operands that rules and decompositions of other operations are composed of.
extension ImportContext {
    /// Adds a function of two operands, either of which may be constant.
    mutating func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand, name: String) throws -> Operand {
        switch (a, b) {
        case (.edge(_, let type), .constant(let tensor)):
            return try add(Binary(function, constant: tensor.matching(type.element)), a, name: name)
        case (.constant(let tensor), .edge(_, let type)):
            return try add(
                Binary(function, constant: tensor.matching(type.element), constantFirst: true), b, name: name)
        case (.constant(let first), .constant(let second)):
            // Values computed during import are float32, whatever the graph specifies.
            let operands =
                first.element == second.element ? [first, second] : [first, second].map { $0.matching(.float32) }
            return try add(Binary(function), operands.map { .constant($0) }, name: name)[0]
        default: return try add(Binary(function), [a, b], name: name)[0]
        }
    }

    /// Adds a function of two operands, either of which may be constant and then takes the other's element type, unless
    /// its values are not all integers and the other operand is an integer.
    mutating func combine(
        _ function: Binary.Function, _ a: Operand, _ b: Operand, _ node: some SourceNode
    ) throws -> Operand {
        switch (a, b) {
        case (.edge(_, let type), .constant(let tensor)):
            try add(Binary(function, constant: tensor.exact(in: type.element)), a, node)
        case (.constant(let tensor), .edge(_, let type)):
            try add(Binary(function, constant: tensor.exact(in: type.element), constantFirst: true), b, node)
        default: try add(Binary(function), [a, b], node)[0]
        }
    }

    /// A function of an operand and a scalar.
    mutating func apply(
        _ function: Binary.Function, _ x: Operand, _ number: Float, _ node: some SourceNode
    ) throws -> Operand {
        try combine(function, x, .constant(Tensor([number], shape: [])), node)
    }

    mutating func scaled(_ x: Operand, by factor: Float, _ node: some SourceNode) throws -> Operand {
        factor == 1 ? x : try apply(.multiply, x, factor, node)
    }

    mutating func shifted(_ x: Operand, by offset: Float, _ node: some SourceNode) throws -> Operand {
        offset == 0 ? x : try apply(.add, x, offset, node)
    }
}

extension Decomposition {
    /// Adds a function of two operands, either of which may be constant.
    mutating func combine(
        _ function: Binary.Function, _ a: Operand, _ b: Operand, as part: String? = nil
    ) throws -> Operand {
        switch (a, b) {
        case (.edge(_, let type), .constant(let tensor)):
            try add(Binary(function, constant: tensor.converted(to: type.element)), a, as: part)
        case (.constant(let tensor), .edge(_, let type)):
            try add(Binary(function, constant: tensor.converted(to: type.element), constantFirst: true), b, as: part)
        default: try add(Binary(function), a, b, as: part)
        }
    }
}

extension Tensor {
    /// The tensor as float32 if both it and the other operand are floating point: the graph computes in a single
    /// precision.
    fileprivate func matching(_ type: ElementType) -> Tensor {
        element.isFloatingPoint && type.isFloatingPoint ? asFloat32 : self
    }

    /// The tensor in this type, or itself if the type would truncate its values. The operation then refuses it.
    fileprivate func exact(in type: ElementType) -> Tensor {
        let isTruncated =
            element.isFloatingPoint && !type.isFloatingPoint && doubles.contains { $0 != $0.rounded(.towardZero) }
        return isTruncated ? self : converted(to: type)
    }
}
