import Foundation
import Testing

@testable import Thaw

private func path(_ name: String) -> String { Fixtures.path("inputs/\(name)") }

private typealias Row = (inputs: [String: Tensor], outputs: [String: Tensor])

private func tensors(_ json: JSON?) throws -> [String: Tensor] {
    guard case .object(let members)? = json else { throw Failure.rowNotObject() }
    return try Dictionary(
        uniqueKeysWithValues: members.map { name, value in
            guard case .multiArray(let numbers, let shape) = try FeatureType.multiArray(shape: nil).value(value) else {
                throw Failure.raggedArray()
            }
            return (name, Tensor(numbers.map { Float($0) }, shape: Shape(shape)))
        })
}

/// The inputs and torch's outputs.
private func rows(_ file: String) throws -> [Row] {
    let name = String(file.prefix { $0 != "." })
    return try Data(contentsOf: URL(fileURLWithPath: path(name + ".jsonl"))).split(separator: UInt8(ascii: "\n")).map {
        let json = try Array($0).withUnsafeBytes { try JSON($0) }
        return (try tensors(json["inputs"]), try tensors(json["outputs"]))
    }
}

extension ModelRunner {
    fileprivate func run(_ row: [String: Tensor], state: ModelState? = nil) throws -> [String: Tensor] {
        let outputs = try run(row.map { (name: $0.key, value: .tensor($0.value)) }, state: state)
        return Dictionary(uniqueKeysWithValues: outputs.map { ($0.name, $0.tensor) })
    }
}

/// Whether tensors agree, in the order of rounding of float32, or of the float16 of a stateful model.
private func agree(_ found: Tensor?, _ expected: Tensor, within tolerance: Float = 1e-5) -> Bool {
    guard let found, found.shape == expected.shape else { return false }
    return zip(found.floats, expected.floats).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($1)) }
}

@Suite struct InputsTests {
    @Test(arguments: ["ranges.mlpackage", "enumerated.mlpackage", "enumerated_network.mlmodel", "optional.mlpackage"])
    func `flexible and optional arrays give torch's outputs`(_ file: String) throws {
        let runner = try ModelRunner(ModelDocument(contentsOfFile: path(file)))
        // Twice, since the engines of shapes are kept.
        for row in try rows(file) + rows(file) {
            let outputs = try runner.run(row.inputs)
            #expect(agree(outputs["y"], try #require(row.outputs["y"])), "\(row.inputs.mapValues(\.shape))")
        }
    }

    @Test(arguments: ["ranges.mlpackage", "enumerated.mlpackage", "enumerated_network.mlmodel", "optional.mlpackage"])
    func `the arrays of the command give the same outputs`(_ file: String) throws {
        for row in try rows(file) {
            var model = try Model.load(contentsOfFile: path(file)).model
            try model.setArrayShapes(row.inputs.map { (name: $0.key, shape: $0.value.shape.dimensions) })
            for byReference in [true, false] {
                let runner = try ArrayRunner(model, byReference: byReference)
                let arrays = row.inputs.map {
                    (
                        name: Optional($0.key),
                        array: $0.value
                    )
                }
                let outputs = try runner.run(arrays)
                let expected = try #require(row.outputs["y"])
                #expect(outputs.count == 1)
                #expect(zip(outputs[0].array.floats, expected.floats).allSatisfy { abs($0 - $1) < 1e-5 })
            }
        }
    }

    @Test func `shapes that a model does not have are refused`() throws {
        for (file, shape, words) in [
            ("ranges.mlpackage", [7, 5, 4], "[1…6, 1…9, 4]"), ("ranges.mlpackage", [2, 5, 5], "[1…6, 1…9, 4]"),
            ("enumerated.mlpackage", [1, 2, 6, 9], "[1, 2, 6, 8] or [1, 2, 4, 4] or [1, 2, 5, 9]"),
            ("optional.mlpackage", [3, 2], "[2, 3]"),
        ] {
            let runner = try ModelRunner(ModelDocument(contentsOfFile: path(file)))
            let tensor = Tensor(shape: Shape(shape), element: .float32) { _ in 0 }
            let failure = #expect(throws: Failure.self) { try runner.run(["x": tensor]) }
            #expect(
                failure?.code == .wrongShape && failure?.problemText.contains(words) == true,
                "\(failure?.problemText ?? "")")
        }
        let runner = try ModelRunner(ModelDocument(contentsOfFile: path("optional.mlpackage")))
        let failure = #expect(throws: Failure.self) { try runner.run([:]) }
        #expect(failure?.code == .noInput)
    }

    @Test func `everything known about arrays is shown`() throws {
        let (ranges, optional) = (
            try ModelDocument(contentsOfFile: path("ranges.mlpackage")),
            try ModelDocument(contentsOfFile: path("optional.mlpackage"))
        )
        #expect(ranges.model.arrayNotes("x") == ", of the shapes [1…6, 1…9, 4]")
        #expect(optional.model.arrayNotes("weight") == ", optional, 1.5 if it is not given")
        #expect(optional.model.arrayNotes("x").isEmpty)
        #expect(try optional.features().inputs.map(\.defaultValue) == [nil, 1.5, 0])
        #expect(try ranges.features().inputs[0].shapes == .ranges([1...6, 1...9, 4...4]))
    }

    @Test func `a state passes from run to run`() throws {
        let document = try ModelDocument(contentsOfFile: path("stateful.mlpackage"))
        let runner = try ModelRunner(document)
        let all = try rows("stateful")
        let (state, other) = (try runner.makeState(), try runner.makeState())
        #expect(state.names == ["total", "mean"] && state.tensor(named: "none") == nil)
        for row in all {
            let expected = try #require(row.outputs["y"])
            // float16 has 11 bits.
            #expect(agree(try runner.run(row.inputs, state: state)["y"], expected, within: 1e-3))
        }
        #expect(
            agree(try runner.run(all[0].inputs, state: other)["y"], try #require(all[0].outputs["y"]), within: 1e-3))
        let total = all.compactMap { $0.inputs["x"]?.floats[0] }.reduce(0, +)
        #expect(state.tensor(named: "total")?.floats[0] == total)

        // The rows of an array are a sequence too.
        let values = all.flatMap { $0.inputs["x"]!.floats }
        let array = Tensor(values, shape: [4, 2, 3])
        for byReference in [true, false] {
            let outputs = try ArrayRunner(document.model, byReference: byReference).run([(name: "x", array: array)])
            #expect(outputs.count == 1)
            let expected = all.flatMap { $0.outputs["y"]!.floats }
            #expect(zip(outputs[0].array.floats, expected).allSatisfy { abs($0 - $1) <= 1e-3 * max(1, abs($1)) })
        }
    }

    @Test func `a state is required, and belongs to its model`() throws {
        let runner = try ModelRunner(ModelDocument(contentsOfFile: path("stateful.mlpackage")))
        let stateless = try ModelRunner(ModelDocument(contentsOfFile: path("ranges.mlpackage")))
        let x = Tensor(shape: [2, 3], element: .float32) { _ in 1 }
        #expect(#expect(throws: Failure.self) { try runner.run(["x": x]) }?.code == .noInput)
        #expect(#expect(throws: Failure.self) { try stateless.makeState() }?.code == .unsupportedModel)
        let state = try runner.makeState()
        let array = Tensor(shape: [2, 5, 4], element: .float32) { _ in 1 }
        #expect(#expect(throws: Failure.self) { try stateless.run(["x": array], state: state) }?.code == .invalidOption)
        let model = try Model.load(contentsOfFile: path("stateful.mlpackage")).model
        #expect(#expect(throws: Failure.self) { try model.encoded(as: .coreMLPackage) }?.code == .unsupportedModel)
        #expect(#expect(throws: Failure.self) { try Classifier(model) }?.code == .unsupportedModel)
    }
}
