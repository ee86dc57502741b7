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

// MARK: Another format

extension CoreMLSource {
    /// The inputs and outputs in Core ML's order.
    /// - Parameter function: The function that `model` was read from; nil for the default.
    func features(of model: Model, function: String?) throws -> (inputs: [ModelFeature], outputs: [ModelFeature]) {
        let message = try message.selecting(function)
        return try model.features(message["description"], arrays: message.arrays)
    }

    /// The model written from scratch, in another format or precision. Float16 inputs and outputs keep their type.
    /// - Throws: `Failure` naming an input or output that would be another one for callers.
    func rewritten(
        _ model: Model, function: String?, as format: ModelFormat, weights: WeightStorage?, target: CoreMLVersion?,
        precision: ProgramPrecision
    ) throws -> EncodedModel {
        let (inputs, outputs) = try features(of: model, function: function)
        for input in inputs {
            if input.shapes != .fixed { throw Failure.cannotRewrite(input.name, "has a flexible shape") }
            if input.defaultValue != nil { throw Failure.cannotRewrite(input.name, "may be omitted") }
        }
        var precision = precision
        if format == .coreMLPackage {
            if try areHalf(inputs) { precision.inputs = .float16 }
            if try areHalf(outputs) { precision.outputs = .float16 }
        } else if let image = (inputs + outputs).first(where: \.isHalfImage) {
            throw Failure.cannotRewrite(image.name, "is an image of 16 bits")
        }
        return try model.encoded(as: format, weights: weights, target: target, precision: precision)
    }

    /// Whether the floating-point features are float16.
    /// - Throws: `Failure` if only some of them are: written from scratch, all have the same type.
    private func areHalf(_ features: [ModelFeature]) throws -> Bool {
        let halves = features.filter { $0.isHalf == true }
        if let first = halves.first, features.contains(where: { $0.isHalf == false }) {
            throw Failure.cannotRewrite(first.name, "is float16, and others are not")
        }
        return !halves.isEmpty
    }
}

extension ModelFeature {
    fileprivate var isHalfImage: Bool { if case .image(let image) = kind { image.isFloat16 } else { false } }

    /// Whether it is float16 instead of float32 or an 8-bit grayscale image; nil for other types.
    fileprivate var isHalf: Bool? {
        switch kind {
        case .image(let image): image.color == .gray ? image.isFloat16 : nil
        case .multiArray(_, let type): type == .float16 ? true : type == .float32 ? false : nil
        case .probabilities, .label: nil
        }
    }
}

extension Failure {
    fileprivate static func cannotRewrite(_ name: String, _ reason: String) -> Failure {
        Failure(
            .unsupportedModel, "'\(name)' \(reason), which cannot be preserved",
            remedy: "keep the model's format and precision", names: [name])
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
