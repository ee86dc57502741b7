import Thaw

extension ServedModel {
    /// The drawing of the network.
    enum Drawing: Sendable {
        case none
        case inProgress
        case done([UInt8])
    }

    /// The drawing of the network, laid out by Graphviz on first request.
    /// - Throws: `ErrorResponse` with status 501 without Graphviz, and with 503 while another request draws it.
    func drawingResponse() throws -> Response {
        guard let dot = details.drawing else { throw ErrorResponse.cannotDrawPipeline(name) }
        let known = drawing.with { drawing in
            defer { if case .none = drawing { drawing = .inProgress } }
            return drawing
        }
        let svg: [UInt8]
        switch known {
        case .done(let drawn): svg = drawn
        // Waiting would occupy a thread for as long as Graphviz needs.
        case .inProgress: throw ErrorResponse.drawingInProgress()
        case .none:
            do {
                svg = try Graphviz.layout(of: dot)
            } catch {
                drawing.with { $0 = .none }
                throw error
            }
            drawing.with { $0 = .done(svg) }
        }
        // Scripts in the drawing, if there are any, must not run.
        return Response(
            type: "image/svg+xml",
            headers: [("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")], body: svg)
    }
}

extension Graphviz {
    /// In seconds. The layout of a large network may take longer than anyone waits, and occupies a thread.
    private static let timeLimit = 60

    fileprivate static func layout(of dot: String) throws -> [UInt8] {
        do {
            return try svg(of: dot, timeLimit: Double(timeLimit))
        } catch {
            switch error {
            case .missing: throw ErrorResponse.noGraphviz()
            case .failed(let reason):
                tell("Graphviz failed: \(reason)")
                throw ErrorResponse.graphvizFailed()
            case .tooSlow: throw ErrorResponse.graphvizTooSlow(seconds: timeLimit)
            case .noTemporaryFile(let folder, let reason):
                tell("Graphviz failed: no temporary file can be written to \(folder): \(reason)")
                throw ErrorResponse.graphvizFailed()
            }
        }
    }
}

extension ErrorResponse {
    fileprivate static func noGraphviz() -> ErrorResponse {
        ErrorResponse(
            501, .environment, "drawings need Graphviz, which this server does not have",
            remedy: "install it there: apt-get install graphviz")
    }

    fileprivate static func graphvizFailed() -> ErrorResponse {
        ErrorResponse(500, .environment, "Graphviz failed to draw the network")
    }

    fileprivate static func graphvizTooSlow(seconds: Int) -> ErrorResponse {
        ErrorResponse(500, .environment, "Graphviz did not draw the network within \(seconds) seconds")
    }
}
