import Thaw

/// The file that a drawing of a graph is written to. Its extension determines the format.
struct DrawingFile: Sendable {
    let path: String
    private let isLaidOut: Bool

    /// In seconds. Large networks take minutes, and whoever waits can interrupt the command, but a script would hang.
    private static let timeLimit = 600

    init(_ path: String) throws {
        guard path.hasSuffix(".svg") || path.hasSuffix(".dot") else {
            throw Failure.badValue(path, "a file whose name ends in .svg or .dot")
        }
        self.path = path
        isLaidOut = path.hasSuffix(".svg")
    }

    /// Writes the drawing, as Graphviz source or laid out by Graphviz.
    /// - Throws: `Failure` if Graphviz is missing, fails or takes too long, or if the file cannot be written.
    func write(_ drawing: GraphDrawing) throws {
        let bytes = isLaidOut ? try naming(file: path) { try Self.svg(of: drawing.dot) } : Array(drawing.dot.utf8)
        try AtomicFile.write(bytes, to: path)
    }

    private static func svg(of dot: String) throws -> [UInt8] {
        do {
            return try Graphviz.svg(of: dot, timeLimit: Double(timeLimit))
        } catch {
            switch error {
            case .missing: throw Failure.noGraphviz()
            case .failed(let reason): throw Failure.graphvizFailed(reason)
            case .tooSlow: throw Failure.graphvizTooSlow(seconds: timeLimit)
            case .noTemporaryFile(let folder, let reason): throw Failure.noTemporaryFile(folder, reason)
            }
        }
    }
}

extension Failure {
    fileprivate static func noGraphviz() -> Failure {
        Failure(
            .environment, "SVG drawings need Graphviz, whose program 'dot' is not on PATH",
            hint:
                "install it with apt-get install graphviz, or brew install graphviz on a Mac; .dot files do not need it"
        )
    }

    fileprivate static func graphvizFailed(_ reason: String) -> Failure {
        Failure(.environment, "Graphviz's 'dot' failed: \(reason)")
    }

    fileprivate static func graphvizTooSlow(seconds: Int) -> Failure {
        Failure(
            .environment, "Graphviz's 'dot' did not draw the network within \(seconds) seconds",
            hint: "write a .dot file, and lay it out with another program")
    }

    fileprivate static func noTemporaryFile(_ folder: String, _ reason: String) -> Failure {
        Failure(.environment, file: folder, "cannot write a temporary file for Graphviz there: \(reason)")
    }
}
