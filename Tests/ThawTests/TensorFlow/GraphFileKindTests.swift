import Foundation
import Testing

@testable import Thaw

/// Messages for files that are not frozen graphs.
@Suite struct GraphFileKindTests {
    private static let graph = Wire {
        $0.node("image", "Placeholder")
        $0.message(4) { $0.int(1, 27) }
    }.bytes

    static let files: [(name: String, bytes: [UInt8], message: String)] = [
        ("empty", [], "the file is empty"),
        ("random bytes", [0xF7, 0x03, 0x91, 0x55, 0x00, 0x18, 0xC2], "is of an unknown kind"),
        ("a TensorFlow Lite model", [0x1C, 0, 0, 0] + "TFL3".utf8 + [0, 0, 0], "is a TensorFlow Lite model"),
        ("an HDF5 file", [0x89] + "HDF\r\n\u{1A}\n".utf8 + [0], "is an HDF5 file"),
        (
            "a Keras model", Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 26) + "metadata.json{".utf8,
            "is a Keras model (.keras)"
        ),
        ("a ZIP archive", Array("PK\u{3}\u{4}....".utf8), "is a ZIP archive"),
        ("a gzip archive", [0x1F, 0x8B, 8, 0], "is a gzip archive"),
        ("a photo", [0xFF, 0xD8, 0xFF, 0xE0, 0], "is an image"),
        (
            "an ONNX model",
            Wire {
                $0.int(1, 8)
                $0.string(2, "pytorch")
                $0.message(7) { $0.message(1) { $0.string(1, "x") } }
                $0.message(8) { $0.int(2, 17) }
            }.bytes, "is an ONNX model"
        ),
        (
            "a Core ML model",
            Wire {
                $0.int(1, 1)
                $0.message(2) { $0.message(1) { $0.string(1, "image") } }
                $0.message(403) { $0.message(1) { $0.string(1, "convolution") } }
            }.bytes, "is a Core ML model"
        ),
        (
            "a SavedModel's file",
            Wire {
                $0.int(1, 1)
                $0.message(2) {
                    $0.message(1) { $0.string(5, "1.15") }
                    $0.bytes(2, graph)
                }
            }.bytes, "is the saved_model.pb of a SavedModel"
        ),
        (
            "a checkpoint's .meta",
            Wire {
                $0.message(1) { $0.message(2) { $0.string(1, "Add") } }
                $0.bytes(2, graph)
            }.bytes,
            "is the .meta file of a TensorFlow checkpoint"
        ),
        (
            "a checkpoint's .index",
            [UInt8](repeating: 0, count: 40) + [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB],
            "is the .index file of a TensorFlow checkpoint"
        ),
        ("a list of checkpoints", Array("model_checkpoint_path: \"a-7\"\n".utf8), "is the list of a folder's"),
        (
            "a graph in text", Array("# a graph\nnode {\n  name: \"image\"\n  op: \"Placeholder\"\n}\n".utf8),
            "is a graph in text format (.pbtxt)"
        ),
        ("labels", Array("cat\ndog\n".utf8), "is a text file"),
        ("a graph truncated in its first node", Array(graph.prefix(graph.count - 12)), "after 0 nodes"),
        ("a graph truncated later", Array(graph.dropLast()), "after 1 nodes"),
    ]

    @Test(arguments: files) func `a file of another kind is refused with its kind`(
        _ name: String, _ bytes: [UInt8], _ message: String
    ) throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let failure = #expect(throws: Failure.self) { try GraphDefinition(contentsOfFile: path) }
        #expect(failure?.file == path)
        #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        ("saved_model.pb", "is a SavedModel"),
        ("model.ckpt-100.index", "is the folder of a TensorFlow checkpoint"),
        ("Manifest.json", "is a Core ML package"),
        ("photo.jpg", "is a folder"),
    ]) func `a folder is refused with its kind`(_ entry: String, _ message: String) throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data([1]).write(to: URL(fileURLWithPath: path + "/" + entry))
        let failure = #expect(throws: Failure.self) { try GraphDefinition(contentsOfFile: path) }
        #expect(failure?.problem.description == message)
    }

    @Test func `a missing file is refused`() {
        let failure = #expect(throws: Failure.self) { try GraphDefinition(contentsOfFile: "/nowhere/graph.pb") }
        #expect(failure?.description == "/nowhere/graph.pb: no such file")
    }

    @Test func `a graph is recognized as a graph`() throws {
        let kinds = [GraphFileKindTests.graph, Wire { $0.message(4) { $0.int(1, 27) } }.bytes]
        #expect(kinds.map { bytes in bytes.withUnsafeBytes { FileKind($0) } } == [.frozenGraph, .frozenGraph])
    }
}
