#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is to be classified; or a folder that cannot be read, with the reason.
public struct FoundImage: Sendable {
    public let path: String
    public let failure: Failure?

    public init(path: String, failure: Failure? = nil) { (self.path, self.failure) = (path, failure) }
}

/// The image files that a list of names from the command line stands for, found while they are asked for: every file in the
/// list, and for a folder those below it, in byte order of their paths. Of a folder only the names in it are kept.
///
/// A file that is named is given whatever it is. One that is found in a folder is passed over when it is no image by content
/// and has no image's extension. So is one whose name begins with a dot, as that of a folder: what systems keep for themselves.
/// A link to a folder is followed once, but not to one that the walk is in or has begun in; one that leads nowhere is not.
public final class ImageFiles: Sequence, IteratorProtocol {
    private var names: ArraySlice<String>
    private let list: (() -> String?)?
    private var isInList = false
    /// The folders that the walk is in, the deepest last.
    private var folders: [Folder] = []
    /// The folders that links led to.
    private var linked: Set<Folder.Identity> = []

    /// - Parameter list: Gives further names, one by one, where the name `-` stands; nil at the end.
    public init(_ names: [String], list: (() -> String?)? = nil) { (self.names, self.list) = (names[...], list) }

    /// All that `names` stand for.
    /// - Throws: `Failure` when a folder cannot be read.
    public static func under(_ names: [String]) throws -> [String] {
        try ImageFiles(names).map { image in
            if let failure = image.failure { throw failure }
            return image.path
        }
    }

    public func next() -> FoundImage? {
        while true {
            if let folder = folders.last {
                guard let (path, isFolder) = folder.next() else {
                    folders.removeLast()
                    continue
                }
                if isFolder {
                    guard mayEnter(path) else { continue }
                    if let failure = enter(path) { return FoundImage(path: path, failure: failure) }
                } else if isImage(path) {
                    return FoundImage(path: path)
                }
            } else if let name = nextName() {
                guard isFolder(name) else { return FoundImage(path: name) }
                if let failure = enter(name) { return FoundImage(path: name, failure: failure) }
            } else {
                return nil
            }
        }
    }

    private func nextName() -> String? {
        while true {
            if isInList, let name = list?() { return name }
            isInList = false
            guard let name = names.popFirst() else { return nil }
            if name != "-" || list == nil { return name }
            isInList = true
        }
    }

    /// Whether a folder in a folder is to be gone through.
    private func mayEnter(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path.fileName, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let folder = Folder.Identity(path)
        else { return true }
        let isAbove =
            folders.contains { $0.identity == folder } || wholePath(folders[0].path).hasPrefix(wholePath(path))
        return !isAbove && linked.insert(folder).inserted
    }

    private func enter(_ path: String) -> Failure? {
        do {
            folders.append(try Folder(path))
            return nil
        } catch { return error }
    }
}

/// The names in a folder, in byte order of the paths below it: that of a folder ends in a slash. They lie in one block of
/// memory, for there may be a million of them.
private final class Folder {
    /// A folder, whatever name leads to it.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path.fileName, &status) == 0 else { return nil }
            (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }
    }

    /// With a slash at its end.
    let path: String
    let identity: Identity?
    private var letters: [CChar] = []
    private var starts: [Int] = []
    private var position = 0

    init(_ path: String) throws(Failure) {
        self.path = path.hasSuffix("/") ? path : path + "/"
        identity = Identity(path)
        guard let stream = opendir(path.fileName) else { throw Failure.cannotOpen(path, errno) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { add($0, entry.pointee.d_type) }
            }
        }
        letters.withUnsafeBufferPointer { letters in
            starts.sort { strcmp(letters.baseAddress! + $0, letters.baseAddress! + $1) < 0 }
        }
    }

    private func add(_ name: UnsafePointer<CChar>, _ type: UInt8) {
        guard name[0] != CChar(UInt8(ascii: ".")) else { return }
        var kind = Int32(type)
        if kind != Int32(DT_DIR), kind != Int32(DT_REG) {
            // A link, or a file system that does not tell.
            var status = stat()
            let path = self.path + text(name)
            guard stat(path.fileName, &status) == 0 else { return }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: kind = Int32(DT_DIR)
            case S_IFREG: kind = Int32(DT_REG)
            default: return
            }
        }
        starts.append(letters.count)
        letters.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name)))
        if kind == Int32(DT_DIR) { letters.append(CChar(UInt8(ascii: "/"))) }
        letters.append(0)
    }

    func next() -> (path: String, isFolder: Bool)? {
        guard position < starts.count else { return nil }
        position += 1
        let name = letters.withUnsafeBufferPointer { text($0.baseAddress! + starts[position - 1]) }
        guard name.utf8.last == UInt8(ascii: "/") else { return (path + name, false) }
        return (path + name.dropLast(), true)
    }

    private func text(_ name: UnsafePointer<CChar>) -> String {
        String(fileName: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
}

/// The path of a folder without links, with a slash at its end.
private func wholePath(_ path: String) -> String {
    withoutLinks(path).map { $0 + "/" } ?? path
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path.fileName, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Whether the file's name or its first bytes are an image's.
private func isImage(_ path: String) -> Bool {
    if ImageKind.isNamedLikeAnImage(path) { return true }
    let descriptor = open(path.fileName, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: ImageKind.prefix, alignment: 1) { start in
        let count = read(descriptor, start.baseAddress, start.count)
        return count > 0 && ImageKind(of: UnsafeRawBufferPointer(rebasing: start[..<count])) != nil
    }
}
