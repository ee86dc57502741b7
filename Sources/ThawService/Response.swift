/// The response to a request.
struct Response: Sendable {
    var status: Int
    var headers: [(String, String)]
    var body: [UInt8]

    init(status: Int = 200, type: String, headers: [(String, String)] = [], body: [UInt8]) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers
        self.body = body
    }

    init(status: Int = 200, json: JSONText, headers: [(String, String)] = []) {
        self.init(status: status, type: "application/json", headers: headers, body: json.bytes + [UInt8(ascii: "\n")])
    }

    init(status: Int = 200, type: String, headers: [(String, String)] = [], text: String) {
        self.init(status: status, type: type, headers: headers, body: Array(text.utf8))
    }

    /// No content.
    init(status: Int, headers: [(String, String)] = []) { (self.status, self.headers, body) = (status, headers, []) }

    /// For a client that no longer waits for the response. The status is nginx's for that.
    static let clientClosed = Response(status: 499)
}
