import Foundation
import Testing

@testable import Thaw

@Suite struct ImageFilesTests {
    @Test func `a folder is walked recursively, in byte order of the paths, skipping other files`() throws {
        let folder = try TemporaryFolder()
        let png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/one-pixel.png")))
        for (name, data) in [
            ("b.png", png), ("a/z.jpg", Data()), ("a-/photo", png), ("a/deep/er/Ä.PNG", png),
            ("notes.txt", Data("x".utf8)),
            ("empty", Data()), ("Z.JPEG", Data("not one".utf8)), ("old.gif", Data("GIF89a".utf8)), ("10.png", png),
            ("9.png", png),
        ] {
            let file = folder.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "a/round"), withDestinationURL: folder.url)
        #expect(mkfifo(folder.url.appending(path: "pipe.png").path, 0o600) == 0)

        let root = folder.url.path
        let found = try ImageFiles.under([root]).map { String($0.dropFirst(root.count + 1)) }
        #expect(
            found == ["10.png", "9.png", "Z.JPEG", "a-/photo", "a/deep/er/Ä.PNG", "a/z.jpg", "b.png", "old.gif"])
        #expect(try ImageFiles.under([root + "/a/"]) == [root + "/a/deep/er/Ä.PNG", root + "/a/z.jpg"])
    }

    @Test func `a link to another folder is followed once, and hidden files are skipped`() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        for name in ["photos/a/1.png", "photos/.hidden/2.png", "photos/._1.png", "elsewhere/in/3.png"] {
            let file = folder.url.appending(path: name)
            try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
        }
        for (name, target) in [
            ("photos/b", "elsewhere"), ("photos/c", "elsewhere"), ("photos/a/up", "photos"),
            ("elsewhere/in/back", "photos/a"), ("elsewhere/top", "."), ("photos/gone", "nowhere"),
            ("photos/gone.jpg", "nowhere"), ("photos/loop.png", "photos/loop.png"),
        ] {
            try manager.createSymbolicLink(
                at: folder.url.appending(path: name), withDestinationURL: folder.url.appending(path: target))
        }
        let root = folder.url.path + "/photos"
        let found = try ImageFiles.under([root]).map { String($0.dropFirst(root.count + 1)) }
        // Broken links with the names of images are not ignored: their reader reports them.
        #expect(found == ["a/1.png", "b/in/3.png", "b/in/back/1.png", "gone.jpg", "loop.png"])
    }

    /// Changes to a folder after it was listed, and the reported change; nil if it does not matter.
    @Test(
        arguments: [
            (["add c.png"], 3), (["add photo"], 3), (["add sub/"], 3), (["remove a.png"], 1),
            (["remove a.png", "add c.png"], 2), (["remove a.png", "remove b.png", "remove notes.txt"], 0),
            (["add page.html"], nil), (["add .hidden.png"], nil), (["remove notes.txt"], nil),
            (["add c.png", "remove c.png"], nil), ([], nil),
        ] as [([String], Int?)])
    func `a folder whose images change during a walk is reported`(_ changes: [String], _ now: Int?) throws {
        let folder = try TemporaryFolder()
        func file(_ name: some StringProtocol) -> URL { folder.url.appending(path: String(name)) }
        for name in ["a.png", "b.png", "notes.txt"] { try Data().write(to: file(name)) }
        let files = ImageFiles([folder.url.path])
        #expect(files.next()?.path == file("a.png").path)
        // Modification times have a resolution of some milliseconds.
        usleep(20_000)
        for change in changes {
            let words = change.split(separator: " ")
            if words[0] == "remove" {
                try FileManager.default.removeItem(at: file(words[1]))
            } else if words[1].hasSuffix("/") {
                try FileManager.default.createDirectory(at: file(words[1]), withIntermediateDirectories: false)
            } else {
                try Data().write(to: file(words[1]))
            }
        }
        while files.next() != nil {}
        let changed = files.changedFolders
        #expect(changed.count == (now == nil ? 0 : 1))
        #expect(changed.first?.path == (now == nil ? nil : folder.url.path) && changed.first?.now == now)
        #expect(changed.allSatisfy { $0.before == 2 })
    }

    @Test func `a folder that is missing at the end of a walk has changed`() throws {
        let folder = try TemporaryFolder()
        let inner = folder.url.appending(path: "inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
        try Data().write(to: inner.appending(path: "a.png"))
        let files = ImageFiles([inner.path])
        #expect(files.next() != nil)
        try FileManager.default.removeItem(at: inner)
        #expect(files.changedFolders.map(\.before) == [1] && files.changedFolders.allSatisfy { $0.now == nil })
    }

    @Test func `a name that is not UTF-8 finds its file`() throws {
        let folder = try TemporaryFolder()
        let bytes = Array((folder.url.path + "/f").utf8) + [0xFC] + Array("r-ü.png".utf8)
        let name = String(fileName: bytes)
        #expect(name.unicodeScalars.count == folder.url.path.unicodeScalars.count + 10)
        let png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/one-pixel.png")))
        let file = try #require(fopen(name.fileName, "wb"))
        #expect(png.withUnsafeBytes { fwrite($0.baseAddress, 1, png.count, file) } == png.count)
        fclose(file)
        #expect(try ImageFiles.under([folder.url.path]) == [name])
        #expect(try Pixels(contentsOfFile: name).width == 1)
    }

    @Test(
        arguments: [
            [0x61, 0xC3, 0xBC], [0xFC], [0xC3], [0xC3, 0x28], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80, 0x61],
            [0xF4, 0x8F, 0xBF, 0xBC],
        ])
    func `the bytes of a name are preserved`(_ bytes: [UInt8]) {
        #expect(String(fileName: bytes).fileName.map { UInt8(bitPattern: $0) } == bytes + [0])
    }

    @Test func `named files are used without checks, in the given order`() throws {
        #expect(try ImageFiles.under(["b", "missing.txt", "a"]) == ["b", "missing.txt", "a"])
    }
}
