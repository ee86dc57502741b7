import Foundation
import Testing

@testable import Thaw

/// A checkpoint or SavedModel in the fixtures, each corrupted in one way.
@Suite struct CheckpointDamageTests {
    /// A kind of damage: the fixture, the change, and the file and the message expected.
    struct Damage: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var model = "checkpoint"
        let file: String
        let problem: String
        let change: @Sendable (Folder) throws -> Void
    }

    /// A copy of a fixture.
    struct Folder: Sendable {
        let url: URL

        func edit(_ name: String, _ change: (inout Data) -> Void) throws {
            let file = url.appendingPathComponent(name)
            var data = try Data(contentsOf: file)
            change(&data)
            try data.write(to: file)
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appendingPathComponent(name)) }

        /// Changes the first block of a table, including its compression, and adapts its checksum.
        func editFirstBlock(_ name: String, _ change: (_ file: inout Data, _ size: Int) -> Void) throws {
            try edit(name) { data in
                // The first block is at the beginning of the file.
                let size = CheckpointDamageTests.firstBlockSize(data)
                change(&data, size)
                let check = data.prefix(size + 1).withUnsafeBytes { CRC32C.masked(CRC32C.sum($0)) }
                for byte in 0..<4 { data[size + 1 + byte] = UInt8(truncatingIfNeeded: check >> UInt32(8 * byte)) }
            }
        }
    }

    /// The size of a table's first block: the offset at which a valid checksum of the block follows.
    static func firstBlockSize(_ data: Data) -> Int {
        (1..<data.count - 5).first { size in
            let check = data.prefix(size + 1).withUnsafeBytes { CRC32C.masked(CRC32C.sum($0)) }
            return data[(size + 1)..<(size + 5)].enumerated().allSatisfy {
                $0.element == UInt8(truncatingIfNeeded: check >> UInt32(8 * $0.offset))
            }
        }!
    }

    static let index = "model.ckpt-7.index"
    static let values = "model.ckpt-7.data-00000-of-00001"

    static let all: [Damage] = [
        Damage(testDescription: "a byte of the index differs", file: index, problem: "the checksum of a block is wrong")
        {
            try $0.edit(index) { $0[10] ^= 1 }
        },
        Damage(testDescription: "the index is cut in half", file: index, problem: "the table is truncated") {
            try $0.edit(index) { $0 = $0.prefix($0.count / 2) }
        },
        Damage(testDescription: "the index is empty", file: index, problem: "the file is empty") {
            try $0.edit(index) { $0 = Data() }
        },
        Damage(testDescription: "the footer points past the end", file: index, problem: "the table is") {
            // Two handles of two numbers each; the second has the index's offset and size.
            try $0.edit(index) {
                $0.replaceSubrange($0.count - 48..<$0.count - 40, with: [0, 0] + [255, 255, 255, 255, 15, 1])
            }
        },
        Damage(testDescription: "a block is compressed", file: index, problem: "the table is compressed (Snappy)") {
            try $0.editFirstBlock(index) { $0[$1] = 1 }
        },
        Damage(testDescription: "an unknown compression", file: index, problem: "the table is compressed (number 7)") {
            try $0.editFirstBlock(index) { $0[$1] = 7 }
        },
        Damage(
            testDescription: "a byte of a variable differs", file: values,
            problem: "the checksum of the variable's value"
        ) {
            try $0.edit(values) { $0[5] ^= 1 }
        },
        Damage(testDescription: "the data file is truncated", file: values, problem: "it is truncated") {
            try $0.edit(values) { $0 = $0.prefix(100) }
        },
        Damage(
            testDescription: "a shard is missing", model: "checkpoint_shards", file: "model.ckpt-7.data-00001-of-00002",
            problem: "data file 2 of 2 of the variables cannot be read"
        ) { try $0.remove("model.ckpt-7.data-00001-of-00002") },
        Damage(
            testDescription: "the .meta file without the others", file: "model.ckpt-7.meta",
            problem: "there is no PATH/model.ckpt-7.index"
        ) { try $0.remove(index) },
        Damage(
            testDescription: "the others without the .meta file", file: "model.ckpt-7.meta",
            problem: "the checkpoint has variables but no graph"
        ) { try $0.remove("model.ckpt-7.meta") },
        Damage(
            testDescription: "a byte of the first format differs", model: "../live1/checkpoint_first",
            file: "model.ckpt-7", problem: "the checksum of a block is wrong"
        ) {
            try $0.edit("model.ckpt-7") { $0[500] ^= 1 }
        },
        Damage(
            testDescription: "the first format is truncated", model: "../live1/checkpoint_first", file: "model.ckpt-7",
            problem: "the table is truncated"
        ) {
            try $0.edit("model.ckpt-7") { $0 = $0.prefix($0.count / 2) }
        },
        Damage(
            testDescription: "an index in place of the first format", model: "../live1/checkpoint_first",
            file: "model.ckpt-7", problem: "the table has no header"
        ) {
            let other = Fixtures.folder.appendingPathComponent("live/checkpoint/" + index)
            try $0.edit("model.ckpt-7") { $0 = try! Data(contentsOf: other) }
        },
        Damage(
            testDescription: "a shard of the first format is missing", model: "../live1/checkpoint_first_parts",
            file: "model.ckpt-7-00000-of-00002", problem: "data file 1 of 2 of the variables cannot be read"
        ) { try $0.remove("model.ckpt-7-00000-of-00002") },
        Damage(
            testDescription: "a value of the first format is too short", model: "../live1/checkpoint_first",
            file: "model.ckpt-7", problem: "the constant has 4 elements, but its shape [5] needs 5"
        ) {
            try $0.editFirstBlock("model.ckpt-7") { file, _ in
                // The size in the shape follows the name in the list of variables.
                file[file.range(of: Data("norm/moving_variance".utf8))!.upperBound + 5] = 5
            }
        },
        Damage(testDescription: "a .meta file of another kind", file: "model.ckpt-7.meta", problem: "") {
            try $0.edit("model.ckpt-7.meta") { $0 = Data("nonsense".utf8) }
        },
        Damage(
            testDescription: "the variables of another model", file: "",
            problem: "the variable 'conv/kernel' is not in PATH"
        ) {
            let others = Fixtures.folder.appendingPathComponent("live/saved_v2/variables")
            for ending in [".index", ".data-00000-of-00001"] {
                try $0.remove("model.ckpt-7" + ending)
                try FileManager.default.copyItem(
                    at: others.appendingPathComponent("variables" + ending),
                    to: $0.url.appendingPathComponent("model.ckpt-7" + ending))
            }
        },
        Damage(
            testDescription: "a truncated SavedModel", model: "saved", file: "saved_model.pb", problem: ""
        ) { try $0.edit("saved_model.pb") { $0 = $0.prefix($0.count / 2) } },
    ]

    @Test(arguments: all) func `a corrupt checkpoint is refused, naming the file at fault`(_ damage: Damage)
        throws
    {
        let temporary = try TemporaryFolder()
        let folder = Folder(url: temporary.url.appendingPathComponent("model"))
        try FileManager.default.copyItem(
            at: Fixtures.folder.appendingPathComponent("live/" + damage.model), to: folder.url)
        try damage.change(folder)
        let failure = try #require(throws: Failure.self) { try Converter().convert(contentsOfFile: folder.url.path) }
        let expected = damage.problem.replacingOccurrences(of: "PATH", with: folder.url.path)
        #expect(failure.description.contains(expected) || expected.isEmpty, "\(failure)")
        #expect(failure.file?.hasSuffix(damage.file) == true, "\(failure)")
    }

    @Test(arguments: [("live/checkpoint_parts", "model.ckpt-7.index"), ("live1/checkpoint_first", "model.ckpt-7")])
    func `an index with any byte changed is read or refused`(_ model: String, _ index: String) throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url.appendingPathComponent("model")
        try FileManager.default.copyItem(at: Fixtures.folder.appendingPathComponent(model), to: folder)
        let original = try Data(contentsOf: folder.appendingPathComponent(index))
        for byte in original.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] where value != original[byte] {
                var data = original
                data[byte] = value
                try data.write(to: folder.appendingPathComponent(index))
                do {
                    let variables = try #require(LiveGraph(checkpoint: folder.path).variables)
                    for name in variables.names {
                        do { _ = try variables.value(name) } catch {
                            #expect(error is Failure, "byte \(byte) = \(value), \(name): \(error)")
                        }
                    }
                } catch { #expect(error is Failure, "byte \(byte) = \(value): \(error)") }
            }
        }
    }

    /// RFC 3720, B.4, and the shift of TensorFlow's crc32c.h.
    @Test func `checksums match published values`() {
        func sum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.sum($0) } }
        #expect(sum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(sum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.masked(0) == 0xA282_EAD8)
    }

    /// The ordered code of TensorFlow's own test (ordered_code_test.cc): 64 takes two bytes, −1 is 7F.
    @Test func `the key of a part is encoded as by TensorFlow`() {
        let slice = VariableSlice(ranges: [64..<128, 0..<5], isWhole: [false, true])
        #expect(slice.key(of: "w") == [0, 0x77, 0, 1, 1, 2, 0xC0, 64, 0xC0, 64, 0x80, 0x7F])
    }

    @Test(
        arguments: [
            ([[0..<4, 0..<2]], true), ([[0..<2, 0..<2], [2..<4, 0..<2]], true),
            ([[2..<4, 0..<2], [0..<2, 0..<2]], true),
            ([[0..<3, 0..<1], [3..<4, 0..<2], [0..<3, 1..<2]], true), ([[0..<4, 0..<2], [1..<1, 0..<2]], true),
            ([], false), ([[0..<2, 0..<2]], false), ([[0..<2, 0..<2], [0..<2, 0..<2]], false),
            ([[0..<3, 0..<1], [1..<4, 0..<1], [2..<4, 0..<1]], false),
        ] as [([[Range<Int>]], Bool)])
    func `the parts of a variable fit together`(_ parts: [[Range<Int>]], _ areComplete: Bool) {
        #expect(VariableSlice.cover([4, 2], with: parts.map { VariableSlice(ranges: $0) }) == areComplete)
    }

    /// A store with a variable in two parts, whose values have other types than the parts.
    private final class WrongParts: StoredVariables {
        let index = "model.index"
        let byteCount = 0
        let names = ["w"]
        let ranges: [Range<Int>]
        init(_ ranges: Range<Int>...) { self.ranges = ranges }
        func contains(_ name: String) -> Bool { name == "w" }
        func entry(_ name: String) -> (type: TensorType, slices: [VariableSlice])? {
            (TensorType([4], .float32), ranges.map { VariableSlice(ranges: [$0], isWhole: [false]) })
        }
        func tensor(at key: [UInt8], _ type: TensorType) -> Tensor? { Tensor([1, 2], shape: [2]) }
        func string(_ name: String) -> ByteView? { nil }
    }

    @Test func `parts that overlap, or whose values have other shapes, are refused`() throws {
        #expect(try WrongParts(0..<2, 2..<4).value("w")?.floats == [1, 2, 1, 2])
        for wrong in [WrongParts(0..<2, 0..<2), WrongParts(0..<3, 3..<4)] {
            let failure = #expect(throws: Failure.self) { try wrong.value("w") }
            #expect(failure?.description.contains("the variable's entry in the index is inconsistent") == true)
        }
    }
}
