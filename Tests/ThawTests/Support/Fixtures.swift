import Foundation

@testable import Thaw

/// The files that tests read: those in the project, and the shared material if it is available.
enum Fixtures {
    /// `Tests/Fixtures`.
    static let folder: URL = {
        var url = URL(fileURLWithPath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Fixtures")
    }()

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The rows of a table with a header line, each as an array of columns.
    static func table(_ name: String) -> [[String]] {
        let text = try! String(contentsOfFile: path(name), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The folder of shared test material, or nil if it is absent: `THAW_SHARED`, or `shared` next to the project.
    static let shared: URL? = {
        let beside = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let url =
            ProcessInfo.processInfo.environment["THAW_SHARED"].map { URL(fileURLWithPath: $0) }
            ?? beside.appendingPathComponent("shared")
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }()
}

/// The largest difference of `actual` from `expected`, relative to the larger of 1 and the range of the expected values.
func difference(_ actual: Tensor, _ expected: Tensor) -> Float {
    let a = actual.floats
    let b = expected.floats
    guard a.count == b.count, let low = b.min(), let high = b.max() else { return a.count == b.count ? 0 : .infinity }
    return zip(a, b).reduce(Float(0)) { worst, pair in
        if pair.0 == pair.1 || (pair.0.isNaN && pair.1.isNaN) { return worst }
        let distance = abs(pair.0 - pair.1) / max(1, high - low)
        return distance.isNaN ? .infinity : max(worst, distance)
    }
}

extension Graph {
    /// The graph's first output by the reference implementations, for an input in TensorFlow's axis order. A batch
    /// larger than the graph's is split into several runs.
    func output(for input: Tensor) -> Tensor {
        let shape = self[inputs[0].value].shape
        let pieces = input.elementCount / shape.elementCount
        let outputs = (0..<pieces).map { piece in
            let floats = input.floats[piece * shape.elementCount..<(piece + 1) * shape.elementCount]
            var tensor = Tensor(Array(floats), shape: shape)
            if channelOrder == .channelsFirst, shape.rank == 4 {
                tensor = tensor.reshaped(shape.permuted(Graph.toLast)).transposed(Graph.toFirst)
            }
            // Loops in the fixtures end.
            return try! evaluate([tensor])[0]
        }
        return pieces == 1 ? outputs[0] : Concatenation(axis: 0).evaluate(outputs.map(\.asFloat32))[0]
    }

    /// `input` in the layout of this graph's input, if its placeholder has channels first.
    func channelsLast(_ input: Tensor) -> Tensor {
        let shape = self[inputs[0].value].shape
        guard shape.rank == 4, input.shape.rank == 4, !input.shape.dropFirst().elementsEqual(shape.dropFirst()),
            input.shape.dropFirst().elementsEqual(shape.permuted(Graph.toFirst).dropFirst())
        else { return input }
        return input.transposed(Graph.toLast)
    }
}
