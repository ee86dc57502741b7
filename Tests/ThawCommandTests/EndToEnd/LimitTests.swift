import Foundation
import Testing

/// The limits that variables of the environment change: see docs/limits.md.
@Suite struct LimitTests {
    private static let arguments = [
        "classify", Project.demo, Project.photograph("cat"), "--labels", Project.demoLabels,
    ]

    @Test(arguments: [
        ("THAW_MAX_NODES", "3", "the model has more than 3 nodes"),
        ("THAW_MAX_NAME", "2", "has 5 bytes; the limit is 2"),
        ("THAW_MAX_MEMORY", "1000", " MB for its activations and scratch memory; the limit is 1000 bytes"),
        ("THAW_MAX_MEMORY", "10000", " MB for its activations and scratch memory; the limit is 9 KB"),
    ]) func `a model beyond a limit is refused, naming the variable`(
        _ variable: String, _ value: String, _ message: String
    ) throws {
        let refused = try Thaw.run(Self.arguments, environment: [variable: value])
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("thaw: \(Project.demo): "))
        #expect(refused.errors.contains(message))
        #expect(refused.errors.contains("\(variable) raises the limit"))
        let accepted = try Thaw.run(Self.arguments, environment: [variable: "1000000000"])
        #expect(accepted.status == 0)
    }

    @Test func `a file of labels beyond the limit is refused`() throws {
        let refused = try Thaw.run(Self.arguments, environment: ["THAW_MAX_LABELS": "10"])
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("thaw: \(Project.demoLabels): the file of labels has "))
        #expect(refused.errors.hasSuffix("bytes; the limit is 10\nhint: THAW_MAX_LABELS raises the limit\n"))
    }

    @Test(arguments: ["abc", "0", "-1", "1.5"]) func `an invalid limit is refused, naming the variable`(
        _ value: String
    ) throws {
        for variable in ["THAW_MAX_NODES", "THAW_MAX_NAME", "THAW_MAX_LABELS", "THAW_MAX_MEMORY"] {
            let refused = try Thaw.run(Self.arguments, environment: [variable: value])
            #expect(refused.status == 2 && refused.output.isEmpty)
            let message = "thaw: \(variable): invalid value '\(value)'; expected an integer of at least 1\n"
            #expect(refused.errors == message, "\(refused.errors)")
        }
        #expect(try Thaw.run(Self.arguments, environment: ["THAW_MAX_NODES": ""]).status == 0)
    }

    /// The condition of its loop always holds.
    private static let loop = Project.fixture("damaged/neuralNetwork/endless_loop.mlmodel")

    @Test(
        arguments: [
            ([:], "10000 iterations"), (["THAW_MAX_ITERATIONS": "7"], "7 iterations"),
        ] as [([String: String], String)]) func `an endless loop stops the run with an error`(
            _ environment: [String: String], _ message: String
        ) throws
    {
        let folder = try TemporaryFolder()
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n".utf8
        let start = [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(header.count), 0]
        try Data(start + header + [UInt8](repeating: 0, count: 24)).write(to: folder.url.appending(path: "a.npy"))
        for arguments in [["run", Self.loop, "a.npy", "-o", "y.npy"], ["benchmark", Self.loop]] {
            let refused = try Thaw.run(arguments, in: folder, environment: environment)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(refused.errors.contains("thaw: \(Self.loop): "), "\(refused.errors)")
            #expect(refused.errors.contains("the loop has not ended after \(message)"), "\(refused.errors)")
            #expect(refused.errors.contains("THAW_MAX_ITERATIONS raises the limit"))
        }
        #expect(try Thaw.run(["inspect", Self.loop]).status == 0)
    }

    @Test func `a tensor of more elements than the limit is refused`() throws {
        let refused = try Thaw.run(Self.arguments, environment: ["THAW_MAX_ELEMENTS": "1000"])
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("thaw: \(Project.demo): "))
        #expect(try Thaw.run(Self.arguments, environment: ["THAW_MAX_ELEMENTS": "10000000"]).status == 0)
        // Tensors that nodes compute have a limit of their own.
        let folder = try TemporaryFolder()
        for (value, limit) in [("10000000000", "2^29"), ("1000", "999")] {
            let arguments = ["convert", Project.fixture("refuse/one_hot_huge.pb"), "-o", "m.mlmodel"]
            let refused = try Thaw.run(arguments, in: folder, environment: ["THAW_MAX_ELEMENTS": value])
            #expect(refused.errors.contains("the limit is \(limit) elements"), "\(refused.errors)")
        }
        #expect(try folder.names == [])
    }
}
