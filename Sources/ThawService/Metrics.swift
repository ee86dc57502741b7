import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counters and histograms of the service, for Prometheus.
final class Metrics: Sendable {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct RequestKind: Hashable, Comparable {
        var endpoint: String
        var model: String
        var status: Int

        static func < (a: RequestKind, b: RequestKind) -> Bool {
            (a.endpoint, a.model, a.status) < (b.endpoint, b.model, b.status)
        }
    }

    /// Counts of values up to certain bounds.
    private struct Histogram {
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0

        mutating func add(_ value: Double) {
            counts[Histogram.bounds.firstIndex { value <= $0 } ?? Histogram.bounds.count] += 1
            sum += value
        }
    }

    private struct State {
        var requests: [RequestKind: Int] = [:]
        var failures: [String: Int] = [:]
        var images = 0
        var aborted = 0
        var waiting = Histogram()
        var decoding = Histogram()
        var computing = Histogram()
        var total = Histogram()
    }

    private let state = Monitor(State())
    private let started = Moment.now

    func count(_ exchange: Exchange, isComplete: Bool) {
        let seconds = Moment.seconds(since: exchange.began)
        state.with { state in
            if let status = exchange.response?.status {
                let kind = RequestKind(endpoint: exchange.route.name, model: exchange.model ?? "", status: status)
                state.requests[kind, default: 0] += 1
            }
            if !isComplete { state.aborted += 1 }
            guard exchange.route.needsWork else { return }
            state.total.add(seconds)
            if let time = exchange.timings.waiting { state.waiting.add(time) }
            if let time = exchange.timings.decoding { state.decoding.add(time) }
            if let time = exchange.timings.computing { state.computing.add(time) }
        }
    }

    func count(_ code: Failure.Code) { state.with { $0.failures[code.rawValue, default: 0] += 1 } }

    func countImages(_ count: Int) { state.with { $0.images += count } }

    /// The metrics in Prometheus' text format.
    func text(_ queue: WorkQueue, _ connections: Connections, _ models: ModelStore) -> String {
        let state = state.with { $0 }
        var text = MetricsText()
        addCounters(state, to: &text)
        addHistograms(state, to: &text)
        addGauges(queue, connections, models, to: &text)
        return text.text
    }

    private func addCounters(_ state: State, to text: inout MetricsText) {
        text.heading("thaw_requests_total", "counter", "Requests that were answered, by endpoint, model and status.")
        for (kind, count) in state.requests.sorted(by: { $0.key < $1.key }) {
            text.sample(
                "thaw_requests_total",
                [("endpoint", kind.endpoint), ("model", kind.model), ("status", "\(kind.status)")],
                count)
        }
        text.heading("thaw_failures_total", "counter", "Requests and images that failed, by code.")
        for (code, count) in state.failures.sorted(by: { $0.key < $1.key }) {
            text.sample("thaw_failures_total", [("code", code)], count)
        }
        text.value(
            "thaw_aborted_requests_total", "counter", "Requests whose response was not sent completely.",
            state.aborted)
        text.value("thaw_images_total", "counter", "Images and other items of batches that were run.", state.images)
    }

    private func addHistograms(_ state: State, to text: inout MetricsText) {
        for (name, help, histogram) in [
            ("thaw_wait_seconds", "Time in the queue.", state.waiting),
            ("thaw_decode_seconds", "Time to decode and resize the images of a request.", state.decoding),
            ("thaw_compute_seconds", "Time in the network.", state.computing),
            ("thaw_request_seconds", "Time from the first line of a request to the end of its response.", state.total),
        ] {
            text.heading(name, "histogram", help)
            var sum = 0
            for (bound, count) in zip(Histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.counts) {
                sum += count
                text.sample(name + "_bucket", [("le", bound)], sum)
            }
            text.sample(name + "_sum", [], histogram.sum)
            text.sample(name + "_count", [], sum)
        }
    }

    private func addGauges(
        _ queue: WorkQueue, _ connections: Connections, _ models: ModelStore, to text: inout MetricsText
    ) {
        text.value("thaw_queue_length", "gauge", "Requests waiting for a thread.", queue.waiting)
        text.value("thaw_queue_limit", "gauge", "The maximum number of waiting requests.", queue.limit)
        text.value("thaw_running_requests", "gauge", "Requests in progress.", queue.running)
        text.value("thaw_connections", "gauge", "Open connections.", connections.count)
        text.heading("thaw_model_bytes", "gauge", "Memory for a model's packed weights.")
        for model in models.all { text.sample("thaw_model_bytes", [("model", model.name)], model.memory) }
        if let memory = residentMemory() {
            text.value("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", memory)
        }
        text.value("thaw_uptime_seconds", "gauge", "Time since the start.", Moment.seconds(since: started))
    }
}

/// Lines of Prometheus' text format.
private struct MetricsText {
    private(set) var text = ""

    mutating func heading(_ name: String, _ kind: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    /// - Parameter labels: Their values contain no character that must be escaped.
    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) {
        let list = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }

    mutating func value(_ name: String, _ kind: String, _ help: String, _ value: some CustomStringConvertible) {
        heading(name, kind, help)
        sample(name, [], value)
    }
}

/// The resident memory of this process; nil if unknown.
private func residentMemory() -> Int? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
