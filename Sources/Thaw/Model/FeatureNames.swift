/// Names of a model's inputs and outputs.
extension Model {
    private enum Feature: Hashable {
        case input(Int)
        case output(Int)
        /// The top-label output of a classifier.
        case label
    }

    private var features: [Feature] {
        graph.inputs.indices.map { .input($0) } + graph.outputs.indices.map { .output($0) }
            + (classifier == nil ? [] : [.label])
    }

    private func name(_ feature: Feature) -> String {
        switch feature {
        case .input(let index): graph.inputs[index].name
        case .output(let index): graph.outputs[index].name
        case .label: classifier!.predictedFeature
        }
    }

    private mutating func setName(_ feature: Feature, _ name: String) {
        switch feature {
        case .input(let index):
            graph.inputs[index].name = name
            if index == 0 { image?.name = name } else { otherImages[index]?.name = name }
        case .output(let index):
            graph.outputs[index].name = name
            if index == 0 { classifier?.probabilities = name }
        case .label: classifier!.predictedFeature = name
        }
    }

    /// The names of inputs and outputs in Core ML.
    private var featureNames: [String] { features.map { featureName(name($0)) } }

    /// - Parameter name: The name in the graph or in Core ML.
    private func feature(named name: String) throws -> Feature {
        let found = features.first { self.name($0) == name } ?? features.first { featureName(self.name($0)) == name }
        guard let found else { throw Failure.noFeature(name, featureNames) }
        return found
    }

    /// Renames inputs and outputs, all at once: two names may be swapped.
    ///
    /// - Throws: `Failure` if there is no input or output with an old name, or if a new name is not an identifier or not
    ///   unique.
    mutating func rename(_ renamings: [(old: String, new: String)]) throws {
        let known = try renamings.map { (feature: try feature(named: $0.old), new: $0.new) }
        var taken: Set<Feature> = []
        for ((feature, new), renaming) in zip(known, renamings) {
            guard featureName(new) == new else { throw Failure.noIdentifier(new) }
            guard taken.insert(feature).inserted else { throw Failure.renamedTwice(renaming.old) }
        }
        let texts = known.map { metadata.features.removeValue(forKey: featureName(name($0.feature))) }
        for ((feature, new), text) in zip(known, texts) {
            setName(feature, new)
            if let text { metadata.features[new] = text }
        }
        let names = featureNames
        if let clash = known.first(where: { known in names.count { $0 == known.new } > 1 }) {
            throw Failure.duplicateFeature(clash.new)
        }
    }

    /// Gives different names to inputs and outputs that would have the same one in Core ML: inputs keep theirs, and the top
    /// label is the next to choose.
    /// - Returns: A note for each new name.
    mutating func makeNamesUnique() -> [Note] {
        let (inputs, outputs) = (
            graph.inputs.indices.map { Feature.input($0) }, graph.outputs.indices.map { Feature.output($0) }
        )
        var taken: Set<String> = []
        var notes: [Note] = []
        for feature in inputs + (classifier == nil ? [] : [.label]) + outputs {
            let old = name(feature)
            let new = taken.insertUnique(featureName(old))
            guard new != featureName(old) else { continue }
            setName(feature, new)
            notes.append(.featureRenamed(old, new))
        }
        return notes
    }

    /// Renames the top-label output, and the class-probability output if `probabilities` is given.
    ///
    /// - Throws: `Failure` if a name is not an identifier or not unique.
    mutating func nameClasses(label: String, probabilities: String?) throws {
        guard let classifier else { return }
        var renamings: [(old: String, new: String)] = []
        if classifier.predictedFeature != label { renamings.append((classifier.predictedFeature, label)) }
        if let probabilities { renamings.append((graph.outputs[0].name, probabilities)) }
        try rename(renamings)
    }

    /// Sets the description of an input or output.
    ///
    /// - Throws: `Failure` if there is none of this name.
    mutating func describe(_ name: String, _ text: String) throws {
        metadata.features[featureName(self.name(try feature(named: name)))] = text
    }
}
