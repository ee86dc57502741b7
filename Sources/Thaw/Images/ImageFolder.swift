#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is to be classified; or a folder that cannot be read, with the reason.
public struct FoundImage: Sendable {
    public let path: String
    public let failure: Failure?
    /// The bytes of an image that is no file.
    public let content: [UInt8]?

    public init(path: String, failure: Failure? = nil) { (self.path, self.failure, content) = (path, failure, nil) }

    /// An image whose file is in memory, with what results are to call it.
    public init(path: String, content: [UInt8]) { (self.path, failure, self.content) = (path, nil, content) }
}

/// The image files that a list of names from the command line stands for, found while they are asked for: every file in the
/// list, and for a folder those below it, in byte order of their paths. Of a folder only the names in it are kept.
///
/// A file that is named is given whatever it is. One that is found in a folder is passed over when it is no image by content
/// and has no image's extension. So is one whose name begins with a dot, as that of a folder: what systems keep for themselves.
/// A link to a folder is followed once, but not to one that the walk is in or has begun in; one that leads nowhere is not.
public final class ImageFiles: Sequence, IteratorProtocol {
    private var names: ArraySlice<String>
    private let list: (() -> FoundImage?)?
    private var isInList = false
    /// Every folder read so far, as it was.
    private var listings: [FolderListing] = []
    /// The folders that the walk is in, the deepest last.
    private var folders: [Folder] = []
    /// The folders that links led to.
    private var linked: Set<Folder.Identity> = []

    /// - Parameter list: Gives further names, one by one, for the name `-`; nil at the end.
    public init(_ names: [String], list: (() -> FoundImage?)? = nil) { (self.names, self.list) = (names[...], list) }

    /// The folders read so far in which images have been added, removed or renamed since.
    public var changedFolders: [ChangedFolder] { listings.compactMap(\.change) }

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
            } else if let image = nextName() {
                guard image.failure == nil, image.content == nil, isFolder(image.path) else { return image }
                if let failure = enter(image.path) { return FoundImage(path: image.path, failure: failure) }
            } else {
                return nil
            }
        }
    }

    private func nextName() -> FoundImage? {
        while true {
            if isInList, let image = list?() { return image }
            isInList = false
            guard let name = names.popFirst() else { return nil }
            if name != "-" || list == nil { return FoundImage(path: name) }
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
            let folder = try Folder(path)
            folders.append(folder)
            listings.append(folder.listing)
            return nil
        } catch { return error }
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
