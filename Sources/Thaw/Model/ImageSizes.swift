/// A width and a height in pixels.
public struct ImageSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    public var description: String { "\(width)×\(height)" }
}

/// The sizes that a model's image may have.
public enum ImageSizes: Hashable, Sendable {
    /// One.
    case fixed
    /// Each of these, at least two; the first one unless another is asked for.
    case enumerated([ImageSize])
    /// Every width and every height between bounds.
    case range(width: ClosedRange<Int>, height: ClosedRange<Int>)

    /// Core ML knows no longer lists (coremltools' guide to flexible input shapes).
    public static let mostSizes = 128
    /// No image has more pixels a side.
    public static let longestSide = 1 << 14

    /// The size where none is asked for: the first of a list; of a range the one nearest to 224 pixels a side.
    public var standard: ImageSize? {
        switch self {
        case .fixed: nil
        case .enumerated(let sizes): sizes[0]
        case .range(let width, let height): ImageSize(width: width.nearest(224), height: height.nearest(224))
        }
    }

    public func contains(_ size: ImageSize) -> Bool {
        switch self {
        case .fixed: false
        case .enumerated(let sizes): sizes.contains(size)
        case .range(let width, let height): width.contains(size.width) && height.contains(size.height)
        }
    }

    /// The size for a picture: of a range the picture's own, made smaller or larger as a whole as far as its bounds want it;
    /// of a list the one whose proportions come nearest, and of equals the one nearest in area.
    public func nearest(to picture: ImageSize) -> ImageSize? {
        switch self {
        case .fixed: return nil
        case .enumerated(let sizes):
            func distance(_ size: ImageSize) -> (Double, Double) {
                let wide = Double(size.width) / Double(picture.width)
                let high = Double(size.height) / Double(picture.height)
                return (max(wide / high, high / wide), max(wide * high, 1 / (wide * high)))
            }
            return sizes.min { distance($0) < distance($1) }
        case .range(let width, let height):
            let (w, h) = (Double(picture.width), Double(picture.height))
            let least = max(Double(width.lowerBound) / w, Double(height.lowerBound) / h)
            let most = min(Double(width.upperBound) / w, Double(height.upperBound) / h)
            let scale = min(max(1, least), most)
            return ImageSize(
                width: width.nearest(Int((w * scale).rounded())), height: height.nearest(Int((h * scale).rounded())))
        }
    }

    /// The sizes at which a network is looked at before it is said to work at all of them, the standard one first: all of a
    /// list; of a range its corners and those next to them, where padding comes out otherwise.
    var samples: [ImageSize] {
        guard let standard else { return [] }
        var samples = [standard]
        switch self {
        case .fixed: break
        case .enumerated(let sizes): samples += sizes
        case .range(let width, let height):
            for w in [width.lowerBound, width.upperBound] {
                for h in [height.lowerBound, height.upperBound] { samples.append(ImageSize(width: w, height: h)) }
            }
            samples.append(
                ImageSize(width: width.nearest(width.lowerBound + 1), height: height.nearest(height.lowerBound + 1)))
            samples.append(
                ImageSize(width: width.nearest(width.upperBound - 1), height: height.nearest(height.upperBound - 1)))
        }
        var seen = Set<ImageSize>()
        return samples.filter { seen.insert($0).inserted }
    }
}

extension ImageSizes: CustomStringConvertible {
    /// "224×224 or 320×320", "from 128×128 to 1024×1024".
    public var description: String {
        switch self {
        case .fixed: "one size"
        case .enumerated(let sizes):
            sizes.dropLast().map(\.description).joined(separator: ", ") + " or \(sizes[sizes.count - 1])"
        case .range(let width, let height):
            "from \(width.lowerBound)×\(height.lowerBound) to \(width.upperBound)×\(height.upperBound)"
        }
    }
}

extension ClosedRange<Int> {
    fileprivate func nearest(_ number: Int) -> Int { Swift.min(Swift.max(number, lowerBound), upperBound) }
}
