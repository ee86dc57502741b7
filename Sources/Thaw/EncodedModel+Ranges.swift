extension EncodedModel {
    /// Names the ranges for 8-bit integers in the metadata after the values of the model that is read from this one.
    ///
    /// These need not be the values of the model that was encoded, nor have their names: a dense layer of a neural network may be
    /// read as a reshape and a dense layer.
    /// - Parameter model: The model that was encoded.
    /// - Throws: `Failure` if a layer would lose its range.
    mutating func nameRanges(of model: Model) throws {
        guard var record = model.quantization, !record.parameters.isEmpty else { return }
        var read = try decoded()
        let ranges = try model.rangedValues()
        let (source, plan) = (QuantizationPlan(model.graph), QuantizationPlan(read.graph))
        let matches = try source.matches(plan)
        let parametersByValue = try plan.parametersByValue(ranges.parameters, matches)
        record.parameters = [:]
        for (value, parameters) in parametersByValue {
            record.parameters[featureName(plan.name(of: value))] = parameters
        }
        record.kept = matches.filter { ranges.kept.contains($0.written.name) }.map { featureName($0.read.name) }
        read.quantization = record
        let named = try read.rangedValues()
        // Different names may become the same in the metadata.
        if let lost = plan.values.first(where: { named.parameters[$0] != parametersByValue[$0] }) {
            throw Failure.cannotStoreRange(plan.name(of: lost))
        }
        var entries: [String: String] = message.description.metadata.userDefined
        entries[QuantizationRecord.key] = record.json
        message.description.metadata.userDefined = entries
    }

    /// The model that a reader of this one gets.
    private func decoded() throws -> Model {
        try ModelReader.run(message, isPackage ? file().weights : nil).model
    }
}

/// A node of the graph that was written, and what was read in its place.
private typealias NodeMatch = (written: Graph.Node, read: Graph.Node)

extension QuantizationPlan {
    /// The nodes that compute with quantized values. Others, such as reshapes and clamps, pass them on.
    private var arithmetic: [Graph.Node] {
        zip(graph.nodes, participates).filter { node, participates in
            participates && [.layer, .arithmetic].contains(graph.quantizedRole(of: node))
        }.map(\.0)
    }

    /// The clamps that read quantized values. Others are part of the value that they clamp.
    private var clamps: [Graph.Node] {
        zip(graph.nodes, participates).filter { node, participates in
            participates && graph.quantizedRole(of: node) == .bound && ends[node.inputs[0].index] == node.inputs[0]
        }.map(\.0)
    }

    /// The nodes that compute with quantized values, paired with those of the graph that was read, which are in the same order.
    fileprivate func matches(_ plan: QuantizationPlan) throws -> [NodeMatch] {
        let (written, read) = (arithmetic, plan.arithmetic)
        func counts(_ graph: Graph, _ values: [Graph.Value]) -> [Int] { values.map { graph[$0].shape.elementCount } }
        for (old, new) in zip(written, read) {
            guard graph.quantizedRole(of: old) == plan.graph.quantizedRole(of: new),
                counts(graph, old.inputs) == counts(plan.graph, new.inputs),
                counts(graph, old.outputs) == counts(plan.graph, new.outputs)
            else { throw Failure.cannotStoreRange(old.name) }
        }
        let matches = Array(zip(written, read))
        if let unmatched = (written.dropFirst(matches.count) + read.dropFirst(matches.count)).first {
            throw Failure.cannotStoreRange(unmatched.name)
        }
        let clamps = clamps
        guard !clamps.isEmpty else { return matches }
        let readClamps = plan.clamps
        guard clamps.count == readClamps.count,
            zip(clamps, readClamps).allSatisfy({ counts(graph, $0.inputs) == counts(plan.graph, $1.inputs) })
        else { throw Failure.cannotStoreRange(clamps[0].name) }
        return matches + Array(zip(clamps, readClamps))
    }

    /// The quantization parameters of this plan's values, given those of the values that were written.
    fileprivate func parametersByValue(
        _ written: [Graph.Value: QuantizationParameters], _ matches: [NodeMatch]
    ) throws -> [Graph.Value: QuantizationParameters] {
        var parametersByValue: [Graph.Value: QuantizationParameters] = [:]
        func set(_ value: Graph.Value, _ parameters: QuantizationParameters) throws {
            guard parametersByValue[value] ?? parameters == parameters else {
                throw Failure.cannotStoreRange(name(of: value))
            }
            parametersByValue[value] = parameters
        }
        for (old, new) in matches {
            for (value, target) in zip(old.inputs, new.inputs) {
                if let parameters = written[value] { try set(target, parameters) }
            }
        }
        var groupOf: [Graph.Value: [Graph.Value]] = [:]
        for group in groups {
            for value in group { groupOf[value] = group }
            guard let parameters = group.lazy.compactMap({ parametersByValue[$0] }).first else { continue }
            for value in group { try set(value, parameters) }
        }
        // A clamp that was part of a layer may be separated from it by a reshape. Rounding to the range of its result clamps too.
        for node in graph.nodes.reversed() where graph.quantizedRole(of: node) == .bound {
            guard let group = groupOf[node.inputs[0]],
                let parameters = parametersByValue[ends[node.outputs[0].index]]
            else { continue }
            for value in group where parametersByValue[value] == nil { try set(value, parameters) }
        }
        return parametersByValue
    }
}
