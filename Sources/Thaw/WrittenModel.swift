/// A model that was written to a file.
public struct WrittenModel: Sendable {
    /// The size of the file, or of all files of a package.
    public var bytes: Int
    /// The version of the format.
    public var version: CoreMLVersion
    /// The layers whose weights were and were not compressed, if compression was requested.
    public var compression: CompressionReport?
}
