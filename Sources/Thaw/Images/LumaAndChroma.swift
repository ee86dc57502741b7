/// A color image as luma and two chroma channels, Y, Cb and Cr of JFIF: three gray planes of the same size.
///
/// Single-channel super-resolution networks process the luma only; the eye hardly notices that the chroma is less
/// sharp.
struct LumaAndChroma {
    var luma: Pixels
    var blue: Pixels
    var red: Pixels

    /// - Precondition: `pixels` has the channels red, green and blue.
    init(_ pixels: Pixels) {
        precondition(pixels.channels == 3)
        func plane(_ weights: [[Int]], offset: Int) -> Pixels {
            Pixels(width: pixels.width, height: pixels.height, channels: 1) { target in
                for index in target.indices {
                    let (r, g, b) = (pixels.bytes[3 * index], pixels.bytes[3 * index + 1], pixels.bytes[3 * index + 2])
                    let sum: Int = weights[0][Int(r)] + weights[1][Int(g)] + weights[2][Int(b)]
                    target[index] = UInt8(truncatingIfNeeded: (sum >> Self.fractionBits) + offset)
                }
            }
        }
        let values = 0..<256
        luma = plane(Self.weightsOfLuma, offset: 0)
        blue = plane([products(-0.16874, values), products(-0.33126, values), products(0.5, values)], offset: 128)
        red = plane([products(0.5, values), products(-0.41869, values), products(-0.08131, values)], offset: 128)
    }

    /// The chroma resized to the size of another luma by Pillow's bicubic filter.
    func with(luma: Pixels) -> LumaAndChroma {
        var result = self
        result.luma = luma
        result.blue = blue.fitted(width: luma.width, height: luma.height, resize: .bicubic)
        result.red = red.fitted(width: luma.width, height: luma.height, resize: .bicubic)
        return result
    }

    /// The image in red, green and blue with exactly this luma. (Pillow's conversion back and forth loses one level,
    /// and clipped channels, in a sharpened image, lose up to 20.) In other respects it is the color of Pillow's
    /// conversion.
    var rgb: Pixels {
        let values = -128..<128
        let redOfRed = products(1.402, values).map { $0 >> Self.fractionBits }
        let blueOfBlue = products(1.772, values).map { $0 >> Self.fractionBits }
        let (greenOfBlue, greenOfRed) = (products(-0.34414, values), products(-0.71414, values))
        let weights = Self.weightsOfLuma
        return Pixels(width: luma.width, height: luma.height, channels: 3) { target in
            for index in luma.bytes.indices {
                let (y, cb, cr) = (Int(luma.bytes[index]), Int(blue.bytes[index]), Int(red.bytes[index]))
                let green = (greenOfBlue[cb] + greenOfRed[cr]) >> Self.fractionBits
                var (r, g, b) = Self.color(y, redOfRed[cr], green, blueOfBlue[cb])
                let sum: Int = weights[0][r] + weights[1][g] + weights[2][b]
                if sum >> Self.fractionBits < y, max(r, g, b) < 255 { (r, g, b) = (r + 1, g + 1, b + 1) }
                (target[3 * index], target[3 * index + 1], target[3 * index + 2]) = (UInt8(r), UInt8(g), UInt8(b))
            }
        }
    }

    /// The color whose channels differ from its luma by these amounts. If there is none, because a channel would be
    /// out of range, it is desaturated just enough.
    private static func color(_ luma: Int, _ red: Int, _ green: Int, _ blue: Int) -> (Int, Int, Int) {
        let (low, high) = (luma + min(red, green, blue), luma + max(red, green, blue))
        if low >= 0, high <= 255 { return (luma + red, luma + green, luma + blue) }
        var share = 1.0
        if low < 0 { share = Double(luma) / Double(luma - low) }
        if high > 255 { share = min(share, Double(255 - luma) / Double(high - luma)) }
        func channel(_ difference: Int) -> Int {
            // Rounded up, because the luma of the result is rounded down.
            luma + Int((Double(difference) * share - 1e-9).rounded(.up))
        }
        return (channel(red), channel(green), channel(blue))
    }

    private static let weightsOfLuma = [0.299, 0.587, 0.114].map { products($0, 0..<256) }

    private static let fractionBits = 6
}

/// The products of a factor and each of the values, in Pillow's fixed point with 6 fractional bits. Negative products
/// are rounded as in its tables: half is added, and the fraction is truncated. Source: Pillow,
/// src/libImaging/ConvertYCbCr.c.
private func products(_ factor: Double, _ values: Range<Int>) -> [Int] {
    values.map { Int(factor * Double($0) * 64 + 0.5) }
}
