import Foundation
import Testing
import Thaw

@testable import ThawService

/// Who may use the service.
@Suite struct AccessTests {
    private static func status(_ access: Access, _ fields: [String: String], _ route: Route = .classify) throws -> Int {
        let request = try Request(
            method: "POST", target: "/classify", fields: fields.map { (name: $0.key, value: $0.value) })
        do {
            try access.check(request, route)
            return 200
        } catch let error as ErrorResponse {
            return error.status
        }
    }

    @Test(arguments: [
        ("localhost", 200), ("LOCALHOST:8080", 200), ("127.0.0.1:1", 200), ("127.9.9.9", 200), ("[::1]:80", 200),
        ("example.com", 403), ("127.0.0.1.example.com", 403), ("localhost.example.com", 403), ("", 403), ("[::2]", 403),
        ("photos.example.com", 200), ("photos.example.com:443", 200), ("photos.example.com:80", 403), ("10.0.0.1", 403),
        ("[::1].example.com", 403),
    ])
    func `on loopback, the host must be this machine or an allowed origin's`(_ host: String, _ status: Int) throws {
        let access = try Access(tokenFile: nil, origins: ["https://photos.example.com"], isLoopback: true)
        #expect(try Self.status(access, ["host": host]) == status)
    }

    @Test func `a client without a Host field is not a browser`() throws {
        let access = try Access(tokenFile: nil, origins: [], isLoopback: true)
        #expect(try Self.status(access, [:]) == 200)
    }

    @Test(arguments: [
        ("http://localhost:80/classify?top=3", "example.com", 200), ("HTTP://127.0.0.1/classify", nil, 200),
        ("http://example.com/classify", "localhost", 403), ("http:///classify", "localhost", 403),
    ])
    func `the host of an absolute target is checked`(_ target: String, _ host: String?, _ status: Int) throws {
        let access = try Access(tokenFile: nil, origins: [], isLoopback: true)
        let request = try Request(
            method: "POST", target: target, fields: host.map { [(name: "host", value: $0)] } ?? [])
        #expect(request.path == ["classify"] && request.query == (target.contains("?") ? ["top": "3"] : [:]))
        var refused = 200
        do { try access.check(request, .classify) } catch let error as ErrorResponse { refused = error.status }
        #expect(refused == status)
    }

    @Test func `on other addresses, any host is accepted`() throws {
        let access = try Access(tokenFile: nil, origins: [], isLoopback: false)
        #expect(try Self.status(access, ["host": "example.com"]) == 200)
    }

    @Test(arguments: [
        ("http://localhost:8080", 200), ("HTTP://LocalHost:8080", 200), ("https://photos.example.com", 200),
        ("http://localhost:8081", 403), ("https://localhost:8080", 403), ("null", 403), ("http://evil.example", 403),
    ])
    func `a page of another origin is refused`(_ origin: String, _ status: Int) throws {
        let access = try Access(tokenFile: nil, origins: ["https://photos.example.com"], isLoopback: true)
        #expect(try Self.status(access, ["host": "localhost:8080", "origin": origin]) == status)
    }

    @Test(
        arguments: [
            (nil, 401), ("Bearer secret", 200), ("bearer secret", 200), ("Bearer secre", 401), ("Bearer secrett", 401),
            ("Bearer ", 401), ("Basic secret", 401), ("secret", 401), ("Bearer  secret ", 200),
            ("Bearer a secret", 401),
        ] as [(String?, Int)])
    func `a token is compared as a whole`(_ field: String?, _ status: Int) throws {
        let path = NSTemporaryDirectory() + "thaw-token-" + UUID().uuidString
        try Data("secret\n".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let access = try Access(tokenFile: path, origins: [], isLoopback: true)
        let fields = ["host": "localhost"].merging(field.map { ["authorization": $0] } ?? [:]) { $1 }
        #expect(try Self.status(access, fields) == status)
        for route in [Route.page, .live, .ready] { #expect(try Self.status(access, fields, route) == 200) }
        for route in [Route.metrics, .server, .openAPI] { #expect(try Self.status(access, fields, route) == status) }
    }

    @Test(arguments: ["", "\n", "two words", "tab\tbed", String(repeating: "a", count: 5000)])
    func `a file without a token is refused`(_ text: String) throws {
        let path = NSTemporaryDirectory() + "thaw-token-" + UUID().uuidString
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: StartFailure.self) { try Access(tokenFile: path, origins: [], isLoopback: true) }
    }

    @Test(arguments: ["example.com", "https://", "https://example.com/", "ftp://example.com"])
    func `an invalid origin is refused`(_ origin: String) {
        let failure = #expect(throws: StartFailure.self) {
            try Access(tokenFile: nil, origins: [origin], isLoopback: true)
        }
        #expect(
            failure?.message == "--origin: invalid value '\(origin)'; expected an origin such as https://example.com")
    }
}

/// The command line of the service.
@Suite struct SettingsTests {
    @Test(arguments: [
        ("a/Net.mlmodel", "Net"), ("Net.mlpackage/", "Net"), ("my=Net.mlmodel", "my"),
        ("x/inception/graph.pb", "inception"),
        ("./a=b/net.pb", "net"), ("v1.0.pb", "v1.0"),
    ])
    func `a model is named by its argument or its path`(_ word: String, _ name: String) throws {
        #expect(try Settings([word]).models.map(\.name) == [name])
    }

    @Test func `labels go to all models or to one`() throws {
        let all = try Settings(["a=x.pb", "b=y.pb", "--labels", "l.txt"])
        #expect(all.models.map(\.labels) == ["l.txt", "l.txt"])
        let one = try Settings(["a=x.pb", "b=y.pb", "--labels=b=l.txt", "--port", "0", "--crop=center:0.875"])
        #expect(one.models.map(\.labels) == [nil, "l.txt"] && one.port == 0 && one.crop == .center(0.875))
    }

    @Test(arguments: [
        [], ["a.pb", "b/a.pb"], ["ä.pb"], ["a.pb", "--port"], ["a.pb", "--port=70000"], ["a.pb", "--nothing=1"],
        ["a.pb", "--crop=center:2"], ["a.pb", "--labels=b=x.txt"], ["a.pb", "--background=red"], ["a.pb", "--queue=0"],
        ["a.pb", "--queue=1000001"], ["a.pb", "--port=+80"],
    ])
    func `wrong arguments are refused`(_ arguments: [String]) {
        #expect(throws: StartFailure.self) { try Settings(arguments) }
    }

    @Test func `messages name the options and commands of the program`() {
        for option in OptionName.all { #expect(("\(option: option)" as Phrase).forOperator == option.forCommand) }
        let phrase = "\(option: .usesMovingAverages), \(option: .maximumPixels) or \(task: .runPipeline)" as Phrase
        #expect(phrase.forOperator == "--moving-averages, --max-pixels or 'thaw run'")
    }
}
