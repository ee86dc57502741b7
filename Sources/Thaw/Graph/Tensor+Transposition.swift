extension Tensor {
    /// The array whose axis `i` is this one's axis `order[i]`.
    public func transposed(_ order: [Int]) -> Tensor {
        let target = shape.permuted(order)
        // Axes of one element may stand anywhere, and axes that stay neighbours are as good as one.
        let plan = TranspositionPlan(shape, order)
        guard plan.sizes.count > 1 else { return reshaped(target) }
        let storage = withExtendedLifetime(self.storage) {
            Storage(byteCount: bytes.count) { out in
                switch element.size {
                case 1: plan.copy(bytes, to: out, as: UInt8.self)
                case 2: plan.copy(bytes, to: out, as: UInt16.self)
                case 4: plan.copy(bytes, to: out, as: UInt32.self)
                default: plan.copy(bytes, to: out, as: UInt64.self)
                }
            }
        }
        return Tensor(shape: target, element: element, storage: storage)
    }
}

/// A transposition with as few axes as can be: the result's sizes, and how far apart neighbours along each lie in the source.
private struct TranspositionPlan {
    private(set) var sizes: [Int] = []
    private var steps: [Int] = []

    init(_ shape: Shape, _ order: [Int]) {
        let strides = shape.strides
        for axis in order where shape[axis] != 1 {
            if let last = steps.last, last == strides[axis] * shape[axis] {
                sizes[sizes.count - 1] *= shape[axis]
                steps[steps.count - 1] = strides[axis]
            } else {
                sizes.append(shape[axis])
                steps.append(strides[axis])
            }
        }
    }

    /// Copies in square blocks over the result's last axis and the one whose neighbours lie together in the source, so that
    /// neither side jumps from cache line to cache line.
    func copy<T: BitwiseCopyable>(
        _ source: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer, as type: T.Type
    ) {
        guard !source.isEmpty else { return }
        let from = source.baseAddress!
        let to = out.baseAddress!.assumingMemoryBound(to: T.self)
        let size = MemoryLayout<T>.size
        let targets = Shape(sizes).strides
        let columns = sizes.count - 1
        let rows = steps.firstIndex(of: 1) ?? columns
        let block = 16
        var index = [Int](repeating: 0, count: sizes.count)
        let outer = (0..<columns).filter { $0 != rows }
        while true {
            let start = outer.reduce(0) { $0 + index[$1] * steps[$1] }
            let place = outer.reduce(0) { $0 + index[$1] * targets[$1] }
            if rows == columns {
                UnsafeMutableRawPointer(to + place).copyMemory(
                    from: from + start * size, byteCount: sizes[columns] * size)
            } else {
                for top in stride(from: 0, to: sizes[rows], by: block) {
                    for left in stride(from: 0, to: sizes[columns], by: block) {
                        for row in top..<min(top + block, sizes[rows]) {
                            let source = from + (start + row * steps[rows]) * size
                            let target = to + place + row * targets[rows]
                            for column in left..<min(left + block, sizes[columns]) {
                                target[column] = source.loadUnaligned(
                                    fromByteOffset: column * steps[columns] * size, as: type)
                            }
                        }
                    }
                }
            }
            guard let axis = outer.last(where: { index[$0] + 1 < sizes[$0] }) else { return }
            index[axis] += 1
            for later in outer where later > axis { index[later] = 0 }
        }
    }
}
