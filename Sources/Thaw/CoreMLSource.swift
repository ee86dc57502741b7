/// The source of a Core ML model, kept to write it again with all its contents.
struct CoreMLSource: Sendable {
    /// The outermost message.
    var message: Message
    /// Where the weights of an ML Program are.
    let weights: (any WeightFiles)?
    let byteCount: Int

    init(_ file: CoreMLFile) throws {
        let message = try file.message()
        weights = try message.hasProgram ? file.weights.map { try OpenWeightFiles(of: message, in: $0) } : nil
        self.message = message
        byteCount = file.byteCount
    }

    var format: ModelFormat { message.hasProgram ? .coreMLPackage : .coreML }

    /// The model as it is.
    func encoded() throws -> EncodedModel {
        guard message.hasProgram else { return EncodedModel(message) }
        return try weights.map { try EncodedModel(message, $0) } ?? EncodedModel(message)
    }
}

// MARK: Metadata

extension CoreMLSource {
    /// Sets metadata, or removes it if `value` is nil. The name of a feature must exist.
    /// - Parameter function: The function that a feature belongs to, if the model has several; nil for the default.
    mutating func set(_ value: String?, for field: Metadata.Field, ofFunction function: String? = nil) {
        let text = value ?? ""
        switch field {
        case .description: message.description.metadata.shortDescription = text
        case .author: message.description.metadata.author = text
        case .license: message.description.metadata.license = text
        case .version: message.description.metadata.versionString = text
        case .userDefined(let key):
            var all: [String: String] = message.description.metadata.userDefined
            all[key] = value
            message.description.metadata.userDefined = all
        case .feature(let name):
            func described(_ features: [Message]) -> [Message] {
                features.map { feature in
                    var feature = feature
                    if feature.name == name || featureName(feature.name) == name { feature.shortDescription = text }
                    return feature
                }
            }
            func describe(_ description: inout Message) {
                for part in ["input", "output"] { description[part] = described(description[part]) }
            }
            var functions: [Message] = message.description.functions
            let selected = function ?? message.defaultFunction
            if let index = functions.firstIndex(where: { $0.name as String == selected }) {
                describe(&functions[index])
                message.description.functions = functions
            } else {
                describe(&message["description"])
            }
        }
    }
}
