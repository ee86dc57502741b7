/// A model's metadata.
public struct Metadata: Hashable, Sendable {
    /// The description of the model.
    public var description = ""
    /// The author.
    public var author = ""
    /// The license.
    public var license = ""
    /// The version of the model.
    public var version = ""
    /// Further keys with their values. Keys that begin with `thaw.` are reserved for Thaw.
    public var userDefined: [String: String] = [:]
    /// The descriptions of inputs and outputs, by their names in Core ML.
    public var features: [String: String] = [:]

    /// No metadata.
    public init() {}
}

extension Metadata {
    /// A part of a model's metadata.
    public enum Field: Hashable, Sendable {
        /// The description of the model.
        case description
        /// The author.
        case author
        /// The license.
        case license
        /// The version of the model.
        case version
        /// A user-defined key and its value.
        case userDefined(String)
        /// The description of an input or output, by its name.
        case feature(String)
    }
}

extension Model {
    /// Sets metadata, or removes it if `value` is nil.
    /// - Throws: `Failure` if there is no input or output with the given name.
    public mutating func set(_ value: String?, for field: Metadata.Field) throws {
        let text = value ?? ""
        switch field {
        case .description: metadata.description = text
        case .author: metadata.author = text
        case .license: metadata.license = text
        case .version: metadata.version = text
        case .userDefined(let key): metadata.userDefined[key] = value
        case .feature(let name):
            try describe(name, text)
            if value == nil { metadata.features = metadata.features.filter { !$0.value.isEmpty } }
        }
    }
}
