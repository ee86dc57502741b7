/// A number that a file claims: a size, an offset, a count. It may be any number.
///
/// Its operators throw instead of trapping, and it becomes an `Int` only within bounds that the reader specifies.
/// Readers must use this type for all numbers in a file; `.ci/check-numbers` enforces that.
struct FileNumber: Hashable, Comparable, Sendable {
    private let value: Int

    /// A number that `Int` cannot represent becomes the nearest `Int`: no file is that large.
    init(_ number: some BinaryInteger) { value = Int(clamping: number) }

    /// Decimal digits; nil if there are none, or other characters.
    init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        value = digits.reduce(0) { number, digit in
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) = product.addingReportingOverflow(Int(digit - 0x30))
            return overflow || isTooMuch ? .max : sum
        }
    }

    static func < (a: FileNumber, b: FileNumber) -> Bool { a.value < b.value }

    // MARK: Arithmetic

    private static func checked(_ result: (partialValue: Int, overflow: Bool)) throws -> FileNumber {
        if result.overflow { throw Failure.numberTooLarge() }
        return FileNumber(result.partialValue)
    }

    static func + (a: FileNumber, b: FileNumber) throws -> FileNumber {
        try checked(a.value.addingReportingOverflow(b.value))
    }

    static func - (a: FileNumber, b: FileNumber) throws -> FileNumber {
        try checked(a.value.subtractingReportingOverflow(b.value))
    }

    static func * (a: FileNumber, b: FileNumber) throws -> FileNumber {
        try checked(a.value.multipliedReportingOverflow(by: b.value))
    }

    // MARK: Bounds

    /// The number, or nil outside the bounds.
    func within(_ bounds: ClosedRange<Int>) -> Int? { bounds.contains(value) ? value : nil }

    /// The number, or nil outside the bounds.
    func within(_ bounds: Range<Int>) -> Int? { bounds.contains(value) ? value : nil }

    /// The nearest number within the bounds.
    func clamped(to bounds: ClosedRange<Int>) -> Int { min(max(value, bounds.lowerBound), bounds.upperBound) }

    /// The number as an attribute of an operation: an axis, a stride, a size. No tensor has an axis of 2^31 elements,
    /// so larger numbers are clamped to that, and two such numbers can be multiplied.
    var attribute: Int { clamped(to: -1 << 31...1 << 31) }

    /// A size of a tensor, which `Shape.checkedCount` checks before it is used.
    var size: Int { value }
}

extension FileNumber: ExpressibleByIntegerLiteral, CustomStringConvertible {
    init(integerLiteral value: Int) { self.value = value }

    var description: String { "\(value)" }
}

extension UnsafeRawBufferPointer {
    enum ByteOrder { case little, big }

    /// The number at an offset.
    /// - Throws: `Failure` if it is not within the bytes.
    func number<T: FixedWidthInteger & BitwiseCopyable>(
        _: T.Type, at offset: FileNumber, _ order: ByteOrder = .little
    ) throws -> FileNumber {
        guard count >= MemoryLayout<T>.size, let start = offset.within(0...count - MemoryLayout<T>.size) else {
            throw Failure.numberOutside()
        }
        let stored = loadUnaligned(fromByteOffset: start, as: T.self)
        return FileNumber(order == .little ? T(littleEndian: stored) : T(bigEndian: stored))
    }

    func number<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type, at offset: Int, _ order: ByteOrder = .little
    ) throws -> FileNumber {
        try number(type, at: FileNumber(offset), order)
    }
}

extension Failure {
    static func numberTooLarge() -> Failure { Failure(.damaged, "a size in the file is implausibly large") }

    static func numberOutside() -> Failure { Failure(.damaged, "the file ends before a number that it should contain") }
}
