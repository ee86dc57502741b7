import Foundation
import Testing

@testable import Thaw

@Suite struct ImageFilesTests {
    @Test("A folder is walked to the bottom, in byte order of the paths, without what is no image")
    func walking() throws {
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

    @Test("What is named is taken as it is, in the order given")
    func naming() throws {
        #expect(try ImageFiles.under(["b", "missing.txt", "a"]) == ["b", "missing.txt", "a"])
    }
}
