/// Text that is not JSON.
extension Failure {
    static func notJSON(at offset: Int) -> Failure {
        Failure(.damaged, "the text is not valid JSON at byte \(offset)")
    }
}
