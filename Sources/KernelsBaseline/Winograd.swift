import Kernels

// Winograd convolutions. Tiles of an image are transformed, the convolution kernel multiplies the transforms of all
// channels by those of the filters, point by point, and the sums are transformed back. Each transform runs along the
// height first and then, from scratch memory, along the width. Products are floats, and so are transforms, except those that
// the table for bfloat16 multiplies itself.

extension Table {
    public static func transformInput(_ work: borrowing WinogradInputWork) {
        let form = work.tiles.form
        switch (form.height.points, form.width.points) {
        case (4, 4): transformTiles(FourPoints.self, FourPoints.self, Value.self, work)
        case (6, 6): transformTiles(SixPoints.self, SixPoints.self, Float.self, work)
        case (6, 1): transformTiles(SixPoints.self, OnePoint.self, Float.self, work)
        case (1, 6): transformTiles(OnePoint.self, SixPoints.self, Float.self, work)
        case (8, 1): transformTiles(EightPoints.self, OnePoint.self, Float.self, work)
        case (1, 8): transformTiles(OnePoint.self, EightPoints.self, Float.self, work)
        default: fatalError("unsupported Winograd form")
        }
    }

    public static func transformOutput(_ work: borrowing WinogradOutputWork) {
        let form = work.tiles.form
        switch (form.height, form.width) {
        case (.two3, .two3): transformProducts(FourPoints.self, 2, FourPoints.self, 2, work)
        case (.four3, .four3): transformProducts(SixPoints.self, 4, SixPoints.self, 4, work)
        case (.two5, .two5): transformProducts(SixPoints.self, 2, SixPoints.self, 2, work)
        case (.four3, .none): transformProducts(SixPoints.self, 4, OnePoint.self, 1, work)
        case (.none, .four3): transformProducts(OnePoint.self, 1, SixPoints.self, 4, work)
        case (.two7, .none): transformProducts(EightPoints.self, 2, OnePoint.self, 1, work)
        case (.none, .two7): transformProducts(OnePoint.self, 1, EightPoints.self, 2, work)
        default: fatalError("unsupported Winograd form")
        }
    }
}

/// A type of transforms in memory.
private protocol Transformed {
    static func write(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Self>)
}

extension Float: Transformed {
    @inline(__always)
    fileprivate static func write(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Float>) { writeLanes(lanes, pointer) }
}

#if BFLOAT16
    extension Value: Transformed {
        @inline(__always)
        fileprivate static func write(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Value>) {
            writeLanes(lanes, pointer)
        }
    }
#endif

private func transformTiles<Y: WinogradLine, X: WinogradLine, T: Transformed>(
    _: Y.Type, _: X.Type, _: T.Type, _ work: borrowing WinogradInputWork
) {
    let tiles = work.tiles
    let (stepY, stepX) = (tiles.form.height.outputs, tiles.form.width.outputs)
    let scratch = floats(tiles.scratch)
    let patch = values(UnsafeMutableRawPointer(scratch + Y.points * X.points * blockWidth))
    let (rowStride, pointStride) = (values(work.rowStride), tiles.pointStride / MemoryLayout<T>.size)
    for block in tiles.firstBlock..<tiles.firstBlock + tiles.blockCount {
        let plane = values(work.input + block * work.blockStride)
        var target = (work.transformed + block * tiles.transformedBlockStride).assumingMemoryBound(to: T.self)
        for tile in tiles.firstTile..<tiles.firstTile + tiles.tileCount {
            let (row, column) = (tile / tiles.tilesAcross * stepY, tile % tiles.tilesAcross * stepX)
            let from = plane + (row * rowStride + column * blockWidth)
            let (rows, columns) = (work.rows - row, work.columns - column)
            if rows >= Y.points && columns >= X.points {
                transformTile(Y.self, X.self, from, rowStride, scratch, target, pointStride)
            } else {
                for y in 0..<Y.points {
                    for x in 0..<X.points {
                        let isInside = y < rows && x < columns
                        let value = isInside ? load(from + (y * rowStride + x * blockWidth)) : Vector.zero
                        write(value, patch + (y * X.points + x) * blockWidth)
                    }
                }
                transformTile(
                    Y.self, X.self, UnsafePointer(patch), X.points * blockWidth, scratch, target, pointStride)
            }
            target += blockWidth
        }
    }
}

@inline(__always)
private func transformTile<Y: WinogradLine, X: WinogradLine, T: Transformed>(
    _: Y.Type, _: X.Type, _ from: UnsafePointer<Value>, _ rowStride: Int, _ scratch: UnsafeMutablePointer<Float>,
    _ target: UnsafeMutablePointer<T>, _ pointStride: Int
) {
    let width = X.points * blockWidth
    for x in 0..<X.points {
        let (column, transformed) = (from + x * blockWidth, scratch + x * blockWidth)
        for part in 0..<partCount {
            let lane = part * laneCount
            Y.transform(
                { loadLanes(column + ($0 * rowStride + lane)) }, { writeLanes($1, transformed + ($0 * width + lane)) })
        }
    }
    for y in 0..<Y.points {
        let (row, transformed) = (scratch + y * width, target + y * X.points * pointStride)
        for part in 0..<partCount {
            let lane = part * laneCount
            X.transform(
                { loadLanes(row + ($0 * blockWidth + lane)) },
                { T.write($1, transformed + ($0 * pointStride + lane)) })
        }
    }
}

@inline(__always)
private func transformProducts<Y: WinogradLine, X: WinogradLine>(
    _: Y.Type, _ outputsY: Int, _: X.Type, _ outputsX: Int, _ work: borrowing WinogradOutputWork
) {
    let tiles = work.tiles
    let scratch = floats(tiles.scratch)
    let pointStride = floats(tiles.pointStride)
    let result = values(UnsafeMutableRawPointer(scratch + Y.points * X.points * blockWidth))
    let residualStart = work.residual.map { values($0) }
    let (lower, upper) = (Lanes(repeating: work.lower), Lanes(repeating: work.upper))
    for index in 0..<tiles.blockCount {
        let block = tiles.firstBlock + index
        var products = floats(work.products + index * tiles.transformedBlockStride)
        let bias = work.bias + block * blockWidth
        for tile in tiles.firstTile..<tiles.firstTile + tiles.tileCount {
            let from = products
            for x in 0..<X.points {
                let columnStart = scratch + x * blockWidth
                for part in 0..<partCount {
                    let lane = part * laneCount
                    Y.transformBack(
                        outputsY, { loadLanes(from + (($0 * X.points + x) * pointStride + lane)) },
                        { writeLanes($1, columnStart + ($0 * X.points * blockWidth + lane)) })
                }
            }
            let (row, column) = (tile / tiles.tilesAcross * outputsY, tile % tiles.tilesAcross * outputsX)
            let columns = min(outputsX, work.width - column)
            for y in 0..<min(outputsY, work.height - row) {
                let line = scratch + y * X.points * blockWidth
                let destination =
                    values(work.output + (block * work.blockStride + (row + y) * work.rowStride)) + column * blockWidth
                let residualOffset =
                    values(block * work.residualBlockStride + (row + y) * work.residualRowStride) + column * blockWidth
                let target = columns == outputsX ? destination : result
                for part in 0..<partCount {
                    let lane = part * laneCount
                    let laneBias = loadLanes(bias + lane)
                    func put(_ x: Int, _ value: Lanes) {
                        var sum = value + laneBias
                        if let residualStart, x < columns {
                            sum += loadLanes(residualStart + (residualOffset + x * blockWidth + lane))
                        }
                        writeLanes(minimum(maximum(sum, lower), upper), target + (x * blockWidth + lane))
                    }
                    X.transformBack(outputsX, { loadLanes(line + ($0 * blockWidth + lane)) }, { put($0, $1) })
                }
                if columns < outputsX {
                    for x in 0..<columns { write(load(result + x * blockWidth), destination + x * blockWidth) }
                }
                if let activation = work.activation {
                    activate(activation, destination, width: columns * blockWidth)
                }
            }
            products += blockWidth
        }
    }
}
