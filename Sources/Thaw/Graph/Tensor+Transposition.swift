extension Tensor {
    /// The tensor whose axis `i` is this tensor's axis `order[i]`.
    func transposed(_ order: [Int]) -> Tensor {
        let (source, plan) = arranged(order)
        let isInOrder = plan.sizes.count <= 1
        return Tensor(
            shape: shape.permuted(order), element: element,
            storage: isInOrder ? source : Storage(source, plan, elementSize: element.size))
    }

    /// The memory that contains the elements, and the plan to read them with the axes in this order.
    func arranged(_ order: [Int]) -> (source: Storage, plan: TranspositionPlan) {
        let (source, plan) = storage.arranged
        if let plan = (plan ?? TranspositionPlan(count: elementCount)).reordered(shape, order) { return (source, plan) }
        return (storage.inOrder, TranspositionPlan(count: elementCount).reordered(shape, order)!)
    }
}

/// The order of a tensor's elements in memory: the fewest possible axes, from the outermost, with their sizes and
/// strides.
struct TranspositionPlan: Equatable {
    private(set) var sizes: [Int] = []
    private var steps: [Int] = []

    /// Elements already in order.
    init(count: Int) { (sizes, steps) = ([count], [1]) }

    private init(_ axes: some Sequence<(size: Int, step: Int, axis: Int)>) {
        for (size, step, _) in axes {
            // Axes that stay adjacent merge into one.
            if let last = steps.last, last == step * size {
                sizes[sizes.count - 1] *= size
                steps[steps.count - 1] = step
            } else {
                sizes.append(size)
                steps.append(step)
            }
        }
    }

    /// The plan for a tensor of this shape with its axes in this order; nil if the axes cannot be distinguished in
    /// memory.
    func reordered(_ shape: Shape, _ order: [Int]) -> TranspositionPlan? {
        guard shape.elementCount > 0 else { return self }
        guard let axes = axes(of: shape) else { return nil }
        return TranspositionPlan(order.flatMap { axis in axes.filter { $0.axis == axis } })
    }

    /// The plan's axes, split so that each lies within one axis of a tensor of this shape, which has the same
    /// elements; nil if that is impossible. Axes of one element can be anywhere, so they are left out.
    func axes(of shape: Shape) -> [(size: Int, step: Int, axis: Int)]? {
        var axes: [(size: Int, step: Int, axis: Int)] = []
        var tensorAxis = 0
        var rest = sizes.first ?? 1
        for axis in shape.indices {
            var open = shape[axis]
            while open > 1 {
                while rest == 1 {
                    tensorAxis += 1
                    rest = sizes[tensorAxis]
                }
                guard rest % open == 0 || open % rest == 0 else { return nil }
                let size = min(rest, open)
                rest /= size
                open /= size
                axes.append((size, steps[tensorAxis] * rest, axis))
            }
        }
        return axes
    }

    /// The index of the source element at this position of the result.
    func sourceIndex(of position: Int) -> Int {
        var (rest, index) = (position, 0)
        for axis in sizes.indices.reversed() {
            index += rest % sizes[axis] * steps[axis]
            rest /= sizes[axis]
        }
        return index
    }

    /// Whether neighbors along the last axis are also neighbors in the source.
    var keepsRows: Bool { steps.last == 1 }

    /// Passes the result on in pieces of at most `limit` bytes, or of one row along its first axis.
    func pieces(
        of source: UnsafeRawBufferPointer, elementSize: Int, limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        // Unchanged order needs no copy, but is still read in pieces.
        guard sizes.count > 1 else {
            for start in stride(from: 0, to: source.count, by: limit) {
                try body(UnsafeRawBufferPointer(rebasing: source[start..<min(source.count, start + limit)]))
            }
            return
        }
        guard !source.isEmpty else { return }
        let row = sizes.dropFirst().reduce(elementSize, *)
        let rows = max(1, min(sizes[0], limit / row))
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: rows * row, alignment: 64)
        defer { piece.deallocate() }
        for start in stride(from: 0, to: sizes[0], by: rows) {
            var part = self
            part.sizes[0] = min(rows, sizes[0] - start)
            let out = UnsafeMutableRawBufferPointer(rebasing: piece[..<(part.sizes[0] * row)])
            part.copy(
                UnsafeRawBufferPointer(rebasing: source[(start * steps[0] * elementSize)...]), to: out,
                elementSize: elementSize)
            try body(UnsafeRawBufferPointer(out))
        }
    }

    func copy(_ source: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer, elementSize: Int) {
        switch elementSize {
        case 1: copy(source, to: out, as: UInt8.self)
        case 2: copy(source, to: out, as: UInt16.self)
        case 4: copy(source, to: out, as: UInt32.self)
        default: copy(source, to: out, as: UInt64.self)
        }
    }

    /// Copies in square blocks over the result's last axis and the axis that is contiguous in the source, so that
    /// neither side jumps between cache lines.
    private func copy<T: BitwiseCopyable>(
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
            let offset = outer.reduce(0) { $0 + index[$1] * targets[$1] }
            if rows == columns {
                UnsafeMutableRawPointer(to + offset).copyMemory(
                    from: from + start * size, byteCount: sizes[columns] * size)
            } else {
                for top in stride(from: 0, to: sizes[rows], by: block) {
                    for left in stride(from: 0, to: sizes[columns], by: block) {
                        for row in top..<min(top + block, sizes[rows]) {
                            let source = from + (start + row * steps[rows]) * size
                            let target = to + offset + row * targets[rows]
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
