import Foundation
import Testing

@testable import Thaw

@Suite struct ModelFingerprintTests {
    @Test(
        arguments: [
            // The copied fixture, the model's name in it, and the file in which a byte is changed.
            ("networks/mobilenet_v1_folded", "graph.pb", "graph.pb"),
            ("live/saved", "", "variables/variables.data-00000-of-00001"),
            ("live/saved", "saved_model.pb", "variables/variables.data-00000-of-00001"),
            ("live/checkpoint", "", "model.ckpt-7.data-00000-of-00001"),
            ("live/checkpoint", "model.ckpt-7", "model.ckpt-7.data-00000-of-00001"),
            ("live/checkpoint", "model.ckpt-7.meta", "model.ckpt-7.data-00000-of-00001"),
            ("live1/checkpoint_first", "model.ckpt-7", "model.ckpt-7"),
            ("live1/checkpoint_first_parts", "model.ckpt-7.meta", "model.ckpt-7-00001-of-00002"),
            ("live1/checkpoint_first_parts", "model.ckpt-7-00000-of-00002", "model.ckpt-7-00001-of-00002"),
        ])
    func `a copied model has the same fingerprint, and one with other content has another`(
        _ source: String, _ name: String, _ changed: String
    ) throws {
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(atPath: Fixtures.path(source), toPath: copy.path)
        let path = copy.appending(path: name).path
        let before = try Model.fingerprint(of: Fixtures.path(source + "/" + name))
        #expect(try Model.fingerprint(of: path) == before)
        var data = try Data(contentsOf: copy.appending(path: changed))
        data[data.count / 2] ^= 1
        try data.write(to: copy.appending(path: changed))
        #expect(try Model.fingerprint(of: path) != before)
        // The boundaries between words count.
        let words = [[], ["--crop", "fit"], ["--crop fit"], ["--crop", "fill"]]
        #expect(Set(try words.map { try Model.fingerprint(of: path, options: $0) }).count == words.count)
    }

    @Test func `the checksum of a folder is in the byte order of the paths in it`() throws {
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.copyItem(atPath: Fixtures.path("live/saved"), toPath: copy.path)
        for name in ["variables-2", "variables.txt"] { try Data(name.utf8).write(to: copy.appending(path: name)) }
        // As `LC_ALL=C sort` sorts them.
        let names = [
            "saved_model.pb", "variables-2", "variables.txt", "variables/variables.data-00000-of-00001",
            "variables/variables.index",
        ]
        func sum(_ data: Data) -> String { data.withUnsafeBytes { SHA256.text(of: $0) } }
        let lines = try names.map { try "\(sum(Data(contentsOf: copy.appending(path: $0))))  \($0)\n" }
        let expected = sum(Data(lines.joined().utf8))
        #expect(try Model.checksum(of: copy.path).sha256 == expected)
        #expect(try Model.checksum(of: copy.path + "/saved_model.pb").sha256 == expected)
    }
}
