import Foundation
import Testing

/// Missing resources of a process: descriptors, threads.
@Suite struct ProcessTests {
    private let model = ClassifyTests.model
    private let cat = Project.photograph("cat")

    @Test func `if standard error is closed, no message is written into a report`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["classify", model.path, cat, "/nowhere.jpg", "--report", "page.html"]
        let open = try Thaw.run(arguments, in: folder)
        let expected = try folder.data("page.html")
        #expect(open.status == 1 && open.errors.contains("/nowhere.jpg"))
        let closed = try Thaw.run(arguments, in: folder, after: "2>&-")
        #expect(closed.status == 1 && closed.output == open.output)
        #expect(try folder.data("page.html") == expected)
    }

    @Test(arguments: [
        (">&-", "thaw: standard output: cannot be written: Bad file descriptor\n"),
        ("<&-", "thaw: standard input: cannot be read: Bad file descriptor\n"),
        (">&- 2>&- <&-", ""),
    ]) func `a closed descriptor is an error, and no other file takes its place`(
        _ closed: String, _ errors: String
    ) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(
            ["classify", model.path, cat, "-", "--report", "page.html"], in: folder, after: closed)
        #expect(outcome.status != 0)
        #expect(outcome.errors.hasSuffix(errors))
        // If any of the page was written, it begins like a page.
        let page = (try? folder.data("page.html")) ?? Data("<!doctype html>".utf8)
        #expect(page.starts(with: "<!doctype html>".utf8))
    }

    #if os(Linux)
        /// A thread whose stack exceeds the process's memory limit cannot be started.
        @Test(.enabled(if: Thaw.canBeLimited), arguments: ["1", "2"])
        func `if no thread can be started, the results are the same`(_ threads: String) throws {
            let arguments = ["classify", model.path, cat, Project.photograph("horse"), cat, "--threads", threads]
            let expected = try Thaw.run(arguments)
            let limited = try Thaw.run(arguments, shell: "ulimit -s 8000000 && ulimit -v 6000000 &&")
            #expect(expected.status == 0 && limited.status == 0)
            #expect(limited.output == expected.output && limited.errors == "")
        }
    #endif
}
