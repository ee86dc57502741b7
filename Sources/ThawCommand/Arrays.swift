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

/// Writes each array as `NAME.npy`.
func writeArrays(_ arrays: [(name: String, array: NumPyFile)], toFolder folder: String) throws {
    if mkdir(folder.fileName, 0o777) != 0, errno != EEXIST {
        throw Failure.noFolder(folder, String(cString: strerror(errno)))
    }
    var taken: Set<String> = []
    for (name, array) in arrays {
        let scalars = name.unicodeScalars.map { $0 == "/" || $0 == ":" || $0.isControlling ? "_" : $0 }
        var file = String(String.UnicodeScalarView(scalars))
        while !taken.insert(file).inserted { file += "_" }
        try array.write(toFile: folder + (folder.hasSuffix("/") ? "" : "/") + file + ".npy")
    }
}
