import Foundation
import Testing

@testable import Thaw

@Suite struct AtomicFileTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.appending(path: "file").path
    }

    private var content: String? { try? String(contentsOfFile: path, encoding: .utf8) }
    private var names: [String] { try! FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }

    @Test func `a name need not be UTF-8, and a link may point to a new file; an empty name is refused`() throws {
        func bytes(_ path: String) throws -> [UInt8] {
            let file = try MappedFile(path: path)
            return withExtendedLifetime(file) { Array(file.bytes) }
        }
        let odd = folder.url.path + "/" + String(fileName: [0x63, 0xE9])
        try AtomicFile.write([1, 2], to: odd)
        #expect(try bytes(odd) == [1, 2])
        let link = folder.url.path + "/link"
        #expect(symlink("file", link) == 0)
        try AtomicFile.write([3], to: link)
        #expect(try bytes(path) == [3])
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(throws: Failure.self) { try AtomicFile(path: "") }
    }

    @Test func `small and large pieces are written to the file in order`() throws {
        let file = try AtomicFile(path: path)
        var expected: [UInt8] = []
        for size in [0, 1, 65_535, 1, 65_536, 65_537, 200_000, 3] {
            let piece = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
            try file.write(piece)
            expected += piece
        }
        #expect(content == nil, "nothing under the name before the end")
        try file.commit()
        #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == expected)
        #expect(names == ["file"])
    }

    @Test func `without a commit, only the old file remains`() throws {
        try AtomicFile.write("old".utf8, to: path)
        do {
            let file = try AtomicFile(path: path)
            try file.write("new".utf8)
        }
        #expect(content == "old")
        #expect(names == ["file"])
    }

    @Test func `a file is replaced unless that is forbidden, also if it appears meanwhile`() throws {
        try AtomicFile.write("old".utf8, to: path)
        try AtomicFile.write("new".utf8, to: path)
        #expect(content == "new")
        #expect(throws: Failure.alreadyExists(path)) { try AtomicFile(path: path, mayReplace: false) }

        try FileManager.default.removeItem(atPath: path)
        let file = try AtomicFile(path: path, mayReplace: false)
        try AtomicFile.write("quicker".utf8, to: path)
        #expect(throws: Failure.alreadyExists(path)) { try file.commit() }
        #expect(content == "quicker")
        #expect(names == ["file"])

        try FileManager.default.removeItem(atPath: path)
        try AtomicFile.write("first".utf8, to: path, mayReplace: false)
        #expect(content == "first")
        #expect(names == ["file"])
    }

    @Test func `a replaced file keeps its permissions, and a link its target`() throws {
        try AtomicFile.write("old".utf8, to: path)
        #expect(chmod(path, 0o640) == 0)
        let link = folder.url.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
        try AtomicFile.write("new".utf8, to: link)
        #expect(content == "new")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
    }

    @Test func `devices are written to, not replaced`() throws {
        try AtomicFile.write("x".utf8, to: "/dev/null")
        #expect(
            try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
                == .typeCharacterSpecial)
        let failure = #expect(throws: Failure.self) { try AtomicFile.write("x".utf8, to: "/dev/full") }
        #expect(failure?.description == "/dev/full: cannot be written: No space left on device")
    }

    @Test func `a missing folder, and a folder with the file's name, are reported`() throws {
        let missing = #expect(throws: Failure.self) { try AtomicFile(path: path + "/no/file") }
        #expect(missing?.description == "\(path)/no/file: the folder does not exist; create it first")
        let link = folder.url.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "no/file")
        let lost = #expect(throws: Failure.self) { try AtomicFile(path: link) }
        #expect(lost?.description == "\(link): the folder that this link leads to does not exist; create it first")
        #expect(throws: Failure.isFolder(folder.url.path)) { try AtomicFile(path: folder.url.path) }
    }
}
