import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Refuses a target that is neither a .npy file nor a folder, before anything is computed.
func checkArrayTarget(_ target: String) throws {
    guard target.hasSuffix(".npy") || ImageJob.namesFolder(target) else {
        throw Failure.unknownArrayExtension().inFile(target)
    }
}

extension Arguments {
    /// Refuses to replace the model or an input, given as `FILE` or `NAME=FILE`, with a result.
    func requireNoInput(at path: String) throws {
        let words =
            positional
            + positional.compactMap { word in
                word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            }
        if words.contains(where: { canonicalPath(of: $0) == canonicalPath(of: path) }) {
            throw Failure.resultsOverInput().inFile(path)
        }
    }
}

/// Writes each array as `NAME.npy`, none of which may be an input.
func writeArrays(
    _ arrays: [(name: String, array: Tensor)], toFolder folder: String, _ arguments: Arguments
) throws {
    if mkdir(folder.fileName, 0o777) != 0, errno != EEXIST {
        throw Failure.noFolder(folder, String(cString: strerror(errno)))
    }
    var taken: Set<String> = []
    let files = arrays.map { name, _ in
        let scalars = name.unicodeScalars.map { $0 == "/" || $0 == ":" || $0.isControlling ? "_" : $0 }
        var file = String(String.UnicodeScalarView(scalars))
        while !taken.insert(file).inserted { file += "_" }
        return folder + (folder.hasSuffix("/") ? "" : "/") + file + ".npy"
    }
    for file in files { try arguments.requireNoInput(at: file) }
    for (file, (_, array)) in zip(files, arrays) { try array.write(toNumPyFile: file) }
}
