/// A part of a partitioned variable: a range along each axis.
struct VariableSlice {
    var ranges: [Range<Int>] = []
    /// Whether the range was written as the whole axis.
    var isWhole: [Bool] = []

    private enum Field { static let extent = 1, start = 1, length = 2 }

    /// The key of the part: a zero, the name, the number of axes, and the start and length along each axis, in the ordered code
    /// of tensorflow/core/lib/strings/ordered_code.cc. The whole axis has the length −1.
    func key(of name: String) -> [UInt8] {
        var key: [UInt8] = [0]
        for byte in name.utf8 {
            key.append(byte)
            // Zeros and 255s are escaped, because they end a string and an infinity.
            if byte == 0 { key.append(0xFF) } else if byte == 0xFF { key.append(0) }
        }
        key += [0, 1]
        VariableSlice.append(unsigned: ranges.count, to: &key)
        for (range, isWhole) in zip(ranges, isWhole) {
            VariableSlice.append(signed: range.lowerBound, to: &key)
            VariableSlice.append(signed: isWhole ? -1 : range.count, to: &key)
        }
        return key
    }

    /// The number of bytes, followed by the bytes in big-endian order.
    private static func append(unsigned number: Int, to key: inout [UInt8]) {
        let bytes = bytes(number).drop { $0 == 0 }
        key.append(UInt8(bytes.count))
        key += bytes
    }

    /// Seven bits per byte, one of them the sign. The leading bits, one per byte, are inverted.
    private static func append(signed number: Int, to key: inout [UInt8]) {
        let magnitude = number < 0 ? ~number : number
        let count = (Int.bitWidth - magnitude.leadingZeroBitCount) / 7 + 1
        let sign: UInt8 = number < 0 ? 0xFF : 0
        var code = Array(([sign, sign] + bytes(number)).suffix(count))
        for bit in 0..<count { code[bit / 8] ^= 0x80 >> UInt8(bit % 8) }
        key += code
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).bigEndian) { Array($0) }
    }

    /// Partitioned variables of TensorFlow have fewer axes.
    private static let maximumRank = 8

    /// Whether each element of a tensor is in an odd number of parts. It is if all corners of the parts cancel in pairs, except
    /// those of the whole tensor.
    static func cover(_ shape: Shape, with parts: [VariableSlice]) -> Bool {
        guard shape.rank <= maximumRank else { return false }
        var corners: Set<[Int]> = []
        for ranges in parts.map(\.ranges) + [shape.map { 0..<$0 }] {
            for index in 0..<1 << shape.rank {
                let corner = ranges.enumerated().map { index >> $0 & 1 == 0 ? $1.lowerBound : $1.upperBound }
                if corners.remove(corner) == nil { corners.insert(corner) }
            }
        }
        return corners.isEmpty
    }

    /// Copies this part of a tensor into the memory of the whole.
    func copy(_ part: Tensor, to memory: UnsafeMutableRawBufferPointer, _ fullType: TensorType) {
        guard part.elementCount > 0, let row = ranges.last else {
            memory.copyMemory(from: part.bytes)
            return
        }
        let size = fullType.element.size
        let strides = fullType.shape.strides
        var source = 0
        Shape(ranges.dropLast().map(\.count)).forEachIndex { index in
            var element = row.lowerBound
            for axis in index.indices { element += (ranges[axis].lowerBound + index[axis]) * strides[axis] }
            let bytes = row.count * size
            UnsafeMutableRawBufferPointer(rebasing: memory[element * size..<element * size + bytes]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: part.bytes[source..<source + bytes]))
            source += bytes
        }
    }
}

extension VariableSlice {
    /// - Parameter message: A TensorSliceProto (tensorflow/core/framework/tensor_slice.proto).
    /// - Throws: `Failure` if it is not inside the shape of the variable.
    init(_ message: RawMessage, of shape: Shape) throws {
        let extents = try message.messages(Field.extent)
        guard extents.count == shape.rank else { throw Failure.valueCorrupt() }
        self.init()
        for (extent, size) in zip(extents, shape) {
            let claimed = try extent.integer(Field.length)
            guard let start = (try extent.integer(Field.start) ?? 0).within(0...size),
                let length = (claimed ?? FileNumber(size - start)).within(0...size - start)
            else { throw Failure.valueCorrupt() }
            ranges.append(claimed == nil ? 0..<size : start..<start + length)
            isWhole.append(claimed == nil)
        }
    }
}
