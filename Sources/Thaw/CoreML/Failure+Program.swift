/// ML Programs that cannot be read.
extension Failure {
    static func noFunction(_ names: [String]) -> Failure {
        Failure(
            .invalidModel, "the program has no function 'main'",
            remedy: "it has \(names.isEmpty ? "none" : names.quotedList())")
    }

    static func severalFunctions(_ names: [String]) -> Failure {
        Failure(
            .unsupportedModel, "the package has several functions: \(names.sorted().quotedList())",
            remedy: "none of them is described: save the one you need as a separate model")
    }

    static func unknownFunction(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .invalidOption, "the model has no function '\(name)'",
            remedy: names.isEmpty
                ? "only ML Programs have functions" : "it has \(names.sorted().quotedList())")
    }

    static func noDefaultFunction(_ names: [String]) -> Failure {
        Failure(
            .invalidOption, "the model has several functions, none of which is its default",
            remedy: "choose one with \(option: .function): \(names.sorted().quotedList())")
    }

    static func noBlock(_ opset: String) -> Failure {
        Failure(
            .invalidModel, "the function has no body for its opset '\(opset)'",
            remedy: "the file is corrupt")
    }

    static func stateInBlock(_ name: String) -> Failure {
        Failure(
            .unsupportedModel, "the state '\(name)' is used in a branch or a loop",
            remedy: "states are supported outside of them")
    }

    static func stateValue(_ name: String, _ type: TensorType, _ given: Shape) -> Failure {
        Failure(.invalidModel, "the state '\(name)' is \(type), but is set to a tensor of shape \(given)")
    }

    static func duplicateValue(_ name: String) -> Failure { Failure(.invalidModel, "'\(name)' is computed twice") }
    static func valueMissing(_ name: String) -> Failure {
        Failure(.invalidModel, "reads '\(name)', which no earlier operation computes")
    }

    static func valueType(_ name: String, _ kind: String) -> Failure {
        Failure(.unsupportedModel, "'\(name)' is of kind '\(kind)'", remedy: "tensors are supported")
    }

    static func valueShape(_ name: String, _ sizes: [Int]) -> Failure {
        Failure(
            .invalidModel, "'\(name)' has shape \(Shape(sizes))",
            remedy: "all sizes must be known and valid")
    }

    static func valueElement(_ name: String, _ element: String) -> Failure {
        Failure(
            .unsupportedModel, "'\(name)' has elements of type \(element)", remedy: "that type is not supported here")
    }

    static func weightsElsewhere(_ name: String) -> Failure {
        Failure(
            .incomplete, "the weights '\(name)' are in a separate file",
            remedy: "pass the .mlpackage that contains both files")
    }

    static func valueCount(_ name: String, _ found: Int, _ shape: Shape) -> Failure {
        Failure(.invalidModel, "'\(name)' has \(found) values or bytes", remedy: "its shape is \(shape)")
    }

    static func operationWithoutOutput(_ kind: String) -> Failure {
        Failure(.invalidModel, "the \(kind) has no output")
    }
    static func constantWithoutValue() -> Failure { Failure(.invalidModel, "the constant has no value") }

    static func unknownOperation(_ kind: String) -> Failure {
        Failure(
            .unsupportedOperations, "operations of kind '\(kind)' are not supported",
            remedy: Operations.refusedPrograms[kind])
    }

    static func cannotGrowList(_ name: String) -> Failure {
        Failure(
            .unsupportedOperations, "the list '\(name)' grows at positions that are known only when the model runs",
            remedy: "lists of fixed length are supported")
    }

    static func operationOutputs(_ kind: String, _ declared: Int, _ actual: Int) -> Failure {
        Failure(.invalidModel, "\(declared) outputs are declared", remedy: "a \(kind) computes \(actual)")
    }

    static func declaredShape(_ name: String, _ declared: Shape, _ actual: Shape) -> Failure {
        Failure(
            .invalidModel, "'\(name)' is declared with shape \(declared)",
            remedy: "its computed shape is \(actual)")
    }
}
