/// Layers with nested networks: branches and loops. These networks refer to values outside by name, and may replace
/// them.
extension NeuralNetworkReader {
    // MARK: Branches

    /// The first network is computed if the predicate is not 0, otherwise the second one. A constant predicate selects
    /// a network immediately.
    mutating func branch(_ layer: NeuralLayer) throws -> [Operand] {
        let networks: [Message] = [layer.parameters["ifBranch"], layer.parameters["elseBranch"]]
        let predicate = try layer.input()
        guard predicate.shape.elementCount == 1 else {
            throw layer.refused("the predicate has shape \(predicate.shape)", remedy: "expected a single value")
        }
        if let constant = predicate.constant {
            try readNested(networks[constant.floats[0] != 0 ? 0 : 1])
            return []
        }
        // Values that only one of the networks computes are local to it.
        let computed = networks.map { Set($0.computedNames) }
        let used = namesUsedOutside(networks)
        let results = networks.flatMap(\.computedNames).unique.filter { name in
            used.contains(name) && (values[name] != nil || computed.allSatisfy { $0.contains(name) })
        }
        guard !results.isEmpty else { return [] }
        let captures = captures(networks, results)
        let graphs = try networks.map { try graph(of: [$0], captures, results) }
        let operation = Conditional(whenTrue: graphs[0], whenFalse: graphs[1])
        let inputs = [predicate] + captures.compactMap { values[$0] }
        for (name, value) in zip(results, try reading.add(operation, inputs, layer)) { values[name] = value }
        return []
    }

    // MARK: Loops

    /// The second network is repeated as often as the input or the layer specifies, or as long as a value that the
    /// first network computes is not 0.
    mutating func loop(_ layer: NeuralLayer) throws -> [Operand] {
        let loop = LoopLayer(layer)
        let most: Int = layer.parameters.maxLoopIterations
        let limit: Operand? =
            try layer.inputs.isEmpty
            ? most > 0 ? .constant(Tensor([Float(most)], shape: [1])) : nil
            : reading.reshaped(reading.asFloats(single(layer), layer), [1], layer)
        guard limit != nil || loop.variable != nil else {
            throw layer.refused("it has neither a condition nor a number of iterations")
        }
        if try unrolled(loop, limit) { return [] }

        let results = try loopResults(loop, hasLimit: limit != nil)
        let captures = captures([loop.condition, loop.body], results, extra: loop.variable ?? "")
            .filter { !results.contains($0) }
        let inputs = (results + captures).compactMap { values[$0] } + (limit.map { [$0] } ?? [])
        let ports = results + captures + (limit == nil ? [] : [loop.limit])
        if let limit { values[loop.limit] = limit }
        let repeats = try graph(of: loop.variable == nil ? [] : [loop.condition], ports, []) { reader in
            try reader.repeats(loop, hasLimit: limit != nil)
        }
        let networks = loop.variable == nil ? [loop.body] : [loop.condition, loop.body]
        let next = try graph(of: networks, ports, results) { reader in
            if let old = reader.values[loop.round] {
                reader.values[loop.round] = try reader.reading.apply(.add, old, 1, layer)
            }
            return nil
        }
        let operation = Loop(condition: repeats, body: next)
        for (name, value) in zip(results, try reading.add(operation, inputs, layer)) { values[name] = value }
        values[loop.round] = nil
        values[loop.limit] = nil
        // The condition is computed once more after the last iteration.
        if loop.variable != nil { try readNested(loop.condition) }
        return []
    }

    /// The values that the networks replace, and the number of the iteration if there is a limit. They become edges, whose
    /// values are those before the first iteration.
    private mutating func loopResults(_ loop: LoopLayer, hasLimit: Bool) throws -> [String] {
        let names = [loop.condition, loop.body].flatMap(\.computedNames).unique.filter { values[$0] != nil }
        for name in names {
            values[name] = .edge(
                try reading.edge(reading.asFloats(values[name]!, loop.layer), name: name + "/initial"),
                TensorType(values[name]!.shape))
        }
        guard hasLimit else { return names }
        let zero = Operand.constant(Tensor([0], shape: [1]))
        values[loop.round] = .edge(try reading.edge(zero, name: loop.round), TensorType([1]))
        return names + [loop.round]
    }

    /// Whether there is another iteration, after the network of the condition: its number is below the limit, and the
    /// condition is not 0.
    private mutating func repeats(_ loop: LoopLayer, hasLimit: Bool) throws -> Operand {
        var conditions: [Operand] = []
        if hasLimit {
            conditions.append(try reading.combine(.less, values[loop.round]!, values[loop.limit]!, loop.layer))
        }
        if let variable = loop.variable {
            guard let value = values[variable], value.shape.elementCount == 1 else {
                throw loop.layer.refused("its condition '\(variable)' is not a single value")
            }
            let number = try reading.reshaped(reading.asFloats(value, loop.layer), [1], loop.layer)
            conditions.append(try reading.apply(.notEqual, number, 0, loop.layer))
        }
        return conditions.count == 1 ? conditions[0] : try reading.add(Binary(.and), conditions, loop.layer)[0]
    }

    private func single(_ layer: NeuralLayer) throws -> Operand {
        let input = try layer.input()
        guard input.shape.elementCount == 1 else {
            throw layer.refused("the number of iterations has shape \(input.shape)", remedy: "expected a single value")
        }
        return input
    }

    /// Whether the iterations of the loop are known; if so, its layers are added for each iteration.
    private mutating func unrolled(_ loop: LoopLayer, _ limit: Operand?) throws -> Bool {
        let start = self
        let nodes = reading.builder.graph.nodes.count
        for round in 0...Unrolling.maximumRounds {
            if let limit {
                guard let known = limit.constant else { break }
                if Float(round) >= known.floats[0] { return true }
            }
            if let variable = loop.variable {
                try readNested(loop.condition)
                guard let known = values[variable]?.constant, known.elementCount == 1 else { break }
                if known.floats[0] == 0 { return true }
            }
            try readNested(loop.body)
            guard reading.builder.graph.nodes.count - nodes <= Unrolling.maximumNodes else { break }
        }
        self = start
        return false
    }

    // MARK: Nested networks

    private mutating func readNested(_ network: Message) throws {
        depth += 1
        defer { depth -= 1 }
        try readLayers(of: network)
    }

    /// Networks as a separate graph.
    /// - Parameters:
    ///   - ports: The names of its inputs.
    ///   - results: The names of its outputs.
    ///   - change: Adds operations at the end; the value that it returns is another output.
    private mutating func graph(
        of networks: [Message], _ ports: [String], _ results: [String],
        _ change: (inout NeuralNetworkReader) throws -> Operand? = { _ in nil }
    ) throws -> Graph {
        var inner = self
        inner.reading = ImportContext(channelOrder: .channelsFirst, bytesLeft: reading.bytesLeft)
        inner.values = values.filter { $0.value.constant != nil }
        for name in ports {
            let type = values[name]!.type
            inner.values[name] = .edge(inner.reading.builder.input(name, type), type)
        }
        for network in networks { try inner.readNested(network) }
        let last = try change(&inner)
        reading.bytesLeft = inner.reading.bytesLeft
        let outputs = results.compactMap { inner.values[$0] } + (last.map { [$0] } ?? [])
        for (index, operand) in outputs.enumerated() {
            let name = "result\(index + 1)"
            var value = try inner.reading.edge(operand, name: name + "/constant")
            if inner.reading.builder[value].element != .float32 {
                value = try inner.reading.builder.add(Cast(element: .float32), [value], name: name)[0]
            }
            inner.reading.builder.output(name, value)
        }
        return inner.reading.builder.graph.pruned()
    }

    /// The computed values that nested networks use, or do not replace, in the order of their first use.
    private func captures(_ networks: [Message], _ results: [String], extra: String = "") -> [String] {
        (networks.flatMap(\.usedNames) + results + [extra]).unique.filter { name in
            values[name].map { $0.constant == nil } ?? false
        }
    }

    /// The names that layers outside of these networks use, and the outputs of the model.
    private func namesUsedOutside(_ networks: [Message]) -> Set<String> {
        var counts: [String: Int] = [:]
        for name in network.usedNames { counts[name, default: 0] += 1 }
        for name in networks.flatMap(\.usedNames) { counts[name, default: 0] -= 1 }
        let outputs = (description.output as [Message]).map { $0.name as String }
        return Set(counts.filter { $0.value > 0 }.keys).union(outputs + (isClassifier ? [probabilitiesName] : []))
    }
}

/// A loop layer, its networks, and the names of the values that it adds.
private struct LoopLayer {
    let layer: NeuralLayer
    let condition: Message
    let body: Message
    /// The value of the condition; nil if the number of iterations is fixed.
    let variable: String?
    /// The number of the iteration.
    let round: String
    /// The limit on iterations.
    let limit: String

    init(_ layer: NeuralLayer) {
        self.layer = layer
        (condition, body) = (layer.parameters["conditionNetwork"], layer.parameters["bodyNetwork"])
        let name: String = layer.parameters.conditionVar
        variable = name.isEmpty ? nil : name
        (round, limit) = (layer.name + "/round", layer.name + "/limit")
    }
}

extension Message {
    /// The networks that a layer has.
    var nestedNetworks: [Message] {
        switch choice {
        case "branch": [self["branch"]["ifBranch"], self["branch"]["elseBranch"]]
        case "loop": [self["loop"]["conditionNetwork"], self["loop"]["bodyNetwork"]]
        default: []
        }
    }

    /// The names that the layers of a network use, in order. Networks are nested no deeper than messages may be.
    fileprivate var usedNames: [String] {
        (self.layers as [Message]).flatMap { layer in
            let condition: [String] = layer.choice == "loop" ? [layer["loop"].conditionVar] : []
            return (layer.input as [String]) + layer.nestedNetworks.flatMap(\.usedNames) + condition
        }
    }

    /// The names that the layers of a network compute, in order.
    fileprivate var computedNames: [String] {
        (self.layers as [Message]).flatMap { layer in
            (layer.output as [String]) + layer.nestedNetworks.flatMap(\.computedNames)
        }
    }
}
