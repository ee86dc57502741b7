/// Operations with nested blocks: branches and loops.
extension ProgramReader {
    /// A value outside a block that operations in it use.
    private typealias Capture = (name: String, value: Graph.Value, type: TensorType)
    /// A nested block and its name, which is unique among those within the same block.
    private typealias Block = (name: String, message: Message)

    // MARK: Branches

    /// The results of the first block if the predicate is true, of the second otherwise. A constant predicate selects a
    /// block immediately.
    mutating func branches(_ read: MILRead, _ blocks: [Message]) throws -> [Operand] {
        let predicate = try read.operand("pred")
        let blocks = try nested(blocks, inputs: 0, read)
        guard predicate.shape.elementCount == 1 else {
            throw read.refused("the predicate has shape \(predicate.shape)", remedy: "expected a single value")
        }
        if let constant = predicate.constant { return try inlined(blocks[constant.floats[0] != 0 ? 0 : 1], []) }
        let captures = captures(of: blocks)
        let graphs = try blocks.map { try graph(of: $0, [], captures) }
        let operation = Conditional(whenTrue: graphs[0], whenFalse: graphs[1])
        return try reading.add(operation, [predicate] + captures.map { .edge($0.value, $0.type) }, read)
    }

    // MARK: Loops

    /// The values of the variables after the loop. The first block is the condition, the second computes the next
    /// values.
    mutating func loop(_ read: MILRead, _ blocks: [Message]) throws -> [Operand] {
        let variables = try read.operands("loop_vars")
        let blocks = try nested(blocks, inputs: variables.count, read)
        if let results = try unrolled(blocks, variables) { return results }
        let names = (blocks[1].message.inputs as [Message]).map { $0.name as String }
        if let list = names.first(where: growingLists.contains) { throw Failure.cannotGrowList(list) }
        let captures = captures(of: blocks)
        let types = variables.map(\.type)
        let condition = try graph(of: blocks[0], types, captures)
        let body = try graph(of: blocks[1], types, captures, results: types)
        // As values of the graph: a loop is not evaluated during the import, because it may be long.
        let values = try variables.map { operand in
            Operand.edge(try reading.edge(operand, name: read.name + "/constant"), operand.type)
        }
        return try reading.add(
            Loop(condition: condition, body: body), values + captures.map { .edge($0.value, $0.type) }, read)
    }

    /// The results of a loop whose condition is known in each iteration; nil if it is not, or if there are too many
    /// iterations.
    private mutating func unrolled(_ blocks: [Block], _ variables: [Operand]) throws -> [Operand]? {
        let start = reading
        let nodes = reading.builder.graph.nodes.count
        var values = variables
        for _ in 0...Unrolling.maximumRounds {
            let condition = try inlined(blocks[0], values)
            guard condition.count == 1, let known = condition[0].constant, known.elementCount == 1 else { break }
            if known.floats[0] == 0 { return values }
            values = try inlined(blocks[1], values)
            guard values.count == variables.count,
                reading.builder.graph.nodes.count - nodes <= Unrolling.maximumNodes
            else { break }
        }
        reading = start
        return nil
    }

    // MARK: Lists

    /// Traces lists without a fixed length through the program.
    /// - Throws: `Failure` if one of them is written at a position that is known only at run time.
    mutating func noteLists(_ read: MILRead, _ operation: Message) throws {
        let outputs = operation.outputNames
        switch read.kind {
        case "make_list":
            if try read.bool("dynamic_length", default: true) { growingLists.formUnion(outputs) }
        case "list_write", "list_scatter":
            guard let list = operation.boundNames("ls").first, growingLists.contains(list) else { return }
            let positions = try read.operand(read.kind == "list_write" ? "index" : "indices")
            guard positions.constant != nil else { throw Failure.cannotGrowList(list) }
            growingLists.formUnion(outputs)
        case "while_loop":
            let blocks = (operation.blocks as [Message]).map { ($0.inputs as [Message]).map { $0.name as String } }
            let variables = operation.bindings("loop_vars").map { $0.name as String }
            for (index, name) in variables.enumerated() where growingLists.contains(name) {
                growingLists.formUnion((blocks + [outputs]).compactMap { $0.indices.contains(index) ? $0[index] : nil })
            }
        default: return
        }
    }

    // MARK: Blocks

    /// The two blocks of an operation.
    /// - Throws: `Failure` unless there are two, with `count` inputs each.
    private func nested(_ blocks: [Message], inputs count: Int, _ read: MILRead) throws -> [Block] {
        guard blocks.count == 2 else { throw read.refused("it has \(blocks.count) blocks", remedy: "expected 2") }
        return try blocks.enumerated().map { index, block in
            let inputs: [Message] = block.inputs
            guard inputs.count == count else {
                throw read.refused("a block has \(inputs.count) inputs", remedy: "expected \(count)")
            }
            return ("\(read.name)/\(index)", block)
        }
    }

    /// The results of a block whose operations are added to the current graph.
    private mutating func inlined(_ block: Block, _ values: [Operand]) throws -> [Operand] {
        let outside = names
        defer { names = outside }
        for (input, value) in zip(block.message.inputs as [Message], values) { try define(input.name, .operand(value)) }
        return try results(of: block)
    }

    /// A block as a separate graph, whose inputs are the block's, followed by the captured values.
    /// - Parameter results: The types to which the results are converted, if they differ only in the element type.
    private mutating func graph(
        of block: Block, _ types: [TensorType], _ captures: [Capture], results expected: [TensorType] = []
    ) throws -> Graph {
        var outside = (reading, names)
        defer {
            outside.0.bytesLeft = reading.bytesLeft
            (reading, names) = outside
        }
        reading = ImportContext(channelOrder: .channelsFirst, bytesLeft: reading.bytesLeft)
        for (input, type) in zip(block.message.inputs as [Message], types) {
            let name: String = input.name
            try define(name, .operand(.edge(reading.builder.input(name, type), type)))
        }
        for (name, _, type) in captures {
            names[name] = .operand(.edge(reading.builder.input(name, type), type))
        }
        for (index, operand) in try results(of: block).enumerated() {
            let name = "result\(index + 1)"
            var value = try reading.edge(operand, name: name + "/constant")
            if expected.indices.contains(index), reading.builder[value].element != expected[index].element {
                value = try reading.builder.add(Cast(element: expected[index].element), [value], name: name)[0]
            }
            reading.builder.output(name, value)
        }
        return reading.builder.graph.pruned()
    }

    private mutating func results(of block: Block) throws -> [Operand] {
        path.append(block.name)
        defer { path.removeLast() }
        try addOperations(of: block.message)
        return try (block.message.outputs as [String]).map { name in
            guard case .operand(let operand)? = names[name] else { throw Failure.valueMissing(name) }
            return operand
        }
    }

    /// The values of the current graph that blocks use, in the order of their first use.
    private func captures(of blocks: [Block]) -> [Capture] {
        var seen: Set<String> = []
        return blocks.flatMap { $0.message.usedNames }.compactMap { name in
            guard case .operand(.edge(let value, let type))? = names[name], seen.insert(name).inserted else {
                return nil
            }
            return (name, value, type)
        }
    }
}

extension Message {
    /// The names that the operations of a block use, and those of its results. Blocks are nested no deeper than
    /// messages may be.
    fileprivate var usedNames: [String] {
        (self.operations as [Message]).flatMap { operation in
            (operation.inputs as [Message]).flatMap { $0.value.arguments as [Message] }
                .filter { $0.has("name") }.map { $0.name as String }
                + (operation.blocks as [Message]).flatMap(\.usedNames)
        } + (self.outputs as [String])
    }
}
