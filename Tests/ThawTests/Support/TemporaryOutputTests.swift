import Foundation
import Testing

@testable import Thaw

/// Outputs while they are written, and their leftovers.
@Suite struct TemporaryOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }
    private var names: [String] { try! FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return lstat(path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func make(_ name: String, containing text: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.url.appending(path: name + "/content"))
    }

    private func content(_ name: String) -> String? {
        try? String(contentsOfFile: path(name) + "/content", encoding: .utf8)
    }

    /// Writes a folder with one file.
    private func write(_ text: String, to name: String, _ changes: NameChanges = NameChanges()) throws {
        let output = try AtomicFolder(path: path(name), changes: changes) { _ in true }
        try output.makeFolder("inner/most")
        let file = try output.file("content")
        try file.write(text.utf8)
        try file.commit()
        try output.commit()
    }

    /// The permissions that the system gives new files and folders here.
    private func natural(_ kind: TemporaryOutput.Kind) -> mode_t {
        let probe = path("probe")
        if kind == .file { close(open(probe, O_CREAT | O_WRONLY, 0o666)) } else { mkdir(probe, 0o777) }
        defer { remove(probe) }
        return mode("probe")
    }

    // MARK: Permissions

    @Test(
        arguments: [
            (TemporaryOutput.Kind.file, nil, 0o600), (.file, 0o640, 0o600), (.folder, nil, 0o700),
            (.folder, 0o750, 0o700),
        ] as [(TemporaryOutput.Kind, mode_t?, mode_t)])
    func `only the owner may open an unfinished output`(
        _ kind: TemporaryOutput.Kind, _ final: mode_t?, _ private: mode_t
    )
        throws
    {
        let output = try TemporaryOutput(kind, for: path("out"), mode: final)
        #expect(names.count == 1 && names[0].hasPrefix(Leftovers.unfinishedPrefix))
        #expect(mode(names[0]) == `private`)
        #expect(output.descriptor > STDERR_FILENO)
        try output.publish(mayReplace: false)
        #expect(names == ["out"])
        #expect(mode("out") == final ?? natural(kind))
    }

    @Test func `a folder that replaces another gets its permissions`() throws {
        try make("out", containing: "old")
        #expect(chmod(path("out"), 0o711) == 0)
        try write("new", to: "out")
        #expect(mode("out") == 0o711 && content("out") == "new" && names == ["out"])
    }

    // MARK: Leftovers

    /// Things with the names of leftovers, and whether the next output removes them.
    private static let leftovers: [(String, isRemoved: Bool, make: @Sendable (String) -> Void)] = [
        ("a file", true, { close(open($0, O_CREAT | O_WRONLY, 0o600)) }),
        (
            "a folder",
            true,
            {
                mkdir($0, 0o700)
                mkdir($0 + "/inner", 0o700)
                symlink("/", $0 + "/inner/root")
                close(open($0 + "/file", O_CREAT | O_WRONLY, 0o600))
            }
        ),
        ("a link", false, { symlink("/etc/hostname", $0) }),
        ("a pipe", false, { mkfifo($0, 0o600) }),
        ("a locked file", false, { flock(open($0, O_CREAT | O_WRONLY, 0o600), LOCK_EX) }),
        (
            "a locked folder",
            false,
            {
                mkdir($0, 0o700)
                flock(open($0, O_RDONLY), LOCK_EX)
            }
        ),
    ]

    @Test(arguments: leftovers.indices, [false, true])
    func `the next output removes leftovers without an owner`(_ index: Int, _ isFolder: Bool) throws {
        let (_, isRemoved, make) = Self.leftovers[index]
        let name = Leftovers.unfinishedPrefix + "1x"
        make(path(name))
        if isFolder { try write("new", to: "out") } else { try AtomicFile.write("new".utf8, to: path("out")) }
        #expect(names == (isRemoved ? [] : [name]) + ["out"])
        #expect(FileManager.default.fileExists(atPath: "/etc"))
    }

    @Test func `two outputs in one folder leave each other alone`() throws {
        let first = try AtomicFile(path: path("a"))
        let second = try AtomicFile(path: path("a"))
        try write("new", to: "folder")
        for (file, text) in [(first, "first"), (second, "second")] {
            try file.write(text.utf8)
            try file.commit()
            #expect(try String(contentsOfFile: path("a"), encoding: .utf8) == text)
        }
        #expect(names == ["a", "folder"])
    }

    @Test func `an old output gets its name back`() throws {
        try make(Leftovers.replacedPrefix + "1x/out", containing: "old")
        try make(Leftovers.unfinishedPrefix + "1x", containing: "new")
        try AtomicFile.write([1], to: path("other"))
        #expect(names == ["other", "out"] && content("out") == "old")
    }

    @Test func `an old output is removed if the new one has its name`() throws {
        try make(Leftovers.replacedPrefix + "1x/out", containing: "old")
        try make("out", containing: "new")
        try AtomicFile.write([1], to: path("other"))
        #expect(names == ["other", "out"] && content("out") == "new")
    }

    @Test func `an old output stays aside as long as its owner lives`() throws {
        let aside = Leftovers.replacedPrefix + "1x"
        try make(aside + "/out", containing: "old")
        let owner = open(path(aside), O_RDONLY)
        defer { close(owner) }
        #expect(flock(owner, LOCK_EX) == 0)
        try AtomicFile.write([1], to: path("other"))
        #expect(names == [aside, "other"])
    }

    // MARK: File systems that cannot exchange names

    /// Neither change is known.
    private static func unknown(_ code: Int32) -> NameChanges {
        let fail: @Sendable (String, String) -> Int32 = { _, _ in
            errno = code
            return -1
        }
        return NameChanges(exchange: fail, renameExclusively: fail)
    }

    @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
    func `without exchanges and exclusive renaming, outputs are replaced too`(_ code: Int32) throws {
        let changes = Self.unknown(code)
        for text in ["first", "second"] {
            try write(text, to: "out", changes)
            #expect(content("out") == text && names == ["out"])
        }
        let file = try TemporaryOutput(.file, for: path("file"))
        try file.publish(mayReplace: false, changes)
        let other = try TemporaryOutput(.file, for: path("file"))
        #expect(throws: SystemError(code: EEXIST)) { try other.publish(mayReplace: false, changes) }
        let third = try TemporaryOutput(.folder, for: path("out"))
        #expect(throws: SystemError(code: EEXIST)) { try third.publish(mayReplace: false, changes) }
        other.discard()
        third.discard()
        #expect(names == ["file", "out"] && content("out") == "second")
    }

    @Test func `other failures of an exchange leave the old output`() throws {
        try write("old", to: "out")
        let failure = #expect(throws: Failure.self) { try write("new", to: "out", Self.unknown(EXDEV)) }
        #expect(failure?.code == .notWritable)
        #expect(content("out") == "old" && names == ["out"])
    }

    @Test func `if the new output cannot take the name, the old one gets it back`() throws {
        try write("old", to: "out")
        let changes = NameChanges(
            exchange: { source, _ in
                // The new folder is gone, so its renaming fails.
                rename(source, source + "-moved")
                errno = EINVAL
                return -1
            }, renameExclusively: { _, _ in 0 })
        #expect(throws: Failure.self) { try write("new", to: "out", changes) }
        #expect(content("out") == "old" && names.count == 2)
        try write("newer", to: "out")
        #expect(content("out") == "newer" && names == ["out"])
    }

    @Test func `a file that takes a folder's name in the meantime is not replaced`() throws {
        let output = try AtomicFolder(path: path("out")) { FolderKind(path: $0) == .coreMLPackage }
        try AtomicFile.write("mine".utf8, to: path("out"))
        #expect(throws: Failure.notReplaceable(path("out"))) { try output.commit() }
        #expect(try String(contentsOfFile: path("out"), encoding: .utf8) == "mine")
    }
}
