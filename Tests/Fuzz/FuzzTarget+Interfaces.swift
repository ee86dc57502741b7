import Foundation

@testable import Thaw
@testable import ThawCommand
@testable import ThawService

extension FuzzTarget {
    /// The words of a command line, separated by line feeds; the first is the command.
    static let options = FuzzTarget(
        name: "options",
        seeds: {
            Commands.all.flatMap { command in
                command.options.map { option in
                    Array("\(command.name)\na\n\(option.spelling)\n\(option.defaultText ?? "1")".utf8)
                }
            }
        },
        run: { input in
            let words = input.split(separator: 0x0A, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let command = Commands.all.first(where: { $0.name == words[0] }) else { return }
            do {
                let arguments = try command.arguments(words.dropFirst())
                _ = arguments.commandLine(of: command.options)
            } catch let failure as Failure { _ = "\(failure.forCommand)" }
        })

    /// A request: the target, fields and an empty line, then the body, which is read as every form that it may have.
    static let http = FuzzTarget(
        name: "http",
        seeds: {
            [
                "POST /v2/models/a/infer?x=%20\nhost: a\ncontent-type: application/json\n\n{\"a\": [1, \"b\"]}",
                "POST /classify?top=3\ncontent-type: multipart/form-data; boundary=x\n\n"
                    + "--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b\"\r\n\r\nc\r\n--x--\r\n",
                "GET /models/a%2Fb/graph.svg\ntransfer-encoding: chunked\ncontent-encoding: gzip\n\n",
            ].map { Array($0.utf8) }
        },
        run: { input in
            let text = String(decoding: input, as: UTF8.self)
            let halves = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
            var lines = halves[0].split(separator: "\n").map(String.init)
            guard !lines.isEmpty else { return }
            let words = lines.removeFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let fields = lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (name: parts[0].lowercased(), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
            }
            let body = Array((halves.count > 1 ? String(halves[1]) : "").utf8)[...]
            do {
                let request = try Request(method: words[0], target: words.count > 1 ? words[1] : "/", fields: fields)
                _ = Route(request.path)
                _ = request.contentLength
                if let boundary = try Multipart.boundary(in: request["content-type"]) {
                    _ = try Multipart.parts(of: body, boundary: boundary)
                }
                _ = try ThawService.JSON(body)
            } catch is ThawService.ErrorResponse {}
        })

    /// A request to run a model: the length of its JSON in two bytes, or 0 for all, and the body.
    static let infer = FuzzTarget(
        name: "infer",
        seeds: {
            [
                #"{"id": "1", "inputs": [{"name": "a", "shape": [1, 2], "datatype": "FP32", "data": [[1, 2.5e3]]}]}"#,
                #"{"inputs": [{"name": "a", "shape": [1], "datatype": "BYTES", "data": ["AAAA"], "#
                    + #""parameters": {"content_type": "base64"}}], "outputs": [{"name": "b", "parameters": "#
                    + #"{"binary_data": true, "classification": 3}}], "parameters": {"binary_data_output": true}}"#,
                #"{"inputs": [{"name": "a", "shape": [2], "datatype": "INT16", "parameters": {"binary_data_size": 4}}]}abcd"#,
            ].map { [0, 0] + Array($0.utf8) }
        },
        run: { input in
            guard input.count > 2 else { return }
            let length = Int(input[0]) | Int(input[1]) << 8
            do {
                _ = try InferRequest(input[2...], headerLength: length == 0 ? nil : String(length))
            } catch is ThawService.ErrorResponse {}
        })
}
