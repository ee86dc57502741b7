import Foundation
import Testing

@testable import Thaw

@Suite struct TensorNumPyTests {
    /// A file as written by numpy.save, with this header.
    private static func file(_ header: String, data: [UInt8] = [], version: UInt8 = 1) -> [UInt8] {
        let length = UInt32(header.utf8.count)
        let size = withUnsafeBytes(of: length.littleEndian) { Array($0.prefix(version == 1 ? 2 : 4)) }
        return [[0x93], Array("NUMPY".utf8), [version, 0], size, Array(header.utf8), data].flatMap { $0 }
    }

    private static func parse(_ bytes: [UInt8]) throws -> Tensor {
        try bytes.withUnsafeBytes { try Tensor(parsingNumPy: $0) }
    }

    @Test(
        arguments: [[], [3], [0], [2, 0, 3], [1, 2, 2, 3]],
        [.float16, .float32, .float64, .uint8, .int32, .int64, .bool] as [ElementType])
    func `a written file is read back, and its data begins at a multiple of 64`(
        _ shape: [Int], _ element: ElementType
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "a.npy").path
        let array = Tensor(shape: Shape(shape), element: element) { Double($0) * 3.5 - 1 }
        try array.write(toNumPyFile: path)
        #expect(try Tensor(contentsOfNumPyFile: path) == array)
        let size = try Data(contentsOf: URL(filePath: path)).count
        #expect((size - element.size * array.elementCount) % 64 == 0)
    }

    @Test func `bfloat16 is written as float32`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "a.npy").path
        try Tensor(shape: [2], element: .bfloat16) { Double($0) + 0.5 }.write(toNumPyFile: path)
        #expect(try Tensor(contentsOfNumPyFile: path) == Tensor([0.5, 1.5], shape: [2]))
    }

    @Test(
        arguments: [
            ("|b1", .bool, [0, 1, 2], [0, 1, 1]), ("|u1", .uint8, [0, 200], [0, 200]),
            ("|i1", .int8, [0, 200], [0, -56]), ("<u2", .uint16, [1, 2], [513]), ("<i2", .int16, [0xFE, 0xFF], [-2]),
            ("<u4", .uint32, [1, 0, 0, 0x80], [2_147_483_649]), ("<i4", .int32, [1, 0, 0, 0x80], [-2_147_483_647]),
            ("<u8", .uint64, [5, 0, 0, 0, 0, 0, 0, 0], [5]),
            ("<i8", .int64, [UInt8](repeating: 0xFF, count: 8), [-1]), ("<f4", .float32, [0, 0, 0x80, 0x3F], [1]),
            ("<f8", .float64, [0, 0, 0, 0, 0, 0, 0xE0, 0xBF], [-0.5]),
            ("<f2", .float16, [0, 0xB8, 1, 0, 0xFF, 0x7B], [-0.5, 0x1p-24, 65504]),
        ] as [(String, ElementType, [UInt8], [Double])])
    func `every element type is read`(
        _ type: String, _ element: ElementType, _ data: [UInt8], _ expected: [Double]
    ) throws {
        for version in [1, 2, 3] as [UInt8] {
            let header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(expected.count),), }\n"
            let array = try Self.parse(Self.file(header, data: data, version: version))
            #expect(array == Tensor(shape: [expected.count], element: element) { expected[$0] })
        }
    }

    @Test(
        arguments: [
            "{'shape': (1, 2), 'descr': '<f4', 'fortran_order': False}",
            "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(1,2)}          \n",
            " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , } ",
        ])
    func `headers by other programs are read`(_ header: String) throws {
        #expect(try Self.parse(Self.file(header, data: [UInt8](repeating: 0, count: 8))).shape == [1, 2])
    }

    @Test(
        arguments: [
            ("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "elements of type '>f4' are not supported"),
            ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "elements of type '<c8' are not supported"),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "expected a quoted string"),
            ("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "the array is stored in column-major order"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (5,)}", "an array of shape (5) takes 20 bytes"),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                "expected the size of an axis before '-1,)}'"
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
                "an array of shape (4294967296, 4294967296) takes more bytes than any file has"
            ),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                "expected the size of an axis"
            ),
            ("{'descr': '<f4', 'shape': (1,)}", "'descr', 'fortran_order' or 'shape' is missing"),
            ("{'descr': '<f4", "expected a closing quote"),
            ("{'descr'", "expected ':' at the end"),
            ("{'more': 1}", "the key 'more' is unknown"),
            ("", "expected '{' at the end"),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (" + String(repeating: "1,", count: 40) + ")}",
                "the array has more than 32 axes"
            ),
        ])
    func `files that cannot be read are refused with the reason`(_ header: String, _ problem: String) throws {
        let failure = #expect(throws: Failure.self) { try Self.parse(Self.file(header, data: [0, 0, 0, 0])) }
        #expect(failure?.problem.hasPrefix(problem) == true, "\(failure?.description ?? "")")
    }

    @Test func `files truncated anywhere, and other files, are refused`() throws {
        let whole = Self.file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", data: [0, 0, 0, 0])
        for count in 0..<whole.count {
            #expect(throws: Failure.self) { try Self.parse(Array(whole.prefix(count))) }
        }
        #expect(throws: Failure.notNumPy()) { try Self.parse(Array("PK\u{3}\u{4} and so on".utf8)) }
        #expect(throws: Failure.numPyVersion(9, 0)) { try Self.parse(Self.file("", version: 9)) }
    }
}
