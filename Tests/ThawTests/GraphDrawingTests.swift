import Foundation
import Testing

@testable import Thaw

/// The content of drawings; their layout is up to Graphviz.
@Suite struct GraphDrawingTests {
    private func drawing(_ network: String) throws -> [String] {
        let model = try Model.load(contentsOfFile: Fixtures.path("networks/\(network)/graph.pb")).model
        return GraphDrawing(model, title: network).dot.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    /// The captions of the boxes without markup, one per line.
    private func captions(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            let pattern = #"\[label=<<b>.*?>, fill"#
            guard let label = line.range(of: pattern, options: .regularExpression) else { return nil }
            return line[label].dropFirst(8).dropLast(7).replacingOccurrences(of: "<br/>", with: "; ")
                .replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression)
        }
    }

    @Test func `a chain is drawn with the field's terms, activations with their operation`() throws {
        let lines = try drawing("mobilenet_v1_folded")
        let captions = captions(lines)
        #expect(captions.first == "Input; input; 32 × 32 pixels, rgb; y = 0.00784314 · x − 1")
        #expect(captions.contains("Convolution; 3×3, stride 2, 8 filters; + ReLU6"))
        #expect(captions.contains("Depthwise convolution; 3×3; + ReLU6"))
        #expect(captions.last == "Output; Reshape_1")
        #expect(!captions.contains { $0.hasPrefix("ReLU6") })
        #expect(lines.contains { $0.hasPrefix("input0 -> n0 [label=\" 32×32×3 \"") })
    }

    @Test func `a shortcut bypasses the trunk`() throws {
        let lines = try drawing("resnet_nchw")
        let boxes = lines.filter { $0.contains("[label=<<b>") && $0.hasPrefix("n") }
        #expect(boxes.contains { $0.contains("<b>Add</b>") && $0.contains("group=trunk") })
        #expect(boxes.contains { !$0.contains("group=trunk") }, "a branch stands beside the trunk")
    }

    @Test func `modules have a common background, by the names of their nodes`() throws {
        var builder = GraphBuilder()
        let image = builder.input("input", TensorType([1, 4, 4, 3]))
        var value = image
        for module in ["net/mixed_1", "net/mixed_2", "net/mixed_3"] {
            let branches = try (1...2).map {
                try builder.add(Unary(.square), [value], name: "\(module)/branch_\($0)/square")[0]
            }
            value = try builder.add(Concatenation(axis: 3), branches, name: "\(module)/concat")[0]
        }
        builder.output("output", value)
        let dot = GraphDrawing(Model(graph: builder.graph), title: "modules").dot
        #expect(dot.components(separatedBy: "subgraph").count - 1 == 3)
        #expect(dot.contains("label=<mixed_2>, tooltip=\"net/mixed_2\""))
    }

    @Test func `a scope is the shortest prefix with three boxes, and at most a third of all`() throws {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType([1, 3]))
        // Prefixes of thousands of components.
        let long = String(repeating: "x/", count: 2000)
        for name in ["net/a/\(long)", "net/b/c/\(long)", "net/b/d/\(long)", "net/e/", ""] {
            for index in 0..<(name.isEmpty ? 1 : name == "net/e/" ? 2 : 3) {
                value = try builder.add(Unary(.square), [value], name: "\(name)square\(index)")[0]
            }
        }
        builder.output("output", value)
        let dot = GraphDrawing(Model(graph: builder.graph), title: "scopes").dot
        let scopes = dot.split(separator: "\n").filter { $0.contains("labeljust=l") }.compactMap {
            $0.split(separator: "tooltip=").last
        }
        // All of net/b would be half of the boxes.
        #expect(scopes == ["\"net/a\"];", "\"net/b/c\"];", "\"net/b/d\"];"])
    }

    @Test func `a combining mark does not hide a character that must be escaped`() throws {
        var builder = GraphBuilder()
        let input = builder.input("a<\u{338}b", TensorType([1, 3]))
        builder.output("o", try builder.add(Unary(.square), [input], name: "n\"\u{301}")[0])
        let dot = GraphDrawing(Model(graph: builder.graph), title: "t").dot
        #expect(dot.range(of: ">a&lt;\u{338}b</font>", options: .literal) != nil)
        #expect(dot.range(of: "tooltip=\"n\\\"\u{301}\"", options: .literal) != nil)
    }

    @Test func `names and titles are escaped`() throws {
        var builder = GraphBuilder()
        let input = builder.input("a<b>&\"c\\", TensorType([1, 3]))
        builder.output("o", try builder.add(Unary(.square), [input], name: "n\"\n\\")[0])
        let dot = GraphDrawing(Model(graph: builder.graph), title: "<t>").dot
        #expect(dot.contains("<b>&lt;t&gt;</b>"))
        #expect(dot.contains(">a&lt;b&gt;&amp;&quot;c\\</font>"))
        #expect(dot.contains("tooltip=\"n\\\"\\n\\\\\""))
    }

    @Test func `every network in the fixtures can be drawn, reproducibly`() throws {
        for network in NetworkCase.all {
            let model = try network.conversion().model
            let dot = GraphDrawing(model, title: network.name).dot
            #expect(dot == GraphDrawing(model, title: network.name).dot)
            for node in model.graph.nodes { #expect(dot.contains(node.name), "\(network.name): \(node.name)") }
        }
    }
}
