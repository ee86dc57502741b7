#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    /// A command that writes an output, which replaces an old one or not.
    struct FaultCase: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The arguments; the output's name follows.
        var arguments: [String]
        var output: String
        var replaces = true
        var canExchange = true

        /// Outputs of another run, which this one replaces.
        var oldArguments: [String] { arguments.map { $0.replacing("new", with: "old") } }

        private static let convert = ["convert", "graph.pb", "--author", "new", "-o"]
        static let all = [
            FaultCase(testDescription: "a new file", arguments: convert, output: "a.mlmodel", replaces: false),
            FaultCase(testDescription: "a file", arguments: convert, output: "a.mlmodel"),
            FaultCase(testDescription: "a new package", arguments: convert, output: "a.mlpackage", replaces: false),
            FaultCase(testDescription: "a package", arguments: convert, output: "a.mlpackage"),
            FaultCase(
                testDescription: "a package where names cannot be exchanged", arguments: convert, output: "a.mlpackage",
                canExchange: false),
            FaultCase(
                testDescription: "a new file that must not replace another",
                arguments: ["convert", "graph.pb", "--no-clobber", "-o"],
                output: "a.mlmodel", replaces: false),
            FaultCase(
                testDescription: "an array", arguments: ["run", "graph.pb", "new.npy", "-o"], output: "a.npy"),
        ]

        /// The signals do not differ; one of them is enough for most cases.
        static let signals: [(FaultCase, Int32)] =
            all.filter(\.replaces).map { ($0, SIGTERM) } + [(all[1], SIGINT), (all[1], SIGHUP)]
    }

    /// Faults at every call that changes a file: the program is killed or interrupted there, or the call fails. A small
    /// library that is loaded before the system's makes them happen.
    @Suite(.enabled(if: Thaw.canBeLimited)) struct FaultTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            _ = try folder.writeSigmoidGraph(to: "graph.pb")
            for (name, value) in [("old", Float(1)), ("new", 2)] {
                let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 3), }"
                let padded = header + String(repeating: " ", count: 117 - header.count) + "\n"
                var bytes = Data([0x93] + "NUMPY".utf8 + [1, 0, 118, 0]) + padded.utf8
                for _ in 0..<3 { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
                try bytes.write(to: folder.url.appending(path: name + ".npy"))
            }
            try FileManager.default.createDirectory(atPath: folder.path("outputs"), withIntermediateDirectories: true)
        }

        /// The library of faults, compiled once.
        private static let library: Result<String, any Error> = Result {
            let path = TemporaryFolder.shared.path("faults.so")
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                Project.path("Tests/ThawCommandTests/Faults/faults.c"), "-o", path, "-ldl",
            ]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return path
        }

        /// How a run ended: normally, or by a signal.
        private enum End: Equatable {
            case status(Int32)
            case signal(Int32)
        }

        private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (
            end: End, errors: String
        ) {
            let process = Process()
            // A background job of a shell ignores some signals, and its children with it.
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["--default-signal", Thaw.binary.path] + arguments
            process.currentDirectoryURL = folder.url
            process.environment = ProcessInfo.processInfo.environment
                .merging(["LD_PRELOAD": try Self.library.get()]) { $1 }.merging(environment) { $1 }
            (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
            let errors = folder.path("errors")
            _ = FileManager.default.createFile(atPath: errors, contents: nil)
            let handle = FileHandle(forWritingAtPath: errors)!
            process.standardError = handle
            try process.run()
            process.waitUntilExit()
            try handle.close()
            let end = process.terminationStatus
            return (
                process.terminationReason == .exit ? .status(end) : .signal(end),
                String(decoding: try folder.data("errors"), as: UTF8.self)
            )
        }

        /// All files in the folder of outputs, with their contents.
        private var outputs: [String: Data] {
            get throws {
                let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path("outputs"))
                return Dictionary(
                    uniqueKeysWithValues: names.map { ($0, (try? folder.data("outputs/" + $0)) ?? Data()) })
            }
        }

        private func clear() throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("outputs")) {
                try FileManager.default.removeItem(atPath: folder.path("outputs/" + name))
            }
        }

        /// Runs a command with a fault at its first call, its second, and so on, until it ends before the fault. Before
        /// each run the old output is there, if any.
        /// - Parameter check: Receives how the run ended, and the old and the new content of the folder of outputs.
        /// - Returns: The number of faults.
        private func forEachFault(
            _ fault: String, _ test: FaultCase,
            _ check: (_ end: End, _ errors: String, _ old: [String: Data], _ new: [String: Data]) throws -> Void
        ) throws -> Int {
            let output = "outputs/" + test.output
            let exchange = test.canExchange ? [:] : ["NO_EXCHANGE": "1"]
            try #require(try run(test.arguments + [output], exchange).end == .status(0))
            let new = try outputs
            var count = 0
            while true {
                try clear()
                if test.replaces { try #require(try run(test.oldArguments + [output]).end == .status(0)) }
                let old = try outputs
                try #require(old != new)
                let mark = folder.path("mark")
                let faults = ["FAULT": fault, "FAULT_AT": String(count + 1), "FAULT_MARK": mark].merging(exchange) {
                    $1
                }
                let (end, errors) = try run(test.arguments + [output], faults)
                guard FileManager.default.fileExists(atPath: mark) else {
                    #expect(try end == .status(0) && outputs == new)
                    return count
                }
                try FileManager.default.removeItem(atPath: mark)
                count += 1
                try check(end, errors, old, new)
            }
        }

        /// The files under names that are not temporary.
        private func visible(_ files: [String: Data]) -> [String: Data] { files.filter { !$0.key.hasPrefix(".thaw-") } }

        @Test(arguments: FaultCase.all)
        func `a killed program leaves the old or the new output, and the next one removes everything else`(
            _ test: FaultCase
        )
            throws
        {
            let kills = try forEachFault("kill", test) { end, _, old, new in
                #expect(end == .signal(SIGKILL))
                let left = visible(try outputs)
                // Without an exchange, the name is missing for a moment; the old output is aside.
                #expect(left == old || left == new || !test.canExchange && left.isEmpty)
                // Another output in the same folder.
                #expect(try run(["run", "graph.pb", "old.npy", "-o", "outputs/other.npy"]).end == .status(0))
                try FileManager.default.removeItem(atPath: folder.path("outputs/other.npy"))
                let repaired = try outputs
                #expect(repaired == (left == new ? new : old))
            }
            #expect(kills >= 5)
        }

        @Test(arguments: FaultCase.signals)
        func `a signal leaves the old or the new output, and nothing else`(_ test: FaultCase, _ signal: Int32) throws {
            let signals = try forEachFault(String(signal), test) { end, _, old, new in
                #expect(end == .signal(signal))
                let left = try outputs
                #expect(left == old || left == new)
            }
            #expect(signals >= 5)
        }

        @Test(arguments: FaultCase.all) func `if a call fails, the old output stays`(_ test: FaultCase) throws {
            let faults = try forEachFault("error", test) { end, errors, old, new in
                let left = try outputs
                #expect(left == old || left == new)
                // A few failures do not matter, such as that of a permission that the file has already.
                guard end != .status(0) else { return #expect(left == new) }
                #expect(
                    end == .status(2) && errors.contains("thaw: outputs/\(test.output): cannot be written: "),
                    "\(errors)")
            }
            #expect(faults >= 5)
        }

        // MARK: Full disks, folders that cannot be written, links, missing resources

        private func convert(to output: String, shell: String? = nil, after: String = "") throws -> Thaw.Outcome {
            try Thaw.run(["convert", Project.demo, "-o", output], in: folder, shell: shell, after: after)
        }

        private static let names = ["outputs/a.mlmodel", "outputs/a.mlpackage"]

        @Test(arguments: names) func `beyond the file size limit, the old output stays`(_ output: String) throws {
            #expect(try run(["convert", "graph.pb", "-o", output]).end == .status(0))
            let old = try outputs
            let outcome = try convert(to: output, shell: "ulimit -f 8;")
            #expect(
                outcome.status == 2 && outcome.errors.hasSuffix("thaw: \(output): cannot be written: File too large\n"))
            #expect(try outputs == old)
        }

        /// Whether this user may mount a file system.
        private static let canMount: Bool = {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "unshare -m mount -t tmpfs none /mnt 2> /dev/null"]
            return (try? process.run()).map {
                process.waitUntilExit()
                return process.terminationStatus == 0
            } ?? false
        }()

        @Test(
            .enabled(if: canMount, "this user cannot mount file systems"), arguments: names,
            [("size=64k", "No space left on device"), ("ro", "Read-only file system")])
        func `a full disk and a read-only one are reported`(_ output: String, _ disk: (options: String, error: String))
            throws
        {
            let commands =
                "mount -t tmpfs -o \(disk.options) none outputs && \"$0\" \"$@\"; status=$?; ls -A outputs; exit $status"
            let outcome = try convert(to: output, shell: "exec unshare -m sh -c '\(commands)' \"$0\" \"$@\";")
            #expect(
                outcome.status == 2 && outcome.errors.hasSuffix("thaw: \(output): cannot be written: \(disk.error)\n"))
            #expect(outcome.output.isEmpty, "nothing is left")
        }

        @Test(arguments: ["mlmodel", "mlpackage"]) func `a link may point to a new output, but not to a missing folder`(
            _ ending: String
        ) throws {
            for (name, destination) in [("new", "there"), ("lost", "missing/there")] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path("outputs/\(name).\(ending)"), withDestinationPath: "\(destination).\(ending)")
            }
            #expect(try convert(to: "outputs/new.\(ending)").status == 0)
            #expect(try convert(to: "outputs/there.\(ending)").status == 0)
            let lost = try convert(to: "outputs/lost.\(ending)")
            #expect(lost.status == 2 && lost.errors.contains("the folder that this link leads to does not exist"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("outputs")).sorted()
            #expect(names == ["lost", "new", "there"].map { "\($0).\(ending)" })
        }

        @Test(arguments: names) func `closed descriptors and a lack of threads do not change an output`(
            _ output: String
        ) throws {
            #expect(try convert(to: output).status == 0)
            let expected = try outputs
            for (shell, after) in [
                (nil, ">&- 2>&- <&-"), (nil, ">&-"), ("ulimit -s 8000000 && ulimit -v 6000000 &&", ""),
            ] as [(String?, String)] {
                try clear()
                #expect(try convert(to: output, shell: shell, after: after).status == 0)
                #expect(try outputs == expected)
            }
        }

        // MARK: Truncated files

        @Test(arguments: [
            (["inspect", "graph.pb"], "graph.pb"), (["convert", "graph.pb", "-o", "outputs/a.mlpackage"], "graph.pb"),
            (["inspect", "a.mlmodel"], "a.mlmodel"),
            (["compress", "a.mlmodel", "--weights", "int8", "-o", "outputs/b.mlmodel"], "a.mlmodel"),
            (
                ["run", "a.mlpackage", "new.npy", "-o", "outputs/c.npy"],
                "a.mlpackage/Data/com.apple.CoreML/model.mlmodel"
            ),
            (["inspect", "a.mlpackage"], "a.mlpackage/Manifest.json"),
        ]) func `a model that is truncated while it is in use is named`(_ arguments: [String], _ file: String) throws {
            for name in ["a.mlmodel", "a.mlpackage"] {
                #expect(try run(["convert", "graph.pb", "-o", name]).end == .status(0))
            }
            let (end, errors) = try run(arguments, ["TRUNCATE": file])
            #expect(end == .status(2))
            #expect(
                errors.hasSuffix(
                    "thaw: \(file): was truncated, or could not be read, while it was in use; replace a file by renaming a "
                        + "complete one\n"), "\(errors)")
            #expect(try outputs.isEmpty)
        }
    }
#endif
