import Kernels

// The transforms of a Winograd convolution's filters, packed as the convolution kernel reads weights.

extension Float32Kernels {
    public static func transformFilters(_ work: borrowing WinogradFilterWork) {
        switch (work.form.height, work.form.width) {
        case (.two3, .two3): transformWeights(FourPoints.self, FourPoints.self, ThreeTaps.self, ThreeTaps.self, work)
        case (.four3, .four3): transformWeights(SixPoints.self, SixPoints.self, ThreeTaps.self, ThreeTaps.self, work)
        case (.two5, .two5): transformWeights(SixPoints.self, SixPoints.self, FiveTaps.self, FiveTaps.self, work)
        case (.four3, .none): transformWeights(SixPoints.self, OnePoint.self, ThreeTaps.self, OneTap.self, work)
        case (.none, .four3): transformWeights(OnePoint.self, SixPoints.self, OneTap.self, ThreeTaps.self, work)
        case (.two7, .none): transformWeights(EightPoints.self, OnePoint.self, SevenTaps.self, OneTap.self, work)
        case (.none, .two7): transformWeights(OnePoint.self, EightPoints.self, OneTap.self, SevenTaps.self, work)
        default: fatalError("unsupported Winograd form")
        }
    }
}

/// Iterates over the points row by row: each filter is read once per row, and only results leave the registers.
private func transformWeights<
    Y: WinogradLine, X: WinogradLine, Height: WinogradTapCount, Width: WinogradTapCount
>(_: Y.Type, _: X.Type, _: Height.Type, _: Width.Type, _ work: borrowing WinogradFilterWork) {
    let groupWidth = work.blockCount * blockWidth
    let pointStride = (work.inputs + blockWidth - 1) / blockWidth * blockWidth * groupWidth
    let known = work.inputs * groupWidth
    var target = floats(work.transformed)
    for row in 0..<Y.points {
        let factors = WinogradTaps<Height> {
            Lanes(repeating: Y.filterFactor(row, tap: $0, window: Height.count))
        }
        var filter = work.filters
        var destination = target
        for _ in 0..<work.inputs {
            for _ in 0..<work.blockCount {
                for part in 0..<partCount {
                    let lane = part * laneCount
                    let (taps, points) = (filter + lane, destination + lane)
                    @inline(__always) func column(_ x: Int) -> Lanes {
                        factors.sum { loadLanes(taps + ($0 &* Width.count &+ x) &* groupWidth) }
                    }
                    let line = WinogradTaps<Width>(column)
                    X.transformFilter(line) { writeLanes($1, points + $0 &* pointStride) }
                }
                filter += blockWidth
                destination += blockWidth
            }
            filter += (Height.count * Width.count - 1) * groupWidth
        }
        for x in 0..<X.points {
            (target + (x * pointStride + known)).update(repeating: 0, count: pointStride - known)
        }
        target += X.points * pointStride
    }
}
