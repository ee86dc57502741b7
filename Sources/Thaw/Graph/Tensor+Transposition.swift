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
    private var space: IndexSpace
    private let steps: [Int]

    var sizes: [Int] { space.sizes }

    /// Elements already in order.
    init(count: Int) { (space, steps) = (IndexSpace(sizes: [count]), [1]) }

    private init(_ axes: [(size: Int, step: Int, axis: Int)]) {
        let merged = SharedAxis.merged(axes.map(\.size), steps: [axes.map(\.step)])
        (space, steps) = (IndexSpace(sizes: merged.map(\.size)), merged.map { $0.steps[0] })
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
    func sourceIndex(of position: Int) -> Int { space.offset(position, steps) }

    /// Whether neighbors along the last axis are also neighbors in the source.
    var keepsRows: Bool { steps.last == 1 }

    /// Calls `body` with the result in pieces of at most `limit` bytes, or of one row along its first axis if that is longer.
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
            part.space.sizes[0] = min(rows, sizes[0] - start)
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

    /// Copies planes of the result's last axis and the axis that is contiguous in the source.
    private func copy<T: SIMDScalar & BitwiseCopyable>(
        _ source: UnsafeRawBufferPointer, to out: UnsafeMutableRawBufferPointer, as _: T.Type
    ) {
        guard let from = source.baseAddress, let to = out.baseAddress else { return }
        let size = MemoryLayout<T>.size
        let targets = Shape(sizes).strides
        let columns = sizes.count - 1
        let rows = steps.firstIndex(of: 1) ?? columns
        var index = [Int](repeating: 0, count: sizes.count)
        let outer = (0..<columns).filter { $0 != rows }
        while true {
            let start = from + outer.reduce(0) { $0 + index[$1] * steps[$1] } * size
            let target = to + outer.reduce(0) { $0 + index[$1] * targets[$1] } * size
            if rows == columns {
                target.copyMemory(from: start, byteCount: sizes[columns] * size)
            } else {
                let matrix = TransposedMatrix<T>(
                    rows: sizes[rows], columns: sizes[columns], step: steps[columns] * size,
                    stride: targets[rows] * size)
                matrix.transpose(start, to: target)
            }
            guard let axis = outer.last(where: { index[$0] + 1 < sizes[$0] }) else { return }
            index[axis] += 1
            for later in outer where later > axis { index[later] = 0 }
        }
    }
}

/// A matrix whose columns are contiguous in the source, `step` bytes apart. In the result its rows are contiguous, `stride`
/// bytes apart.
private struct TransposedMatrix<T: SIMDScalar & BitwiseCopyable> {
    let rows: Int
    let columns: Int
    let step: Int
    let stride: Int

    /// Transposes squares of four rows and columns in registers. It takes eight rows at a time: more would compete for
    /// the same cache lines if their distance is a power of two.
    func transpose(_ source: UnsafeRawPointer, to out: UnsafeMutableRawPointer) {
        let size = MemoryLayout<T>.size
        let (fullRows, fullColumns) = (rows & ~3, columns & ~3)
        var top = 0
        while top < rows {
            let end = min(top &+ 8, rows)
            let fullEnd = min(end, fullRows)
            var column = 0
            while column < fullColumns {
                var row = top
                while row < fullEnd {
                    transposeSquare(
                        source + (row &* size &+ column &* step), to: out + (row &* stride &+ column &* size))
                    row &+= 4
                }
                column &+= 4
            }
            // The remaining columns and rows.
            for row in top..<end {
                for column in (row < fullEnd ? fullColumns : 0)..<columns {
                    let number = (source + (row &* size &+ column &* step)).loadUnaligned(as: T.self)
                    (out + (row &* stride &+ column &* size)).storeBytes(of: number, as: T.self)
                }
            }
            top = end
        }
    }

    @inline(__always)
    private func transposeSquare(_ source: UnsafeRawPointer, to out: UnsafeMutableRawPointer) {
        func column(_ index: Int) -> SIMD4<T> { (source + index &* step).loadUnaligned(as: SIMD4<T>.self) }
        let left = SIMD8(lowHalf: column(0), highHalf: column(1))
        let right = SIMD8(lowHalf: column(2), highHalf: column(3))
        let even = SIMD8(lowHalf: left.evenHalf, highHalf: right.evenHalf)
        let odd = SIMD8(lowHalf: left.oddHalf, highHalf: right.oddHalf)
        out.storeBytes(of: even.evenHalf, as: SIMD4<T>.self)
        (out + stride).storeBytes(of: odd.evenHalf, as: SIMD4<T>.self)
        (out + 2 &* stride).storeBytes(of: even.oddHalf, as: SIMD4<T>.self)
        (out + 3 &* stride).storeBytes(of: odd.oddHalf, as: SIMD4<T>.self)
    }
}
