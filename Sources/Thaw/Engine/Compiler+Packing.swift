import Kernels

// Weights as the kernels read them, made by all threads from where they lie, a mapped file as a rule.

extension Compiler {
    /// Packs weights as the convolution kernel reads them: a group's columns of each of `rows` in turn.
    mutating func pack(_ weights: Tensor, rows: [Int32], outputs: Int) -> Int {
        let groups = ColumnGroups(outputs, most: kernels.groupBlocks)
        return withConstants { pool in
            pool.reserve(byteCount: groups.padded * rows.count * 4, parts: groups.count) { memory, group in
                let (columns, width) = groups[group]
                weights.copyColumns(
                    columns, of: rows, width: width,
                    to: memory.assumingMemoryBound(to: Float.self) + columns.lowerBound * rows.count)
            }
        }
    }

    /// The transforms of all filters, in the order in which they are multiplied.
    mutating func packWinograd(_ filters: Tensor, _ form: WinogradForm) -> Int {
        let (taps, inputs) = (form.height.window * form.width.window, filters.shape[2])
        let paddedInputs = (inputs + blockWidth - 1) / blockWidth * blockWidth
        let groups = ColumnGroups(filters.shape[3], most: WinogradPlan.groupBlocks(kernels))
        let kernel = kernels.transformFilters
        return withConstants { pool in
            pool.reserve(
                byteCount: form.points * paddedInputs * groups.padded * 4, parts: groups.count
            ) { memory, group in
                let (columns, width) = groups[group]
                let rows = (0..<Int32(taps * inputs)).map { $0 }
                let numbers = UnsafeMutablePointer<Float>.allocate(capacity: rows.count * width + form.scratchCount)
                defer { numbers.deallocate() }
                filters.copyColumns(columns, of: rows, width: columns.count, to: numbers)
                kernel(
                    WinogradFilterWork(
                        form: form, filters: numbers, inputs: inputs, outputs: columns.count,
                        transformed: memory.assumingMemoryBound(to: Float.self)
                            + columns.lowerBound * paddedInputs * form.points,
                        scratch: numbers + rows.count * width))
            }
        }
    }

    mutating func packDepthwise(_ filters: Tensor) -> Int {
        let area = filters.shape[0] * filters.shape[1]
        let channels = filters.shape[2]
        let planes = filters.reshaped([area, channels])
        let blocks = (channels + blockWidth - 1) / blockWidth
        return withConstants { pool in
            pool.reserve(byteCount: blocks * area * blockWidth * 4) { memory in
                let packed = memory.assumingMemoryBound(to: Float.self)
                let rows = (0..<Int32(area)).map { $0 }
                for block in 0..<blocks {
                    let columns = block * blockWidth..<min((block + 1) * blockWidth, channels)
                    planes.copyColumns(columns, of: rows, width: blockWidth, to: packed + block * area * blockWidth)
                }
            }
        }
    }

    mutating func packBias(_ bias: Tensor?, outputs: Int) -> Int {
        let numbers = bias?.floats ?? []
        let padded = (outputs + blockWidth - 1) / blockWidth * blockWidth
        return withConstants { $0.floats(numbers, count: padded) }
    }
}

/// Output channels in groups that share packed weights, filled up to whole blocks.
private struct ColumnGroups {
    let outputs: Int
    let ranges: [Range<Int>]

    init(_ outputs: Int, most: Int) {
        self.outputs = outputs
        ranges = BlockGroups(blocks: (outputs + blockWidth - 1) / blockWidth, most: most).ranges
    }

    var count: Int { ranges.count }
    var padded: Int { (ranges.last?.upperBound ?? 0) * blockWidth }

    /// The channels of a group, and how many with those that fill it up.
    subscript(group: Int) -> (columns: Range<Int>, width: Int) {
        let first = ranges[group].lowerBound * blockWidth
        let width = ranges[group].count * blockWidth
        return (first..<min(first + width, outputs), width)
    }
}

extension Tensor {
    /// Copies some columns of some rows, the columns being the last axis and the rows all others, from where they stand.
    /// - Parameter width: How far apart the rows are written.
    fileprivate func copyColumns(
        _ columns: Range<Int>, of rows: [Int32], width: Int, to target: UnsafeMutablePointer<Float>
    ) {
        precondition(element == .float32)
        let count = shape[shape.rank - 1]
        let matrix: Shape = [elementCount / count, count]
        let (source, plan) = reshaped(matrix).arranged([0, 1])
        let axes = plan.axes(of: matrix)!
        /// How many bytes from the start a row, or a column, lies.
        func offset(_ place: Int, axis: Int) -> Int {
            var (rest, offset) = (place, 0)
            for part in axes.reversed() where part.axis == axis {
                offset += rest % part.size * part.step * 4
                rest /= part.size
            }
            return offset
        }
        let across = columns.map { offset($0, axis: 1) }
        let areNeighbours = across.indices.allSatisfy { across[$0] == across[0] + $0 * 4 }
        withExtendedLifetime(source) {
            let from = source.bytes.baseAddress!
            // So many rows at a time that what is written of them stays in the cache.
            let most = max(1, (16 << 10) / (width * 4))
            for first in stride(from: 0, to: rows.count, by: most) {
                let places = (first..<min(first + most, rows.count)).map {
                    (to: target + $0 * width, from: from + offset(Int(rows[$0]), axis: 0))
                }
                places.withUnsafeBufferPointer { places in
                    if areNeighbours {
                        for place in places {
                            UnsafeMutableRawPointer(place.to).copyMemory(
                                from: place.from + across[0], byteCount: columns.count * 4)
                        }
                        return
                    }
                    for (column, offset) in across.enumerated() {
                        for place in places {
                            place.to[column] = place.from.loadUnaligned(fromByteOffset: offset, as: Float.self)
                        }
                    }
                }
            }
            // Columns that lie behind one another, as Core ML's do, are read once.
            if let outermost = axes.max(by: { $0.step < $1.step }), outermost.axis == 1,
                axes.count(where: { $0.axis == 1 }) == 1
            {
                source.release(across[0]..<across[0] + columns.count * outermost.step * 4)
            }
        }
    }
}
