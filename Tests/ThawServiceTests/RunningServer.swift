import Foundation
import Testing

/// `thaw serve` as a separate process.
struct RunningServer {
    private let process: Process
    let url: String

    /// - Parameter arguments: The models and options.
    init(_ arguments: [String]) throws {
        let (process, output, _) = try RunningServer.start(arguments)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasPrefix("listening on http://127.0.0.1:"))
        self.process = process
        url = line.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
    }

    /// Stops it, unless it has exited already.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    /// Its messages if it does not start.
    static func refusal(_ arguments: [String]) throws -> String {
        let (process, _, errors) = try start(arguments)
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
        return text
    }

    private static func start(_ arguments: [String]) throws -> (Process, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = EndToEndTests.folder.appending(path: "thaw")
        process.arguments = ["serve", "--port", "0"] + arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        return (process, output, errors)
    }
}
