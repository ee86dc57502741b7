/// Text that is not JSON.
extension Failure {
    static func notJSON(at offset: Int) -> Failure {
        Failure(.damaged, "this is no JSON from byte \(offset) on")
    }
}
