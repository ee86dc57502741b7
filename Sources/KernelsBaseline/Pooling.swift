import Kernels

extension Table {
    public static func pool(_ work: borrowing PoolingWork) {
        switch work.kind {
        case .maximum: poolWindows(Largest.self, work)
        case .average: poolWindows(Sum.self, work)
        }
    }
}

/// How the pixels of a window are combined into one.
private protocol Combination {
    static var start: Float { get }
    static func combine(_ value: Lanes, _ pixel: Lanes) -> Lanes
}

private enum Largest: Combination {
    @inline(__always) static var start: Float { -.infinity }
    /// Ignores NaN, as TensorFlow does.
    @inline(__always) static func combine(_ value: Lanes, _ pixel: Lanes) -> Lanes { maximum(value, pixel) }
}

private enum Sum: Combination {
    @inline(__always) static var start: Float { 0 }
    @inline(__always) static func combine(_ value: Lanes, _ pixel: Lanes) -> Lanes { value + pixel }
}

private func poolWindows<C: Combination>(_: C.Type, _ work: borrowing PoolingWork) {
    switch work.strideX {
    case 1: poolRows(C.self, StrideOne.self, work)
    case 2: poolRows(C.self, StrideTwo.self, work)
    default: poolRows(C.self, AnyStride.self, work)
    }
}

private func poolRows<C: Combination, S: HorizontalStride>(_: C.Type, _: S.Type, _ borrowed: borrowing PoolingWork) {
    // A copy that nested functions can read.
    let work = copy borrowed
    let step = work.strideX * blockWidth
    let whole = wholeWindows(
        inputWidth: work.inputWidth, outputWidth: work.outputWidth, windowWidth: work.windowWidth,
        strideX: work.strideX, padLeft: work.padLeft)
    let runs = RunLengths(whole.count, limit: S.limit)
    for block in 0..<work.blockCount {
        for row in 0..<work.rowCount {
            let top = row * work.strideY - work.padTop
            let first = max(top, 0)
            let rows = max(min(top + work.windowHeight, work.inputHeight) - first, 0)
            let input = values(work.input + (block * work.inputBlockStride + first * work.inputRowStride))
            let output = values(work.output + (block * work.outputBlockStride + row * work.outputRowStride))
            let isAverage = work.kind == .average
            func window<T: HorizontalStride>(_: T.Type, columns: Int) -> WindowRow<C, T> {
                let area = work.countsPadding ? work.windowHeight * work.windowWidth : max(rows * columns, 1)
                return WindowRow(
                    rows: rows, columns: columns, rowStride: values(work.inputRowStride),
                    factor: isAverage ? 1 / Float(area) : 1)
            }
            func computeClipped(_ columns: Range<Int>) {
                for column in columns {
                    let left = column * work.strideX - work.padLeft
                    let start = max(left, 0)
                    let count = max(min(left + work.windowWidth, work.inputWidth) - start, 0)
                    let (from, to) = (input + start * blockWidth, output + column * blockWidth)
                    for part in 0..<partCount {
                        let lane = part * laneCount
                        window(AnyStride.self, columns: count).run(Single<AnyStride>.self, from + lane, to + lane)
                    }
                }
            }
            computeClipped(0..<whole.lowerBound)
            let left = whole.lowerBound * work.strideX - work.padLeft
            for part in 0..<partCount {
                let lane = part * laneCount
                computeRow(
                    window(S.self, columns: work.windowWidth), runs,
                    input + (left * blockWidth + lane), step: step, output + (whole.lowerBound * blockWidth + lane))
            }
            computeClipped(whole.upperBound..<work.outputWidth)
        }
    }
}

/// A row of windows with the same number of rows and columns inside the image.
private struct WindowRow<C: Combination, S: HorizontalStride>: RunKernel {
    let rows: Int
    let columns: Int
    let rowStride: Int
    let factor: Float

    @inline(__always)
    func run<R: Run>(_: R.Type, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>) where R.S == S {
        var values = R(Lanes(repeating: C.start))
        var row = input
        for _ in 0..<rows {
            var pixel = row
            for _ in 0..<columns {
                values.combine(pixel) { C.combine($0, $1) }
                pixel += blockWidth
            }
            row += rowStride
        }
        let factor = Lanes(repeating: factor)
        values.update { $0 * factor }
        values.store(output)
    }
}

extension Table {
    public static func sumPixels(_ work: borrowing PixelSumWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let input = work.input + block * work.inputBlockStride
            let y =
                planeSum(input, rows: work.height, stride: work.inputRowStride, width: work.width, identity)
                * work.factor
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            write(y, work.output + block * blockWidth, count: lanes)
        }
    }
}
