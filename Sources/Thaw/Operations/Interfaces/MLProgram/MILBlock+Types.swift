/// Parts of a program that compute in a different type from the rest.
extension MILBlock {
    /// Adds the operations of `body` for the node with all its inputs and outputs in floating point, between casts if
    /// necessary.
    ///
    /// Integers and Booleans become float32, which represents more integers than float16.
    mutating func inFloats(
        _ node: MILNode, where isNeeded: Bool = true, _ body: (MILNode, inout MILBlock) -> Void
    ) {
        if !isNeeded || (node.inputs + node.outputs).allSatisfy({ $0.element.isFloatingPoint }) {
            return body(node, &self)
        }
        inFloat32(node, { _ in true }, body)
    }

    /// Adds the operations of `body` for the node with float32 in place of float16.
    /// - Returns: The outputs before they are cast.
    @discardableResult
    mutating func inFloat32(
        _ node: MILNode, _ body: (MILNode, inout MILBlock) throws -> Void
    ) rethrows -> [MILValue] {
        try inFloat32(node, \.isFloatingPoint, body)
    }

    /// Adds the operations of `body` for the node with float32 in place of Booleans.
    mutating func withoutBooleans(_ node: MILNode, _ body: (MILNode, inout MILBlock) throws -> Void) rethrows {
        let hasBooleans = (node.inputs + node.outputs).contains { $0.element == .bool }
        guard hasBooleans else { return try body(node, &self) }
        try inFloat32(node, { $0 == .bool }, body)
    }

    @discardableResult
    private mutating func inFloat32(
        _ node: MILNode, _ changes: (ElementType) -> Bool, _ body: (MILNode, inout MILBlock) throws -> Void
    ) rethrows -> [MILValue] {
        let previous = float
        float = .float32
        defer { float = previous }
        var float32Node = node
        for (index, input) in node.inputs.enumerated() where changes(input.element) {
            float32Node.inputs[index] = cast(input, to: .float32)
        }
        for (index, output) in node.outputs.enumerated() where changes(output.element) && output.element != .float32 {
            float32Node.outputs[index] = MILValue(
                name: unique(output.name + "_float32"), type: TensorType(output.shape, .float32))
        }
        try body(float32Node, &self)
        for (result, output) in zip(float32Node.outputs, node.outputs) where result.name != output.name {
            castInto(output, from: result)
        }
        return float32Node.outputs
    }
}

extension MILBlock {
    /// The value cast to another type, or the value itself if it already has that type.
    mutating func cast(_ value: MILValue, to element: ElementType) -> MILValue {
        if value.element == element { return value }
        let result = MILValue(
            name: unique(value.name + "_" + element.rawValue), type: TensorType(value.shape, element))
        castInto(result, from: value)
        return result
    }

    /// Casts a value into one that has already been named.
    mutating func castInto(_ result: MILValue, from value: MILValue) {
        let names: [ElementType: String] = [.float16: "fp16", .float32: "fp32", .int32: "int32", .bool: "bool"]
        add("cast", [result], ["x": .value(value), "dtype": .text(names[result.element]!)])
    }

    /// The value broadcast along the axes where it has one element and `shape` has more.
    mutating func broadcast(_ value: MILValue, to shape: Shape, _ node: MILNode, _ name: String) -> MILValue {
        if value.shape == shape { return value }
        let same = value.shape.padded(to: shape.rank)
        var aligned = value
        if same != value.shape {
            let axes = Array(0..<shape.rank - value.shape.rank)
            aligned = part(
                "expand_dims", node, name + "_axes", shape: same, element: value.element,
                ["x": .value(value), "axes": .integers(axes)])
        }
        if same == shape { return aligned }
        return part(
            "tile", node, name, shape: shape, element: value.element,
            ["x": .value(aligned), "reps": .integers(zip(shape, same).map { $1 == $0 ? 1 : $0 })])
    }
}
