import Thaw

// Parsers of option values. Each throws a `Failure` that says what was expected.

/// The size of an image, or the sizes that it may have.
struct SizeChoice: Equatable, Sendable {
    /// The default size.
    let defaultSize: ImageSize
    let sizes: ImageSizes

    /// Reads `224x224`, `224x224,320x320` and `128..1024x128..1024`.
    init(_ text: String) throws {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let all = try parts.map { try SizeChoice.ranges(of: $0, in: text) }
        let isRange = all.contains { $0.width.count > 1 || $0.height.count > 1 }
        guard !isRange || all.count == 1 else {
            throw Failure.badValue(text, "either a list of sizes, as in 224x224,320x320, or one range")
        }
        defaultSize = ImageSize(width: all[0].width.lowerBound, height: all[0].height.lowerBound)
        if isRange {
            sizes = .range(width: all[0].width, height: all[0].height)
        } else if all.count > 1 {
            let list = all.map { ImageSize(width: $0.width.lowerBound, height: $0.height.lowerBound) }
            if let duplicate = list.first(where: { size in list.count { $0 == size } > 1 }) {
                throw Failure.badValue(text, "each size once, not \(duplicate.optionText) twice")
            }
            guard list.count <= ImageSizes.maximumCount else {
                throw Failure.badValue(
                    "\(list.count) sizes", "a list of at most \(ImageSizes.maximumCount), or a range")
            }
            sizes = .enumerated(list)
        } else {
            sizes = .fixed
        }
    }

    /// A size whose sides are each one number, or a range like `128..1024`.
    private static func ranges(
        of size: Substring, in text: String
    ) throws -> (width: ClosedRange<Int>, height: ClosedRange<Int>) {
        let sides = try size.split(separator: "x", omittingEmptySubsequences: false).map { side in
            let ends = side.split(separator: "..", omittingEmptySubsequences: false).map { integer($0) }
            guard 1...2 ~= ends.count, let first = ends[0], let last = ends[ends.count - 1], first > 0,
                max(first, last) <= ImageSizes.longestSide
            else { throw malformed(text) }
            guard first <= last else {
                throw Failure.badValue(text, "a range from the smaller to the larger side, as in \(last)..\(first)")
            }
            return first...last
        }
        guard sides.count == 2 else { throw malformed(text) }
        return (sides[0], sides[1])
    }

    private static func malformed(_ text: String) -> Failure {
        Failure.badValue(
            text, "a width and a height in pixels, as in 224x224, 224x224,320x320 or 128..1024x128..1024")
    }
}

/// Digits only: no sign, no spaces.
private func integer(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
}

func readCount(_ text: String) throws -> Int {
    guard let count = integer(text[...]), count > 0 else {
        throw Failure.badValue(text, "an integer of at least 1")
    }
    return count
}

func readOffset(_ text: String) throws -> Int {
    let limit = 1 << 20 - 1
    guard let number = Int(text), -limit...limit ~= number else {
        throw Failure.badValue(text, "an integer from \(-limit) to \(limit)")
    }
    return number
}

/// A number of threads, or of images per run. More of them would only exhaust the machine.
func readSmallCount(_ text: String) throws -> Int {
    guard let count = integer(text[...]), 1...1024 ~= count else {
        throw Failure.badValue(text, "an integer from 1 to 1024")
    }
    return count
}

/// Several such numbers, each once, separated by commas.
func readSmallCounts(_ text: String) throws -> [Int] {
    let counts = try text.split(separator: ",", omittingEmptySubsequences: false).map { try readSmallCount(String($0)) }
    guard Set(counts).count == counts.count else { throw Failure.badValue(text, "each number once") }
    return counts
}

/// The side of an image, in pixels.
func readSide(_ text: String) throws -> Int {
    guard let side = integer(text[...]), 1...ImageSizes.longestFixedSide ~= side else {
        throw Failure.badValue(text, "a number of pixels from 1 to \(ImageSizes.longestFixedSide)")
    }
    return side
}

func readQuality(_ text: String) throws -> Int {
    guard let quality = integer(text[...]), 1...100 ~= quality else {
        throw Failure.badValue(text, "an integer from 1 to 100")
    }
    return quality
}

func readSeconds(_ text: String) throws -> Double {
    guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
        throw Failure.badValue(text, "a number of seconds greater than 0")
    }
    return seconds
}

func readTolerance(_ text: String) throws -> Double {
    guard let tolerance = Double(text), tolerance >= 0, tolerance.isFinite else {
        throw Failure.badValue(text, "a number of at least 0, as in 1e-4")
    }
    return tolerance
}

func readConfidence(_ text: String) throws -> Double {
    guard let confidence = Double(text), confidence >= 0, confidence.isFinite else {
        throw Failure.badValue(text, "a number of at least 0, as in 0.25")
    }
    return confidence
}

func readPercentage(_ text: String) throws -> Double {
    guard let percentage = Double(text), 0...100 ~= percentage else {
        throw Failure.badValue(text, "a percentage from 0 to 100, as in 2")
    }
    return percentage
}

func readOverlap(_ text: String) throws -> Double {
    guard let overlap = Double(text), 0...1 ~= overlap else {
        throw Failure.badValue(text, "a number from 0 to 1, as in 0.45")
    }
    return overlap
}

/// One number, or several separated by commas.
func readNumbers(_ text: String) throws -> [Double] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
        guard let number = Double(part), Float(number).isFinite else {
            throw Failure.badValue(text, "a number, or one per channel, separated by commas")
        }
        return number
    }
}

/// A placeholder's name, an equals sign, a value.
func readPlaceholderValue(_ text: String) throws -> PlaceholderValue {
    guard let equals = text.lastIndex(of: "="), equals != text.startIndex, text.index(after: equals) != text.endIndex
    else {
        throw Failure.badValue(text, "a placeholder's name and its value, as in is_training=false")
    }
    return PlaceholderValue(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
}

/// The text before and after the first equals sign.
struct Pair: Equatable, Sendable {
    var key: String
    var value: String
}

func readPair(_ text: String, _ expected: String) throws -> Pair {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw Failure.badValue(text, expected)
    }
    return Pair(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
}

func readMetadata(_ text: String) throws -> Pair {
    let pair = try readPair(text, "a key and its value, as in com.example.run=17")
    if pair.key.hasPrefix("thaw.") { throw Failure.reservedKey(pair.key) }
    return pair
}

func readChoice<Choice: RawRepresentable<String> & CaseIterable>(_ text: String, of _: Choice.Type) throws -> Choice {
    guard let choice = Choice(rawValue: text) else {
        throw Failure.notAChoice(text, Choice.allCases.map(\.rawValue))
    }
    return choice
}

extension Crop {
    /// Reads a crop as users write it.
    package init(parsing text: String, background: RGBColor? = nil) throws {
        guard let crop = Crop(text, background: background ?? .black) else {
            throw text.hasPrefix("center")
                ? Failure.badValue(text, "center with a fraction greater than 0 and at most 1, as in center:0.875")
                : Failure.notAChoice(text, ["fill", "center", "center:FRACTION", "fit"])
        }
        self = crop
    }
}

extension RGBColor {
    /// Reads a color as users write it.
    package init(parsing text: String) throws {
        guard let color = RGBColor(hexadecimal: text) else {
            throw Failure.badValue(text, "a color as six hexadecimal digits, #RRGGBB")
        }
        self = color
    }
}

/// The types of compressed weights.
func readShorterType(_ text: String) throws -> WeightType {
    let choices: [WeightType] = [.int8, .palette8, .palette6, .palette4, .float16]
    guard let choice = choices.first(where: { $0.rawValue == text }) else {
        throw Failure.notAChoice(text, choices.map(\.rawValue))
    }
    return choice
}

/// The name of a graph's node. Other converters name the file to write with `--output`.
func readNodeName(_ text: String) throws -> String? {
    if ModelFormat(extensionOf: text) != nil {
        throw Failure.badValue(text, "the name of a node; to name the file to write, use -o")
    }
    return text
}

/// The path of a model to write. Its extension determines the format.
func readModelPath(_ text: String) throws -> String {
    guard ModelFormat(extensionOf: text) != nil else {
        throw Failure.badValue(text, "a name that ends in .mlmodel or .mlpackage")
    }
    return text
}

/// A system as named by `--target`.
func readTarget(_ text: String) throws -> CoreMLVersion {
    guard let version = CoreMLVersion(target: text) else {
        throw Failure.badValue(
            text, "a system such as iOS11 to iOS26, macOS10.13 to macOS26, watchOS4 to watchOS26 or tvOS11 to tvOS26")
    }
    return version
}
