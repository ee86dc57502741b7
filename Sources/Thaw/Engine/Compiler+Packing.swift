import Kernels

// Weights in the order in which the kernels read them, packed by all threads from their source, which is usually a
// mapped file.

extension Compiler {
    /// Packs weights for the convolution kernel, group by group: for each of its steps, one of `rows`.
    /// - Parameter channels: Set if rounding errors cancel each other: see `WeightColumns`.
    mutating func pack(
        _ weights: Tensor, rows: [Int32], _ steps: ConvolutionSteps, outputs: Int, cancelingErrorsOf channels: Int?
    ) -> Int {
        let groups = ColumnGroups(outputs, kernels, maximumWidth: kernels.groupBlocks)
        let (kernels, bytesPerBlock) = (kernels, kernels.packedBytes(steps))
        return withConstants { pool in
            pool.shared(weights, .rows(OffsetList(offsets: rows), steps)) { pool in
                let columns = WeightColumns(weights, rows: rows, cancelingErrorsOf: channels)
                return pool.reserve(byteCount: groups.blocks * bytesPerBlock, parts: groups.count) { memory, group in
                    let (range, blocks) = groups[group]
                    columns.pack(
                        range, steps, blocks: blocks.count, to: memory + blocks.lowerBound * bytesPerBlock,
                        kernels.packWeights)
                }
            }
        }
    }

    /// The transforms of all filters, in the order in which they are multiplied.
    mutating func packWinograd(
        _ filters: Tensor, _ plan: WinogradPlan, _ winograd: any WinogradKernels.Type
    ) -> Int {
        let form = plan.form
        let products = winograd.products(form)
        let (taps, inputs) = (form.height.window * form.width.window, filters.shape[2])
        let groups = ColumnGroups(filters.shape[3], kernels, maximumWidth: plan.groupBlocks)
        let (kernels, bytesPerBlock) = (kernels, products.packedBytes(plan.steps) * form.points)
        return withConstants { pool in
            pool.shared(filters, .winograd(form, groupBlocks: plan.groupBlocks)) { pool in
                let rows = (0..<inputs * taps).map { Int32($0 % taps * inputs + $0 / taps) }
                let weights = WeightColumns(filters, rows: rows)
                return pool.reserve(byteCount: groups.blocks * bytesPerBlock, parts: groups.count) { memory, group in
                    let (columns, blocks) = groups[group]
                    let count = rows.count * blocks.count * kernels.blockWidth
                    let values = UnsafeMutablePointer<Float>.allocate(capacity: count)
                    defer { values.deallocate() }
                    if columns.count < blocks.count * kernels.blockWidth {
                        values.initialize(repeating: 0, count: count)
                    }
                    weights.pack(
                        columns, ConvolutionSteps(tapCount: rows.count, depth: 1), blocks: blocks.count,
                        to: UnsafeMutableRawPointer(values), winograd.gatherWeights)
                    let packed = memory + blocks.lowerBound * bytesPerBlock
                    var work = WinogradFilterWork(
                        form: form, filters: values, inputs: inputs, blockCount: blocks.count, transformed: packed)
                    guard products.roundsImages else { return winograd.transformFilters(work) }
                    let pointBytes = kernels.plain.packedBytes(plan.steps) * blocks.count
                    work.transformed = .allocate(byteCount: form.points * pointBytes, alignment: 64)
                    defer { work.transformed.deallocate() }
                    winograd.transformFilters(work)
                    for point in 0..<form.points {
                        Compiler.pack(
                            transforms: work.transformed + point * pointBytes, plan.steps, blocks: blocks.count,
                            to: packed + point * blocks.count * products.packedBytes(plan.steps), products)
                    }
                }
            }
        }
    }

    /// Packs the transforms of one point, which are rows of floats.
    private static func pack(
        transforms: UnsafeRawPointer, _ steps: ConvolutionSteps, blocks: Int, to packed: UnsafeMutableRawPointer,
        _ kernels: any KernelTable.Type
    ) {
        let columns = (0..<blocks * kernels.blockWidth).map { $0 * 4 }
        let rows = (0..<steps.count).map { WeightPackingWork.Row(offset: $0 * columns.count * 4, index: $0) }
        rows.withUnsafeBufferPointer { rows in
            columns.withUnsafeBufferPointer { columns in
                var work = WeightPackingWork(
                    source: transforms, rows: rows.baseAddress!, rowCount: rows.count, columns: columns.baseAddress!,
                    columnCount: columns.count, blockCount: blocks, steps: steps, packed: packed)
                work.cancelsErrors = true
                kernels.packWeights(work)
            }
        }
    }

    /// Rounding errors of a filter cancel each other, because neighboring pixels are similar.
    mutating func packDepthwise(_ filters: Tensor) -> Int {
        let area = filters.shape[0] * filters.shape[1]
        let channels = filters.shape[2]
        let groups = ColumnGroups(channels, kernels, maximumWidth: 1)
        let steps = ConvolutionSteps(tapCount: filters.shape[0], depth: filters.shape[1])
        let (kernels, bytesPerBlock) = (kernels, kernels.packedDepthwiseBytes(steps))
        return withConstants { pool in
            pool.shared(filters, .depthwise) { pool in
                let planes = WeightColumns(
                    filters.reshaped([area, channels]), rows: (0..<Int32(area)).map { $0 }, cancelingErrorsOf: 1)
                return pool.reserve(byteCount: groups.blocks * bytesPerBlock) { memory in
                    for group in 0..<groups.count {
                        planes.pack(
                            groups[group].columns, steps, blocks: 1, to: memory + group * bytesPerBlock,
                            kernels.packDepthwise)
                    }
                }
            }
        }
    }

    mutating func packBias(_ bias: Tensor?, outputs: Int) -> Int {
        let values = bias?.floats ?? []
        let padded = outputs.rounded(upToMultipleOf: kernels.blockWidth)
        return withConstants { $0.floats(values, count: padded) }
    }
}

/// Output channels in groups that share packed weights, padded to whole blocks.
private struct ColumnGroups {
    let outputs: Int
    let blockWidth: Int
    let ranges: [Range<Int>]

    init(_ outputs: Int, _ kernels: any KernelTable.Type, maximumWidth: Int) {
        self.outputs = outputs
        blockWidth = kernels.blockWidth
        ranges = BlockGroups(blocks: outputs.dividedRoundingUp(by: blockWidth), maximumWidth: maximumWidth).ranges
    }

    var count: Int { ranges.count }
    /// The number of blocks of all groups.
    var blocks: Int { ranges.last?.upperBound ?? 0 }

    /// The channels and the blocks of a group.
    subscript(group: Int) -> (columns: Range<Int>, blocks: Range<Int>) {
        let blocks = ranges[group]
        return (blocks.lowerBound * blockWidth..<min(blocks.upperBound * blockWidth, outputs), blocks)
    }
}
