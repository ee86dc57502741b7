#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names in a folder, in byte order of the paths below it, where the name of a folder ends in a slash. They are
/// stored in one block of memory, because there may be a million of them.
final class Folder {
    /// Identifies a folder regardless of its path.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path.fileName, &status) == 0 else { return nil }
            (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }
    }

    /// Ends in a slash.
    let path: String
    let identity: Identity?
    /// What the folder contained.
    private(set) var listing: FolderListing
    private var letters: [CChar] = []
    private var starts: [Int] = []
    private var position = 0

    init(_ path: String) throws(Failure) {
        self.path = path.hasSuffix("/") ? path : path + "/"
        identity = Identity(path)
        // Changes during reading count as later changes.
        listing = FolderListing(path)
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
            // A link, or a file system that does not report types.
            var status = stat()
            let path = self.path + text(name)
            if stat(path.fileName, &status) != 0 {
                // An image that cannot be read is an error, which its reader reports.
                guard ImageKind.isNamedLikeAnImage(path) else { return }
                kind = Int32(DT_REG)
            } else {
                switch status.st_mode & S_IFMT {
                case S_IFDIR: kind = Int32(DT_DIR)
                case S_IFREG: kind = Int32(DT_REG)
                default: return
                }
            }
        }
        starts.append(letters.count)
        letters.append(contentsOf: UnsafeBufferPointer(start: name, count: strlen(name)))
        if kind == Int32(DT_DIR) { letters.append(CChar(UInt8(ascii: "/"))) }
        letters.append(0)
        listing.add(text(name), isFolder: kind == Int32(DT_DIR))
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

/// A folder in which images were added, removed or renamed after it was read.
package struct ChangedFolder: Sendable {
    /// The path of the folder.
    package let path: String
    /// How many images and folders it contained.
    package let before: Int
    /// How many it contains now; nil if it can no longer be read.
    package let now: Int?
}

/// A fingerprint of a folder's contents that reveals changes. It takes a few bytes regardless of the number of names.
struct FolderListing {
    private let path: String
    private let version: FileVersion?
    /// The number of images, judged by their names, and of folders.
    private var count = 0
    /// The sum of the hashes of the names, which does not depend on their order.
    private var names: UInt64 = 0

    init(_ path: String) {
        self.path = path
        version = FileVersion(path: path)
    }

    /// Counts an entry if it is a folder or may be an image: its name has an image extension, or none.
    mutating func add(_ name: String, isFolder: Bool) {
        guard isFolder || !name.utf8.contains(UInt8(ascii: ".")) || ImageKind.isNamedLikeAnImage(name) else { return }
        count += 1
        // FNV-1a. Source: Fowler, Noll and Vo, RFC 9923.
        names &+= name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// How the folder has changed; nil if it has not.
    var change: ChangedFolder? {
        guard version != FolderListing(path).version else { return nil }
        let now = try? Folder(path).listing
        guard now?.count != count || now?.names != names else { return nil }
        return ChangedFolder(path: path, before: count, now: now?.count)
    }
}
