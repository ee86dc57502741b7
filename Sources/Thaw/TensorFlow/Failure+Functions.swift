/// Functions of a TensorFlow graph.
extension Failure {
    static func noSuchFunction(_ name: String) -> Failure {
        Failure(
            .invalidModel, "calls the function '\(name)', which is not in the graph's library",
            remedy: "freeze the graph again")
    }

    static func recursiveFunction(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the function '\(name)' calls itself",
            remedy: "control flow must be fixed when the graph is frozen")
    }

    static func functionsTooDeep(_ limit: Int) -> Failure {
        Failure(.invalidModel, "function calls are nested more than \(limit) levels deep")
    }

    static func functionsTooLarge(_ limit: Int) -> Failure {
        Failure(
            .invalidModel, "the nodes of the inlined functions take more than \(limit >> 20) MB",
            remedy: "the file is corrupt or malicious")
    }

    static func argumentCount(_ name: String, _ count: Int, _ expected: Int) -> Failure {
        Failure(.invalidModel, "passes \(count) arguments to the function '\(name)'", remedy: "it takes \(expected)")
    }

    static func duplicateInFunction(_ name: String, _ node: String) -> Failure {
        Failure(.invalidModel, "the function '\(name)' has two nodes '\(node)'", remedy: "the file is corrupt")
    }

    static func missingInFunction(_ name: String, _ input: String) -> Failure {
        Failure(
            .invalidModel, "the function '\(name)' reads '\(input)', which is not in it", remedy: "the file is corrupt")
    }

    static func needsTooMany(_ node: String, _ limit: Int) -> Failure {
        Failure(.limitExceeded, location: node, "depends on more than \(limit) nodes")
    }
}
