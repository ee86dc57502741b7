import Thaw

/// Runs `body`, and adds `file` to a `Failure` that does not name one.
func blaming<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.inFile(file) }
}
