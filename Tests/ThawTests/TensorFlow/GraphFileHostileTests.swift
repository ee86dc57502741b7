import Testing

@testable import Thaw

/// Malicious or corrupt files: each must give a failure or a graph, with little time and memory.
@Suite struct GraphFileHostileTests {
    /// A node whose attribute is a function with an attribute that is a function …
    private func nested(_ depth: Int) -> [UInt8] {
        var value = Wire { $0.int(3, 1) }.bytes
        for _ in 0..<depth {
            // AttrValue.func, NameAttrList.attr, the map's value
            value = Wire { $0.message(10) { $0.message(2) { $0.bytes(2, value) } } }.bytes
        }
        return Wire { $0.node("n", "Op") { $0.message(5) { $0.bytes(2, value) } } }.bytes
    }

    @Test(arguments: [30, 3000]) func `deeply nested attributes are refused`(_ depth: Int) {
        let failure = #expect(throws: Failure.self) { try graph(nested(depth)) }
        #expect(failure?.problem.description == "messages are nested more than 64 deep")
    }

    @Test(arguments: ["name", "operation", "input"]) func `names are limited, and abbreviated in the message`(
        _ part: String
    ) {
        let long = String(repeating: "a", count: 1 << 20)
        let bytes = Wire {
            $0.node(part == "name" ? long : "n", part == "operation" ? long : "Op") {
                if part == "input" { $0.string(3, long) }
            }
        }.bytes
        let failure = #expect(throws: Failure.self) { try graph(bytes) }
        #expect(failure?.code == .limitExceeded && failure?.location == "node at byte 4")
        #expect(failure?.description.contains("has 1048576 bytes; the limit is 4096") == true)
        #expect(failure?.description.utf8.count ?? .max < 1000)
    }

    @Test func `some nesting is allowed`() throws {
        #expect(try graph(nested(15)).nodes.count == 1)
    }

    @Test(
        arguments: [
            ("empty nodes", [0x0A, 0x00], "has no name"),
            // Each is a map entry: an attribute without a value.
            ("empty attributes of one node", [0x2A, 0x02, 0x12, 0x00], "far more memory"),
            ("inputs without a name", [0x1A, 0x00], "far more memory"),
        ] as [(String, [UInt8], String)])
    func `small files that would need much memory are refused`(_ what: String, _ unit: [UInt8], _ message: String) {
        let many = (0..<(4 << 20) / unit.count).flatMap { _ in unit }
        let bytes = unit[0] == 0x0A ? many : Wire { $0.node("n", "Op") { $0.raw(many) } }.bytes
        let failure = #expect(throws: Failure.self) { try graph(bytes) }
        #expect(failure?.problem.contains(message) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        (
            "a length past the end",
            Wire {
                $0.node("n", "Op") {
                    $0.tag(3, 2)
                    $0.varint(100)
                }
            }
        ),
        (
            "a length of 2^63",
            Wire {
                $0.node("n", "Op") {
                    $0.tag(3, 2)
                    $0.varint(.min)
                }
            }
        ),
        (
            "a length past the message, not the file",
            Wire {
                $0.message(1) {
                    $0.tag(1, 2)
                    $0.varint(4)
                }
                $0.string(9, "…")
            }
        ),
        ("a name that is a number", Wire { $0.message(1) { $0.int(1, 5) } }),
        ("an attribute that is a number", Wire { $0.node("n", "Op") { $0.int(5, 5) } }),
        ("an integer that is a string", Wire { $0.node("n", "Op") { $0.attribute("a") { $0.string(3, "x") } } }),
        (
            "a group",
            Wire {
                $0.node("n", "Op") {
                    $0.tag(20, 3)
                    $0.tag(20, 4)
                }
            }
        ),
        ("field 0", Wire { $0.node("n", "Op") { $0.int(0, 1) } }),
        (
            "a varint without end",
            Wire {
                $0.node("n", "Op") {
                    $0.tag(20, 0)
                    $0.raw([UInt8](repeating: 0xFF, count: 20))
                }
            }
        ),
        (
            "a truncated float",
            Wire {
                $0.node("n", "Op") {
                    $0.attribute("a") {
                        $0.tag(4, 5)
                        $0.raw([0, 0])
                    }
                }
            }
        ),
        (
            "a truncated packed list",
            Wire { $0.node("n", "Op") { $0.attribute("a") { $0.message(1) { $0.bytes(3, [0x80]) } } } }
        ),
        ("a node without a name", Wire { $0.message(1) { $0.string(2, "Op") } }),
        ("a graph without nodes", Wire { $0.message(4) { $0.int(1, 27) } }),
    ]) func `corrupt graphs are refused`(_ what: String, _ wire: Wire) {
        #expect(throws: Failure.self) { try graph(wire.bytes) }
    }

    @Test func `fields with the numbers of Thaw's own fields are ignored`() throws {
        let bytes = Wire.constant(type: 1, shape: [1]) {
            $0.packed(100_005, [UInt64(0), 1 << 40])
            $0.packed(100_004, [UInt64(0), 4])
            $0.packed(5, [2.5] as [Float])
        }
        guard case .tensor(let tensor)? = try graph(bytes).nodes[0].attributes["value"] else {
            throw Failure(.damaged, "none")
        }
        #expect(tensor.floats == [2.5])
    }

    @Test func `unknown fields are skipped`() throws {
        let bytes = Wire {
            $0.string(77, "future")
            $0.node("n", "Op") {
                $0.int(77, 1)
                $0.message(6) { $0.raw([0xFF, 0xFF]) }
            }
        }.bytes
        #expect(try graph(bytes).nodes.map(\.name) == ["n"])
    }

    /// A little of everything.
    private static let sample = Wire {
        $0.node("image", "Placeholder") {
            $0.attribute("shape") {
                $0.message(7) {
                    $0.dimension(-1)
                    $0.dimension(300)
                }
            }
            $0.attribute("dtype") { $0.int(6, 1) }
        }
        $0.raw(Wire.constant(type: 1, shape: [100]) { $0.packed(4, (0..<100).map { Float($0) }) })
        $0.raw(Wire.constant(type: 3, shape: [300]) { $0.packed(7, varints: Array(0..<300)) })
        $0.raw(Wire.constant(type: 1, shape: [2, 3]) { $0.packed(5, [1, 2] as [Float]) })
        $0.node("sum", "Add") {
            $0.string(3, "image")
            $0.attribute("list") {
                $0.message(1) {
                    $0.packed(3, varints: [1, 2, 300])
                    $0.string(2, "text")
                }
            }
            $0.attribute("shapes") { $0.message(1) { $0.message(7) { $0.dimension(4) } } }
            $0.attribute("call") {
                $0.message(10) {
                    $0.string(1, "f")
                    $0.message(2) { $0.string(1, "k") }
                }
            }
        }
        $0.message(2) { $0.message(1) { $0.message(1) { $0.string(1, "helper") } } }
        $0.message(4) { $0.int(1, 27) }
    }.bytes

    @Test func `a graph truncated anywhere is refused or has fewer nodes`() {
        for length in 0..<GraphFileHostileTests.sample.count {
            let bytes = Array(GraphFileHostileTests.sample.prefix(length))
            _ = bytes.withUnsafeBytes { FileKind($0) }
            // Cut between two nodes it is a graph; cut elsewhere it is not.
            if let graph = try? graph(bytes) { #expect(graph.nodes.count <= 5) }
        }
        #expect(throws: Failure.self) { try graph(GraphFileHostileTests.sample.dropLast()) }
    }

    @Test(arguments: 0..<16 as Range<UInt64>) func `a corrupt graph is read or refused`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            var bytes = GraphFileHostileTests.sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.remove(at: index)
                default:
                    let end = Int.random(in: index...min(bytes.count, index + 40), using: &random)
                    bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count, using: &random))
                }
            }
            _ = bytes.withUnsafeBytes { FileKind($0) }
            do { _ = try graph(bytes) } catch { #expect(error is Failure) }
        }
    }
}
