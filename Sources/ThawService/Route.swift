/// The target of a path.
enum Route: Equatable, Sendable {
    case page
    case server
    case live, ready
    case model(String)
    case modelReady(String)
    case infer(String)
    case classify
    case models
    case details(String)
    case drawing(String)
    case metrics, openAPI
    case unknownVersion(String)
    case unknown

    /// - Parameter path: The decoded segments.
    init(_ path: [String]) {
        switch (path.first, path.count) {
        case (nil, _): self = .page
        case ("v2", 1): self = .server
        case ("v2", 3) where path[1] == "health" && path[2] == "live": self = .live
        case ("v2", 3) where path[1] == "health" && path[2] == "ready": self = .ready
        case ("v2", 3...) where path[1] == "models": self = Route(model: path[2], rest: path[3...])
        case ("classify", 1): self = .classify
        case ("models", 1): self = .models
        case ("models", 2): self = .details(path[1])
        case ("models", 3) where path[2] == "graph.svg": self = .drawing(path[1])
        case ("metrics", 1): self = .metrics
        case ("openapi.json", 1): self = .openAPI
        default: self = .unknown
        }
    }

    private init(model: String, rest: ArraySlice<String>) {
        var rest = rest
        if rest.first == "versions", rest.count >= 2 {
            let version = rest[rest.startIndex + 1]
            guard version == "1" else {
                self = .unknownVersion(version)
                return
            }
            rest = rest.dropFirst(2)
        }
        switch Array(rest) {
        case []: self = .model(model)
        case ["ready"]: self = .modelReady(model)
        case ["infer"]: self = .infer(model)
        default: self = .unknown
        }
    }

    /// Whether it is served without a token.
    var isOpen: Bool { [.page, .live, .ready].contains(self) }

    /// Whether a worker answers rather than the thread that receives requests.
    var needsWork: Bool {
        switch self {
        case .infer, .classify, .drawing: true
        default: false
        }
    }

    private var isPosted: Bool {
        switch self {
        case .infer, .classify: true
        default: false
        }
    }

    /// - Throws: `ErrorResponse` with status 405 for a method that is not supported.
    func check(method: String) throws {
        switch self {
        case .unknown, .unknownVersion: return
        default: break
        }
        let allowed = isPosted ? ["POST"] : ["GET", "HEAD"]
        guard allowed.contains(method) else { throw ErrorResponse.methodNotAllowed(method, allowed) }
    }

    /// The name of the endpoint in metrics: one of few.
    var name: String {
        switch self {
        case .page: "page"
        case .server: "server"
        case .live, .ready: "health"
        case .model, .modelReady: "model"
        case .infer: "infer"
        case .classify: "classify"
        case .models, .details, .drawing: "models"
        case .metrics: "metrics"
        case .openAPI: "openapi"
        case .unknown, .unknownVersion: "none"
        }
    }
}
