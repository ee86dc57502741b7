/// A model's record of its quantization.
public struct QuantizationRecord: Hashable, Sendable {
    /// The number of photos on which the quantized model was compared with the original; 0 if it was not.
    public var photoCount: Int
    /// The number of these photos with a different top label.
    public var changedCount: Int
    /// The quantization parameters of values, by the names of the nodes that compute them, if the model's format cannot
    /// express them.
    var parameters: [String: QuantizationParameters] = [:]
    /// The names of the layers that are computed in floating point although their inputs are quantized.
    var kept: [String] = []

    /// The effect of the quantization, without the parameters.
    public init(photoCount: Int, changedCount: Int) {
        (self.photoCount, self.changedCount) = (photoCount, changedCount)
    }
}

// MARK: In metadata

extension QuantizationRecord {
    /// The metadata key.
    static let key = "thaw.quantization"

    /// An object in JSON: see docs/quantizing.md.
    var json: String {
        let parameters = parameters.keys.sorted().map { name in
            (
                key: name,
                value: JSON.array([
                    .numeral("\(self.parameters[name]!.scale)"), .numeral("\(self.parameters[name]!.zeroPoint)"),
                ])
            )
        }
        return JSON.object([
            ("version", .numeral("1")), ("photos", .numeral("\(photoCount)")), ("changed", .numeral("\(changedCount)")),
            ("float", .array(kept.map { .string($0) })), ("codes", .object(parameters)),
        ]).text
    }

    /// Any network's values have scales in this range.
    private static let scales = 0x1p-64...0x1p64

    /// - Throws: `Failure` describing the problem with the text.
    init(json text: String) throws {
        var text = text
        let json = try text.withUTF8 { try JSON(UnsafeRawBufferPointer($0)) }
        guard json["version"] == .number(1) else { throw Failure.quantizationCorrupt("its version is not 1") }
        func count(_ key: String) throws -> Int {
            guard case .number(let number)? = json[key], let count = Int(exactly: number), count >= 0 else {
                throw Failure.quantizationCorrupt("'\(key)' is not a number of photos")
            }
            return count
        }
        self.init(photoCount: try count("photos"), changedCount: try count("changed"))
        guard changedCount <= photoCount else {
            throw Failure.quantizationCorrupt("\(changedCount) of \(photoCount) labels changed")
        }
        guard case .array(let names)? = json["float"], case .object(let members)? = json["codes"] else {
            throw Failure.quantizationCorrupt("'float' or 'codes' is missing")
        }
        kept = try names.map {
            guard let name = $0.string else { throw Failure.quantizationCorrupt("'float' is not a list of names") }
            return name
        }
        for (name, value) in members {
            guard case .array(let numbers) = value, numbers.count == 2, case .number(let scale) = numbers[0],
                case .number(let point) = numbers[1], QuantizationRecord.scales.contains(scale),
                let zeroPoint = Int(exactly: point), 0...255 ~= zeroPoint
            else { throw Failure.quantizationCorrupt("the scale and zero point of '\(name)' are invalid") }
            parameters[name] = QuantizationParameters(scale: Float(scale), zeroPoint: zeroPoint)
        }
    }
}
