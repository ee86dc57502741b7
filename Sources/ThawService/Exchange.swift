import CMicroHTTPD
import Thaw

/// A request that is being processed. The HTTP library calls back several times for it: when the header is complete,
/// for each part of the body, when the body is complete, and when the response has been sent.
final class Exchange: @unchecked Sendable {
    /// The path and query as sent.
    let target: String
    let connection: Connections.Connection
    let began = Moment.now
    var request: Request?
    var body: [UInt8] = []
    /// The bytes of the body that count toward the limit for all bodies.
    var reserved = 0
    /// The bytes of a body that is not needed because the response is already known.
    var discarded = 0
    /// The response, once it is known.
    var response: Response?
    var isBodyComplete = false
    var timings = Timings()
    /// The problems of images that could still be read.
    private(set) var warnings: [String] = []
    /// The name of the requested model in metrics and the log.
    var model: String?
    var route = Route.unknown

    init(target: String, connection: Connections.Connection) { (self.target, self.connection) = (target, connection) }

    /// Adds the problem of an image, if it has one.
    /// - Parameter name: Its name, if there are several images.
    func warn(_ warning: Note?, of name: String?) {
        guard let warning else { return }
        warnings.append((name.map { $0 + ": " } ?? "") + warning.description)
    }

    /// The value of the field Thaw-Warning; nil if there is no warning.
    var warningHeader: String? {
        guard !warnings.isEmpty else { return nil }
        let shown = warnings.prefix(10) + (warnings.count > 10 ? ["\(warnings.count - 10) more"] : [])
        let ascii = shown.joined(separator: "; ").utf8.map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: "?") }
        return String(decoding: ascii, as: UTF8.self)
    }
}

/// How long each stage of a request took, in seconds; nil for stages that it did not need.
struct Timings: Sendable {
    var waiting: Double?
    var decoding: Double?
    var computing: Double?

    /// The value of the field Server-Timing; nil if nothing was measured.
    var header: String? {
        let parts = [("wait", waiting), ("decode", decoding), ("compute", computing)].compactMap { name, seconds in
            seconds.map { "\(name);dur=\(Double(Int($0 * 1e5)) / 100)" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
