import Kernels

// Weights in the order in which the kernels read them, packed by all threads from their source, which is usually a
// mapped file.

extension Compiler {
    /// Packs weights as the convolution kernel reads them: for each group, its columns of each of `rows` in turn.
    mutating func pack(_ weights: Tensor, rows: [Int32], outputs: Int) -> Int {
        let groups = ColumnGroups(outputs, maximumWidth: kernels.groupBlocks)
        return withConstants { pool in
            pool.shared(weights, .rows(OffsetList(offsets: rows))) { pool in
                let columns = WeightColumns(weights, rows: rows)
                return pool.reserve(byteCount: groups.padded * rows.count * 4, parts: groups.count) { memory, group in
                    let (range, width) = groups[group]
                    columns.copy(
                        range, width: width,
                        to: memory.assumingMemoryBound(to: Float.self) + range.lowerBound * rows.count)
                }
            }
        }
    }

    /// The transforms of all filters, in the order in which they are multiplied.
    mutating func packWinograd(_ filters: Tensor, _ plan: WinogradPlan) -> Int {
        let form = plan.form
        let (taps, inputs) = (form.height.window * form.width.window, filters.shape[2])
        let paddedInputs = (inputs + blockWidth - 1) / blockWidth * blockWidth
        let groups = ColumnGroups(filters.shape[3], maximumWidth: plan.groupBlocks)
        let kernel = kernels.transformFilters
        return withConstants { pool in
            pool.shared(filters, .winograd(form, groupBlocks: plan.groupBlocks)) { pool in
                let rows = (0..<inputs * taps).map { Int32($0 % taps * inputs + $0 / taps) }
                let weights = WeightColumns(filters, rows: rows)
                let byteCount = form.points * paddedInputs * groups.padded * 4
                return pool.reserve(byteCount: byteCount, parts: groups.count) { memory, group in
                    let (columns, width) = groups[group]
                    let values = UnsafeMutablePointer<Float>.allocate(capacity: rows.count * width)
                    defer { values.deallocate() }
                    if columns.count < width { values.initialize(repeating: 0, count: rows.count * width) }
                    weights.copy(columns, width: width, to: values)
                    kernel(
                        WinogradFilterWork(
                            form: form, filters: values, inputs: inputs, blockCount: width / blockWidth,
                            transformed: memory.assumingMemoryBound(to: Float.self)
                                + columns.lowerBound * paddedInputs * form.points))
                }
            }
        }
    }

    mutating func packDepthwise(_ filters: Tensor) -> Int {
        let area = filters.shape[0] * filters.shape[1]
        let channels = filters.shape[2]
        let blocks = (channels + blockWidth - 1) / blockWidth
        return withConstants { pool in
            pool.shared(filters, .depthwise) { pool in
                let planes = WeightColumns(filters.reshaped([area, channels]), rows: (0..<Int32(area)).map { $0 })
                return pool.reserve(byteCount: blocks * area * blockWidth * 4) { memory in
                    let packed = memory.assumingMemoryBound(to: Float.self)
                    for block in 0..<blocks {
                        let columns = block * blockWidth..<min((block + 1) * blockWidth, channels)
                        planes.copy(columns, width: blockWidth, to: packed + block * area * blockWidth)
                    }
                }
            }
        }
    }

    mutating func packBias(_ bias: Tensor?, outputs: Int) -> Int {
        let values = bias?.floats ?? []
        let padded = (outputs + blockWidth - 1) / blockWidth * blockWidth
        return withConstants { $0.floats(values, count: padded) }
    }
}

/// Output channels in groups that share packed weights, padded to whole blocks.
private struct ColumnGroups {
    let outputs: Int
    let ranges: [Range<Int>]

    init(_ outputs: Int, maximumWidth: Int) {
        self.outputs = outputs
        ranges = BlockGroups(blocks: (outputs + blockWidth - 1) / blockWidth, maximumWidth: maximumWidth).ranges
    }

    var count: Int { ranges.count }
    var padded: Int { (ranges.last?.upperBound ?? 0) * blockWidth }

    /// The channels of a group, and its width including padding.
    subscript(group: Int) -> (columns: Range<Int>, width: Int) {
        let first = ranges[group].lowerBound * blockWidth
        let width = ranges[group].count * blockWidth
        return (first..<min(first + width, outputs), width)
    }
}
