/// What went wrong with an input, in the parts that a person needs: where, what, and what would be right.
///
/// Bad input throws a `Failure`; a bug of Thaw's own traps. The wording stands in the extensions beside this file, one
/// for each field, so that all messages of a kind can be read together; the code that throws passes data only.
public struct Failure: Error, Equatable, Sendable {
    /// The file that is at fault, as the user named it.
    public var file: String?
    /// The place in the file: a node's name, a line, an offset.
    public var place: String?
    /// What is wrong.
    public var problem: String
    /// What would be right.
    public var remedy: String?
    /// What to try next.
    public var hint: String?

    public init(
        file: String? = nil, place: String? = nil, _ problem: String, remedy: String? = nil, hint: String? = nil
    ) {
        self.file = file
        self.place = place
        self.problem = problem
        self.remedy = remedy
        self.hint = hint
    }

    /// The same failure with the file named, unless it names one already.
    public func inFile(_ path: String) -> Failure {
        var copy = self
        copy.file = copy.file ?? path
        return copy
    }

    /// The same failure with the place named, unless it names one already.
    public func at(_ place: String) -> Failure {
        var copy = self
        copy.place = copy.place ?? place
        return copy
    }
}

extension Failure: CustomStringConvertible {
    /// `file: place: problem; remedy`, and on a line of its own `hint: …`.
    public var description: String {
        let sentence = [problem, remedy].compactMap { $0 }.joined(separator: "; ")
        // What a shell's empty variable names.
        let name = file == "" ? "''" : file
        let line = [name, place, sentence].compactMap { $0 }.joined(separator: ": ")
        return hint.map { line + "\nhint: " + $0 } ?? line
    }
}

/// Runs `body`, and names `file` in whatever `Failure` it throws.
func naming<Result>(file: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.inFile(file) }
}

/// Runs `body`, and names `place` in whatever `Failure` it throws.
func naming<Result>(place: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.at(place) }
}
