/// Resizing by Pillow's BILINEAR, bit for bit: a triangle filter that widens with the scale when shrinking, applied along
/// rows and then along columns, in fixed point of 22 fractional bits, rounded to 8 bits after each pass.
/// Source: Pillow, src/libImaging/Resample.c, whose arithmetic is followed to the last bit.

/// The weights that make each of the new pixels along one axis from the old ones.
private struct Filter {
    /// How many old pixels a new one looks at, at most.
    let reach: Int
    /// For each new pixel the first old one, counted from the start of the axis.
    var first: [Int] = []
    /// For each new pixel how many old ones count.
    var count: [Int] = []
    /// For each new pixel `reach` weights, of which the first `count` are used.
    var weights: [Int32]

    /// The filter from the `old` pixels of an axis to `new` ones.
    init(from old: Range<Int>, to new: Int) {
        let scale = Double(old.count) / Double(new)
        let support = max(scale, 1)
        let inverse = 1 / support
        reach = Int(support.rounded(.up)) * 2 + 1
        weights = [Int32](repeating: 0, count: new * reach)
        first.reserveCapacity(new)
        count.reserveCapacity(new)
        for pixel in 0..<new {
            let center = (Double(pixel) + 0.5) * scale
            let low = max(Int(center - support + 0.5), 0)
            let high = min(Int(center + support + 0.5), old.count)
            let raw = (low..<high).map { max(1 - abs((Double($0) - center + 0.5) * inverse), 0) }
            let sum = raw.reduce(0, +)
            for (tap, weight) in raw.enumerated() {
                // The weights are never negative, so adding a half and cutting rounds to the nearest.
                weights[pixel * reach + tap] = Int32(
                    (sum == 0 ? weight : weight / sum) * Double(1 << fractionBits) + 0.5)
            }
            first.append(old.lowerBound + low)
            count.append(high - low)
        }
    }

    /// The new pixel at `position`, of a line of old ones.
    func sum(at position: Int, of line: UnsafePointer<SIMD4<Int32>>) -> SIMD4<Int32> {
        var sum = SIMD4(repeating: half)
        for tap in 0..<count[position] {
            sum &+= line[first[position] + tap] &* SIMD4(repeating: weights[position * reach + tap])
        }
        return pointwiseMin(sum &>> SIMD4(repeating: fractionBits), SIMD4(repeating: 255))
    }
}

private let fractionBits: Int32 = 22
private let half: Int32 = 1 << (fractionBits - 1)

extension Pixels {
    /// The given part of the picture in a new size. A pass that would change nothing is left out.
    ///
    /// Each pass rounds, so their order shows in the last bit: the columns come first where they lose more than twice as
    /// many pixels as the rows do. (So does Pillow from version 13 on; earlier ones always began with the rows.)
    func resized(
        width newWidth: Int, height newHeight: Int, from columns: Range<Int>, _ rows: Range<Int>
    ) -> Pixels {
        precondition(newWidth > 0 && newHeight > 0 && !columns.isEmpty && !rows.isEmpty)
        var (picture, columns, rows) = (self, columns, rows)
        func resizeRows() {
            guard columns != 0..<picture.width || newWidth != picture.width else { return }
            picture = picture.resampledAlongRows(rows, by: Filter(from: columns, to: newWidth))
            (columns, rows) = (0..<picture.width, 0..<picture.height)
        }
        func resizeColumns() {
            guard rows != 0..<picture.height || newHeight != picture.height else { return }
            picture = picture.resampledAlongColumns(columns, by: Filter(from: rows, to: newHeight))
            (columns, rows) = (0..<picture.width, 0..<picture.height)
        }
        if rows.count - newHeight > 2 * max(columns.count - newWidth, 0) {
            resizeColumns()
            resizeRows()
        } else {
            resizeRows()
            resizeColumns()
        }
        return picture
    }

    private func resampledAlongRows(_ rows: Range<Int>, by filter: Filter) -> Pixels {
        let newWidth = filter.first.count
        return Pixels(width: newWidth, height: rows.count, channels: channels) { target in
            bytes.withUnsafeBufferPointer { source in
                // A row is widened once to four numbers a pixel, since every pixel is looked at several times.
                withUnsafeTemporaryAllocation(of: SIMD4<Int32>.self, capacity: width) { wide in
                    for (index, row) in rows.enumerated() {
                        let line = UnsafeBufferPointer(rebasing: source[(row * width * channels)...])
                        for x in 0..<width {
                            let pixel = line.baseAddress! + x * channels
                            wide[x] =
                                channels == 1
                                ? SIMD4(Int32(pixel[0]), 0, 0, 0)
                                : SIMD4(Int32(pixel[0]), Int32(pixel[1]), Int32(pixel[2]), 0)
                        }
                        var to = target.baseAddress! + index * newWidth * channels
                        for x in 0..<newWidth {
                            let sum = filter.sum(at: x, of: wide.baseAddress!)
                            to[0] = UInt8(sum[0])
                            if channels == 3 { (to[1], to[2]) = (UInt8(sum[1]), UInt8(sum[2])) }
                            to += channels
                        }
                    }
                }
            }
        }
    }

    private func resampledAlongColumns(_ columns: Range<Int>, by filter: Filter) -> Pixels {
        let (newHeight, newRow) = (filter.first.count, columns.count * channels)
        return Pixels(width: columns.count, height: newHeight, channels: channels) { target in
            bytes.withUnsafeBufferPointer { source in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: newRow) { sums in
                    for y in 0..<newHeight {
                        sums.update(repeating: half)
                        for tap in 0..<filter.count[y] {
                            let row = (filter.first[y] + tap) * width + columns.lowerBound
                            let line = source.baseAddress! + row * channels
                            let weight = filter.weights[y * filter.reach + tap]
                            for x in 0..<newRow { sums[x] &+= Int32(line[x]) &* weight }
                        }
                        let to = target.baseAddress! + y * newRow
                        for x in 0..<newRow { to[x] = UInt8(truncatingIfNeeded: min(sums[x] &>> fractionBits, 255)) }
                    }
                }
            }
        }
    }
}
