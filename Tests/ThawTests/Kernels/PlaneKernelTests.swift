import Kernels
import Testing

@testable import Thaw

struct PlaneKernelTests {
    struct PoolingCase: Sendable {
        var kind = PoolingWork.Kind.maximum
        var size = 7
        var window = 3
        var stride = 2
        var pad = 1
        var countsPadding = false
    }

    @Test(
        arguments: [
            PoolingCase(), PoolingCase(kind: .average), PoolingCase(kind: .average, countsPadding: true),
            PoolingCase(size: 8, window: 2, pad: 0), PoolingCase(size: 23),
            PoolingCase(kind: .average, size: 23, stride: 1),
            PoolingCase(size: 3, window: 5, stride: 1, pad: 2),
            PoolingCase(kind: .average, size: 5, window: 3, stride: 1),
        ])
    func `pooling agrees with plain loops, and counts padding only on request`(_ c: PoolingCase) {
        let outputSize = (c.size + 2 * c.pad - c.window) / c.stride + 1
        let input = noise(2 * c.size * c.size * 16)
        var expected = [Float]()
        for block in 0..<2 {
            for y in 0..<outputSize {
                for x in 0..<outputSize {
                    for lane in 0..<16 {
                        var values = [Float]()
                        for ky in 0..<c.window {
                            for kx in 0..<c.window {
                                let row = y * c.stride + ky - c.pad
                                let column = x * c.stride + kx - c.pad
                                if (0..<c.size).contains(row), (0..<c.size).contains(column) {
                                    values.append(input[((block * c.size + row) * c.size + column) * 16 + lane])
                                }
                            }
                        }
                        let count = c.countsPadding ? c.window * c.window : values.count
                        expected.append(c.kind == .maximum ? values.max()! : values.reduce(0, +) / Float(count))
                    }
                }
            }
        }
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: expected.count))
            var work = PoolingWork(
                kind: c.kind, input: pointer(input), inputRowStride: bytes(c.size * 16),
                inputBlockStride: bytes(c.size * c.size * 16),
                inputHeight: c.size, inputWidth: c.size, output: output, outputRowStride: bytes(outputSize * 16),
                outputBlockStride: bytes(outputSize * outputSize * 16), outputWidth: outputSize, windowHeight: c.window,
                windowWidth: c.window, strideY: c.stride, strideX: c.stride, padTop: c.pad, padLeft: c.pad,
                rowCount: outputSize, blockCount: 2)
            work.countsPadding = c.countsPadding
            table.pool(work)
            #expect(error(Array(UnsafeBufferPointer(start: output, count: expected.count)), expected) < 1e-6, "\(set)")
        }
    }

    @Test func `the mean of all pixels leaves lanes past the last channel unchanged`() {
        let input = noise(2 * 35 * 16)
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 7, count: 32))
            table.sumPixels(
                PixelSumWork(
                    input: pointer(input), inputRowStride: bytes(7 * 16), inputBlockStride: bytes(35 * 16), height: 5,
                    width: 7,
                    factor: 1 / 35, output: output, channels: 20, blockCount: 2))
            for channel in 0..<20 {
                var sum: Float = 0
                for pixel in 0..<35 { sum += input[(channel / 16 * 35 + pixel) * 16 + channel % 16] }
                #expect(abs(output[channel] - sum / 35) < 1e-6, "\(set)")
            }
            #expect(output[20] == 7, "\(set)")
        }
    }

    @Test(arguments: [1, 3, 16, 24])
    func `blocking and unblocking returns the same values; the padding is zero`(channels: Int) {
        let (height, width) = (3, 5)
        let blocks = (channels + 15) / 16
        let plain = noise(height * width * channels)
        for (set, table) in kernelTables {
            // A halo of one pixel on each side.
            let row = (width + 2) * 16
            let blocked = pointer([Float](repeating: 7, count: blocks * (height + 2) * row))
            let back = pointer([Float](repeating: 7, count: plain.count + 16))
            var work = RelayoutWork(
                plain: pointer(plain), plainRowStride: bytes(width * channels), plainPixelStride: bytes(channels),
                blocked: blocked + row + 16, blockedRowStride: bytes(row),
                blockedBlockStride: bytes((height + 2) * row),
                height: height, width: width, channels: channels, blockCount: blocks)
            table.block(work)
            for y in 0..<height {
                for x in 0..<width {
                    for c in 0..<blocks * 16 {
                        let index = (c / 16 * (height + 2) + y + 1) * row + (x + 1) * 16 + c % 16
                        #expect(blocked[index] == (c < channels ? plain[(y * width + x) * channels + c] : 0), "\(set)")
                    }
                }
            }
            #expect(blocked[row] == 7, "\(set) wrote into the halo")
            work.plain = UnsafeMutableRawPointer(back)
            table.unblock(work)
            #expect(Array(UnsafeBufferPointer(start: back, count: plain.count)) == plain, "\(set)")
            #expect(back[plain.count] == 7, "\(set) wrote past the end")
        }
    }

    @Test(arguments: [1, 3, 4])
    func `8-bit pixels are scaled and shifted per channel`(channels: Int) {
        let width = 21 * channels
        let pixels = noise(2 * width).map { UInt8(($0 + 1) * 127) }
        let scale = (0..<channels).map { Float($0 + 1) / 100 }
        let bias = (0..<channels).map { Float($0) - 1 }
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 7, count: 2 * (width + 8)))
            table.loadPixels(
                PixelLoadWork(
                    pixels: pointer(pixels), pixelRowStride: width,
                    scale: pointer((0..<48).map { scale[$0 % channels] }),
                    bias: pointer((0..<48).map { bias[$0 % channels] }), output: output,
                    outputRowStride: bytes(width + 8),
                    width: width, rowCount: 2))
            for row in 0..<2 {
                for x in 0..<width {
                    let expected = Float(pixels[row * width + x]) * scale[x % channels] + bias[x % channels]
                    #expect(output[row * (width + 8) + x] == expected, "\(set)")
                }
                #expect(output[row * (width + 8) + width] == 7, "\(set)")
            }
        }
    }
}
