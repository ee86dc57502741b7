/// A cast to another element type. For integer types, values are truncated toward zero and clamped to the bounds. If a
/// format wraps them around instead, its reader adds that arithmetic: `ImportContext.wrapped`.
struct Cast: Operation {
    var element: ElementType

    var kind: String { "Cast" }
    var isElementwise: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [TensorType(inputs[0].shape, element)] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        inputs[0].withElements { x in [Tensor(shape: inputs[0].shape, element: element) { x[$0] }] }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension Cast {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(axis) }
}

// MARK: TensorFlow

extension Cast {
    static let tensorFlow = [
        TensorFlowRule(
            "Cast", axes: .kept, roles: [.cast, .comparison, .totalArithmetic, .averaging, .equivalentPrediction]
        ) {
            node, context in
            let input = try node.input(0)
            var element = try node.element("DstT")
            // The graph computes in a single floating-point precision.
            if case .edge = input, element.isFloatingPoint { element = .float32 }
            return [
                input.type.element == element ? input : try context.add(Cast(element: element), input, name: node.name)
            ]
        }
    ]
}

// MARK: Core ML

extension Cast: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let (x, isProgram) = (inputs[0], parts.dialect.isProgram)
        if element == .bool, !isProgram {
            return try parts.combine(.notEqual, x, .constant(Tensor(0, element: x.type.element)))
        }
        // Core ML's integers have 32 bits. The bounds of narrower types are applied first, and the lower bound of all
        // unsigned types.
        guard let bounds = element.bounds, x.type.element != .bool else { return nil }
        let sourceBounds: ClosedRange<Double> = x.type.element.bounds ?? -.infinity...(.infinity)
        let isNarrow = element.size < 4
        let isRaised = sourceBounds.lowerBound < bounds.lowerBound && (isNarrow || bounds.lowerBound == 0)
        let isLowered = sourceBounds.upperBound > bounds.upperBound && isNarrow
        guard isRaised || isLowered else { return nil }
        var clamped = x
        if isNarrow, !isProgram || x.type.element.isFloatingPoint {
            clamped = try parts.add(Unary(.clip(Float(bounds.lowerBound), Float(bounds.upperBound))), x, as: "clamped")
        } else {
            func bound(_ number: Double) -> Operand { .constant(Tensor(number, element: x.type.element)) }
            if isRaised { clamped = try parts.combine(.maximum, clamped, bound(bounds.lowerBound), as: "raised") }
            if isLowered { clamped = try parts.combine(.minimum, clamped, bound(bounds.upperBound), as: "lowered") }
        }
        return try parts.addDirectly(self, [clamped])
    }
}

// MARK: ML Program

extension Cast: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        // A program has only one floating-point and one integer type: the bounds of others have been applied.
        if node.input.element == node.output.element { return block.alias(node) }
        block.castInto(node.output, from: node.input)
    }
}

extension Cast {
    static let mil = [
        MILRule("cast") { op, reading in
            let x = try op.operand()
            let types: [String: ElementType] = [
                "fp16": .float32, "fp32": .float32, "fp64": .float32, "int8": .int8, "int16": .int16,
                "int32": .int32, "int64": .int32, "uint8": .uint8, "uint16": .uint16, "bool": .bool,
            ]
            let name = try op.text("dtype")
            guard let type = types[name] else { throw op.refused("the type '\(name)' is unknown") }
            let shortBounds = type.size < 4 ? type.bounds : nil
            let element = shortBounds == nil ? type : .int32
            var result = x.type.element == element ? x : try reading.add(Cast(element: element), x, op)
            if let shortBounds, x.type.element != .bool {
                result = try reading.wrapped(result, to: shortBounds, name: op.name)
            }
            return [name == "fp16" ? try reading.add(Unary(.float16), result, op) : result]
        }
    ]
}

// MARK: Parts of other rules

extension ImportContext {
    /// Integers that wrap around at the bounds of a shorter type, as NumPy's and C's do.
    mutating func wrapped(_ operand: Operand, to bounds: ClosedRange<Double>, name: String) throws -> Operand {
        let (size, least) = (bounds.upperBound - bounds.lowerBound + 1, bounds.lowerBound)
        func apply(_ function: Binary.Function, _ value: Double, _ operand: Operand, _ part: String) throws -> Operand {
            let constant = Operand.constant(Tensor(value, element: operand.type.element))
            return try combine(function, operand, constant, name: name + part)
        }
        var result = operand
        if least != 0 { result = try apply(.subtract, least, result, "/from_0") }
        result = try apply(.floorRemainder, size, result, "/round")
        return least == 0 ? result : try apply(.add, least, result, "/from_least")
    }

    /// The inputs of a node, with those of certain types cast to a wider one, in which the node computes.
    mutating func widened(
        _ node: TensorFlowNode, to element: ElementType, where isNarrow: (ElementType) -> Bool
    ) throws -> [Operand] {
        try node.inputs.enumerated().map { index, input in
            guard isNarrow(input.type.element) else { return input }
            return try add(Cast(element: element), input, name: "\(node.name)/wide_\(index)")
        }
    }
}

extension Decomposition {
    /// The operand in floating point.
    mutating func floats(_ operand: Operand) throws -> Operand {
        operand.type.element.isFloatingPoint ? operand : try add(Cast(element: .float32), operand, as: "floats")
    }
}
