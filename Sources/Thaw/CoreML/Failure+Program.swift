/// What is said of an ML Program that cannot be read.
extension Failure {
    static func noFunction(_ names: [String]) -> Failure {
        Failure(
            .invalidModel, "the program has no function 'main'",
            remedy: "it has \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }

    static func severalFunctions(_ names: [String]) -> Failure {
        Failure(
            .unsupportedModel, "the package holds several functions: '\(names.sorted().joined(separator: "', '"))'",
            remedy: "save the one that is wanted as a model of its own; only those are supported")
    }

    static func noBlock(_ opset: String) -> Failure {
        Failure(
            .invalidModel, "the function has no body for '\(opset)', which it says it is written in",
            remedy: "the file is damaged")
    }

    static func stateful() -> Failure {
        Failure(
            .unsupportedModel, "the model keeps a state from one run to the next",
            remedy: "models without are supported")
    }

    static func valueTwice(_ name: String) -> Failure { Failure(.invalidModel, "'\(name)' is computed twice") }
    static func valueMissing(_ name: String) -> Failure {
        Failure(.invalidModel, "reads '\(name)', which nothing before it computes")
    }

    static func valueType(_ name: String, _ kind: String) -> Failure {
        Failure(.unsupportedModel, "'\(name)' is of the kind '\(kind)'", remedy: "arrays are supported")
    }

    static func valueShape(_ name: String, _ sizes: [Int]) -> Failure {
        Failure(
            .invalidModel, "'\(name)' is of shape \(Shape(sizes))",
            remedy: "sizes that are known and possible are supported")
    }

    static func valueElement(_ name: String, _ element: String) -> Failure {
        Failure(.unsupportedModel, "'\(name)' is made of \(element)", remedy: "that is not supported here")
    }

    static func valueCount(_ name: String, _ found: Int, _ shape: Shape) -> Failure {
        Failure(.invalidModel, "'\(name)' holds \(found) numbers or bytes", remedy: "its shape is \(shape)")
    }

    static func operationWithoutOutput(_ kind: String) -> Failure {
        Failure(.invalidModel, "the \(kind) computes nothing")
    }
    static func constantWithoutValue() -> Failure { Failure(.invalidModel, "the constant has no value") }

    static func unknownOperation(_ kind: String) -> Failure {
        Failure(.unsupportedOperations, "operations of kind '\(kind)' are not supported")
    }

    static func operationOutputs(_ kind: String, _ declared: Int, _ actual: Int) -> Failure {
        Failure(.invalidModel, "\(declared) outputs are named", remedy: "a \(kind) computes \(actual)")
    }

    static func declaredShape(_ name: String, _ declared: Shape, _ actual: Shape) -> Failure {
        Failure(
            .invalidModel, "'\(name)' is said to be of shape \(declared)",
            remedy: "what it is computed of makes it \(actual)")
    }
}
