import Foundation
import Testing

/// The program, run by a shell.
enum Thaw {
    /// The result of a run.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
        /// The lines of `output`.
        var lines: [String] {
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    /// Whether a shell can limit the program's resources. `make sanitize` turns this off if a sanitizer's own memory,
    /// or what it writes, would not fit.
    static let canBeLimited = ProcessInfo.processInfo.environment["THAW_SANITIZED"] == nil

    /// Runs `thaw` with these arguments. It must exit normally, not by a signal.
    ///
    /// - Parameters:
    ///   - shell: Shell commands to run first, such as `ulimit -f 8;`.
    ///   - after: Shell text after the arguments, such as `> /dev/full`.
    static func run(
        _ arguments: [String], in folder: TemporaryFolder? = nil, environment: [String: String] = [:],
        shell: String? = nil,
        after: String = ""
    ) throws -> Outcome {
        let process = Process()
        if shell == nil && after.isEmpty {
            process.executableURL = binary
            process.arguments = arguments
        } else {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // After a pipe there is nothing to `exec`.
            let start = shell?.hasSuffix("|") == true ? "" : " exec"
            process.arguments = ["-c", (shell ?? "") + start + " \"$0\" \"$@\" " + after, binary.path] + arguments
        }
        process.currentDirectoryURL = folder?.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return try outcome(of: process)
    }

    /// Runs a process, and captures what it prints.
    static func outcome(of process: Process) throws -> Outcome {
        // Files take any amount of output without a concurrent reader.
        let captured = try TemporaryFolder()
        let files = ["output", "errors"].map { captured.path($0) }
        for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        let handles = files.map { FileHandle(forWritingAtPath: $0)! }
        (process.standardOutput, process.standardError) = (handles[0], handles[1])
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        for handle in handles { try handle.close() }
        #expect(
            process.terminationReason == .exit,
            "ended by signal \(process.terminationStatus): \(process.arguments ?? [])")
        let texts = try files.map { String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self) }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    static func run(_ arguments: String..., in folder: TemporaryFolder? = nil) throws -> Outcome {
        try run(arguments, in: folder)
    }

    /// The `thaw` built with the tests, or the one that the environment variable `THAW` names.
    static let binary: URL = {
        if let path = ProcessInfo.processInfo.environment["THAW"] { return URL(fileURLWithPath: path) }
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
        #else
            let bundle = Bundle.main.executableURL!
        #endif
        return bundle.deletingLastPathComponent().appending(path: "thaw")
    }()
}

/// A temporary folder for a test, removed with this object.
final class TemporaryFolder: Sendable {
    /// A folder for several tests, removed when the process exits: static properties are never released.
    static let shared: TemporaryFolder = {
        let folder = try! TemporaryFolder()
        atexit { try? FileManager.default.removeItem(at: TemporaryFolder.shared.url) }
        return folder
    }()

    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "thaw-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// The names in the folder, sorted.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }

    @discardableResult func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    func data(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

    /// Writes a graph of two nodes: a placeholder of one pixel in three colors, and its sigmoid.
    func writeSigmoidGraph(to name: String) throws -> String {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        func attribute(_ key: String, _ value: [UInt8]) -> [UInt8] {
            field(5, field(1, Array(key.utf8)) + field(2, value))
        }
        let shape = field(7, [1, 1, 1, 3].flatMap { field(2, [8, $0]) })
        let input = field(1, Array("input".utf8)) + field(2, Array("Placeholder".utf8))
        let sigmoid = field(1, Array("labels".utf8)) + field(2, Array("Sigmoid".utf8)) + field(3, Array("input".utf8))
        let nodes = field(1, input + attribute("dtype", [48, 1]) + attribute("shape", shape)) + field(1, sigmoid)
        try Data(nodes).write(to: url.appending(path: name))
        return path(name)
    }
}

/// The project's own files.
enum Project {
    static let folder: URL = {
        var url = URL(fileURLWithPath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent()
    }()

    static func path(_ name: String) -> String { folder.appending(path: name).path }
    static func fixture(_ name: String) -> String { path("Tests/Fixtures/" + name) }
    static func network(_ name: String) -> String { fixture("networks/\(name)/graph.pb") }
    static func labels(_ name: String) -> String { fixture("networks/\(name)/labels.txt") }

    static let demo = path("Models/cifar10.pb")
    static let demoLabels = path("labels/cifar10.txt")
    static func photograph(_ name: String) -> String { fixture("photographs/\(name).jpg") }

    /// The rows of a table with a header line.
    static func table(_ name: String) -> [[String]] {
        let text = try! String(contentsOfFile: fixture(name), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
