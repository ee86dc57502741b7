/// Weights that are stored without their zeros: a mask has the positions of the others, which may be compressed themselves.
enum SparseWeights {
    static let mil = [
        MILRule("constexpr_sparse_to_dense") { op, _ in
            guard op.has("shape") else { return [.constant(try op.spread("nonzero_data", over: op.constant("mask")))] }
            // Before iOS 18 the mask is packed.
            let packed = try op.constant("mask").bytes
            let shape = Shape(try op.integers("shape"))
            guard let count = shape.declaredCount, packed.count == count.dividedRoundingUp(by: 8) else {
                throw op.refused("\(packed.count) bytes of the mask do not fill a tensor of shape \(shape)")
            }
            let mask = try op.constant("mask").view.withBytes { unpacked($0, count: count, bits: 1, .lowestFirst) }
            return [.constant(try op.spread("nonzero_data", over: Tensor(bytes: mask, shape: shape)))]
        },
        MILRule("constexpr_lut_to_sparse") { op, _ in
            let mask = try op.constant("indices_mask")
            let whole = try op.palette(op.spread("indices_nonzero_data", over: mask))
            let runs = try ValueRuns(op, mask.shape, whole.elementCount / Swift.max(1, mask.elementCount))
            let bits = mask.integers
            let maskRuns = Tensor(
                integers: (0..<whole.elementCount).map { bits[runs.origin($0).element] }, shape: runs.shape)
            return [.constant(maskRuns), .constant(whole.where(maskRuns))]
        },
        MILRule("constexpr_sparse_blockwise_shift_scale") { op, _ in
            let mask = try op.constant("data_mask")
            let data = try op.spread("nonzero_data", over: mask)
            let whole = try op.dequantized(data, op.constant("scale"), op.has("offset") ? op.constant("offset") : nil)
            return [.constant(mask), .constant(whole.where(mask))]
        },
    ]
}

extension MILRead {
    /// The values where the mask is set, and zeros elsewhere.
    fileprivate func spread(_ key: String, over mask: Tensor) throws -> Tensor {
        let numbers = try constant(key).floats
        let bits = mask.integers
        guard bits.reduce(0, { $0 + ($1 == 0 ? 0 : 1) }) == numbers.count else {
            throw refused("the mask does not select exactly the \(numbers.count) stored values")
        }
        var next = numbers.makeIterator()
        return Tensor(bits.map { $0 == 0 ? 0 : next.next()! }, shape: mask.shape)
    }
}

extension Tensor {
    /// The values where the mask is set, in order.
    fileprivate func `where`(_ mask: Tensor) -> Tensor {
        let numbers = zip(floats, mask.integers).filter { $1 != 0 }.map { $0.0 }
        return Tensor(numbers, shape: [numbers.count])
    }
}
