/// Layers and operations of Core ML that cannot be read or written.
extension Failure {
    static func layerRefused(_ name: String, _ kind: String, _ problem: Phrase, _ remedy: Phrase?) -> Failure {
        Failure(
            .unsupportedOperations, location: "layer '\(name)' (\(kind))", problem, remedy: remedy,
            nodes: [Node(name: name, op: kind)])
    }

    static func cannotWriteOperation(_ node: String, _ kind: String) -> Failure {
        Failure(
            .unsupportedOperations, location: "\(node) (\(kind))", "Core ML cannot compute this exactly",
            nodes: [Node(name: node, op: kind)])
    }

    static func cannotWriteLayer(_ node: String, _ kind: String) -> Failure {
        Failure(
            .unsupportedOperations, location: "\(node) (\(kind))", "a neural network cannot compute this exactly",
            hint: "an ML Program (.mlpackage) has more operations", nodes: [Node(name: node, op: kind)])
    }

    static func targetTooOld(_ what: Phrase, needs version: CoreMLVersion, _ target: CoreMLVersion) -> Failure {
        Failure(.unsupportedTarget, "\(what) needs \(version.systems)", remedy: "the target is \(target.systems)")
    }

    static func tooManyAxes(_ node: String, _ kind: String, _ axes: Int) -> Failure {
        Failure(
            .unsupportedOperations, location: "\(node) (\(kind))", "the result has \(axes) axes",
            remedy: "Core ML allows at most five", nodes: [Node(name: node, op: kind)])
    }
}
