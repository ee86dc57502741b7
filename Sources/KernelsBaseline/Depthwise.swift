import CMachine
import Kernels

// Depthwise convolutions: each channel separately. Weights are packed `[block][tap][channels of the block]`. In bfloat16, pairs
// of adjacent taps of a row are multiplied together. (On arm64, values are widened instead.)

extension Table {
    public static func convolveDepthwise(_ work: borrowing DepthwiseWork) {
        switch work.strideX {
        case 1: computeRows(StrideOne.self, work)
        case 2: computeRows(StrideTwo.self, work)
        default: computeRows(AnyStride.self, work)
        }
    }
}

private func computeRows<S: HorizontalStride>(_: S.Type, _ work: borrowing DepthwiseWork) {
    let runs = RunLengths(work.width, limit: S.limit)
    for block in 0..<work.blockCount {
        let kernel = DepthwiseRow<S>(work, block)
        for row in work.firstRow..<work.firstRow + work.rowCount {
            let input = values(work.input + (block * work.inputBlockStride + row * work.strideY * work.inputRowStride))
            let output = values(work.output + (block * work.outputBlockStride + row * work.outputRowStride))
            for part in 0..<partCount {
                let lane = part * laneCount
                computeRow(
                    kernel.starting(at: lane), runs, input + lane, step: work.strideX * blockWidth, output + lane)
            }
            if let activation = work.activation {
                activate(activation, output, width: work.width * blockWidth)
            }
        }
    }
}

/// One row of one block, or of some of its lanes.
private struct DepthwiseRow<S: HorizontalStride>: RunKernel {
    var weights: UnsafePointer<Float>
    var bias: UnsafePointer<Float>
    let windowHeight: Int
    let windowWidth: Int
    let tapStrideY: Int
    let tapStrideX: Int
    let lower: Float
    let upper: Float

    @inline(__always) init(_ work: borrowing DepthwiseWork, _ block: Int) {
        let steps = ConvolutionSteps(tapCount: work.windowHeight, depth: work.windowWidth)
        weights = floats(work.weights + block * Table.packedDepthwiseBytes(steps))
        bias = work.bias + block * blockWidth
        windowHeight = work.windowHeight
        windowWidth = work.windowWidth
        tapStrideY = values(work.tapStrideY)
        tapStrideX = values(work.tapStrideX)
        lower = work.lower
        upper = work.upper
    }

    @inline(__always) func starting(at lane: Int) -> DepthwiseRow {
        var row = self
        row.weights += lane
        row.bias += lane
        return row
    }

    @inline(__always)
    func run<R: Run>(_: R.Type, _ input: UnsafePointer<Value>, _ output: UnsafeMutablePointer<Value>) where R.S == S {
        var sums = R(loadLanes(bias))
        var weights = weights
        var row = input
        for _ in 0..<windowHeight {
            addRow(&sums, row, &weights)
            row += tapStrideY
        }
        let (lower, upper) = (Lanes(repeating: lower), Lanes(repeating: upper))
        sums.update { minimum(maximum($0, lower), upper) }
        sums.store(output)
    }

    #if BFLOAT16 && AVX512
        /// Adds the products of a row of the window, and moves past its weights.
        @inline(__always)
        private func addRow<R: Run>(
            _ sums: inout R, _ row: UnsafePointer<Value>, _ weights: inout UnsafePointer<Float>
        ) {
            var tap = row
            let step = tapStrideX
            for _ in 0..<windowWidth / 2 {
                let weight = load(weights)
                if step == blockWidth {
                    sums.combine(at: tap) { addProducts($0, thaw_pairs_of_pixels($1), weight) }
                } else {
                    sums.combine(at: tap) { addProducts($0, thaw_pairs(loadValues($1), loadValues($1 + step)), weight) }
                }
                weights += blockWidth
                tap += 2 * step
            }
            if windowWidth % 2 == 1 {
                let weight = load(weights)
                sums.combine(at: tap) { addProducts($0, thaw_pairs(loadValues($1), .zero), weight) }
                weights += blockWidth
            }
        }

        @inline(__always)
        private func loadValues(_ pointer: UnsafePointer<Value>) -> SIMD16<Value> {
            UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<Value>.self)
        }
    #else
        @inline(__always)
        private func addRow<R: Run>(
            _ sums: inout R, _ row: UnsafePointer<Value>, _ weights: inout UnsafePointer<Float>
        ) where R.S == S {
            var tap = row
            var remaining = windowWidth
            #if AVX512 || arch(arm64)
                // The other instruction sets have too few registers to keep values for reuse.
                let slides = S.pixels == 1 || S.pixels == 2 && laneCount < blockWidth
                while slides, remaining >= 3, tapStrideX == blockWidth {
                    var seen = (loadLanes(tap), loadLanes(tap + blockWidth))
                    sums.slide(
                        tap, &seen,
                        (loadLanes(weights), loadLanes(weights + blockWidth), loadLanes(weights + 2 * blockWidth)))
                    weights += 3 * blockWidth
                    tap += 3 * blockWidth
                    remaining -= 3
                }
            #endif
            for _ in 0..<remaining {
                let weight = loadLanes(weights)
                sums.combine(tap) { multiplyAdd($0, $1, weight) }
                weights += blockWidth
                tap += tapStrideX
            }
        }
    #endif
}
