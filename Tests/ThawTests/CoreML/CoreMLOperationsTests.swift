import Foundation
import Testing

@testable import Thaw

/// coremltools' lists of operations and layers, compared with `docs/coreml-operations.md` and with the code.
@Suite struct CoreMLOperationsTests {
    /// An operation of ML Programs or a layer of neural networks.
    struct Kind: CustomTestStringConvertible, Sendable {
        let format: String
        let name: String
        let versions: String

        static let all = Fixtures.table("coreml_operations.tsv").map {
            Kind(format: $0[0], name: $0[1], versions: $0[2])
        }

        var testDescription: String { "\(name) (\(format))" }

        var runs: Bool {
            format == "program"
                ? Operations.mil[name] != nil || ProgramReader.ownKinds.contains(name)
                : Operations.neural[name] != nil || NeuralNetworkReader.ownKinds.contains(name)
        }

        var reason: Phrase? {
            format == "program" ? Operations.refusedPrograms[name] : Operations.refusedLayers[name]
        }

        /// The row of the table.
        var row: String {
            let verdict = runs ? "runs" : "refused: \(reason.map { "\($0)" } ?? "")"
            return format == "program" ? "| `\(name)` | \(versions) | \(verdict) |" : "| `\(name)` | \(verdict) |"
        }
    }

    @Test func `the tables in the documentation match coremltools and the code`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/coreml-operations.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(
            rows == ["program", "network"].flatMap { format in Kind.all.filter { $0.format == format }.map(\.row) })
        for (format, what) in [("program", "operations of ML Programs"), ("network", "layers of neural networks")] {
            let kinds = Kind.all.filter { $0.format == format }
            let count = "\(kinds.filter(\.runs).count) of the \(kinds.count) \(what)"
            #expect(text.contains(count), "it must say \(count)")
        }
    }

    @Test(arguments: Kind.all) func `every kind has either a rule or a reason`(_ kind: Kind) {
        #expect(kind.runs == (kind.reason == nil))
    }

    @Test(arguments: Kind.all.filter { !$0.runs }) func `a kind that does not run is refused with the reason`(
        _ kind: Kind
    ) throws {
        let failure = #expect(throws: Failure.self) { try read(kind) }
        #expect(failure?.problemText.contains("of kind '\(kind.name)' are not supported") == true)
        #expect(failure?.remedy?.description == kind.reason?.description)
        #expect(failure?.code == .unsupportedOperations)
    }

    /// Reads a model whose first operation or layer is of this kind.
    private func read(_ kind: Kind) throws {
        let name = kind.format == "program" ? "programs/function_sinh.mlmodel" : "layers/fill_like.mlmodel"
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path(name)))
        var model = try data.withUnsafeBytes { try Message(.model, reading: ByteView(copying: $0)) }
        if kind.format == "program" {
            var functions: [Message] = model.mlProgram.functions
            var bodies: [Message] = functions[0].value.block_specializations
            var operations: [Message] = bodies[0].value.operations
            operations[operations.firstIndex { $0.type as String == "sinh" }!].type = kind.name
            bodies[0].value.operations = operations
            functions[0].value.block_specializations = bodies
            model.mlProgram.functions = functions
        } else {
            var layers: [Message] = model.neuralNetwork.layers
            layers[0].choose(kind.name)
            model.neuralNetwork.layers = layers
        }
        _ = try ModelReader.run(model)
    }
}
