import Foundation
import Testing

@testable import Thaw

/// A graph of the shared material with one or a few operations: its inputs and TensorFlow's outputs.
private struct OperationCase: Decodable {
    struct Port: Decodable {
        let tensor: String
        let dtype: String
        let shape: [Int]
        let csv: String
    }

    struct Constant: Decodable {
        let name: String
        let shape: [Int]
    }

    let `case`: String
    let inputs: [Port]
    let outputs: [Port]
    /// Constants with an operation's data, which might as well be inputs.
    let promote: [Constant]

    static let folder = Fixtures.shared?.appendingPathComponent("ops")

    static let all: [OperationCase] = {
        guard let folder, let data = try? Data(contentsOf: folder.appendingPathComponent("cases.json")) else {
            return []
        }
        return try! JSONDecoder().decode([OperationCase].self, from: data)
    }()

    func definition() throws -> GraphDefinition {
        try GraphDefinition(contentsOfFile: Self.folder!.appendingPathComponent("\(self.case)/frozen_model.pb").path)
    }

    /// Unsorted top k: TensorFlow returns the largest elements in the order of its heap.
    private static let unordered: Set = ["topk/rank2_k5"]

    /// TensorFlow's kernels round each step to the output's type: half precision has ten fraction bits.
    /// `conv_2` adds thousands of products, and its results are close together, so that the rounding of TensorFlow's
    /// float32 sums is a larger part of their range.
    var tolerance: Float {
        if outputs.contains(where: { $0.dtype == "float16" }) { return 0x1p-10 }
        return self.case == "conv_2" ? 1e-4 : referenceTolerance
    }

    static func array(_ port: Port) throws -> Tensor {
        let text = try String(contentsOf: folder!.appendingPathComponent(port.csv), encoding: .utf8)
        let numbers = text.split(whereSeparator: \.isNewline).map { line in
            line == "True" ? 1 : line == "False" ? 0 : Float(line)!
        }
        return Tensor(numbers, shape: Shape(port.shape))
    }

    /// The input arrays by node name, for placeholders and promoted constants.
    func arrays(_ nodes: [NodeDefinition], promoting: Bool) throws -> [String: Tensor] {
        var result: [String: Tensor] = [:]
        for input in inputs { result[GraphIndex.Reference(input.tensor).node] = try Self.array(input) }
        for constant in promoting ? promote : [] {
            guard case .tensor(let tensor)? = nodes.first(where: { $0.name == constant.name })?.attributes["value"]
            else { continue }
            result[constant.name] = tensor.asFloat32
        }
        return result
    }

    /// The largest difference from TensorFlow's outputs over all outputs; infinite if a shape differs.
    func difference(promoting: Bool) throws -> Float {
        let definition = try definition()
        let arrays = try arrays(definition.nodes, promoting: promoting)
        let options = ImportOptions(outputs: outputs.map(\.tensor), arrays: arrays.mapValues(\.type))
        let graph = try Importer.run(definition, options).graph
        try graph.validate()
        let simplified = try Passes.run(Passes.simplification, on: graph)
        var worst: Float = 0
        for graph in [graph, simplified] {
            let results = try graph.evaluate(graph.inputs.map { arrays[$0.name]! })
            for (result, port) in zip(results, outputs) {
                let expected = try Self.array(port)
                guard result.shape == expected.shape else { return .infinity }
                worst = max(
                    worst,
                    Self.unordered.contains(self.case)
                        ? ThawTests.difference(result.sorted, expected.sorted)
                        : ThawTests.difference(result, expected))
            }
        }
        return worst
    }
}

extension Tensor {
    fileprivate var sorted: Tensor { Tensor(floats.sorted(), shape: shape) }
}

@Suite(.enabled(if: !OperationCase.all.isEmpty, "the shared material is absent")) struct SharedOperationTests {
    /// Prints the number of supported cases; the others are refused by name.
    @Test(arguments: [(promoting: false, supported: 269, of: 270), (promoting: true, supported: 252, of: 253)])
    func `operations give TensorFlow's outputs`(_ promoting: Bool, _ supported: Int, _ count: Int) throws {
        let cases = OperationCase.all.filter { !promoting || !$0.promote.isEmpty }
        var refused: [String] = []
        for operation in cases {
            do {
                let difference = try operation.difference(promoting: promoting)
                #expect(difference <= operation.tolerance, "\(operation.case)")
            } catch let failure as Failure {
                refused.append("\(operation.case): \(failure)")
            }
        }
        print(
            "\(cases.count - refused.count) of \(cases.count) graphs of the shared operations are supported",
            promoting ? "with constants as inputs" : "as they are")
        for line in refused { print("  refused: \(line)") }
        #expect((cases.count - refused.count, cases.count) == (supported, count))
        #expect(
            refused.allSatisfy { $0.hasPrefix("fused_batch_norm/float32_nhwc: FusedBatchNormV3 (FusedBatchNormV3): ") },
            "\(refused)")
    }
}
