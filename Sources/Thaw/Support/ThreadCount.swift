/// Checks a number of threads where it enters the library, before work is divided by it.
/// - Throws: `Failure` if it is less than 1.
func requireThreads(_ count: Int) throws {
    guard count >= 1 else { throw Failure.tooFewThreads(count) }
}

extension Failure {
    fileprivate static func tooFewThreads(_ count: Int) -> Failure {
        Failure(.invalidOption, "\(option: .threads) is \(count)", remedy: "it must be at least 1")
    }
}
