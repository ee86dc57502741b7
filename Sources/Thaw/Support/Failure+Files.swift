#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Failure {
    static func cannotOpen(_ path: String, _ code: Int32) -> Failure {
        code == ENOENT
            ? Failure(.noSuchFile, file: path, "no such file")
            : Failure(.notReadable, file: path, "cannot be opened: " + String(cString: strerror(code)))
    }

    static func isFolder(_ path: String) -> Failure {
        Failure(.wrongKind, file: path, "is a folder", remedy: "a file is expected")
    }

    static func isNoPlainFile(_ path: String) -> Failure {
        Failure(.wrongKind, file: path, "is a pipe or a device", remedy: "a plain file is expected")
    }

    static func isEmpty(_ path: String) -> Failure {
        Failure(.damaged, file: path, "the file is empty")
    }

    static func cannotWrite(_ path: String, _ code: Int32) -> Failure {
        Failure(.notWritable, file: path, "cannot be written: " + String(cString: strerror(code)))
    }
}
