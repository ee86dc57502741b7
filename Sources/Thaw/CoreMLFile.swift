/// A Core ML model as it is encoded: in a file, in a package, or in memory.
struct CoreMLFile {
    let bytes: ByteView
    /// Where the weights of an ML Program are.
    let weights: (any WeightFiles)?
    /// The size of the file, or of all files of a package.
    let byteCount: Int

    init(_ path: String, _ format: ModelFormat, isMapped: Bool = true) throws {
        let isPackage = format == .coreMLPackage
        let package = isPackage ? try naming(file: path) { try ModelPackage(path: path, isMapped: isMapped) } : nil
        let file = try package?.model ?? MappedFile(path: path, isMapped: isMapped)
        bytes = ByteView(viewing: file.bytes, of: file)
        weights = package
        byteCount = package?.byteCount ?? file.bytes.count
    }

    /// - Parameter weights: The content of a package's file of weights.
    init(_ bytes: ByteView, weights: ByteView?) {
        (self.bytes, self.weights) = (bytes, WeightBytes(bytes: weights))
        byteCount = bytes.count + (weights?.count ?? 0)
    }

    /// The outermost message of a Core ML model.
    func message() throws -> Message { try Message(.model, reading: bytes) }
}
