import Foundation
import Testing

@testable import Thaw

@Suite struct MessageTests {
    private func message(_ type: MessageType, _ bytes: [UInt8]) throws -> Message {
        try Message(type, reading: bytes.withUnsafeBytes { ByteView(copying: $0) })
    }

    private static func convolution(weights: [Float]) -> Message {
        var layer = Message(.layer)
        layer.name = "convolution"
        layer.input = ["image"]
        layer.output = ["features", "more"]
        layer.convolution.outputChannels = 64
        layer.convolution.kernelChannels = 3
        layer.convolution.kernelSize = [3, 5]
        layer.convolution.hasBias = true
        layer.convolution.same.asymmetryMode = "BOTTOM_RIGHT_HEAVY"
        layer.convolution.weights.floatValue = weights
        layer.convolution.bias.floatValue = [0.5, -0.5]
        return layer
    }

    @Test func `fields are read as they were set`() {
        let layer = MessageTests.convolution(weights: [1, 2, 3])
        #expect(layer.name == "convolution")
        #expect(layer.input == ["image"])
        #expect(layer.convolution.outputChannels == 64)
        #expect(layer.convolution.kernelSize == [3, 5])
        #expect(layer.convolution.hasBias == true)
        #expect(layer.convolution.weights.floatValue == [1, 2, 3] as [Float])
        #expect(layer.choice == "convolution")
        #expect(layer.convolution.choice == "same")
    }

    @Test func `fields that are not set are zero`() {
        let layer = Message(.layer)
        #expect(layer.name == "")
        #expect(layer.input == [String]())
        #expect(layer.convolution.outputChannels == 0)
        #expect(layer.convolution.kernelSize == [Int]())
        #expect(layer.convolution.isDeconvolution == false)
        #expect(layer.batchnorm.epsilon == 0.0)
        #expect(layer.pooling.type == "MAX")
        #expect(layer.convolution.weights.floatValue == [Float]())
        #expect(layer.choice == nil)
        #expect(!layer.has("convolution"))
        #expect(layer.setFields.isEmpty)
    }

    @Test func `a string with a NUL character is refused`() {
        let bytes = Wire { $0.string(1, "relu\0") }.bytes
        let failure = #expect(throws: Failure.self) { try message(.layer, bytes) }
        let expected = Failure.textWithNull("name", at: 0)
        #expect(failure?.problem == expected.problem && failure?.location == expected.location)
    }

    @Test func `choosing one field of a oneof clears the others`() {
        var layer = Message(.layer)
        layer.pooling.globalPooling = true
        layer.choose("softmax")
        #expect(layer.choice == "softmax")
        #expect(!layer.has("pooling"))
    }

    /// A change, and the expected bytes (derived by hand from the description of the encoding).
    static let encodings: [(String, @Sendable (inout Message) -> Void, Wire)] = [
        ("nothing", { _ in }, Wire()),
        ("a number", { $0.specificationVersion = 1 }, Wire { $0.int(1, 1) }),
        ("zero is not written", { $0.specificationVersion = 0 }, Wire()),
        (
            "an empty message that is significant", { $0.neuralNetwork.layers = [Message.empty("softmax")] },
            Wire { $0.message(500) { $0.message(1) { $0.message(175) } } }
        ),
        (
            "a zero that is significant", { $0.description.input = [Message.defaultZero] },
            Wire { $0.message(2) { $0.message(1) { $0.message(3) { $0.message(5) { $0.int(41, 0) } } } } }
        ),
        (
            "an enumeration", { $0.neuralNetwork.arrayInputShapeMapping = "EXACT_ARRAY_MAPPING" },
            Wire { $0.message(500) { $0.int(5, 1) } }
        ),
        (
            "an enumeration by its value", { $0.neuralNetwork.arrayInputShapeMapping = 1 },
            Wire { $0.message(500) { $0.int(5, 1) } }
        ),
        (
            "strings", { $0.neuralNetworkClassifier.stringClassLabels.vector = ["cat", "", "Käse"] },
            Wire {
                $0.message(403) {
                    $0.message(100) {
                        $0.string(1, "cat")
                        $0.string(1, "")
                        $0.string(1, "Käse")
                    }
                }
            }
        ),
        (
            "packed integers", { $0.neuralNetworkClassifier.int64ClassLabels.vector = [0, -1, 300] },
            Wire { $0.message(403) { $0.message(101) { $0.packed(1, varints: [0, -1, 300]) } } }
        ),
        (
            "a map, by its keys", { $0.description.metadata.userDefined = ["b": "2", "a": "1", "c": ""] },
            Wire {
                $0.message(2) {
                    $0.message(100) {
                        $0.message(100) {
                            $0.string(1, "a")
                            $0.string(2, "1")
                        }
                        $0.message(100) {
                            $0.string(1, "b")
                            $0.string(2, "2")
                        }
                        $0.message(100) { $0.string(1, "c") }
                    }
                }
            }
        ),
        (
            "fields in the order of their numbers, not of assignment",
            {
                $0.neuralNetworkClassifier.labelProbabilityLayerName = "p"
                $0.specificationVersion = 4
            },
            Wire {
                $0.int(1, 4)
                $0.message(403) { $0.string(200, "p") }
            }
        ),
    ]

    @Test(arguments: encodings)
    func `messages have the expected bytes`(
        _ name: String, _ build: @Sendable (inout Message) -> Void, _ expected: Wire
    ) throws {
        var model = Message(.model)
        build(&model)
        #expect(try model.encoded() == expected.bytes)
        #expect(try message(.model, expected.bytes) == model)
    }

    @Test(arguments: [3, 64, 65, 10_000]) func `weights are written and read back`(_ count: Int) throws {
        let layer = MessageTests.convolution(weights: (0..<count).map { Float($0) })
        #expect(try message(.layer, layer.encoded()) == layer)
    }

    @Test func `an unsigned number beyond the range of Int is the largest one`() throws {
        var layer = Message(.layer)
        layer.convolution.nGroups = -1  // 2^64 − 1 in the file.
        #expect(try message(.layer, layer.encoded()).convolution.nGroups == Int.max)
    }

    @Test func `large weights are views of the file`() throws {
        let bytes = try MessageTests.convolution(weights: [Float](repeating: 1, count: 1000)).encoded()
        let file = bytes.withUnsafeBytes { ByteView(copying: $0) }
        let view: ByteView = try Message(.layer, reading: file).convolution.weights.floatValue
        #expect(file.bytes.contains(view.bytes))
        var written: [UnsafeRawPointer?] = []
        try Message(.layer, reading: file).write { written.append($0.baseAddress) }
        #expect(written.contains(view.bytes.baseAddress))
    }

    @Test func `an error while writing is passed on`() {
        let layer = MessageTests.convolution(weights: [1])
        var calls = 0
        #expect(throws: Failure(.damaged, "full")) {
            try layer.write { _ in
                calls += 1
                throw Failure(.damaged, "full")
            }
        }
        #expect(calls == 1)
    }

    @Test(arguments: 0..<16 as Range<UInt64>) func `a corrupt message that can be read can be written`(
        _ seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var model = Message(.model)
        model.specificationVersion = 4
        model.neuralNetworkClassifier.layers = [
            MessageTests.convolution(weights: [1, 2]),
            MessageTests.convolution(weights: [Float](repeating: 1, count: 99)),
        ]
        model.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b"]
        model.description.metadata.userDefined = ["key": "value"]
        let sample = try model.encoded()
        for _ in 0..<500 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            // A message that can be read can be written, and is the same when read again.
            guard let model = try? message(.model, bytes) else { continue }
            #expect(try message(.model, model.encoded()).encoded() == model.encoded())
        }
    }

    /// coremltools writes fields in the same order, so nothing may differ.
    @Test(arguments: ["array", "array_exact", "bgr", "gray", "many_dimensions", "rgb", "rgb_half"])
    func `models by coremltools are written as they were`(_ name: String) throws {
        let file = try MappedFile(path: Fixtures.path("coreml/\(name).mlmodel"))
        let model = try Message(.model, reading: ByteView(viewing: file.bytes, of: file))
        #expect(try model.encoded() == Array(file.bytes))
    }

    @Test(
        .enabled(if: Fixtures.shared != nil),
        arguments: ["Fruit.mlmodel", "MNISTClassifier.mlmodel", "mnist_dense.mlmodel"])
    func `models by other programs are written as they were`(_ name: String) throws {
        let file = try MappedFile(path: Fixtures.shared!.appendingPathComponent("coreml/\(name)").path)
        let model = try Message(.model, reading: ByteView(viewing: file.bytes, of: file))
        #expect(try model.encoded() == Array(file.bytes))
    }
}

extension Message {
    fileprivate static func empty(_ kind: String) -> Message {
        var layer = Message(.layer)
        layer.choose(kind)
        return layer
    }

    /// A feature whose default is 0.
    fileprivate static var defaultZero: Message {
        var feature = Message(MessageType.model.type(of: "description").type(of: "input"))
        feature.type.multiArrayType.intDefaultValue = 0
        return feature
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func contains(_ other: UnsafeRawBufferPointer) -> Bool {
        baseAddress! <= other.baseAddress! && other.baseAddress! + other.count <= baseAddress! + count
    }
}
