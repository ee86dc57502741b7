import Foundation
import Testing

@testable import Thaw

@Suite struct CompressTests {
    private func converted(_ name: String = "m.mlmodel") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let arguments = ["convert", Project.demo, "--labels", Project.demoLabels, "-o", name, "--weights", "float32"]
        #expect(try Thaw.run(arguments, in: folder).status == 0)
        return folder
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"])
    func `the sizes and the difference of outputs are printed`(
        _ name: String
    ) throws {
        let folder = try converted(name)
        let result = "small" + name.dropFirst()
        let outcome = try Thaw.run(
            "compress", name, "-o", result, "--weights", "palette6", "--verify", Project.photograph("cat"),
            Project.photograph("horse"), in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let pattern =
            #/wrote small\.\w+: 0\.[23] MB, 2\d\.\d% of the 1\.1 MB before, Core ML version [37], for iOS 1[26] .*\n/#
        #expect(outcome.errors.wholeMatch(of: pattern) != nil, "\(outcome.errors)")
        #expect(outcome.lines.first == "images               2")
        #expect(outcome.lines[1].hasPrefix("largest difference   0."))
        #expect(outcome.lines[2].wholeMatch(of: #/top label            the same on [12] of 2/#) != nil)
        // No tolerance was given.
        #expect(!outcome.output.contains("agree") && !outcome.output.contains("tolerance"))
    }

    @Test func `a tolerance turns the difference into success or failure`() throws {
        let folder = try converted()
        let arguments = [
            "compress", "m.mlmodel", "-o", "s.mlmodel", "--weights", "palette4", Project.photograph("cat"),
        ]
        let strict = try Thaw.run(
            arguments + ["--verify", Project.photograph("horse"), "--tolerance", "1e-6"], in: folder)
        #expect(strict.status == 1)
        #expect(strict.lines.last == "                     the models disagree")
        #expect(strict.output.contains("\ntolerance            1e-06 of the range\n"))
        let loose = try Thaw.run(arguments + ["--verify", Project.photograph("horse"), "--tolerance", "1"], in: folder)
        #expect(loose.status == 0)
        #expect(loose.lines.last == "                     the models agree")
        let half = try Thaw.run(
            "compress", "m.mlmodel", "-o", "h.mlmodel", "--weights", "float16", "--verify", Project.photograph("cat"),
            in: folder)
        #expect(half.status == 0)
        #expect(half.lines.last == "                     the models agree")
    }

    @Test func `a conversion to short weights uses the tolerance of 16 bits, or the top labels below that`() throws {
        let folder = try TemporaryFolder()
        func convert(_ weights: String, _ further: String...) throws -> Thaw.Outcome {
            try Thaw.run(
                [
                    "convert", Project.demo, "--labels", Project.demoLabels, "--weights", weights, "-o", "m.mlmodel",
                    "--verify", Project.photograph("rocket"),
                ] + further, in: folder)
        }
        let half = try convert("float16")
        #expect(half.status == 0 && half.lines.last == "                     the models agree")
        #expect(half.output.contains("tolerance            0.02 of the range\n"))
        let palette = try convert("palette4")
        #expect(palette.status == 1)
        #expect(palette.lines.last == "                     fewer than 90% of the top labels are kept")
        let strict = try convert("int8", "--tolerance", "1e-6")
        #expect(strict.status == 1 && strict.lines.last == "                     the models disagree")
        let byLabels = try convert("int8")
        #expect(byLabels.status == 0 && !byLabels.output.contains("tolerance"))
    }

    @Test func `a model may replace itself, unless that is forbidden`() throws {
        let folder = try converted()
        let before = try folder.data("m.mlmodel")
        let arguments = ["compress", "m.mlmodel", "-o", "./m.mlmodel", "--weights", "int8"]
        #expect(try Thaw.run(arguments + ["--no-clobber"], in: folder).status == 2)
        #expect(try folder.data("m.mlmodel") == before)
        let outcome = try Thaw.run(arguments + ["--verify", Project.photograph("cat")], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("top label            the same on 1 of 1\n"))
        #expect(try folder.data("m.mlmodel").count < before.count / 3)
        #expect(try folder.names == ["m.mlmodel"])
        let again = try Thaw.run(arguments, in: folder)
        #expect(again.status == 2)
        #expect(
            again.errors
                == "thaw: m.mlmodel: the weights are already compressed; compress the original model, to avoid losing accuracy twice\n"
        )
    }

    /// Values between -0.5 and 0.5.
    private static func numbers(_ count: Int) -> [Float] {
        (0..<count).map { (index: Int) -> Float in
            let remainder = Float(index * 7919 % 997)
            return remainder / 997 - 0.5
        }
    }

    @Test func `layers that stay int8 are listed with the reason, and --verify is suggested`() throws {
        let folder = try TemporaryFolder()
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 6, 6, 32]))
        let one = Window(height: .init(size: 1), width: .init(size: 1))
        let numbers = Self.numbers(64 * 32)
        let first = Convolution(filters: Tensor(numbers, shape: [1, 1, 32, 64]), bias: nil, window: one)
        let depthwise = DepthwiseConvolution(filters: Tensor(Array(numbers[..<64]), shape: [1, 1, 64, 1]), window: one)
        let last = Convolution(filters: Tensor(numbers, shape: [1, 1, 64, 32]), bias: nil, window: one)
        let expanded = try builder.add(first, [input], name: "expand")[0]
        let middle = try builder.add(depthwise, [expanded], name: "depthwise")[0]
        builder.output("output", try builder.add(last, [middle], name: "project")[0])
        try Model(graph: builder.graph).write(toFile: folder.url.appendingPathComponent("m.mlmodel").path)
        for (type, isListed) in [("palette6", true), ("palette8", false), ("int8", false)] {
            let outcome = try Thaw.run("compress", "m.mlmodel", "--weights", type, "-o", "s.mlmodel", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let expected =
                "1 of 2 layers are stored as int8, because they feed depthwise convolutions, in which errors do not average out: expand\n"
            #expect(outcome.errors.contains(expected) == isListed, "\(outcome.errors)")
            #expect(outcome.errors.contains("--verify PHOTOS") == (type != "int8"), "\(outcome.errors)")
        }
    }

    @Test func `a conversion reports if nothing was compressed`() throws {
        let folder = try TemporaryFolder()
        let arguments = [
            "convert", Project.demo, "--labels", Project.demoLabels, "-o", "m.mlmodel", "--weights", "int8",
        ]
        let outcome = try Thaw.run(arguments + ["--min-elements", "10000000"], in: folder)
        #expect(outcome.status == 0)
        let note = "--weights int8 compressed nothing: no convolution and no dense layer has 10000000 weights or more; "
        #expect(outcome.errors.contains(note), "\(outcome.errors)")
        #expect(try !Thaw.run(arguments, in: folder).errors.contains("compressed nothing"))
    }

    @Test func `keeping fewer than nine in ten top labels is a failure`() throws {
        let folder = try converted()
        let photographs = try FileManager.default.contentsOfDirectory(atPath: Project.fixture("photographs"))
            .filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".png") }.sorted().map {
                Project.fixture("photographs/\($0)")
            }
        for type in ["int8", "palette4"] {
            let outcome = try Thaw.run(
                [
                    "compress", "m.mlmodel", "-o", "s.mlmodel", "--weights", type, "--depthwise", "--min-elements", "1",
                    "--verify",
                ]
                    + photographs, in: folder)
            let line = try #require(outcome.lines.first { $0.hasPrefix("top label") })
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            let isKept = numbers[0] >= 0.9 * numbers[1]
            #expect(outcome.status == (isKept ? 0 : 1))
            #expect(outcome.output.contains("fewer than 90% of the top labels are kept") == !isKept)
        }
    }

    @Test func `copies of shared weights in a neural network are reported with their size`() throws {
        let folder = try TemporaryFolder()
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType([1, 128]))
        let matrix = Tensor(Self.numbers(128 * 128), shape: [128, 128])
        for index in 0..<6 { value = try builder.add(Dense(matrix: matrix), [value], name: "dense\(index)")[0] }
        builder.output("output", value)
        try Model(graph: builder.graph).write(toFile: folder.url.appendingPathComponent("m.mlmodel").path)
        let arguments = ["compress", "m.mlmodel", "--weights", "float16", "-o"]
        let network = try Thaw.run(arguments + ["n.mlmodel"], in: folder)
        #expect(network.status == 0)
        #expect(
            network.errors.contains(
                "several layers use the same weights, and a neural network stores them once per layer: 0.2 MB of the 0.2 MB are copies; a .mlpackage stores shared weights once\n"
            ), "\(network.errors)")
        let program = try Thaw.run(arguments + ["p.mlpackage"], in: folder)
        #expect(program.status == 0)
        #expect(!program.errors.contains("copies"), "\(program.errors)")
    }

    @Test(
        arguments: [
            ([], "the model is missing"),
            (["MODEL"], "--out FILE is missing"),
            (["MODEL", "-o", "s.mlmodel"], "--weights int8|palette8|palette6|palette4|float16 is missing"),
            (
                ["MODEL", "-o", "s.mlmodel", "--weights", "float32"],
                "--weights: invalid value 'float32'; expected int8, palette8, palette6, palette4 or float16"
            ),
            (["MODEL", "-o", "s.mlmodel", "--weights", "palette5"], "--weights: invalid value 'palette5'; expected "),
            (["MODEL", "-o", "s.onnx", "--weights", "int8"], "--out: invalid value 's.onnx'; expected "),
            (["MODEL", "x", "-o", "s.mlmodel", "--weights", "int8"], "unexpected argument 'x'"),
            (
                ["MODEL", "-o", "s.mlmodel", "--weights", "int8", "--tolerance", "1"],
                "--tolerance has no effect without --verify"
            ),
            (["none.mlmodel", "-o", "s.mlmodel", "--weights", "int8"], "none.mlmodel: no such file"),
            (
                ["GRAPH", "-o", "s.mlmodel", "--weights", "int8"],
                "GRAPH: is a TensorFlow graph; expected a Core ML model; "
                    + "'thaw convert' with --weights converts and compresses it"
            ),
            (
                ["MODEL", "-o", "s.mlmodel", "--weights", "int8", "--target", "iOS11"],
                "MODEL: --weights int8 needs iOS 12 and macOS 10.14; the target is iOS 11 and macOS 10.13"
            ),
            (
                ["MODEL", "-o", "s.mlpackage", "--weights", "palette4", "--target", "iOS15"],
                "MODEL: --weights palette4 needs iOS 16 and macOS 13; the target is iOS 15 and macOS 12"
            ),
            (
                ["ARRAY", "-o", "s.mlmodel", "--weights", "int8", "--min-elements", "1", "--verify", "PHOTO"],
                "ARRAY: --verify needs a network that takes an image; "
            ),
        ])
    func `missing and invalid arguments are refused`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let model = Project.fixture("coreml/rgb.mlmodel")
        let array = Project.fixture("coreml/array.mlmodel")
        func placed(_ text: String) -> String {
            text.replacingOccurrences(of: "MODEL", with: model).replacingOccurrences(of: "GRAPH", with: Project.demo)
                .replacingOccurrences(of: "ARRAY", with: array)
                .replacingOccurrences(of: "PHOTO", with: Project.photograph("cat"))
        }
        let outcome = try Thaw.run(["compress"] + arguments.map(placed), in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("thaw: " + placed(message)), "\(outcome.errors)")
        #expect(try folder.names == [])
    }
}
