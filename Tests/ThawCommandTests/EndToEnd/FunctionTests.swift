import Foundation
import Testing

/// `--function`, in every command that loads a model.
@Suite struct FunctionTests {
    private static let model = Project.fixture("sequences/functions.mlpackage")
    private static let photo = Project.photograph("cat")
    private static let array = Project.fixture("generators/style.input0.npy")

    private static func commands(_ model: String) -> [[String]] {
        [
            ["classify", model, photo], ["evaluate", model, Project.fixture("photographs")],
            ["apply", model, photo, "-o", "out.png"], ["run", model, "x=" + array, "-o", "y.npy"],
            ["run", model, "x=" + array, "-o", "y.npy", "--layout", "native"], ["compare", model, model, photo],
            ["benchmark", model], ["inspect", model], ["quantize", model, photo, "-o", "out.mlpackage"],
            ["compress", model, "-o", "out.mlpackage", "--weights", "int8"], ["serve", model, "--port", "0"],
        ]
    }

    @Test(arguments: Self.commands(Self.model)) func `an unknown function is refused`(_ arguments: [String]) throws {
        let outcome = try Thaw.run(arguments + ["--function", "triple"], in: TemporaryFolder())
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("the model has no function 'triple'; it has 'double', 'negate'"),
            "\(outcome.errors)")
    }

    @Test(arguments: [nil, "negate", "double"]) func `a function is described and measured`(_ name: String?) throws {
        let function = name.map { ["--function", $0] } ?? []
        let inspected = try Thaw.run(["inspect", Self.model] + function)
        #expect(inspected.output.contains(name == "double" ? "doubled: " : "negated: "), "\(inspected.output)")
        let measured = try Thaw.run(["benchmark", Self.model, "--seconds", "0.02"] + function)
        #expect(measured.status == 0, "\(measured.errors)")
    }

    @Test func `--function is refused for a graph`() throws {
        let outcome = try Thaw.run("benchmark", Project.demo, "--function", "main")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--function is for Core ML models with several functions"), "\(outcome.errors)")
    }
}
