import Thaw

/// The service, which handles the parts of each request. Everything except the jobs that `enqueue` adds to the queue runs on
/// the HTTP library's thread.
final class Service: @unchecked Sendable {
    /// The limit for reading an unnecessary body. Beyond it the client may miss the response.
    static let drainLimit = 16 << 20

    let settings: Settings
    let models: ModelStore
    let connections: Connections
    let metrics = Metrics()
    let queue: WorkQueue
    private let access: Access
    private let bodies: BodyBudget
    private let log: AccessLog?
    /// The requests in progress, and whether the service is shutting down.
    private let progress = Monitor((requests: 0, isStopping: false))

    /// - Throws: `StartFailure` if its threads cannot be started.
    init(_ settings: Settings, _ models: ModelStore, access: Access, log: AccessLog?) throws {
        (self.settings, self.models, self.access, self.log) = (settings, models, access, log)
        connections = try Connections(timeout: settings.timeout)
        queue = try WorkQueue(limit: settings.queue, threads: settings.threads)
        bodies = BodyBudget(limit: 8 * settings.maxBody)
    }

    var isStopping: Bool { progress.with { $0.isStopping } }

    // MARK: The parts of a request

    func begin() { progress.with { $0.requests += 1 } }

    /// Decides whether a request is answered immediately, before its body arrives.
    func receiveHead(of exchange: Exchange, method: String, fields: [(name: String, value: String)]) {
        do {
            let request = try Request(method: method, target: exchange.target, fields: fields)
            exchange.request = request
            exchange.route = Route(request.path)
            if request.method == "OPTIONS", request["access-control-request-method"] != nil {
                exchange.response = try access.preflight(request)
                return
            }
            try access.check(request, exchange.route)
            try exchange.route.check(method: method)
            if let length = request.contentLength, length > settings.maxBody {
                throw ErrorResponse.bodyTooLarge(settings.maxBody)
            }
            if exchange.route.needsWork {
                if isStopping { throw ErrorResponse.stopping() }
                if queue.isFull { throw ErrorResponse.queueFull(settings.queue) }
            }
        } catch {
            refuse(exchange, error)
        }
    }

    /// Whether to read the body of a request whose response is already known.
    func mayDrain(_ exchange: Exchange) -> Bool {
        guard let request = exchange.request else { return false }
        return request["expect"] == nil && (request.contentLength ?? 0) <= Service.drainLimit
    }

    /// Receives a part of the body. Returns whether to continue.
    func receive(_ part: UnsafeRawBufferPointer, of exchange: Exchange) -> Bool {
        if exchange.response == nil {
            if exchange.body.count + part.count > settings.maxBody {
                refuse(exchange, ErrorResponse.bodyTooLarge(settings.maxBody))
            } else if !bodies.take(part.count) {
                refuse(exchange, ErrorResponse.bodiesFull())
            } else {
                exchange.reserved += part.count
                if exchange.body.isEmpty {
                    // The declared length may be wrong.
                    exchange.body.reserveCapacity(min(exchange.request?.contentLength ?? 0, 1 << 20))
                }
                exchange.body.append(contentsOf: part)
                return true
            }
        }
        exchange.discarded += part.count
        return exchange.discarded <= Service.drainLimit
    }

    /// Reserves a slot in the queue for a request that needs work, and answers any other.
    /// - Returns: Whether the request has a slot and must be enqueued. If not, it has a response.
    func reserveOrAnswer(_ exchange: Exchange) -> Bool {
        guard exchange.route.needsWork else {
            answer(exchange)
            return false
        }
        if queue.reserve() { return true }
        refuse(exchange, ErrorResponse.queueFull(settings.queue))
        return false
    }

    /// Lets a worker answer. `resume` is called when it has.
    func enqueue(_ exchange: Exchange, resume: @escaping @Sendable () -> Void) {
        let entered = Moment.now
        queue.add { [self] fate in
            defer { resume() }
            exchange.timings.waiting = Moment.seconds(since: entered)
            switch fate {
            case .run:
                if Connections.isGone(exchange.connection) {
                    exchange.response = .clientClosed
                    return
                }
                answer(exchange)
            case .dropped: refuse(exchange, ErrorResponse.stopping())
            }
        }
    }

    private func answer(_ exchange: Exchange) {
        do {
            var response = try respond(to: exchange)
            if let request = exchange.request { compress(&response, for: request) }
            exchange.response = response
        } catch {
            refuse(exchange, error)
        }
    }

    /// The response, with the header fields that all responses have.
    func finished(_ exchange: Exchange) -> Response {
        var response = exchange.response ?? ErrorResponse.stopping().response
        if let request = exchange.request { access.addHeaders(to: &response, for: request) }
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        if let timings = exchange.timings.header { response.headers.append(("Server-Timing", timings)) }
        if let warnings = exchange.warningHeader { response.headers.append(("Thaw-Warning", warnings)) }
        if isStopping, !response.headers.contains(where: { $0.0 == "Connection" }) {
            response.headers.append(("Connection", "close"))
        }
        exchange.response = response
        // The body is no longer needed, and a client may take its time to read the response.
        bodies.giveBack(exchange.reserved)
        (exchange.reserved, exchange.body) = (0, [])
        return response
    }

    func end(_ exchange: Exchange, isComplete: Bool) {
        bodies.giveBack(exchange.reserved)
        metrics.count(exchange, isComplete: isComplete)
        log?.write(exchange, isComplete: isComplete)
        progress.update { $0.requests -= 1 }
    }

    /// Records the error of a request.
    func refuse(_ exchange: Exchange, _ error: any Error) {
        bodies.giveBack(exchange.reserved)
        (exchange.reserved, exchange.body) = (0, [])
        let errorResponse =
            switch error {
            case let response as ErrorResponse: response
            case let failure as Failure: ErrorResponse(failure)
            default: fatalError("unexpected error: \(error)")
            }
        metrics.count(errorResponse.failure.code)
        exchange.response = errorResponse.response
    }

    // MARK: Shutting down

    /// Waits until no request is in progress, or until the time is up. Returns how many are left.
    func finish(grace: Double) -> Int {
        progress.update { $0.isStopping = true }
        let start = Moment.now
        while Moment.seconds(since: start) < grace {
            if progress.with({ $0.requests }) == 0 { return 0 }
            pause(milliseconds: 10)
        }
        queue.drop()
        pause(milliseconds: 100)
        return progress.with { $0.requests }
    }
}

/// A limit on the total memory for the bodies of all requests.
private final class BodyBudget: Sendable {
    private let used = Monitor(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func take(_ count: Int) -> Bool {
        used.with { used in
            guard used + count <= limit else { return false }
            used += count
            return true
        }
    }

    func giveBack(_ count: Int) { used.with { $0 -= count } }
}
