/// What is wrong with an input: a code and names for programs, and where, what, and what would be right for people.
///
/// Bad input throws a `Failure`; a bug of Thaw's own traps. The messages are in extensions next to the code that throws
/// them, in files called `Failure+…`; those of several folders are here. The code that throws passes data only.
public struct Failure: Error, Equatable, Sendable {
    /// A node of a graph, an operation of a program or a layer of a network.
    public struct Node: Hashable, Sendable {
        public var name: String
        /// The kind of the operation, such as `Conv2D`.
        public var op: String

        public init(name: String, op: String) {
            self.name = name
            self.op = op
        }
    }

    /// What kind of failure it is.
    public var code: Code
    /// The file that is at fault, as the user named it.
    public var file: String?
    /// The location in the file: a node's name, a line, an offset.
    public var location: String?
    /// What is wrong.
    public var problem: Phrase
    /// What would be right.
    public var remedy: Phrase?
    /// What to try next.
    public var hint: Phrase?
    /// The nodes that are at fault.
    public var nodes: [Node]
    /// The names that the failure is about: what there is to choose from, or what is missing. Each code says which.
    public var names: [String]

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

    /// The same failure with the node among its nodes, unless it has some already.
    func of(_ node: Node) -> Failure {
        var copy = self
        if copy.nodes.isEmpty { copy.nodes = [node] }
        return copy
    }
}

extension Failure: CustomStringConvertible {
    /// `file: location: problem; remedy`, and `hint: …` on a line of its own.
    public var phrase: Phrase {
        let line = line(file: file)
        return hint.map { "\(line)\nhint: \($0)" } ?? line
    }

    /// The text, with the library's own names of options.
    public var description: String { phrase.description }

    /// `location: problem; remedy`, for output that names the file elsewhere.
    package var withoutFile: Phrase { line(file: nil) }

    private func line(file: String?) -> Phrase {
        let sentence = [problem, remedy].compactMap { $0 }.joined(separator: "; ")
        // An empty variable of a shell gives an empty name.
        let name = file == "" ? "''" : file
        return ([name, location].compactMap { $0.map { "\($0)" } } + [sentence]).joined(separator: ": ")
    }
}

extension Phrase.StringInterpolation {
    public mutating func appendInterpolation(_ failure: Failure) { appendInterpolation(failure.phrase) }
}

extension Failure.Node: CustomStringConvertible {
    /// `name (op)`, as messages name a node.
    public var description: String { "\(name) (\(op))" }
}

/// Runs `body`, and names `file` in whatever `Failure` it throws.
func naming<Result>(file: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.inFile(file) }
}

/// Runs `body`, and names `location` in whatever `Failure` it throws.
package func naming<Result>(location: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.at(location) }
}

/// Runs `body`, and names `node` in whatever `Failure` it throws.
///
/// - Parameter location: What the message calls the node.
func naming<Result>(node: Failure.Node, location: String? = nil, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as Failure { throw failure.at(location ?? "\(node)").of(node) }
}
