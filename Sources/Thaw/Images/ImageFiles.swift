#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The image files that a list of paths refers to, found lazily: every file in the list, and for each folder the files
/// below it, in byte order of their paths. For a folder, only the names in it are kept.
///
/// A file that is named explicitly is always returned. A file found in a folder is skipped if neither its content nor
/// its extension is that of an image. Files and folders whose names start with a dot are skipped: systems keep
/// internal data there. A link to a folder is followed once, but not if the folder is being visited or is where the
/// search started. A broken link is returned if it is named like an image.
public final class ImageFiles: Sequence, IteratorProtocol {
    private var names: ArraySlice<String>
    private var list: (any IteratorProtocol<ImageFile>)?
    private var isInList = false
    /// Every folder read so far, as it was at that time.
    private(set) var listings: [FolderListing] = []
    /// The folders that are being visited, the innermost last.
    private var folders: [Folder] = []
    /// The folders that were reached by links.
    private var linked: Set<Folder.Identity> = []

    /// The images of files and folders.
    /// - Parameter names: The paths of image files, and of folders with images.
    public convenience init(_ names: [String]) { self.init(names, list: nil) }

    /// - Parameter list: Further images, for the name `-`.
    package init(_ names: [String], list: (any IteratorProtocol<ImageFile>)?) {
        (self.names, self.list) = (names[...], list)
    }

    /// The folders read so far in which images have been added, removed or renamed since.
    package var changedFolders: [ChangedFolder] { listings.compactMap(\.change) }

    /// All files that `names` refer to.
    /// - Throws: `Failure` if a folder cannot be read.
    package static func under(_ names: [String]) throws -> [String] {
        try ImageFiles(names).paths()
    }

    /// The files that are left.
    /// - Throws: `Failure` if a folder cannot be read.
    public func paths() throws -> [String] {
        try map { image in
            if let failure = image.failure { throw failure }
            return image.path
        }
    }

    /// The next image; nil at the end.
    public func next() -> ImageFile? {
        while true {
            if let folder = folders.last {
                guard let (path, isFolder) = folder.next() else {
                    folders.removeLast()
                    continue
                }
                if isFolder {
                    guard mayEnter(path) else { continue }
                    if let failure = enter(path) { return ImageFile(path: path, failure: failure) }
                } else if isImage(path) {
                    return ImageFile(path: path)
                }
            } else if let image = nextName() {
                guard image.isUnread, folderExists(image.path) else { return image }
                if let failure = enter(image.path) { return ImageFile(path: image.path, failure: failure) }
            } else {
                return nil
            }
        }
    }

    private func nextName() -> ImageFile? {
        while true {
            if isInList, let image = list?.next() { return image }
            isInList = false
            guard let name = names.popFirst() else { return nil }
            if name != "-" || list == nil { return ImageFile(path: name) }
            isInList = true
        }
    }

    /// Whether to visit a subfolder.
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

/// The path of a folder with links resolved, ending in a slash.
private func wholePath(_ path: String) -> String {
    withoutLinks(path).map { $0 + "/" } ?? path
}

/// Whether the file's extension or its first bytes are those of an image.
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
