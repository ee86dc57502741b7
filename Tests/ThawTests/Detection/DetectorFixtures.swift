import Foundation

@testable import Thaw

/// A file of the detectors in the fixtures.
func detectorPath(_ name: String) -> String { Fixtures.path("detectors/\(name)") }

func json(ofFile path: String) throws -> JSON {
    try Array(Data(contentsOf: URL(fileURLWithPath: path))).withUnsafeBytes { try JSON($0) }
}

/// The inputs and expected outputs of a detector, one object per line.
func detectorLines(_ name: String) throws -> [JSON] {
    let content = try Data(contentsOf: URL(fileURLWithPath: detectorPath(name + ".jsonl")))
    return try content.split(separator: UInt8(ascii: "\n")).map { line in
        try Array(line).withUnsafeBytes { try JSON($0) }
    }
}

/// Whether numbers agree up to an absolute difference, or a hundred-thousandth of large ones.
func agree(_ a: Double, _ b: Double, within tolerance: Double) -> Bool {
    abs(a - b) <= max(tolerance, 1e-5 * abs(b))
}

extension JSON {
    var double: Double? { if case .number(let number) = self { number } else { nil } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    /// All numbers in nested arrays, in order.
    var numbers: [Double] { double.map { [$0] } ?? elements.flatMap(\.numbers) }
}
