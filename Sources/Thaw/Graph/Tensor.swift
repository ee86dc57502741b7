/// A tensor: its shape, its element type, and its bytes in row-major order without gaps.
///
/// Tensors are immutable. Large weights are views of the mapped file that they came from, and transposed tensors are
/// rearranged only when needed.
public struct Tensor: Sendable {
    /// The sizes along the axes.
    public let shape: Shape
    /// The type of the elements.
    public let element: ElementType
    let storage: Storage

    /// - Precondition: `storage` contains exactly the bytes of `shape` and `element`.
    init(shape: Shape, element: ElementType, storage: Storage) {
        precondition(storage.byteCount == shape.elementCount * element.size)
        self.shape = shape
        self.element = element
        self.storage = storage
    }

    /// The shape with the type of the elements.
    public var type: TensorType { TensorType(shape, element) }
    /// The number of elements.
    public var elementCount: Int { shape.elementCount }
    /// The elements in row-major order. The bytes are valid as long as the tensor exists, which a use of them does not prolong.
    package var bytes: UnsafeRawBufferPointer { storage.bytes }

    /// Calls `body` with the elements in row-major order. They are valid only during the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(storage.bytes) }
    }

    /// The same elements in another shape with the same element count.
    func reshaped(_ shape: Shape) -> Tensor { Tensor(shape: shape, element: element, storage: storage) }
}

extension Tensor {
    /// A copy of elements in memory, in row-major order without gaps.
    /// - Precondition: `bytes` contains exactly the bytes of `shape` and `element`.
    public init(copying bytes: UnsafeRawBufferPointer, shape: Shape, element: ElementType) {
        self.init(
            shape: shape, element: element, storage: Storage(byteCount: bytes.count) { $0.copyMemory(from: bytes) })
    }
}

extension Tensor: Equatable {
    public static func == (a: Tensor, b: Tensor) -> Bool {
        a.type == b.type && a.bytes.elementsEqual(b.bytes)
    }
}

// MARK: Shapes

extension Tensor {
    /// The sizes of a tensor along its axes, outermost first. A scalar has no axes and one element.
    ///
    /// Images are batch, height, width, channel, in TensorFlow's order, unless a graph specifies otherwise.
    public struct Shape: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The sizes, outermost first.
        public var dimensions: [Int]

        /// A shape with these sizes, outermost first.
        public init(_ dimensions: some Sequence<Int>) { self.dimensions = Array(dimensions) }
        /// A shape with these sizes, outermost first.
        public init(arrayLiteral elements: Int...) { dimensions = elements }

        /// The number of axes.
        public var rank: Int { dimensions.count }

        /// The number of elements. Traps on overflow: check `checkedCount` first for shapes from files.
        public var elementCount: Int { dimensions.reduce(1, *) }

        /// The number of elements, or nil if a dimension is negative or the number reaches the limit, at most 2^40.
        /// For the limit, dimensions of 0 count as 1.
        public var checkedCount: Int? {
            var count = 1
            for dimension in dimensions {
                guard dimension >= 0 else { return nil }
                // Zeros count as 1, so that strides are representable as well.
                let (product, overflow) = count.multipliedReportingOverflow(by: Swift.max(1, dimension))
                guard !overflow, product < Limits.tensorElements else { return nil }
                count = product
            }
            return dimensions.contains(0) ? 0 : count
        }

        /// The number of elements of a tensor whose shape a model declares; nil if it reaches the limit, 2^31.
        var declaredCount: Int? { checkedCount.flatMap { $0 < Limits.declaredElements ? $0 : nil } }

        /// The distance in elements between neighbors along each axis. The last axis is contiguous.
        var strides: [Int] {
            var strides = [Int](repeating: 1, count: rank)
            for axis in stride(from: rank - 2, through: 0, by: -1) {
                strides[axis] = strides[axis + 1] * dimensions[axis + 1]
            }
            return strides
        }

        /// The size along an axis, which is counted from the front.
        public subscript(axis: Int) -> Int {
            get { dimensions[axis] }
            set { dimensions[axis] = newValue }
        }

        /// The axis counted from the front. `axis` may be negative, which counts from the back.
        /// - Throws: `Failure` if there is no such axis.
        package func axis(_ axis: Int) throws -> Int {
            guard axis >= -rank, axis < rank else { throw Failure.noSuchAxis(axis, of: self) }
            return axis < 0 ? axis + rank : axis
        }

        /// The index of a new axis, counted from the front. `axis` may be negative, which counts from the end of the new shape.
        /// - Throws: `Failure` if there is no such axis in a shape of one more axis.
        func newAxis(_ axis: Int) throws -> Int {
            guard axis >= -rank - 1, axis <= rank else { throw Failure.noSuchAxis(axis, of: self) }
            return axis < 0 ? axis + rank + 1 : axis
        }

        /// The shape that results when two tensors are broadcast, as in NumPy.
        /// - Throws: `Failure` if two sizes differ and neither is 1.
        func broadcast(with other: Shape) throws -> Shape {
            if self == other { return self }
            let rank = Swift.max(rank, other.rank)
            let (a, b) = (padded(to: rank), other.padded(to: rank))
            return Shape(
                try (0..<rank).map { axis in
                    guard a[axis] == b[axis] || a[axis] == 1 || b[axis] == 1 else {
                        throw Failure.cannotBroadcast(self, other)
                    }
                    return a[axis] == 1 ? b[axis] : a[axis]
                })
        }

        /// The same shape with leading ones, up to `rank` axes.
        package func padded(to rank: Int) -> Shape {
            Shape([Int](repeating: 1, count: Swift.max(0, rank - self.rank)) + dimensions)
        }

        /// The shape whose axis `i` is this one's axis `order[i]`.
        func permuted(_ order: [Int]) -> Shape { Shape(order.map { dimensions[$0] }) }

        /// Calls `body` with the index of every element, in row-major order.
        func forEachIndex(_ body: ([Int]) -> Void) {
            guard elementCount > 0 else { return }
            var index = [Int](repeating: 0, count: rank)
            while true {
                body(index)
                var axis = rank - 1
                while axis >= 0 {
                    index[axis] += 1
                    if index[axis] < dimensions[axis] { break }
                    index[axis] = 0
                    axis -= 1
                }
                if axis < 0 { return }
            }
        }
    }
}

/// Short for use in this package: SwiftUI has a `Shape` too.
package typealias Shape = Tensor.Shape

extension Tensor.Shape: RandomAccessCollection {
    /// The first axis.
    public var startIndex: Int { 0 }
    /// The number of axes.
    public var endIndex: Int { dimensions.count }
}

extension Tensor.Shape: CustomStringConvertible {
    public var description: String { "[" + dimensions.map(String.init).joined(separator: ", ") + "]" }
}

// MARK: Types

/// The static facts about a tensor. On the edges of a graph both parts are fixed.
public struct TensorType: Hashable, Sendable {
    /// The sizes along the axes.
    public var shape: Tensor.Shape
    /// The type of the elements.
    public var element: ElementType

    /// The type of tensors of this shape.
    public init(_ shape: Tensor.Shape, _ element: ElementType = .float32) {
        self.shape = shape
        self.element = element
    }
}

extension TensorType: CustomStringConvertible {
    public var description: String { "\(element.rawValue)\(shape)" }
}
