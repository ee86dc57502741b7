/// An array in NumPy's `.npy` format, for exchange with other tools. Source: numpy.lib.format, versions 1.0, 2.0 and
/// 3.0.
///
/// Elements are floats here, whatever the file contains: integers beyond 2^24 and doubles are rounded to the nearest.
package struct NumPyFile: Equatable, Sendable {
    /// The sizes of the axes; empty for a scalar.
    package let shape: [Int]
    /// The elements in row-major order, as many as `shape` requires.
    package let values: [Float]

    /// - Precondition: `values` has as many elements as `shape` requires.
    package init(shape: [Int], values: [Float]) {
        precondition(values.count == shape.reduce(1, *))
        (self.shape, self.values) = (shape, values)
    }

    /// Reads the file at `path`: little-endian float16, float32, float64, integers of 1 to 8 bytes or bool, in C order.
    /// - Throws: `Failure` for anything else, and if the file is truncated.
    package init(contentsOfFile path: String) throws {
        let file = try MappedFile(path: path)
        self = try naming(file: path) { try file.withBytes { try NumPyFile(parsing: $0) } }
    }

    /// The same with elements in double precision.
    package static func doubles(contentsOfFile path: String) throws -> (shape: [Int], values: [Double]) {
        let file = try MappedFile(path: path)
        return try naming(file: path) { try file.withBytes { try elements(of: $0) } }
    }

    init(parsing bytes: UnsafeRawBufferPointer) throws {
        let (shape, values): ([Int], [Float]) = try Self.elements(of: bytes)
        self.init(shape: shape, values: values)
    }

    private static func elements<Number: BinaryFloatingPoint>(
        of bytes: UnsafeRawBufferPointer
    ) throws -> (shape: [Int], values: [Number]) {
        guard bytes.count >= 10, bytes.starts(with: Self.magic) else { throw Failure.notNumPy() }
        let (major, minor) = (bytes[6], bytes[7])
        guard (1...3).contains(major), minor == 0 else { throw Failure.numPyVersion(major, minor) }
        let start = major == 1 ? 10 : 12
        guard bytes.count >= start else { throw Failure.numPyHeader("the header is truncated") }
        let claimed = try major == 1 ? bytes.number(UInt16.self, at: 8) : bytes.number(UInt32.self, at: 8)
        // Real headers have a few hundred bytes.
        guard let length = claimed.within(0...1 << 16) else { throw Failure.numPyHeader("the header is too long") }
        guard length <= bytes.count - start else { throw Failure.numPyHeader("the header is truncated") }

        let header = try Header(parsing: bytes[start..<(start + length)])
        guard !header.isFortran else { throw Failure.numPyFortran() }
        let data = UnsafeRawBufferPointer(rebasing: bytes[(start + length)...])
        let sides = header.shape.map(\.size)
        let elementSize = try Self.elementSize(header.element)
        // Zeros count as 1, so that the product of the others is checked too.
        let size = try? header.shape.filter { $0 != 0 }.reduce(FileNumber(elementSize)) { try $0 * $1 }
        guard
            let count = sides.contains(0)
                ? size.map({ _ in 0 }) : size?.within(0...data.count).map({ $0 / elementSize })
        else {
            throw Failure.numPySize(sides, size?.size, data.count)
        }
        return (sides, numbers(data, count, header.element))
    }

    /// Writes float32 in format 1.0, atomically.
    /// - Throws: `Failure` if the file cannot be written.
    package func write(toFile path: String) throws {
        let sides = shape.map { "\($0), " }.joined()
        var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(sides)), }"
        // The data starts at a multiple of 64.
        header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
        let file = try AtomicFile(path: path)
        try file.write(Self.magic + [1, 0])
        try withUnsafeBytes(of: UInt16(header.utf8.count).littleEndian) { try file.write($0) }
        try file.write(header.utf8)
        try values.withUnsafeBytes { try file.write($0) }
        try file.commit()
    }

    private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

    // MARK: Elements

    private static func elementSize(_ type: String) throws -> Int {
        switch type {
        case "|b1", "|u1", "|i1": 1
        case "<i2", "<u2", "<f2": 2
        case "<i4", "<u4", "<f4": 4
        case "<i8", "<u8", "<f8": 8
        default: throw Failure.numPyElement(type)
        }
    }

    private static func numbers<Number: BinaryFloatingPoint>(
        _ data: UnsafeRawBufferPointer, _ count: Int, _ type: String
    ) -> [Number] {
        func all<Element: BitwiseCopyable>(_: Element.Type, _ convert: (Element) -> Number) -> [Number] {
            (0..<count).map { index in
                convert(data.loadUnaligned(fromByteOffset: index * MemoryLayout<Element>.size, as: Element.self))
            }
        }
        func integers<Element: FixedWidthInteger & BitwiseCopyable>(_: Element.Type) -> [Number] {
            all(Element.self) { Number(Element(littleEndian: $0)) }
        }
        return switch type {
        case "|b1": all(UInt8.self) { $0 == 0 ? 0 : 1 }
        case "|u1": integers(UInt8.self)
        case "|i1": integers(Int8.self)
        case "<u2": integers(UInt16.self)
        case "<i2": integers(Int16.self)
        case "<u4": integers(UInt32.self)
        case "<i4": integers(Int32.self)
        case "<u8": integers(UInt64.self)
        case "<i8": integers(Int64.self)
        case "<f2": all(UInt16.self) { Number(float(fromHalf: UInt16(littleEndian: $0))) }
        case "<f8": all(UInt64.self) { Number(Double(bitPattern: UInt64(littleEndian: $0))) }
        default: all(UInt32.self) { Number(Float(bitPattern: UInt32(littleEndian: $0))) }
        }
    }
}

/// The header before the data: the text of a Python dictionary with the keys 'descr', 'fortran_order' and 'shape'.
private struct Header {
    var element: String
    var isFortran: Bool
    var shape: [FileNumber]

    init(parsing bytes: Slice<UnsafeRawBufferPointer>) throws {
        var scanner = Scanner(rest: bytes)
        var (element, isFortran, shape): (String?, Bool?, [FileNumber]?) = (nil, nil, nil)
        try scanner.expect("{")
        while !scanner.take("}") {
            let key = try scanner.string()
            try scanner.expect(":")
            switch key {
            case "descr": element = try scanner.string()
            case "fortran_order": isFortran = try scanner.boolean()
            case "shape": shape = try scanner.tuple()
            default: throw Failure.numPyHeader("the key '\(key)' is unknown")
            }
            if !scanner.take(",") {
                try scanner.expect("}")
                break
            }
        }
        guard let element, let isFortran, let shape else {
            throw Failure.numPyHeader("'descr', 'fortran_order' or 'shape' is missing")
        }
        (self.element, self.isFortran, self.shape) = (element, isFortran, shape)
    }

    private struct Scanner {
        var rest: Slice<UnsafeRawBufferPointer>

        mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 } }

        /// Consumes `text` if it is next, and returns whether it was.
        mutating func take(_ text: String) -> Bool {
            skipSpace()
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }

        mutating func expect(_ text: String) throws {
            if !take(text) { throw unexpected("'\(text)'") }
        }

        mutating func string() throws -> String {
            let quote: UInt8
            if take("'") {
                quote = UInt8(ascii: "'")
            } else if take("\"") {
                quote = UInt8(ascii: "\"")
            } else {
                throw unexpected("a quoted string")
            }
            guard let end = rest.firstIndex(of: quote) else { throw unexpected("a closing quote") }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }

        mutating func boolean() throws -> Bool {
            if take("True") { return true }
            if take("False") { return false }
            throw unexpected("True or False")
        }

        mutating func tuple() throws -> [FileNumber] {
            var sides: [FileNumber] = []
            try expect("(")
            while !take(")") {
                skipSpace()
                let digits = rest.prefix { (0x30...0x39).contains($0) }
                guard let side = FileNumber(digits: digits), side < FileNumber(Int.max) else {
                    throw unexpected("the size of an axis")
                }
                guard sides.count < 32 else { throw Failure.numPyHeader("the array has more than 32 axes") }
                sides.append(side)
                rest = rest.dropFirst(digits.count)
                if !take(",") {
                    try expect(")")
                    break
                }
            }
            return sides
        }

        private func unexpected(_ expected: String) -> Failure {
            let next = String(decoding: rest.prefix(20), as: UTF8.self)
            return .numPyHeader("expected \(expected)" + (next.isEmpty ? " at the end" : " before '\(next)'"))
        }
    }
}
