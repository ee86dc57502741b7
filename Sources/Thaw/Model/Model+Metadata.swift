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
