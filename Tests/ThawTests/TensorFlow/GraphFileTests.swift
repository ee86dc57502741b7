import Testing

@testable import Thaw

/// A graph from bytes in memory. They are copied, so that a read outside them is detected.
func graph(_ bytes: [UInt8]) throws -> GraphDefinition {
    let memory = Tensor.Storage(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    return try GraphDefinition(ByteView(viewing: memory.bytes, of: memory), at: 0..<bytes.count)
}

@Suite struct GraphFileTests {
    @Test func `nodes keep their order, names and inputs`() throws {
        let graph = try graph(
            Wire {
                $0.node("image", "Placeholder")
                $0.node("sum", "Add") {
                    $0.string(3, "image")
                    $0.string(3, "split:1")
                    $0.string(3, "^first")
                }
                $0.message(2) { $0.message(1) { $0.message(1) { $0.string(1, "helper") } } }
                $0.message(4) { $0.int(1, 27) }
            }.bytes)
        #expect(graph.nodes.map(\.name) == ["image", "sum"])
        #expect(graph.nodes.map(\.op) == ["Placeholder", "Add"])
        #expect(graph.nodes[1].inputs == ["image", "split:1", "^first"])
        #expect(graph.functions.map(\.name) == ["helper"])
    }

    /// An attribute's value in the file, and the value that is read.
    static let attributes: [(String, @Sendable (inout Wire) -> Void, String)] = [
        ("an integer", { $0.int(3, -7) }, "int(-7)"),
        (
            "a float",
            {
                $0.tag(4, 5)
                $0.raw([0, 0, 0xC0, 0x3F])
            }, "float(1.5)"
        ),
        ("true", { $0.int(5, 1) }, "bool(true)"),
        ("false, which is written too", { $0.int(5, 0) }, "bool(false)"),
        ("a string", { $0.string(2, "SAME") }, "string(\"SAME\")"),
        ("an empty string", { $0.string(2, "") }, "string(\"\")"),
        ("a type", { $0.int(6, 19) }, "type(Thaw.NodeDefinition.DataType.half)"),
        ("a reference type", { $0.int(6, 101) }, "type(Thaw.NodeDefinition.DataType.float)"),
        ("a type of the future", { $0.int(6, 77) }, "int(77)"),
        (
            "a shape",
            {
                $0.message(7) {
                    $0.dimension(-1)
                    $0.dimension(3)
                }
            }, "shape(Optional([-1, 3]))"
        ),
        ("the shape of a scalar", { $0.message(7) }, "shape(Optional([]))"),
        ("a shape of unknown rank", { $0.message(7) { $0.int(3, 1) } }, "shape(nil)"),
        ("a function", { $0.message(10) { $0.string(1, "helper") } }, "function(\"helper\")"),
        (
            "a list of integers", { $0.message(1) { $0.packed(3, varints: [1, 2, -1]) } },
            "list([Thaw.NodeDefinition.Attribute.int(1), Thaw.NodeDefinition.Attribute.int(2), Thaw.NodeDefinition.Attribute.int(-1)])"
        ),
        (
            "a list that is not packed",
            {
                $0.message(1) {
                    $0.int(3, 1)
                    $0.int(3, 2)
                }
            },
            "list([Thaw.NodeDefinition.Attribute.int(1), Thaw.NodeDefinition.Attribute.int(2)])"
        ),
        (
            "a list of strings",
            {
                $0.message(1) {
                    $0.string(2, "a")
                    $0.string(2, "")
                }
            },
            "list([Thaw.NodeDefinition.Attribute.string(\"a\"), Thaw.NodeDefinition.Attribute.string(\"\")])"
        ),
        ("an empty list", { $0.message(1) }, "list([])"),
    ]

    @Test(arguments: attributes)
    func `attributes are read`(_ name: String, _ value: @Sendable (inout Wire) -> Void, _ expected: String) throws {
        let node = try graph(Wire { $0.node("n", "Op") { $0.attribute("a", value) } }.bytes).nodes[0]
        #expect("\(try #require(node.attributes["a"]))" == expected)
    }

    @Test(arguments: ["no value", "strings", "a resource"])
    func `attributes that are not used are omitted`(_ kind: String) throws {
        let node = try graph(
            Wire {
                $0.node("n", "Op") {
                    $0.attribute("a") {
                        if kind != "no value" { $0.message(8) { $0.int(1, kind == "strings" ? 7 : 20) } }
                    }
                }
            }.bytes
        ).nodes[0]
        #expect(node.attributes.isEmpty)
    }
}
