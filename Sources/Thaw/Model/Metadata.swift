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
