import Kernels

extension Float32Kernels {
    public static func copyRows(_ work: borrowing RowWork) {
        for row in 0..<work.count {
            (work.output + row * work.outputStride).copyMemory(
                from: work.left + row * work.leftStride, byteCount: work.width * 4)
        }
    }

    public static func loadPixels(_ work: borrowing PixelLoadWork) {
        for row in 0..<work.rowCount {
            let pixels = work.pixels + row * work.pixelRowStride
            let output = floats(work.output + row * work.outputRowStride)
            var index = 0
            var phase = 0
            while index + blockWidth <= work.width {
                var values = Vector.zero
                for lane in 0..<blockWidth { values[lane] = Float(pixels[index + lane]) }
                write(load(work.bias + phase) + values * load(work.scale + phase), output + index)
                index += blockWidth
                phase += blockWidth
                if phase == PixelLoadWork.patternWidth { phase = 0 }
            }
            while index < work.width {
                output[index] = work.bias[phase] + Float(pixels[index]) * work.scale[phase]
                index += 1
                phase += 1
            }
        }
    }
}
