import CMachine
import Kernels

#if AVX512 && VNNI

    // Square windows, four pixels at a time. The bytes of four adjacent pixels, a *quartet*, are transposed once for each row of
    // the window: a word for each channel. One instruction then multiplies four taps. An output that begins at a later pixel
    // of the quartet multiplies the same words with shifted weights, and the next quartet with the rest of them.

    /// A value for each row of the window.
    protocol WindowRows {
        static var count: Int { get }
        init(_ row: (Int) -> Words)
        /// Calls `body` with the values for each row of this window and another.
        func forEachRow(with other: Self, _ body: (Words, Words) -> Void)
    }

    struct ThreeWindowRows: WindowRows {
        private let rows: (Words, Words, Words)
        static var count: Int { 3 }

        @inline(__always) init(_ row: (Int) -> Words) { rows = (row(0), row(1), row(2)) }
        @inline(__always) func forEachRow(with other: Self, _ body: (Words, Words) -> Void) {
            body(rows.0, other.rows.0)
            body(rows.1, other.rows.1)
            body(rows.2, other.rows.2)
        }
    }

    struct FiveWindowRows: WindowRows {
        private let rows: (Words, Words, Words, Words, Words)
        static var count: Int { 5 }

        @inline(__always) init(_ row: (Int) -> Words) { rows = (row(0), row(1), row(2), row(3), row(4)) }
        @inline(__always) func forEachRow(with other: Self, _ body: (Words, Words) -> Void) {
            body(rows.0, other.rows.0)
            body(rows.1, other.rows.1)
            body(rows.2, other.rows.2)
            body(rows.3, other.rows.3)
            body(rows.4, other.rows.4)
        }
    }

    /// The weights for an output that begins at pixel `offset` of a quartet: those that multiply the quartet, and those that
    /// multiply the next.
    private struct OutputWeights<Rows: WindowRows> {
        private let first: Rows
        private let second: Rows
        private let offset: Int

        @inline(__always) init(_ packed: UnsafeRawPointer, offset: Int) {
            @inline(__always) func weight(_ row: Int, _ column: Int) -> Words {
                loadWords(packed + (row * Rows.count + column) * 64)
            }
            @inline(__always) func fourColumns(_ row: Int) -> Words {
                let three = weight(row, 0) | weight(row, 1) &<< 8 | weight(row, 2) &<< 16
                return Rows.count == 3 ? three : three | weight(row, 3) &<< 24
            }
            first = Rows { fourColumns($0) &<< Words(repeating: Int32(8 * offset)) }
            second = Rows { row in
                let rest = offset == 0 ? .zero : fourColumns(row).shiftedRight(by: 32 - 8 * offset)
                return Rows.count == 3 ? rest : rest | weight(row, 4) &<< Words(repeating: Int32(8 * offset))
            }
            self.offset = offset
        }

        @inline(__always) func sum(_ bias: Words, _ quartet: Rows, _ next: Rows) -> Words {
            var sum = bias
            first.forEachRow(with: quartet) { weights, words in sum = addProducts(sum, words, weights) }
            if offset + Rows.count > 4 {
                second.forEachRow(with: next) { weights, words in sum = addProducts(sum, words, weights) }
            }
            return sum
        }
    }

    extension Words {
        /// As unsigned integers.
        @inline(__always) fileprivate func shiftedRight(by bits: Int) -> Words {
            let unsigned = unsafeBitCast(self, to: SIMD16<UInt32>.self)
            return unsafeBitCast(unsigned &>> SIMD16<UInt32>(repeating: UInt32(bits)), to: Words.self)
        }
    }

    /// From one output to the next, in pixels.
    protocol HorizontalStride { static var pixels: Int { get } }
    enum StrideOne: HorizontalStride { static var pixels: Int { 1 } }
    enum StrideTwo: HorizontalStride { static var pixels: Int { 2 } }

    extension Int8Kernels {
        /// The pixels of a quartet.
        private static var quartet: Int { @inline(__always) get { 4 } }

        /// Whether rows are wide enough for `computeQuartets`.
        @inline(__always) static func hasQuartets(_ work: borrowing IntegerDepthwiseWork) -> Bool {
            work.width >= quartet / work.strideX
        }

        /// Computes four, or with stride 2 two, outputs at a time. The last ones of a row overlap those before. Reads up to three
        /// pixels past the window of the last output.
        @inline(__always)
        static func computeQuartets<Rows: WindowRows, Stride: HorizontalStride>(
            _ rows: Rows.Type, _ stride: Stride.Type, _ work: borrowing IntegerDepthwiseWork
        ) {
            let rounding = VectorRounding(work.rounding)
            if rounding.saturates {
                computeQuartets(rows, stride, work, rounding, saturates: true)
            } else {
                computeQuartets(rows, stride, work, rounding, saturates: false)
            }
        }

        /// - Parameter saturates: Known to the compiler.
        @inline(__always)
        private static func computeQuartets<Rows: WindowRows, Stride: HorizontalStride>(
            _: Rows.Type, _: Stride.Type, _ work: borrowing IntegerDepthwiseWork, _ rounding: VectorRounding,
            saturates: Bool
        ) {
            let stride = Stride.pixels
            let (bias, factors) = (loadWords(work.bias), loadFloats(work.factors))
            let weights = (
                OutputWeights<Rows>(work.weights, offset: 0), OutputWeights<Rows>(work.weights, offset: stride),
                OutputWeights<Rows>(work.weights, offset: stride == 1 ? 2 : 0),
                OutputWeights<Rows>(work.weights, offset: stride == 1 ? 3 : stride)
            )
            let rowStride = work.tapStrideY
            @inline(__always) func load(_ pixel: UnsafeRawPointer) -> Rows {
                Rows { thaw_transposed_pixels(loadBytes(pixel + $0 * rowStride)) }
            }
            @inline(__always) func outputs(
                _ quartet: Rows, _ next: Rows, _ output: UnsafeMutableRawPointer
            ) {
                @inline(__always) func value(_ weights: OutputWeights<Rows>) -> Floats {
                    thaw_floats(weights.sum(bias, quartet, next)) * factors
                }
                if stride == 1 {
                    let quantized = rounding.quantized(
                        value(weights.0), value(weights.1), value(weights.2), value(weights.3), saturates: saturates)
                    output.storeBytes(of: quantized, as: SIMD64<UInt8>.self)
                } else {
                    let (a, b) = (value(weights.0), value(weights.1))
                    let quantized = rounding.quantized(a, b, a, b, saturates: saturates)
                    write(thaw_quarter(quantized, 0), output, count: blockWidth)
                    write(thaw_quarter(quantized, 1), output + blockWidth, count: blockWidth)
                }
            }
            let step = quartet / stride
            for row in work.firstRow..<work.firstRow + work.rowCount {
                let start = work.input + row * work.strideY * work.inputRowStride
                let results = work.output + row * work.outputRowStride
                var column = 0
                var current = load(start)
                while column + step <= work.width {
                    let next = load(start + (column * stride + quartet) * blockWidth)
                    outputs(current, next, results + column * blockWidth)
                    current = next
                    column += step
                }
                if column < work.width {
                    column = work.width - step
                    let pixel = start + column * stride * blockWidth
                    outputs(load(pixel), load(pixel + quartet * blockWidth), results + column * blockWidth)
                }
            }
        }
    }

#endif
