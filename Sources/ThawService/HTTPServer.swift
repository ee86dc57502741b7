import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connection between the HTTP library and the service. All its callbacks run on one thread of the library.
final class HTTPServer: @unchecked Sendable {
    let service: Service
    private var daemon: OpaquePointer?

    init(_ service: Service) { self.service = service }

    /// Starts to accept connections.
    /// - Throws: `StartFailure` if the library cannot start.
    func start(listener: Int32) throws {
        var options = thaw_http_options()
        options.listener = listener
        options.connection_limit = UInt32(service.settings.connections)
        options.connection_memory = 32 << 10
        // For connections without a request. Others are closed earlier, with a response.
        options.idle_timeout = UInt32(service.settings.timeout) + 2
        options.context = Unmanaged.passUnretained(self).toOpaque()
        options.begin = { context, target, connection in
            HTTPServer.from(context).begin(target.map { String(cString: $0) } ?? "", connection)
        }
        options.handle = { context, connection, _, method, _, data, size, state in
            HTTPServer.from(context).handle(connection!, String(cString: method!), data, size!, state!)
        }
        options.complete = { context, connection, state, reason in
            HTTPServer.from(context).complete(state!, reason)
        }
        options.notify = { context, connection, state, event in
            HTTPServer.from(context).notify(connection!, state!, event)
        }
        daemon = thaw_http_start(&options)
        guard daemon != nil else { throw StartFailure("the HTTP library cannot start") }
    }

    /// Stops accepting connections. Open ones continue.
    func quiesce() {
        let listener = MHD_quiesce_daemon(daemon)
        if listener >= 0 { close(listener) }
    }

    /// Closes all connections. No request may be waiting for the service.
    func stop() {
        MHD_stop_daemon(daemon)
        daemon = nil
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
        Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
    }

    // MARK: Connections

    private func notify(
        _ connection: OpaquePointer, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
        _ event: MHD_ConnectionNotificationCode
    ) {
        if thaw_http_is_opened(event) == 1 {
            let socket = thaw_http_socket(connection)
            let opened = Connections.Connection(socket: socket, remote: remoteAddress(of: socket))
            service.connections.add(opened)
            state.pointee = Unmanaged.passRetained(opened).toOpaque()
        } else if let pointer = state.pointee {
            service.connections.remove(Unmanaged<Connections.Connection>.fromOpaque(pointer).takeRetainedValue())
            state.pointee = nil
        }
    }

    // MARK: Requests

    /// Called when the first line of a request has been received. Returns the exchange, which `complete` releases.
    private func begin(_ target: String, _ connection: OpaquePointer?) -> UnsafeMutableRawPointer? {
        guard let pointer = thaw_http_socket_context(connection) else { return nil }
        let socket = Unmanaged<Connections.Connection>.fromOpaque(pointer).takeUnretainedValue()
        service.begin()
        return Unmanaged.passRetained(Exchange(target: target, connection: socket)).toOpaque()
    }

    private func handle(
        _ connection: OpaquePointer, _ method: String, _ data: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>, _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pointer = state.pointee else { return thaw_http_no }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        if exchange.request == nil && exchange.response == nil {
            service.connections.enter(.body, exchange.connection)
            service.receiveHead(of: exchange, method: method, fields: headers(of: connection))
            // A client that waits for permission to send an unnecessary body need not send it.
            if exchange.response != nil, !service.mayDrain(exchange) { return answer(exchange, connection) }
            return thaw_http_yes
        }
        if size.pointee > 0 {
            let part = UnsafeRawBufferPointer(start: data, count: size.pointee)
            size.pointee = 0
            return service.receive(part, of: exchange) ? thaw_http_yes : thaw_http_no
        }
        if exchange.response != nil { return answer(exchange, connection) }
        guard !exchange.isBodyComplete else { return thaw_http_yes }
        exchange.isBodyComplete = true
        service.connections.enter(.answer, exchange.connection)
        // The work may be done before the function that starts it returns, so the connection is suspended first.
        let hasSlot = service.reserveOrAnswer(exchange)
        guard hasSlot else { return answer(exchange, connection) }
        MHD_suspend_connection(connection)
        nonisolated(unsafe) let waiting = connection
        service.enqueue(exchange) { MHD_resume_connection(waiting) }
        return thaw_http_yes
    }

    private func answer(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        let response = service.finished(exchange)
        service.connections.enter(.sending, exchange.connection)
        guard let message = response.body.withUnsafeBytes({ thaw_http_response($0.baseAddress, $0.count) }) else {
            return thaw_http_no
        }
        defer { MHD_destroy_response(message) }
        for (name, value) in response.headers { MHD_add_response_header(message, name, value) }
        return thaw_http_queue(connection, UInt32(response.status), message) == 1 ? thaw_http_yes : thaw_http_no
    }

    /// Called when the response has been sent, or cannot be.
    private func complete(
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ reason: MHD_RequestTerminationCode
    ) {
        guard let pointer = state.pointee else { return }
        state.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        service.end(exchange, isComplete: thaw_http_is_complete(reason) == 1)
        service.connections.enter(.head, exchange.connection)
    }

    private func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &fields) { fields in
            thaw_http_headers(
                connection,
                { context, _, name, nameLength, value, valueLength in
                    let fields = context!.assumingMemoryBound(to: [(name: String, value: String)].self)
                    func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
                        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
                    }
                    fields.pointee.append((text(name, nameLength).lowercased(), text(value, valueLength)))
                    return thaw_http_yes
                }, fields)
        }
        return fields
    }
}
