import Foundation
import Testing

/// The service as a program, over a socket.
@Suite struct EndToEndTests {
    static let folder = Bundle.main.executableURL!.deletingLastPathComponent()
    private static var project: URL {
        var url = URL(fileURLWithPath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent()
    }

    static func path(_ name: String) -> String { project.appending(path: name).path }

    /// Runs `curl` and returns its output.
    static func curl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "-s"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    static let hasCurl = (try? curl(["--version"]).hasPrefix("curl")) ?? false

    @Test(.enabled(if: hasCurl, "curl is not installed"))
    func `thaw serve answers like thaw classify, and ends with its signal`() throws {
        let arguments = [Self.path("Models/cifar10.pb"), "--labels", Self.path("labels/cifar10.txt")]
        let photo = Self.path("Tests/Fixtures/photographs/cat.jpg")
        let server = try RunningServer(arguments)
        defer { server.stop() }
        let url = server.url

        let command = Process()
        command.executableURL = Self.folder.appending(path: "thaw")
        command.arguments = ["classify"] + arguments + ["--format", "json", photo]
        let pipe = Pipe()
        (command.standardOutput, command.standardError) = (pipe, Pipe())
        try command.run()
        let expected = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        command.waitUntilExit()
        let response = try Self.curl(["-F", "file=@\(photo)", url + "/classify"])
        #expect(response == expected.replacing(photo, with: "cat.jpg"))
        #expect(
            try Self.curl(["--data-binary", "@" + photo, url + "/classify"])
                == expected.replacing("\"\(photo)\"", with: "null"))
        #expect(try Self.curl([url + "/v2/health/ready"]) == "{\"ready\":true}\n")
        #expect(try Self.curl(["-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: evil.example", url]) == "403")
    }

    @Test func `thaw serve names its program if that is missing`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "thaw-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let thaw = folder.appending(path: "thaw")
        try FileManager.default.copyItem(at: Self.folder.appending(path: "thaw"), to: thaw)
        let process = Process()
        process.executableURL = thaw
        process.arguments = ["serve", "x.mlmodel"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2 && text.contains("the program that serves models is missing"))
    }
}
