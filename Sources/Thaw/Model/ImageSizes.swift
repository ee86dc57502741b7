/// A width and a height in pixels.
public struct ImageSize: Hashable, Sendable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// An image size in pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    public var description: String { "\(width)×\(height)" }

    /// - Throws: `Failure` if a side is not positive or too long.
    func check(longestSide: Int = ImageSizes.longestFixedSide) throws {
        guard 1...longestSide ~= width, 1...longestSide ~= height else { throw Failure.sizeInvalid(self, longestSide) }
    }

    /// The size as options take it: "224x224".
    package var optionText: String { "\(width)x\(height)" }
}

/// The sizes that a model's image may have.
public enum ImageSizes: Hashable, Sendable {
    /// A single size.
    case fixed
    /// Any of these, at least two. The first is the default.
    case enumerated([ImageSize])
    /// Every width and every height in a range.
    case range(width: ClosedRange<Int>, height: ClosedRange<Int>)

    /// The longest list that Core ML allows (coremltools' guide to flexible input shapes).
    public static let maximumCount = 128
    /// The upper bound of any width or height of a flexible size.
    public static let longestSide = 1 << 14
    /// The upper bound of any width or height of an image.
    package static let longestFixedSide = 1 << 16

    /// The default size, unless another one is given: the first of a list, or the size in a range that is nearest to 224×224.
    public var defaultSize: ImageSize? {
        switch self {
        case .fixed: nil
        case .enumerated(let sizes): sizes.first
        case .range(let width, let height): ImageSize(width: width.nearest(224), height: height.nearest(224))
        }
    }

    /// - Throws: `Failure` if there is no size or too many, or if one has a side that is not positive or too long.
    func check() throws {
        switch self {
        case .fixed: break
        case .enumerated(let sizes):
            guard 1...ImageSizes.maximumCount ~= sizes.count else { throw Failure.sizeCount(sizes.count) }
            for size in sizes { try size.check(longestSide: Self.longestSide) }
        case .range(let width, let height):
            try ImageSize(width: width.lowerBound, height: height.lowerBound).check(longestSide: Self.longestSide)
            try ImageSize(width: width.upperBound, height: height.upperBound).check(longestSide: Self.longestSide)
        }
    }

    /// Whether an image may have this size.
    public func contains(_ size: ImageSize) -> Bool {
        switch self {
        case .fixed: false
        case .enumerated(let sizes): sizes.contains(size)
        case .range(let width, let height): width.contains(size.width) && height.contains(size.height)
        }
    }

    /// The same sizes with this default, which becomes the first of a list.
    /// - Throws: `Failure` if it is not one of them.
    func withDefault(_ size: ImageSize) throws -> ImageSizes {
        guard contains(size) else { throw Failure.defaultOutside(size, self) }
        guard case .enumerated(let sizes) = self else { return self }
        return .enumerated([size] + sizes.filter { $0 != size })
    }

    /// The best size for an image. In a range, it is the image's own size, scaled uniformly to fit the bounds. In a
    /// list, it is the size with the most similar aspect ratio, and among equals the one nearest in area.
    package func nearest(to image: ImageSize) -> ImageSize? {
        switch self {
        case .fixed: return nil
        case .enumerated(let sizes):
            func distance(_ size: ImageSize) -> (Double, Double) {
                let widthScale = Double(size.width) / Double(image.width)
                let heightScale = Double(size.height) / Double(image.height)
                let area = widthScale * heightScale
                return (max(widthScale / heightScale, heightScale / widthScale), max(area, 1 / area))
            }
            return sizes.min { distance($0) < distance($1) }
        case .range(let width, let height):
            let (w, h) = (Double(image.width), Double(image.height))
            let minScale = max(Double(width.lowerBound) / w, Double(height.lowerBound) / h)
            let maxScale = min(Double(width.upperBound) / w, Double(height.upperBound) / h)
            let scale = min(max(1, minScale), maxScale)
            return ImageSize(
                width: width.nearest(Int((w * scale).rounded())), height: height.nearest(Int((h * scale).rounded())))
        }
    }

    /// The sizes at which a network is validated, the default first: all sizes of a list; the corners of a range, and
    /// sizes next to corners, at which padding may differ.
    func samples(from defaultSize: ImageSize) -> [ImageSize] {
        var samples = [defaultSize]
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
        return samples.unique
    }
}

extension ImageSizes: CustomStringConvertible {
    /// "224×224 or 320×320", "from 128×128 to 1024×1024".
    public var description: String {
        switch self {
        case .fixed: "one size"
        case .enumerated(let sizes):
            [sizes.dropLast().map(\.description).joined(separator: ", "), sizes.last?.description ?? "no size"]
                .filter { !$0.isEmpty }.joined(separator: " or ")
        case .range(let width, let height):
            "from \(width.lowerBound)×\(height.lowerBound) to \(width.upperBound)×\(height.upperBound)"
        }
    }
}

extension ClosedRange<Int> {
    fileprivate func nearest(_ value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
