// MARK: Floating-point elements

extension Tensor {
    /// A float32 tensor that `fill` initializes.
    public init(shape: Shape, fill: (UnsafeMutableBufferPointer<Float>) throws -> Void) rethrows {
        let storage = try Storage(byteCount: shape.elementCount * 4) { try fill($0.bindMemory(to: Float.self)) }
        self.init(shape: shape, element: .float32, storage: storage)
    }

    /// A float32 tensor of these values in row-major order.
    public init(_ floats: [Float], shape: Shape) {
        precondition(floats.count == shape.elementCount)
        self.init(shape: shape) { _ = $0.initialize(from: floats) }
    }

    /// Calls `body` with the elements as float32, without a copy if they already are float32 and aligned.
    public func withFloats<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows -> Result {
        if element == .float32, Int(bitPattern: bytes.baseAddress) % 4 == 0 {
            return try withExtendedLifetime(storage) { try body(bytes.bindMemory(to: Float.self)) }
        }
        return try floats.withUnsafeBufferPointer(body)
    }

    /// The elements as float32.
    public var floats: [Float] {
        // All empty arrays share one buffer, and this initializer writes to it, which the thread sanitizer reports.
        if elementCount == 0 { return [] }
        return [Float](unsafeUninitializedCapacity: elementCount) { out, initialized in
            copyFloats(to: out)
            initialized = elementCount
        }
    }

    /// The tensor as float32, or the tensor itself if it already is.
    var asFloat32: Tensor { element == .float32 ? self : Tensor(shape: shape) { copyFloats(to: $0) } }

    private func copyFloats(to out: UnsafeMutableBufferPointer<Float>) {
        withExtendedLifetime(storage) {
            switch element {
            case .float32: UnsafeMutableRawBufferPointer(out).copyMemory(from: bytes)
            case .float16:
                let halves = bytes
                for i in 0..<elementCount {
                    out[i] = float(fromHalf: halves.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self))
                }
            default:
                let elements = Elements(self)
                for i in 0..<elementCount { out[i] = Float(elements[i]) }
            }
        }
    }
}

// MARK: Elements of any type

extension Tensor {
    /// A tensor of any type, from values that are rounded to a floating-point type, or truncated and clamped to an
    /// integer type.
    public init(shape: Shape, element: ElementType, value: (Int) -> Double) {
        let count = shape.elementCount
        // Converted in parts by a separate function: the compiler makes a copy of this one for almost every caller.
        let partCount = min(count, 256)
        let storage = Storage(byteCount: count * element.size) { memory in
            withUnsafeTemporaryAllocation(of: Double.self, capacity: partCount) { part in
                var start = 0
                while start < count {
                    let values = UnsafeMutableBufferPointer(rebasing: part.prefix(count - start))
                    for index in values.indices { values.initializeElement(at: index, to: value(start + index)) }
                    Tensor.store(
                        UnsafeBufferPointer(values), as: element,
                        in: UnsafeMutableRawBufferPointer(rebasing: memory.dropFirst(start * element.size)))
                    start += values.count
                }
            }
        }
        self.init(shape: shape, element: element, storage: storage)
    }

    private static func store(
        _ values: UnsafeBufferPointer<Double>, as element: ElementType, in memory: UnsafeMutableRawBufferPointer
    ) {
        func store<T>(_ convert: (Double) -> T) {
            let out = memory.bindMemory(to: T.self)
            for index in values.indices { out.initializeElement(at: index, to: convert(values[index])) }
        }
        switch element {
        case .float32: store { Float($0) }
        case .float64: store { $0 }
        case .float16: store { half(from: Float($0)) }
        case .bfloat16: store { Tensor.bfloat16(Float($0)) }
        case .int8: store { Int8(clamping: Tensor.integer($0)) }
        case .uint8: store { UInt8(clamping: Tensor.integer($0)) }
        case .int16: store { Int16(clamping: Tensor.integer($0)) }
        case .uint16: store { UInt16(clamping: Tensor.integer($0)) }
        case .int32: store { Int32(clamping: Tensor.integer($0)) }
        case .uint32: store { UInt32(clamping: Tensor.integer($0)) }
        case .int64: store { Int64(Tensor.integer($0)) }
        case .uint64: store { (value: Double) -> UInt64 in value >= 0x1p64 ? .max : value > 0 ? UInt64(value) : 0 }
        case .bool: store { UInt8($0 != 0 ? 1 : 0) }
        }
    }

    /// A tensor of these integers in row-major order.
    public init(integers: [Int], shape: Shape, element: ElementType = .int32) {
        precondition(integers.count == shape.elementCount)
        guard element == .int64 else {
            self.init(shape: shape, element: element) { Double(integers[$0]) }
            return
        }
        // Beyond 2^53, `Double` would round them.
        let storage = Storage(byteCount: integers.count * element.size) { memory in
            _ = memory.initializeMemory(as: Int64.self, from: integers.lazy.map { Int64($0) })
        }
        self.init(shape: shape, element: element, storage: storage)
    }

    /// A scalar.
    public init(_ number: Double, element: ElementType = .float32) {
        self.init(shape: [], element: element) { _ in number }
    }

    /// The elements as integers, truncated toward zero.
    public var integers: [Int] {
        withExtendedLifetime(storage) {
            if element == .int64 {
                return (0..<elementCount).map { Int(bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
            }
            let elements = Elements(self)
            return (0..<elementCount).map { Tensor.integer(elements[$0]) }
        }
    }

    /// The elements as `Double`, whatever their type.
    package var doubles: [Double] { withElements { elements in (0..<elementCount).map { elements[$0] } } }

    /// The elements as attributes of an operation.
    var attributes: [Int] { integers.map { FileNumber($0).attribute } }

    /// Calls `body` with the elements read as `Double`, whatever their type.
    func withElements<Result>(_ body: (Elements) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(Elements(self)) }
    }

    /// The elements of a tensor as `Double`. Valid while the tensor lives.
    struct Elements {
        private let bytes: UnsafeRawBufferPointer
        private let element: ElementType

        init(_ tensor: Tensor) {
            bytes = tensor.bytes
            element = tensor.element
        }

        subscript(index: Int) -> Double {
            func load<T: BitwiseCopyable>(_ type: T.Type) -> T {
                bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<T>.size, as: type)
            }
            return switch element {
            case .float32: Double(load(Float.self))
            case .float64: load(Double.self)
            case .float16: Double(float(fromHalf: load(UInt16.self)))
            case .bfloat16: Double(Float(bitPattern: UInt32(load(UInt16.self)) << 16))
            case .int8: Double(load(Int8.self))
            case .uint8: Double(load(UInt8.self))
            case .int16: Double(load(Int16.self))
            case .uint16: Double(load(UInt16.self))
            case .int32: Double(load(Int32.self))
            case .uint32: Double(load(UInt32.self))
            case .int64: Double(load(Int64.self))
            case .uint64: Double(load(UInt64.self))
            case .bool: load(UInt8.self) == 0 ? 0 : 1
            }
        }
    }

    /// `number` truncated toward zero and clamped to the range of Int; NaN becomes 0.
    static func integer(_ number: Double) -> Int {
        if number.isNaN { return 0 }
        if number >= 0x1p63 { return .max }
        return number <= -0x1p63 ? .min : Int(number)
    }

    /// The bits of the bfloat16 value nearest to `value`, ties to even.
    private static func bfloat16(_ value: Float) -> UInt16 {
        if value.isNaN { return 0x7FC0 }
        let bits = value.bitPattern
        return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
    }
}
