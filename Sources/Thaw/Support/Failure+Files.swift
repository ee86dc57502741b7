#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that cannot be read or written.
extension Failure {
    static func cannotOpen(_ path: String, _ code: Int32) -> Failure {
        code == ENOENT
            ? Failure(.noSuchFile, file: path, "no such file")
            : Failure(.notReadable, file: path, "cannot be opened: \(String(cString: strerror(code)))")
    }

    static func changedWhileRead(_ path: String) -> Failure {
        Failure(
            .notReadable, file: path, "changed while it was being read",
            remedy: "replace a file by renaming a complete one")
    }

    static func isFolder(_ path: String) -> Failure {
        Failure(.wrongKind, file: path, "is a folder", remedy: "expected a file")
    }

    static func notARegularFile(_ path: String) -> Failure {
        Failure(.wrongKind, file: path, "is a pipe or a device", remedy: "expected a regular file")
    }

    static func isEmpty(_ path: String) -> Failure {
        Failure(.damaged, file: path, "the file is empty")
    }

    static func cannotWrite(_ path: String, _ code: Int32) -> Failure {
        Failure(.notWritable, file: path, "cannot be written: \(String(cString: strerror(code)))")
    }

    static func cannotCreate(_ path: String, _ code: Int32) -> Failure {
        code == ENOENT ? folderMissing(path) : cannotWrite(path, code)
    }

    package static func folderMissing(_ path: String) -> Failure {
        var status = stat()
        let isLink = lstat(path.fileName, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        return Failure(
            .notWritable, file: path, "the folder\(isLink ? " that this link leads to" : "") does not exist",
            remedy: "create it first")
    }

    package static func alreadyExists(_ path: String) -> Failure {
        Failure(
            .fileExists, file: path, "the file exists already",
            remedy: "it may not be replaced (\(option: .mayReplace))")
    }

    static func notReplaceable(_ path: String) -> Failure {
        Failure(
            .fileExists, file: path, "something that is not a Core ML package has this name",
            remedy: "only Core ML packages are replaced")
    }
}
