extension Pixels {
    /// Looks up colors by index, one byte per pixel. Indices past the end of the palette are black.
    init(width: Int, height: Int, _ indices: [UInt8], _ palette: [RGBColor]) {
        var table = [RGBColor](repeating: .black, count: 256)
        for (index, color) in palette.prefix(256).enumerated() { table[index] = color }
        self.init(width: width, height: height, channels: 3) { target in
            for (pixel, index) in indices.enumerated() {
                let color = table[Int(index)]
                (target[3 * pixel], target[3 * pixel + 1], target[3 * pixel + 2]) = (color.red, color.green, color.blue)
            }
        }
    }
}

extension [UInt8] {
    /// Separates alpha, the last sample of each pixel, from the other samples.
    func splitAlpha(width: Int, height: Int, channels: Int) -> (pixels: Pixels, alpha: [UInt8]?) {
        let step = channels + 1
        let pixels = Pixels(width: width, height: height, channels: channels) { target in
            for pixel in 0..<width * height {
                for channel in 0..<channels { target[pixel * channels + channel] = self[pixel * step + channel] }
            }
        }
        return (pixels, stride(from: channels, to: count, by: step).map { self[$0] })
    }
}
