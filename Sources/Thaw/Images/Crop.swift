/// How a picture of any proportions comes to the width and height that a model takes.
public enum Crop: Equatable, Sendable {
    /// The whole picture, stretched.
    case fill
    /// The square in the middle whose side is this fraction (over 0, up to 1) of the shorter side, stretched.
    case center(Double)
    /// The whole picture, its proportions kept, in the middle of a plain ground of this colour.
    case fit(on: Color)
}

extension Crop {
    /// Whether a picture of this size is large enough: cropped, it is only made smaller.
    func onlyShrinks(width: Int, height: Int, to newWidth: Int, _ newHeight: Int) -> Bool {
        switch self {
        case .fill: return width >= newWidth && height >= newHeight
        case .center(let fraction): return fraction * Double(min(width, height)) >= Double(max(newWidth, newHeight))
        case .fit: return width >= newWidth || height >= newHeight
        }
    }
}

extension Pixels {
    /// The picture cropped as `crop` says and resized as `resize` says.
    ///
    /// Edges that `crop` puts between two pixels go to the nearest one, halves up.
    public func fitted(
        width newWidth: Int, height newHeight: Int, crop: Crop = .fill, resize: ResizeMethod = .pillow
    ) -> Pixels {
        switch crop {
        case .fill:
            return resized(width: newWidth, height: newHeight, from: 0..<width, 0..<height, by: resize)
        case .center(let fraction):
            let side = fraction * Double(min(width, height))
            return resized(
                width: newWidth, height: newHeight, from: centered(side, within: width), centered(side, within: height),
                by: resize)
        case .fit(let ground):
            let scale = min(Double(newWidth) / Double(width), Double(newHeight) / Double(height))
            let columns = centered((Double(width) * scale).nearest, within: newWidth)
            let rows = centered((Double(height) * scale).nearest, within: newHeight)
            let isGray = channels == 1 && ground.isGray
            let picture = resized(width: columns.count, height: rows.count, from: 0..<width, 0..<height, by: resize)
            return (isGray ? picture : picture.converted(to: .rgb)).placed(
                in: (newWidth, newHeight), at: (columns.lowerBound, rows.lowerBound), on: ground)
        }
    }

    /// The picture on a ground of the given colour, its first pixel at `origin`.
    func placed(in size: (Int, Int), at origin: (Int, Int), on ground: Color) -> Pixels {
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

/// The pixels of a stretch of `side` in the middle of `extent`: the edges (extent ± side)/2, rounded; never none.
private func centered(_ side: Double, within extent: Int) -> Range<Int> {
    let first = min(Int(((Double(extent) - side) / 2).nearest), extent - 1)
    let end = Int(((Double(extent) + side) / 2).nearest)
    return max(first, 0)..<min(max(end, first + 1), extent)
}

extension Double {
    /// The nearest whole number, of two as near the larger.
    fileprivate var nearest: Double { (self + 0.5).rounded(.down) }
}
