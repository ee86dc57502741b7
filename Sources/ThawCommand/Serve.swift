import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Commands {
    static let serve = Command(
        name: "serve", summary: "serve models to browsers and programs, over HTTP",
        positionals: [.many("[NAME=]MODEL", "the model")],
        optionGroups: [
            (
                "address and access",
                [ServeOptions.host, ServeOptions.port, ServeOptions.tokenFile, ServeOptions.origin]
            ),
            (
                "limits",
                [
                    Options.threads, ServeOptions.queue, ServeOptions.maxBody, ServeOptions.maxPixels,
                    ServeOptions.connections, ServeOptions.timeout, ServeOptions.grace,
                ]
            ),
            (
                "images and models",
                [
                    Options.crop, Options.resize, Options.fast, Options.background, Options.strict, Options.precision,
                    ServeOptions.labels, ServeOptions.function, ServeOptions.accessLog,
                ]
            ),
        ],
        notes: [
            "MODEL is a .mlmodel, a .mlpackage, or a TensorFlow graph, which is converted in memory. Pipelines and "
                + "detectors are also served. NAME is the model's name in requests; by default it is the file name "
                + "without its extension.",
            "Browsers show a page on which photos can be dropped. Programs use the Open Inference Protocol (/v2), or "
                + "post images to /classify; /openapi.json describes all paths, and /metrics is for Prometheus.",
            "SIGHUP reloads the models. SIGTERM and SIGINT finish the requests in progress. For TLS, use a proxy.",
        ],
        run: runServe)
}

/// The options specific to `thaw serve`.
enum ServeOptions {
    static let host = Option(
        "host", "HOST", "the address to listen on; 0.0.0.0 or :: means every address", default: "127.0.0.1",
        "127.0.0.1"
    ) { $0 }
    static let port = number("port", "N", "the port; 0 chooses a free one", .port)
    static let tokenFile = Option(
        "token-file", "FILE", "require the token in this file: requests send it as 'Authorization: Bearer TOKEN'")
    static let origin = Option(
        "origin", "URL",
        "also accept requests from pages of this origin, such as https://example.com, and for its host; may be repeated",
        isRepeatable: true)
    static let queue = number("queue", "N", "the number of requests that may wait; others get status 503", .queue)
    static let maxBody = number("max-body", "BYTES", "refuse requests that are larger", .maxBody)
    static let maxPixels = number(
        "max-pixels", "N", "refuse images of more pixels than this, before allocating memory", .maxPixels)
    static let connections = number("connections", "N", "the number of clients that may be connected", .connections)
    static let timeout = number(
        "timeout", "S",
        "the seconds that a client has to send a request's header, to send its body, and to receive the response",
        .timeout)
    static let grace = number(
        "grace", "S", "the seconds that requests in progress have when the service is stopped", .grace)
    static let labels = Option(
        "labels", "[NAME=]FILE", "the class labels of a graph, or of the graph called NAME; may be repeated",
        isRepeatable: true)
    static let function = Option(
        "function", "[NAME=]FUNCTION",
        "run this function of a package that has several, or of the package called NAME; may be repeated",
        isRepeatable: true)
    static let accessLog = Option(
        "access-log", "FILE", "append a line of JSON for each request to this file; - is standard output")

    private static func number(
        _ name: String, _ placeholder: String, _ help: String, _ number: ServeNumber
    ) -> Option<Int> {
        Option(name, placeholder, help, default: number.defaultValue, "\(number.defaultValue)") { text in
            guard let value = number.value(of: text) else { throw Failure.badValue(text, number.expected) }
            return value
        }
    }
}

/// `thaw serve`: replaces this process by `thaw-serve`, which is in the same folder. The options have been checked; the
/// service parses them again.
func runServe(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    console.report(arguments[Options.precision])
    let program = try ownFolder() + "/thaw-serve"
    guard access(program.fileName, X_OK) == 0 else { throw Failure.noServer(program) }
    var argv: [UnsafeMutablePointer<CChar>?] = [strdup(program.fileName)] + arguments.line.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    // Interrupted commands clean up; the service handles signals itself.
    execv(program.fileName, &argv)
    throw Failure.serverFailed(program, String(cString: strerror(errno)))
}

/// The folder of the running program.
private func ownFolder() throws -> String {
    var path = [CChar](repeating: 0, count: 4096)
    #if os(Linux)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw Failure.noServer("thaw-serve") }
    #else
        var size = UInt32(path.count)
        guard _NSGetExecutablePath(&path, &size) == 0 else { throw Failure.noServer("thaw-serve") }
    #endif
    let text = String(fileName: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    return folder(of: text) + "."
}
