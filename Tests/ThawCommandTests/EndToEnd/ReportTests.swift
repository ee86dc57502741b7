import Foundation
import Testing

/// The output of `thaw inspect`, and the profile of `thaw benchmark`.
@Suite struct ReportTests {
    @Test func `a graph is shown with its operations, formulas and cost`() throws {
        let graph = Project.network("mobilenet_v1_folded")
        let outcome = try Thaw.run("inspect", graph, "--labels", Project.labels("mobilenet_v1_folded"))
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(
            outcome.output == """
                file            \(graph)
                format          a frozen TensorFlow graph
                size            15.9 KB
                nodes           21  Const
                                10  BiasAdd
                                 9  Relu6
                                 6  Conv2D
                                 4  DepthwiseConv2dNative
                                 2  Reshape
                                 1  AvgPool
                                 1  Placeholder
                                 1  Softmax
                                 1  Squeeze
                weights         1,990  float32  8.0 KB
                inputs          input: an image, 32×32, rgb
                preprocessing   red: y = 0.00784314 · x − 1
                                green: y = 0.00784314 · x − 1
                                blue: y = 0.00784314 · x − 1
                outputs         classLabel: the top label
                                MobilenetV1/Predictions/Reshape_1: the probability of each label, float32[1, 10]
                labels          10, from 'airplane' to 'truck'
                operations      9  Relu6
                                6  Convolution
                                4  DepthwiseConvolution
                                1  AveragePooling
                                1  Reshape
                                1  Softmax
                parameters      1,990
                multiply-adds   151,792

                """)
    }

    @Test func `a Core ML model is shown with its version, layers and metadata`() throws {
        let folder = try TemporaryFolder()
        _ = try Thaw.run(
            "convert", Project.demo, "--labels", Project.demoLabels, "-o", "m.mlmodel", "--author", "A. Person",
            "--version", "3", in: folder)
        let outcome = try Thaw.run("inspect", "m.mlmodel", in: folder)
        #expect(outcome.status == 0)
        for line in [
            "format          a Core ML neural network, version 1, for iOS 11 and macOS 10.13 and later",
            "weights         271,690  float32  1.1 MB",
            "labels          10, from 'airplane' to 'truck'", "author          A. Person", "version         3",
        ] { #expect(outcome.lines.contains(line), "\(line)") }
        #expect(outcome.lines.contains { $0.contains("  convolution") })
    }

    @Test func `a graph and a model are drawn, as DOT or laid out by Graphviz`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run("inspect", Project.demo, "--graph", "m.dot", in: folder)
        #expect(outcome.status == 0)
        #expect(String(decoding: try folder.data("m.dot"), as: UTF8.self).hasPrefix("digraph network {\n"))
        _ = try Thaw.run("convert", Project.demo, "--labels", Project.demoLabels, "-o", "m.mlpackage", in: folder)
        let drawn = try Thaw.run("inspect", "m.mlpackage", "--graph", "m.svg", in: folder)
        guard drawn.status == 0 else {
            #expect(drawn.errors.contains("apt-get install graphviz"), "\(drawn.errors)")
            return
        }
        let svg = String(decoding: try folder.data("m.svg"), as: UTF8.self)
        #expect(svg.contains("<svg") && svg.contains(">airplane … truck</text>") && svg.contains(">+ ReLU</text>"))
    }

    @Test func `a drawing that fails is reported`() throws {
        let folder = try TemporaryFolder()
        let empty = ["PATH": folder.url.path]
        let missing = try Thaw.run(["inspect", Project.demo, "--graph", "m.svg"], in: folder, environment: empty)
        #expect(missing.status == 2 && missing.errors.contains("thaw: m.svg: SVG drawings need Graphviz"))
        #expect(missing.errors.contains("hint: install it with apt-get install graphviz"))
        // A program of that name that fails.
        let program = try folder.write("#!/bin/sh\necho 'Error: no room' >&2; exit 3\n", to: "dot")
        chmod(program, 0o755)
        let failed = try Thaw.run(["inspect", Project.demo, "--graph", "m.svg"], in: folder, environment: empty)
        #expect(failed.status == 2 && failed.errors.contains("thaw: m.svg: Graphviz's 'dot' failed: Error: no room"))
        try folder.write("#!/bin/sh\nexit 3\n", to: "dot")
        let silent = try Thaw.run(["inspect", Project.demo, "--graph", "m.svg"], in: folder, environment: empty)
        #expect(silent.errors.contains("Graphviz's 'dot' failed: exit code 3"), "\(silent.errors)")
        let other = try Thaw.run(["inspect", Project.demo, "--graph", "m.png"], in: folder)
        #expect(other.status == 2 && other.errors.contains("expected a file whose name ends in .svg or .dot"))
        let graph = Project.fixture("refuse/conv_channels.pb")
        let unreadable = try Thaw.run(["inspect", graph, "--graph", "m.dot"], in: folder)
        #expect(unreadable.status == 2 && unreadable.output.contains("placeholders"))
        #expect(try folder.names == ["dot"])
    }

    @Test func `a profile lists each step with its algorithm, and is drawn`() throws {
        let folder = try TemporaryFolder()
        let graph = Project.network("mobilenet_v1_folded")
        let outcome = try Thaw.run(
            "benchmark", graph, "--seconds", "0.05", "--profile", "steps.svg", "--format", "json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let steps = try #require(report?["profile"] as? [[String: Any]])
        #expect(steps.contains { ($0["algorithm"] as? String)?.contains("depthwise 3×3") == true })
        #expect(steps.allSatisfy { ($0["ms"] as? Double).map { $0 >= 0 } == true })
        let chart = try String(contentsOf: folder.url.appending(path: "steps.svg"), encoding: .utf8)
        #expect(chart.hasPrefix("<svg ") && chart.hasSuffix("</svg>\n"))
        #expect(chart.contains(">100%</text>") && chart.contains(">share of the peak</text>"))
        #expect(chart.components(separatedBy: "<title>").count - 1 == steps.count)
        let table = try Thaw.run("benchmark", graph, "--seconds", "0.05", "--profile")
        #expect(table.output.contains("algorithm"))
        #expect(table.lines.contains { $0.contains("direct 1×1 + depthwise 3×3") })
    }

    @Test func `a file that cannot be converted is shown as far as possible`() throws {
        let graph = Project.fixture("refuse/unsupported_twice.pb")
        let outcome = try Thaw.run("inspect", graph)
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains("nodes           2  Digamma"))
        #expect(outcome.lines.contains("placeholders    input: float[1, 6, 6, 3]"))
        #expect(
            outcome.errors.contains("thaw: \(graph): 1 operation is not supported:\n  Digamma: first/odd, second/odd\n")
        )

        let mistaken = try Thaw.run("inspect", Project.demo, "--output", "none")
        #expect(mistaken.status == 2 && mistaken.lines.contains { $0.hasPrefix("nodes ") })
        #expect(mistaken.errors.contains("--output: there is no node 'none'"))

        let lstm = try Thaw.run("inspect", Project.fixture("coreml/refuse/lstm.mlmodel"))
        #expect(lstm.status == 0)
        #expect(lstm.output.contains("LSTM"))
    }

    @Test func `every model in the fixtures can be inspected`() throws {
        for row in Project.table("coreml/coreml.tsv") {
            let outcome = try Thaw.run("inspect", Project.fixture("coreml/\(row[0]).mlmodel"))
            #expect(outcome.status == 0 && outcome.errors == "", "\(row[0]): \(outcome.errors)")
            #expect(outcome.output.contains("version \(row[4])"))
        }
    }
}
