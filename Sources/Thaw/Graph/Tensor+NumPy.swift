/// Tensors in NumPy's `.npy` format, for exchange with other tools. Source: numpy.lib.format, versions 1.0, 2.0 and 3.0.
extension Tensor {
    /// Reads the file at `path`: little-endian float16, float32, float64, integers of 1 to 8 bytes or bool, in C order.
    /// - Throws: `Failure` for anything else, and if the file is truncated.
    package init(contentsOfNumPyFile path: String) throws {
        let file = try MappedFile(path: path)
        self = try naming(file: path) { try file.withBytes { try Tensor(parsingNumPy: $0) } }
    }

    init(parsingNumPy bytes: UnsafeRawBufferPointer) throws {
        let magic = NumPyFormat.magic
        guard bytes.count >= 10, bytes.starts(with: magic) else { throw Failure.notNumPy() }
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
        guard let element = NumPyFormat.elements[header.element] else { throw Failure.numPyElement(header.element) }
        let data = UnsafeRawBufferPointer(rebasing: bytes[(start + length)...])
        let sides = header.shape.map(\.size)
        // Zeros count as 1, so that the product of the others is checked too.
        let size = try? header.shape.filter { $0 != 0 }.reduce(FileNumber(element.size)) { try $0 * $1 }
        guard let byteCount = sides.contains(0) ? size.map({ _ in 0 }) : size?.within(0...data.count) else {
            throw Failure.numPySize(sides, size?.size, data.count)
        }
        let elements = UnsafeRawBufferPointer(rebasing: data.prefix(byteCount))
        let tensor = Tensor(copying: elements, shape: Shape(sides), element: element)
        // NumPy treats any byte except 0 as true.
        self = element == .bool ? Tensor(shape: tensor.shape, element: .bool) { elements[$0] == 0 ? 0 : 1 } : tensor
    }

    /// Writes format 1.0, atomically. NumPy has no bfloat16, so such elements are written as float32.
    /// - Throws: `Failure` if the file cannot be written.
    package func write(toNumPyFile path: String) throws {
        guard let type = NumPyFormat.name(of: element) else { return try asFloat32.write(toNumPyFile: path) }
        let sides = shape.map { "\($0), " }.joined()
        var header = "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(sides)), }"
        // The data starts at a multiple of 64.
        header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
        let file = try AtomicFile(path: path)
        try file.write(NumPyFormat.magic + [1, 0])
        try Swift.withUnsafeBytes(of: UInt16(header.utf8.count).littleEndian) { try file.write($0) }
        try file.write(header.utf8)
        try withUnsafeBytes { try file.write($0) }
        try file.commit()
    }
}

private enum NumPyFormat {
    static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)

    /// The element types by their names in a header.
    static let elements: [String: ElementType] = [
        "|b1": .bool, "|u1": .uint8, "|i1": .int8, "<u2": .uint16, "<i2": .int16, "<u4": .uint32, "<i4": .int32,
        "<u8": .uint64, "<i8": .int64, "<f2": .float16, "<f4": .float32, "<f8": .float64,
    ]

    static func name(of element: ElementType) -> String? { elements.first { $0.value == element }?.key }
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
