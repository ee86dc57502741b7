#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names in a folder, in byte order of the paths below it: that of a folder ends in a slash. They lie in one block of
/// memory, for there may be a million of them.
final class Folder {
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
    /// What the folder held.
    private(set) var listing: FolderListing
    private var letters: [CChar] = []
    private var starts: [Int] = []
    private var position = 0

    init(_ path: String) throws(Failure) {
        self.path = path.hasSuffix("/") ? path : path + "/"
        identity = Identity(path)
        // A change during the reading counts as one behind it.
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
public struct ChangedFolder: Sendable {
    public let path: String
    /// How many images and folders it held.
    public let before: Int
    /// How many it holds now; nil if it cannot be read any more.
    public let now: Int?
}

/// What a folder holds, in a form that tells whether it has changed: a few bytes, however many names there are.
struct FolderListing {
    private let path: String
    private let modified: Modification?
    /// How many images, by their names, and folders there are.
    private var count = 0
    /// The sum of the names' hashes, which does not depend on their order.
    private var names: UInt64 = 0

    private struct Modification: Equatable {
        let seconds: Int
        let nanoseconds: Int
    }

    init(_ path: String) {
        self.path = path
        var status = stat()
        guard stat(path.fileName, &status) == 0 else {
            modified = nil
            return
        }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Modification(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    /// Counts an entry of the folder if it is a folder or may be an image: its name ends as an image's, or has no ending.
    mutating func add(_ name: String, isFolder: Bool) {
        guard isFolder || !name.utf8.contains(UInt8(ascii: ".")) || ImageKind.isNamedLikeAnImage(name) else { return }
        count += 1
        // FNV-1a. Source: Fowler, Noll and Vo, RFC 9923.
        names &+= name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// How the folder differs from what it was; nil if it does not.
    var change: ChangedFolder? {
        guard modified != FolderListing(path).modified else { return nil }
        let now = try? Folder(path).listing
        guard now?.count != count || now?.names != names else { return nil }
        return ChangedFolder(path: path, before: count, now: now?.count)
    }
}
