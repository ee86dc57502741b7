import Testing

@testable import Thaw

@Suite struct GraphFileTensorTests {
    /// A constant in a file, and its expected elements.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let type: Int
        var shape = [2, 3]
        let content: @Sendable (inout Wire) -> Void
        let element: ElementType
        let numbers: [Double]

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "float, bytes", type: 1, content: { $0.packed(4, [1, 2, 3, 4, 5, 6.5] as [Float]) },
            element: .float32, numbers: [1, 2, 3, 4, 5, 6.5]),
        Case(
            name: "float, list", type: 1, content: { $0.packed(5, [1, 2, 3, 4, 5, -6] as [Float]) },
            element: .float32, numbers: [1, 2, 3, 4, 5, -6]),
        Case(
            name: "float, list not packed", type: 1, shape: [2],
            content: {
                $0.tag(5, 5)
                $0.raw([0, 0, 0x80, 0x3F])
                $0.tag(5, 5)
                $0.raw([0, 0, 0, 0x40])
            },
            element: .float32, numbers: [1, 2]),
        Case(
            name: "float, last repeated", type: 1, content: { $0.packed(5, [1, 2] as [Float]) },
            element: .float32, numbers: [1, 2, 2, 2, 2, 2]),
        Case(
            name: "float, nothing: zeros", type: 1, content: { _ in }, element: .float32,
            numbers: [0, 0, 0, 0, 0, 0]),
        Case(
            name: "float scalar", type: 1, shape: [], content: { $0.packed(5, [0.5] as [Float]) },
            element: .float32, numbers: [0.5]),
        Case(name: "float, no elements", type: 1, shape: [0, 4], content: { _ in }, element: .float32, numbers: []),
        Case(
            name: "double, bytes", type: 2, shape: [1], content: { $0.packed(4, [0.1]) }, element: .float64,
            numbers: [0.1]),
        Case(
            name: "double, list", type: 2, shape: [2], content: { $0.packed(6, [0.1]) }, element: .float64,
            numbers: [0.1, 0.1]),
        Case(
            name: "int32, bytes", type: 3, shape: [2], content: { $0.packed(4, [1, -2] as [Int32]) },
            element: .int32, numbers: [1, -2]),
        Case(
            name: "int32, list", type: 3, content: { $0.packed(7, varints: [1, -2, .init(Int32.max)]) },
            element: .int32, numbers: [1, -2, 2_147_483_647, 2_147_483_647, 2_147_483_647, 2_147_483_647]),
        Case(
            name: "uint8, bytes", type: 4, shape: [2], content: { $0.bytes(4, [1, 255]) }, element: .uint8,
            numbers: [1, 255]),
        Case(
            name: "uint8, list", type: 4, shape: [3], content: { $0.packed(7, varints: [1, 255]) }, element: .uint8,
            numbers: [1, 255, 255]),
        Case(
            name: "int16, list", type: 5, shape: [2], content: { $0.packed(7, varints: [-300, 300]) },
            element: .int16, numbers: [-300, 300]),
        Case(
            name: "int8, list", type: 6, shape: [2], content: { $0.packed(7, varints: [-3]) }, element: .int8,
            numbers: [-3, -3]),
        Case(
            name: "int64, list", type: 9, shape: [2], content: { $0.packed(10, varints: [-1, 1 << 40]) },
            element: .int64, numbers: [-1, 0x1p40]),
        Case(
            name: "bool, list", type: 10, shape: [3], content: { $0.packed(11, varints: [1, 0]) }, element: .bool,
            numbers: [1, 0, 0]),
        Case(
            name: "qint8", type: 11, shape: [2], content: { $0.bytes(4, [0x80, 1]) }, element: .int8,
            numbers: [-128, 1]),
        Case(
            name: "quint8", type: 12, shape: [2], content: { $0.bytes(4, [0x80, 1]) }, element: .uint8,
            numbers: [128, 1]),
        Case(
            name: "quint8, list", type: 12, shape: [2], content: { $0.packed(7, varints: [200]) }, element: .uint8,
            numbers: [200, 200]),
        Case(
            name: "qint32, list", type: 13, shape: [1], content: { $0.packed(7, varints: [-5]) }, element: .int32,
            numbers: [-5]),
        Case(
            name: "bfloat16, list", type: 14, shape: [2], content: { $0.packed(13, varints: [0x3FC0]) },
            element: .bfloat16, numbers: [1.5, 1.5]),
        Case(
            name: "qint16, list", type: 15, shape: [1], content: { $0.packed(7, varints: [-5]) }, element: .int16,
            numbers: [-5]),
        Case(
            name: "quint16, list", type: 16, shape: [1], content: { $0.packed(7, varints: [65535]) },
            element: .uint16, numbers: [65535]),
        Case(
            name: "uint16, list", type: 17, shape: [1], content: { $0.packed(7, varints: [65535]) },
            element: .uint16, numbers: [65535]),
        Case(
            name: "half, bytes", type: 19, shape: [1], content: { $0.packed(4, [0x3E00] as [UInt16]) },
            element: .float16, numbers: [1.5]),
        Case(
            name: "half, list", type: 19, shape: [3], content: { $0.packed(13, varints: [0x3E00, 0xC000]) },
            element: .float16, numbers: [1.5, -2, -2]),
        Case(
            name: "uint32, list", type: 22, shape: [1], content: { $0.packed(16, varints: [Int(UInt32.max)]) },
            element: .uint32, numbers: [4_294_967_295]),
        Case(
            name: "uint64, list", type: 23, shape: [1], content: { $0.packed(17, varints: [1 << 53]) },
            element: .uint64, numbers: [0x1p53]),
        // Too large to be copied: their bytes are read in place.
        Case(
            name: "many floats, bytes", type: 1, shape: [5, 100],
            content: { $0.packed(4, (0..<500).map { Float($0) }) }, element: .float32,
            numbers: (0..<500).map { Double($0) }),
        Case(
            name: "many floats, list", type: 1, shape: [500], content: { $0.packed(5, (0..<500).map { Float($0) }) },
            element: .float32, numbers: (0..<500).map { Double($0) }),
        Case(
            name: "many floats, last repeated", type: 1, shape: [600],
            content: { $0.packed(5, (0..<500).map { Float($0) }) }, element: .float32,
            numbers: (0..<600).map { Double(min($0, 499)) }),
        Case(
            name: "many doubles, list", type: 2, shape: [100], content: { $0.packed(6, (0..<100).map { Double($0) }) },
            element: .float64, numbers: (0..<100).map { Double($0) }),
        Case(
            name: "many int32, list", type: 3, shape: [600],
            content: { $0.packed(7, varints: (0..<500).map { 250 - $0 }) }, element: .int32,
            numbers: (0..<600).map { Double(250 - min($0, 499)) }),
        Case(
            name: "many quint8, list", type: 12, shape: [500],
            content: { $0.packed(7, varints: (0..<500).map { $0 & 255 }) },
            element: .uint8, numbers: (0..<500).map { Double($0 & 255) }),
        Case(
            name: "many int64, list", type: 9, shape: [500],
            content: { $0.packed(10, varints: (0..<500).map { $0 << 32 }) }, element: .int64,
            numbers: (0..<500).map { Double($0) * 0x1p32 }),
        Case(
            name: "many bools, list", type: 10, shape: [500],
            content: { $0.packed(11, varints: (0..<500).map { $0 % 2 }) },
            element: .bool, numbers: (0..<500).map { Double($0 % 2) }),
        Case(
            name: "many halves, list", type: 19, shape: [500],
            content: { $0.packed(13, varints: Array(repeating: 0x3E00, count: 500)) }, element: .float16,
            numbers: Array(repeating: 1.5, count: 500)),
        Case(
            name: "a million zeros", type: 1, shape: [1000, 1000], content: { $0.packed(5, [0] as [Float]) },
            element: .float32, numbers: Array(repeating: 0, count: 1_000_000)),
    ]

    @Test(arguments: cases) func `tensors are decoded`(_ test: Case) throws {
        let bytes = Wire.constant(type: test.type, shape: test.shape, test.content)
        let attribute = try graph(bytes).nodes[0].attributes["value"]
        guard case .tensor(let tensor)? = attribute else {
            Issue.record("no tensor, but \(String(describing: attribute))")
            return
        }
        #expect(tensor.type == TensorType(Shape(test.shape), test.element))
        #expect(tensor.withElements { elements in (0..<tensor.elementCount).map { elements[$0] } } == test.numbers)
    }

    @Test func `large contents are views of the file`() throws {
        let bytes = Wire.constant(type: 1, shape: [500]) { $0.packed(4, (0..<500).map { Float($0) }) }
        let memory = Tensor.Storage(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        let view = ByteView(viewing: memory.bytes, of: memory)
        let graph = try GraphDefinition(view, at: 0..<bytes.count)
        guard case .tensor(let tensor)? = graph.nodes[0].attributes["value"] else {
            throw Failure(.damaged, "no tensor")
        }
        #expect(memory.bytes.baseAddress! <= tensor.bytes.baseAddress!)
        #expect(tensor.bytes.baseAddress! + tensor.bytes.count <= memory.bytes.baseAddress! + memory.bytes.count)
    }

    /// The fault, the constant, and a part of the message.
    static let broken: [(String, Int, [Int], @Sendable (inout Wire) -> Void, String)] = [
        ("a shape of 2^40 elements", 1, [1 << 20, 1 << 20], { _ in }, "cannot have the shape"),
        ("a shape that overflows", 1, [.max, .max], { _ in }, "cannot have the shape"),
        ("a negative size", 1, [2, -1], { $0.packed(5, [1] as [Float]) }, "cannot have the shape [2, -1]"),
        ("2^39 elements out of one", 1, [1 << 39], { $0.packed(5, [1] as [Float]) }, "filled with one repeated"),
        (
            "too few bytes", 1, [3], { $0.bytes(4, [1, 2, 3]) },
            "has 3 bytes, but its shape [3] of float32 needs 12"
        ),
        ("too many bytes", 4, [3], { $0.bytes(4, [UInt8](repeating: 0, count: 1000)) }, "has 1000 bytes"),
        (
            "too long a list", 1, [1], { $0.packed(5, [1, 2] as [Float]) },
            "has 2 elements, but its shape [1] needs 1"
        ),
        ("too long a list of integers", 3, [1], { $0.packed(7, varints: Array(0..<500)) }, "has 500 elements"),
        (
            "a list in several pieces", 1, [1000],
            { for _ in 0..<2 { $0.packed(5, [Float](repeating: 1, count: 500)) } }, "is split into several pieces"
        ),
        ("a corrupt list", 3, [500], { $0.bytes(7, [UInt8](repeating: 0xFF, count: 500)) }, "are corrupt"),
    ]

    @Test(arguments: broken)
    func `corrupt tensors are refused with the reason`(
        _ name: String, _ type: Int, _ shape: [Int], _ content: @Sendable (inout Wire) -> Void, _ message: String
    ) {
        let bytes = Wire.constant(type: type, shape: shape, content)
        let failure = #expect(throws: Failure.self) { try graph(bytes) }
        #expect(failure?.location == "weights")
        #expect(failure?.description.contains(message) == true, "\(String(describing: failure))")
    }

    @Test func `the limit of memory applies to all constants together`() {
        let bytes = Wire { wire in
            for index in 0..<100 {
                wire.raw(
                    Wire.constant(type: 1, shape: [1 << 20, index + 1]) { $0.packed(5, [1] as [Float]) })
            }
        }.bytes
        #expect(throws: Failure.self) { try graph(bytes) }
    }
}
