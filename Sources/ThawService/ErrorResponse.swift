import Thaw

/// The response to a request that failed: the status and the problem.
struct ErrorResponse: Error {
    var status: Int
    var failure: Failure
    /// The header fields that go with the status.
    var headers: [(String, String)] = []

    init(
        _ status: Int, _ code: Failure.Code, _ problem: Phrase, remedy: Phrase? = nil, headers: [(String, String)] = []
    ) {
        self.status = status
        failure = Failure(code, problem, remedy: remedy)
        self.headers = headers
    }

    /// The response for a failure of the library.
    init(_ failure: Failure) {
        self.failure = failure
        status =
            switch failure.code {
            case .limitExceeded: 413
            case .unknownFormat, .wrongKind: 415
            default: 400
            }
    }

    /// The message without a file or a hint for users of the command line.
    var message: String {
        var copy = failure
        (copy.file, copy.hint) = (nil, nil)
        let text = copy.description
        // After the name of a file, this is a sentence.
        return text.hasPrefix("is ") ? "the file " + text : text
    }

    /// The error in the form of the Open Inference Protocol, with the code.
    var response: Response {
        var json = JSONText()
        json.object { json in
            json.member("error", message)
            json.member("code", failure.code.rawValue)
        }
        return Response(status: status, json: json, headers: headers)
    }
}

/// The service's codes, in addition to the library's.
extension Failure.Code {
    /// The request is not valid HTTP, JSON or Open Inference Protocol.
    static let invalidRequest = Self(rawValue: "invalidRequest")
    /// There is no model, version or page with this name.
    static let notFound = Self(rawValue: "notFound")
    static let methodNotAllowed = Self(rawValue: "methodNotAllowed")
    /// A token is missing or wrong.
    static let unauthorized = Self(rawValue: "unauthorized")
    /// The Host or Origin of a request is not allowed.
    static let forbidden = Self(rawValue: "forbidden")
    /// The service is busy or shutting down.
    static let unavailable = Self(rawValue: "unavailable")
}

// MARK: Problems with requests

extension ErrorResponse {
    static func badRequest(_ problem: Phrase, remedy: Phrase? = nil) -> ErrorResponse {
        ErrorResponse(400, .invalidRequest, problem, remedy: remedy)
    }

    static func notJSON(at offset: Int) -> ErrorResponse {
        badRequest("the request is not valid JSON at byte \(offset)")
    }

    static func duplicateKey(_ key: String) -> ErrorResponse {
        badRequest("the request's JSON has the key '\(key)' twice in one object")
    }

    static func tooDeep() -> ErrorResponse {
        badRequest("the request's JSON is nested deeper than \(JSON.depthLimit) levels")
    }

    static func tooManyValues() -> ErrorResponse {
        badRequest("the request has more than \(JSON.valueLimit) JSON values besides the elements of tensors")
    }

    static func mixedElements() -> ErrorResponse { badRequest("the data of a tensor mixes strings with numbers") }

    static func unknownTransferEncoding(_ encoding: String) -> ErrorResponse {
        ErrorResponse(
            501, .invalidRequest, "the transfer encoding '\(encoding)' is not supported", remedy: "use chunked",
            headers: [("Connection", "close")])
    }

    static func missing(_ key: String, _ expected: String) -> ErrorResponse {
        badRequest("'\(key)' is missing or of the wrong type", remedy: "expected \(expected)")
    }

    static func badParameter(_ name: String, _ value: String, expected: String) -> ErrorResponse {
        ErrorResponse(400, .invalidOption, "\(name) is '\(value)'", remedy: "expected \(expected)")
    }

    static func unknownParameter(_ name: String) -> ErrorResponse {
        ErrorResponse(
            400, .invalidOption, "there is no query parameter '\(name)'",
            remedy: "the parameters are model, top and crop")
    }

    static func noClassifier() -> ErrorResponse {
        ErrorResponse(400, .unsupportedModel, "no model here classifies single images", remedy: "use infer")
    }

    static func missingModel(_ names: [String]) -> ErrorResponse {
        ErrorResponse(
            400, .invalidOption, "the parameter 'model' is missing, and several models classify images",
            remedy: "expected one of '\(names.joined(separator: "', '"))'")
    }

    static func noSuchModel(_ name: String, _ names: [String]) -> ErrorResponse {
        var error = ErrorResponse(
            404, .notFound, "there is no model '\(name)'",
            remedy: "the models are '\(names.joined(separator: "', '"))'")
        error.failure.names = names
        return error
    }

    static func noSuchVersion(_ version: String) -> ErrorResponse {
        ErrorResponse(404, .notFound, "there is no version '\(version)'", remedy: "the only version is 1")
    }

    static func noSuchPath(_ path: String) -> ErrorResponse {
        ErrorResponse(404, .notFound, "there is nothing at \(path)", remedy: "/openapi.json lists the paths")
    }

    static func methodNotAllowed(_ method: String, _ allowed: [String]) -> ErrorResponse {
        ErrorResponse(
            405, .methodNotAllowed, "\(method) is not supported here",
            remedy: "use \(allowed.joined(separator: " or "))",
            headers: [("Allow", allowed.joined(separator: ", "))])
    }

    static func unauthorized() -> ErrorResponse {
        ErrorResponse(
            401, .unauthorized, "the token is missing or wrong", remedy: "send 'Authorization: Bearer TOKEN'",
            headers: [("WWW-Authenticate", "Bearer realm=\"thaw\"")])
    }

    static func foreignHost(_ host: String) -> ErrorResponse {
        ErrorResponse(
            403, .forbidden, "requests for the host '\(host)' are not allowed",
            remedy: "to allow them, start the service with '--origin http://\(host)'")
    }

    static func foreignOrigin(_ origin: String) -> ErrorResponse {
        ErrorResponse(
            403, .forbidden, "requests from pages of '\(origin)' are not allowed",
            remedy: "to allow them, start the service with '--origin \(origin)'")
    }

    static func bodyTooLarge(_ limit: Int) -> ErrorResponse {
        ErrorResponse(
            413, .limitExceeded, "the request has more than \(limit) bytes",
            remedy: "the limit is set when the service is started")
    }

    static func batchTooLarge(_ limit: Int) -> ErrorResponse {
        ErrorResponse(413, .limitExceeded, "the batch has more than \(limit) items", remedy: "send several requests")
    }

    static func outputsTooLarge(_ bytes: Int) -> ErrorResponse {
        ErrorResponse(413, .limitExceeded, "the outputs would take \(bytes) bytes", remedy: "send smaller batches")
    }

    static func unequalItems(_ name: String, _ first: [Int], _ other: [Int]) -> ErrorResponse {
        ErrorResponse(
            400, .wrongShape,
            "the items of the output '\(name)' have the shapes \(Tensor.Shape(first)) and \(Tensor.Shape(other))",
            remedy: "send one item at a time")
    }

    static func cannotDrawPipeline(_ name: String) -> ErrorResponse {
        ErrorResponse(400, .unsupportedModel, "only networks can be drawn; '\(name)' is a pipeline")
    }

    static func drawingInProgress() -> ErrorResponse { busy("the drawing is in progress") }

    static func noBody() -> ErrorResponse { badRequest("the request has no body") }

    static func unsupportedEncoding(_ encoding: String) -> ErrorResponse {
        ErrorResponse(
            415, .unknownFormat, "the content encoding '\(encoding)' is not supported",
            remedy: "use gzip, deflate or none")
    }

    static func queueFull(_ limit: Int) -> ErrorResponse { busy("\(limit) requests are already waiting") }

    static func bodiesFull() -> ErrorResponse { busy("the requests in progress take all memory for bodies") }

    private static func busy(_ problem: Phrase) -> ErrorResponse {
        ErrorResponse(503, .unavailable, problem, remedy: "try again later", headers: [("Retry-After", "1")])
    }

    static func stopping() -> ErrorResponse {
        ErrorResponse(
            503, .unavailable, "the service is shutting down", headers: [("Retry-After", "5"), ("Connection", "close")])
    }
}
