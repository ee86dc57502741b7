/// How a photo of any aspect ratio is fitted to the width and height that a model expects.
public enum Crop: Equatable, Sendable {
    /// The whole photo, stretched.
    case fill
    /// The center square whose side is this fraction (more than 0, up to 1) of the shorter side, resized.
    case center(Double)
    /// The whole photo with its aspect ratio preserved, centered on a background of this color.
    case fit(on: RGBColor)
}

extension Crop {
    /// Reads `fill`, `fit`, `center`, or `center:F` with a fraction; nil for anything else.
    /// - Parameter background: The background if the text is `fit`.
    public init?(_ text: String, background: RGBColor = .black) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts[0] {
        case "fill" where parts.count == 1: self = .fill
        case "fit" where parts.count == 1: self = .fit(on: background)
        case "center":
            guard let fraction = parts.count == 1 ? 1 : Double(parts[1]), fraction > 0, fraction <= 1 else {
                return nil
            }
            self = .center(fraction)
        default: return nil
        }
    }

    /// - Throws: `Failure` for a fraction that is not greater than 0 and at most 1.
    func check() throws {
        guard case .center(let fraction) = self else { return }
        guard fraction > 0, fraction <= 1 else { throw Failure.cropFraction(fraction) }
    }

    /// Whether a photo of this size is large enough that, after cropping, it is only scaled down.
    func onlyShrinks(width: Int, height: Int, to newWidth: Int, _ newHeight: Int) -> Bool {
        switch self {
        case .fill: return width >= newWidth && height >= newHeight
        case .center(let fraction): return fraction * Double(min(width, height)) >= Double(max(newWidth, newHeight))
        case .fit: return width >= newWidth || height >= newHeight
        }
    }
}

/// A rectangle of an image, in pixels.
struct PixelArea: Equatable, Sendable {
    var columns: Range<Int>
    var rows: Range<Int>
}

extension Crop {
    /// The part of a photo that a model sees, and the part of the model's image that it fills.
    ///
    /// Edges between two pixels are rounded to the nearest one, halves up.
    func areas(
        width: Int, height: Int, to newWidth: Int, _ newHeight: Int
    ) -> (source: PixelArea, destination: PixelArea) {
        let whole = PixelArea(columns: 0..<width, rows: 0..<height)
        let target = PixelArea(columns: 0..<newWidth, rows: 0..<newHeight)
        switch self {
        case .fill: return (whole, target)
        case .center(let fraction):
            let side = fraction * Double(min(width, height))
            return (PixelArea(columns: centered(side, within: width), rows: centered(side, within: height)), target)
        case .fit:
            let scale = min(Double(newWidth) / Double(width), Double(newHeight) / Double(height))
            let columns = centered((Double(width) * scale).nearest, within: newWidth)
            let rows = centered((Double(height) * scale).nearest, within: newHeight)
            return (whole, PixelArea(columns: columns, rows: rows))
        }
    }
}

extension Pixels {
    /// The image cropped by `crop` and resized by `resize`.
    public func fitted(
        width newWidth: Int, height newHeight: Int, crop: Crop = .fill, resize: ResizeMethod = .pillow
    ) -> Pixels {
        let (source, destination) = crop.areas(width: width, height: height, to: newWidth, newHeight)
        let image = resized(
            width: destination.columns.count, height: destination.rows.count, from: source.columns, source.rows,
            by: resize)
        guard case .fit(let ground) = crop else { return image }
        let isGray = channels == 1 && ground.isGray
        return (isGray ? image : image.converted(to: .rgb)).placed(
            in: (newWidth, newHeight), at: (destination.columns.lowerBound, destination.rows.lowerBound), on: ground)
    }

    /// The image on a background of the given color, with its first pixel at `origin`.
    func placed(in size: (Int, Int), at origin: (Int, Int), on ground: RGBColor) -> Pixels {
        let color = [ground.red, ground.green, ground.blue]
        return Pixels(width: size.0, height: size.1, channels: channels) { target in
            for index in target.indices { target[index] = color[index % channels] }
            for y in 0..<height {
                let to = ((origin.1 + y) * size.0 + origin.0) * channels
                let from = y * width * channels
                _ = target[to...].update(fromContentsOf: bytes[from..<(from + width * channels)])
            }
        }
    }
}

/// The pixels of a range of length `side` centered in `extent`: the edges (extent ± side)/2, rounded, but never
/// empty.
private func centered(_ side: Double, within extent: Int) -> Range<Int> {
    let first = min(Int(((Double(extent) - side) / 2).nearest), extent - 1)
    let end = Int(((Double(extent) + side) / 2).nearest)
    return max(first, 0)..<min(max(end, first + 1), extent)
}

extension Double {
    /// The nearest integer, halves rounded up.
    fileprivate var nearest: Double { (self + 0.5).rounded(.down) }
}

extension Failure {
    fileprivate static func cropFraction(_ fraction: Double) -> Failure {
        Failure(
            .invalidOption, "the fraction of the crop is \(fraction)",
            remedy: "expected a number greater than 0 and at most 1")
    }
}
