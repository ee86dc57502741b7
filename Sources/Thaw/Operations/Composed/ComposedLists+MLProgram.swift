/// Lists of tensors of one shape, imported as tensors with one more axis.
enum ComposedLists {
    static let mil = [
        MILRule("make_list") { op, _ in
            let sizes = try (op.arguments["elem_shape"] ?? []).map { argument in
                guard case .operand(let operand) = argument, let size = operand.constant, size.elementCount == 1 else {
                    throw op.refused("the shape of its elements is not constant", remedy: Phrases.knownShapes)
                }
                return size.integers[0]
            }
            let elements: [String: ElementType] = [
                "fp16": .float32, "fp32": .float32, "int32": .int32, "bool": .bool,
            ]
            let (length, name) = (try op.integer("init_length", default: 1), try op.text("dtype", default: "fp32"))
            guard let element = elements[name], length >= 0, sizes.allSatisfy({ $0 >= 0 }) else {
                throw op.refused("lists of \(length) elements of type '\(name)' are not supported")
            }
            return [try ImportContext.filled(Shape([length] + sizes), 0, element)]
        },
        MILRule("list_length") { op, _ in
            [.constant(Tensor(Double(try op.list().shape[0]), element: .int32))]
        },
        MILRule("list_read", "list_gather") { op, reading in
            let list = try op.list()
            let indices = try op.operand(op.kind == "list_read" ? "index" : "indices")
            let result = try reading.add(
                Gather(axis: 0), [list, reading.reshaped(indices, [indices.shape.elementCount], op)], op)[0]
            return [op.kind == "list_read" ? try reading.reshaped(result, Shape(list.shape.dropFirst()), op) : result]
        },
        MILRule("list_write", "list_scatter") { op, reading in
            let isSingle = op.kind == "list_write"
            let indices = try op.operand(isSingle ? "index" : "indices")
            let count = indices.shape.elementCount
            var list = try op.list()
            if let known = indices.constant?.attributes {
                list = try reading.grown(list, to: (known.max() ?? 0) + 1, op)
            }
            let value = try op.operand("value")
            let slices = isSingle ? try reading.reshaped(value, Shape([1] + value.shape.dimensions), op) : value
            let positions = try reading.reshaped(indices, [count, 1], op)
            return try reading.add(ScatterSlices(mode: .update), [list, slices, positions], op)
        },
    ]
}

extension MILRead {
    /// The list that the operation works on.
    fileprivate func list() throws -> Operand {
        let list = try operand("ls")
        guard list.shape.rank >= 1 else { throw Failure.tooFewAxes(1, list.shape).at(location) }
        return list
    }
}

extension ImportContext {
    /// The list with zeros appended up to a length.
    fileprivate mutating func grown(_ list: Operand, to length: Int, _ op: MILRead) throws -> Operand {
        let missing = length - list.shape[0]
        guard missing > 0 else { return list }
        let zeros = try ImportContext.filled(Shape([missing] + list.shape.dropFirst()), 0, list.type.element)
        return try add(Concatenation(axis: 0), [list, zeros], op)[0]
    }
}
