import CThaw
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Reads arguments: strings, structures and arrays, any of which may be missing or invalid.

/// A string in UTF-8; nil for NULL.
func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
    guard let pointer else { return nil }
    guard let text = String(validatingCString: pointer) else { throw Failure.notUTF8(name) }
    return text
}

/// A required string.
func requiredText(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
    guard let text = try text(pointer, name) else { throw Failure.isNull(name) }
    return text
}

/// A file name, which may be any bytes; nil for NULL.
func path(_ pointer: UnsafePointer<CChar>?) -> String? {
    guard let pointer else { return nil }
    var end = pointer
    while end.pointee != 0 { end += 1 }
    return String(fileName: UnsafeRawBufferPointer(start: pointer, count: end - pointer))
}

func requiredPath(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String {
    guard let path = path(pointer) else { throw Failure.isNull(name) }
    return path
}

/// A value of an enumeration by its name; nil for NULL.
func choice<Choice: RawRepresentable & CaseIterable>(
    _ pointer: UnsafePointer<CChar>?, _ name: String, of type: Choice.Type = Choice.self
) throws -> Choice? where Choice.RawValue == String {
    guard let text = try text(pointer, name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
        throw Failure.notAChoiceOf(name, text, Choice.allCases.map(\.rawValue))
    }
    return choice
}

/// The required address at which a result is stored.
func required<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>?, _ name: String) throws -> UnsafeMutablePointer<
    Pointee
> {
    guard let pointer else { throw Failure.isNull(name) }
    return pointer
}

/// Bytes, which are required unless their count is 0.
func bytes(_ pointer: UnsafeRawPointer?, _ count: Int, _ name: String) throws -> UnsafeRawBufferPointer {
    guard count >= 0 else { throw Failure.sizeTooLarge("the size of \(name)", count) }
    guard pointer != nil || count == 0 else { throw Failure.isNull(name) }
    return UnsafeRawBufferPointer(start: count == 0 ? nil : pointer, count: count)
}

/// An array, which is required unless its count is 0.
func array<Element>(
    _ pointer: UnsafePointer<Element>?, _ count: Int, _ name: String
) throws -> UnsafeBufferPointer<Element> {
    guard count >= 0 else { throw Failure.sizeTooLarge("the count of \(name)", count) }
    guard pointer != nil || count == 0 else { throw Failure.isNull(name) }
    return UnsafeBufferPointer(start: count == 0 ? nil : pointer, count: count)
}

/// Numbers, nil if there are none.
func numbers(_ pointer: UnsafePointer<Double>?, _ count: Int, _ name: String) throws -> [Double]? {
    let numbers = Array(try array(pointer, count, name))
    guard numbers.allSatisfy({ Float($0).isFinite }) else {
        throw Failure(.invalidOption, location: name, "contains a number that is not finite")
    }
    return numbers.isEmpty ? nil : numbers
}

/// The strings of an array.
func texts(
    _ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
) throws -> [String] {
    try array(pointer, count, name).enumerated().map { try requiredText($1, "\(name)[\($0)]") }
}

/// A structure that begins with its size.
/// - Throws: `Failure` if it has another size than this version's.
func checked<Structure>(_ pointer: UnsafePointer<Structure>, _ name: String) throws -> Structure {
    let size = UnsafeRawPointer(pointer).loadUnaligned(as: Int.self)
    guard size == MemoryLayout<Structure>.stride else {
        throw Failure.unknownSize(name, size, MemoryLayout<Structure>.stride)
    }
    return pointer.pointee
}

/// A structure of options; nil for NULL.
func options<Structure>(_ pointer: UnsafePointer<Structure>?, _ name: String) throws -> Structure? {
    try pointer.map { try checked($0, name) }
}

/// An array of structures that begin with their size.
func structures<Structure>(
    _ pointer: UnsafePointer<Structure>?, _ count: Int, _ name: String
) throws -> [Structure] {
    let all = try array(pointer, count, name)
    return try all.indices.map { try checked(all.baseAddress! + $0, "\(name)[\($0)]") }
}

/// A number of threads; 0 for one per core.
func threadCount(_ count: Int32) throws -> Int {
    guard count >= 0 else { throw Failure.outOfRange("threads", Int(count)) }
    return count == 0 ? Processors.count : min(Int(count), 1024)
}

// MARK: Tensors

extension ElementType {
    private static let numbers: [(type: ElementType, number: Int)] = [
        (.float32, THAW_FLOAT32), (.float16, THAW_FLOAT16), (.float64, THAW_FLOAT64), (.bfloat16, THAW_BFLOAT16),
        (.int8, THAW_INT8), (.uint8, THAW_UINT8), (.int16, THAW_INT16), (.uint16, THAW_UINT16), (.int32, THAW_INT32),
        (.uint32, THAW_UINT32), (.int64, THAW_INT64), (.uint64, THAW_UINT64), (.bool, THAW_BOOL),
    ].map { ($0, Int($1)) }

    init?(number: Int32) {
        guard let found = ElementType.numbers.first(where: { $0.number == Int(number) }) else { return nil }
        self = found.type
    }

    /// Its number in the header.
    var number: Int32 { Int32(ElementType.numbers.first { $0.type == self }!.number) }
}

/// A tensor given by the caller: its name and its elements, which are not copied.
struct GivenTensor {
    let name: String?
    let element: ElementType
    let shape: Shape
    let bytes: UnsafeRawBufferPointer

    init(_ tensor: thaw_tensor, _ position: String) throws {
        name = try text(tensor.name, "\(position).name")
        guard let element = ElementType(number: tensor.type) else {
            throw Failure.unknownType(position, Int(tensor.type))
        }
        guard 0...32 ~= tensor.rank else {
            throw Failure.outOfRange("\(position).rank", Int(tensor.rank), "from 0 to 32")
        }
        let sizes = try array(tensor.shape, Int(tensor.rank), "\(position).shape").map { Int($0) }
        shape = Shape(sizes)
        self.element = element
        bytes = try ThawC.bytes(tensor.data, Int(tensor.byte_count), "\(position).data")
        let expected = shape.checkedCount == nil ? nil : shape.elementCount * element.size
        guard bytes.count == expected else {
            throw Failure.tensorBytes(name ?? position, bytes.count, expected)
        }
    }

    /// A copy.
    var tensor: Tensor { Tensor(copying: bytes, shape: shape, element: element) }
}
