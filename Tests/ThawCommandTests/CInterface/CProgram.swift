import Foundation
import Testing

/// A program in C that uses the library, compiled with `cc`.
struct CProgram {
    /// Checks that the compiler adds.
    enum Checks: String, CaseIterable {
        case none, address
    }

    private let binary: String
    private let folder: TemporaryFolder

    /// - Parameter source: The path of the program, or the name of one of the tests' own.
    init(_ source: String, checks: Checks = .none) throws {
        folder = try TemporaryFolder()
        binary = folder.path("program")
        try CProgram.link(in: folder)
        let sanitizer = CProgram.sanitizer ?? (checks == .none ? nil : checks.rawValue)
        let path =
            source.hasSuffix(".c") ? source : Project.path("Tests/ThawCommandTests/CInterface/Programs/\(source).c")
        let outcome = try CProgram.execute(
            CProgram.sanitizer == nil ? "/usr/bin/env" : CProgram.clang,
            (CProgram.sanitizer == nil ? ["cc"] : []) + (sanitizer.map { ["-fsanitize=" + $0] } ?? []) + [
                "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-I", Project.path("Sources/CThaw/include"),
                "-I", Project.path("Tests/ThawCommandTests/CInterface/Programs"), path, "-o", binary, "-L",
                folder.url.path, "-lthaw", "-lpthread", "-Wl,--allow-shlib-undefined", "-Wl,-rpath," + folder.url.path,
            ] + (CProgram.sanitizer == nil ? [] : CProgram.runtime))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Runs the program, which must succeed.
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    func run(_ arguments: [String]) throws -> String {
        let outcome = try CProgram.execute(binary, arguments)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.status): \(outcome.errors)")
        return outcome.output
    }

    // MARK: The library

    /// The sanitizer that the library was built with.
    static let sanitizer = ProcessInfo.processInfo.environment["THAW_SANITIZED"]

    /// The library that is built together with the tests.
    private static let library = Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "libThawC.so")

    /// The compiler whose sanitizers are those of Swift's.
    private static let clang: String = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let swift = folders.map { $0 + "/swift" }.first { FileManager.default.isExecutableFile(atPath: String($0)) }
        let resolved = URL(fileURLWithPath: String(swift ?? "/usr/bin/swift")).resolvingSymlinksInPath()
        return resolved.deletingLastPathComponent().appending(path: "clang").path
    }()

    /// Swift's runtime, to which a library with a sanitizer is linked dynamically, and the sanitizer itself.
    private static let runtime: [String] = {
        let toolchain = URL(fileURLWithPath: clang).deletingLastPathComponent().deletingLastPathComponent()
        let libraries = toolchain.appending(path: "lib/swift/linux").path
        return ["-L", libraries, "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath," + libraries]
    }()

    /// Puts the library into a folder under the names that programs know.
    private static func link(in folder: TemporaryFolder) throws {
        for name in ["libthaw.so", "libthaw.so.0"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(name), withDestinationPath: library.path)
        }
    }

    private static func execute(_ program: String, _ arguments: [String]) throws -> Thaw.Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Memory that the Swift runtime keeps until the end is not a leak.
        process.environment = ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { $1 }
        return try Thaw.outcome(of: process)
    }
}
