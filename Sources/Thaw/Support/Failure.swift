/// A problem with an input: a code and names for programs; location, problem and remedy for users.
///
/// Invalid input throws a `Failure`; Thaw's own bugs trap. Messages are in extensions next to the code that throws
/// them: those of a folder by subject in its `Failure+….swift`, or a file's own at its end. Those shared by several
/// folders are here. The code that throws only passes data.
public struct Failure: Error, Equatable, Sendable {
    /// A node of a graph, an operation of a program or a layer of a network.
    public struct Node: Hashable, Sendable {
        /// Its name in the file.
        public var name: String
        /// The kind of the operation, such as `Conv2D`.
        public var op: String

        /// A node with this name and operation.
        public init(name: String, op: String) {
            self.name = name
            self.op = op
        }
    }

    /// The kind of failure.
    public var code: Code
    /// The file at fault, as the user named it.
    public var file: String?
    /// The location in the file: a node's name, a line, an offset.
    public var location: String?
    /// The problem.
    public var problem: Phrase
    /// What is expected instead.
    public var remedy: Phrase?
    /// What to try next.
    public var hint: Phrase?
    /// The nodes at fault.
    public var nodes: [Node]
    /// The names that the failure concerns: the available ones, or the missing ones, depending on the code.
    public var names: [String]

    /// A failure of this kind. Callers that know more add the file, the location or the node later.
    public init(
        _ code: Code, file: String? = nil, location: String? = nil, _ problem: Phrase, remedy: Phrase? = nil,
        hint: Phrase? = nil, nodes: [Node] = [], names: [String] = []
    ) {
        self.code = code
        self.file = file
        self.location = location
        self.problem = problem
        self.remedy = remedy
        self.hint = hint
        self.nodes = nodes
        self.names = names
    }

    /// The same failure with the file named, unless it names one already.
    public func inFile(_ path: String) -> Failure {
        var copy = self
        copy.file = copy.file ?? path
        return copy
    }

    /// The same failure with the location named, unless it names one already.
    public func at(_ location: String) -> Failure {
        var copy = self
        copy.location = copy.location ?? location
        return copy
    }

    /// The same failure of something that is not a file. Its problem, such as "is a text file", continues a file's name.
    func of(_ subject: String) -> Failure {
        var copy = self
        copy.problem = "\(subject) \(problem)"
        return copy
    }

    /// The same failure with the node among its nodes, unless it has some already.
    func of(_ node: Node) -> Failure {
        var copy = self
        if copy.nodes.isEmpty { copy.nodes = [node] }
        return copy
    }
}

extension Failure: CustomStringConvertible {
    /// `file: location: problem; remedy`, and `hint: …` on a separate line.
    public var phrase: Phrase {
        let line = line(file: file)
        return hint.map { "\(line)\nhint: \($0)" } ?? line
    }

    /// The text, with the library's own names of options and tasks.
    public var description: String { phrase.description }

    /// `location: problem; remedy`, for output that names the file elsewhere.
    package var withoutFile: Phrase { line(file: nil) }

    private func line(file: String?) -> Phrase {
        let sentence = [problem, remedy].compactMap { $0 }.joined(separator: "; ")
        // An empty shell variable results in an empty name.
        let name = file == "" ? "''" : file
        return ([name, location].compactMap { $0.map { "\($0)" } } + [sentence]).joined(separator: ": ")
    }
}

extension Phrase.StringInterpolation {
    /// Appends the message of a failure.
    public mutating func appendInterpolation(_ failure: Failure) { appendInterpolation(failure.phrase) }
}

extension Failure.Node: CustomStringConvertible {
    /// `name (op)`, as in messages.
    public var description: String { "\(name) (\(op))" }
}

/// Runs `body`, and names `file` in whatever `Failure` it throws.
package func naming<Result>(file: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.inFile(file) }
}

/// Runs `body`, and names `location` in whatever `Failure` it throws.
package func naming<Result>(location: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.at(location) }
}

/// Runs `body`, and names `node` in whatever `Failure` it throws.
///
/// - Parameter location: The node's name in the message.
func naming<Result>(node: Failure.Node, location: String? = nil, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.at(location ?? "\(node)").of(node) }
}
