/// What goes in and comes out of a model, by name.
extension Model {
    private enum Feature: Hashable {
        case input(Int)
        case output(Int)
        /// The best label.
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

    /// The names of inputs and outputs, as Core ML has them.
    private var featureNames: [String] { features.map { featureName(name($0)) } }

    /// - Parameter name: The name that it has in the graph or in Core ML.
    private func feature(named name: String) throws -> Feature {
        let found = features.first { self.name($0) == name } ?? features.first { featureName(self.name($0)) == name }
        guard let found else { throw Failure.noFeature(name, featureNames) }
        return found
    }

    /// Gives inputs and outputs other names, all at once: two may change places.
    ///
    /// - Throws: `Failure` where there is no input or output of an old name, and where a new one is no identifier or would
    ///   stand twice.
    public mutating func rename(_ renamings: [(old: String, new: String)]) throws {
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
            throw Failure.featureTwice(clash.new)
        }
    }

    /// Names the output that holds the best label, and that of the probabilities where `probabilities` is given.
    ///
    /// - Throws: `Failure` where a name is no identifier or would stand twice.
    public mutating func nameClasses(label: String, probabilities: String?) throws {
        guard let classifier else { return }
        var renamings: [(old: String, new: String)] = []
        if classifier.predictedFeature != label { renamings.append((classifier.predictedFeature, label)) }
        if let probabilities { renamings.append((graph.outputs[0].name, probabilities)) }
        try rename(renamings)
    }

    /// Says what an input or output is.
    ///
    /// - Throws: `Failure` where there is none of this name.
    public mutating func describe(_ name: String, _ text: String) throws {
        metadata.features[featureName(self.name(try feature(named: name)))] = text
    }
}
