import Testing

@testable import Thaw

/// Which products and selections with random masks are dropout.
@Suite struct DropoutTests {
    private static func node(_ name: String, _ op: String, _ inputs: String..., number: Float? = nil) -> NodeDefinition
    {
        var attributes: [String: Attribute] = ["DstT": .type(.float)]
        if let number { attributes["value"] = .tensor(Tensor([number], shape: [])) }
        if op == "Placeholder" { attributes = ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])] }
        return NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes)
    }

    private static let start = [
        node("x", "Placeholder"), node("size", "Shape", "x"), node("random", "RandomUniform", "size"),
        node("rate", "Const", number: 0.4), node("half", "Const", number: 0.5), node("two", "Const", number: 2),
        node("keep", "Const", number: 0.6),
    ]

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let nodes: [NodeDefinition]
        let isDropout: Bool

        init(_ name: String, isDropout: Bool, _ nodes: NodeDefinition...) {
            (testDescription, self.isDropout, self.nodes) = (name, isDropout, nodes)
        }
    }

    static let cases = [
        Case(
            "a random value is at least the rate", isDropout: true, node("above", "GreaterEqual", "random", "rate"),
            node("mask", "Cast", "above"), node("y", "Mul", "x", "mask")),
        Case(
            "a shifted and scaled random value", isDropout: true, node("wide", "Mul", "random", "two"),
            node("shifted", "AddV2", "wide", "half"), node("above", "Greater", "shifted", "rate"),
            node("mask", "Cast", "above"), node("y", "Mul", "x", "mask")),
        Case(
            "the floor of a sum", isDropout: true, node("sum", "AddV2", "keep", "random"), node("mask", "Floor", "sum"),
            node("y", "Mul", "x", "mask")),
        Case(
            "a comparison with the image", isDropout: false, node("above", "Less", "random", "x"),
            node("mask", "Cast", "above"), node("y", "Mul", "x", "mask")),
        Case(
            "noise that is added to the image", isDropout: false, node("noise", "AddV2", "x", "random"),
            node("above", "Greater", "noise", "half"), node("mask", "Cast", "above"), node("y", "Mul", "x", "mask")),
        Case(
            "the floor of a sum with the image", isDropout: false, node("sum", "AddV2", "x", "random"),
            node("mask", "Floor", "sum"), node("y", "Mul", "x", "mask")),
    ]

    @Test(arguments: cases) func `only masks that do not depend on the image are dropout`(_ test: Case) throws {
        let removed = Dropout.removed(from: try GraphIndex(Self.start + test.nodes)).removed
        #expect(removed == (test.isDropout ? ["y"] : []))
    }

    @Test func `the compensating factor is that of the shifted random value`() throws {
        // 2 · random + 0.5 > 1.5 keeps a half.
        let nodes =
            Self.start + [
                Self.node("bound", "Const", number: 1.5), Self.node("wide", "Mul", "random", "two"),
                Self.node("shifted", "AddV2", "wide", "half"), Self.node("above", "Greater", "shifted", "bound"),
                Self.node("mask", "Cast", "above"), Self.node("scaled", "Mul", "x", "two"),
                Self.node("y", "Mul", "scaled", "mask"),
            ]
        let result = Dropout.removed(from: try GraphIndex(nodes)).graph
        #expect(result.node("y")?.inputs == ["x"])
    }

    @Test func `a mask behind a cycle or a long chain of identities is not dropout`() throws {
        let cycle = [Self.node("a", "Identity", "b"), Self.node("b", "Identity", "a"), Self.node("y", "Mul", "x", "a")]
        #expect(Dropout.removed(from: try GraphIndex(Self.start + cycle)).removed == [])
        let chain = (1...300_000).map { Self.node("\($0)", "Identity", $0 == 1 ? "x" : "\($0 - 1)") }
        let end = Self.node("y", "Mul", "x", "300000")
        #expect(Dropout.removed(from: try GraphIndex(Self.start + chain + [end])).removed == [])
    }
}
