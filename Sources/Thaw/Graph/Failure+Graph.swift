/// Shapes and graphs that are invalid.
extension Failure {
    static func tooManyNodes(_ limit: Int) -> Failure {
        Failure(.limitExceeded, "the model has more than \(limit) nodes", remedy: "THAW_MAX_NODES raises the limit")
    }

    static func noSuchAxis(_ axis: Int, of shape: Shape) -> Failure {
        Failure(.wrongShape, "axis \(axis) does not exist in a tensor of shape \(shape)")
    }

    static func emptyAxis(_ axis: Int, of shape: Shape) -> Failure {
        Failure(.wrongShape, "axis \(axis) of a tensor of shape \(shape) has no elements")
    }

    static func cannotBroadcast(_ a: Shape, _ b: Shape) -> Failure {
        Failure(.wrongShape, "tensors of shapes \(a) and \(b) cannot be combined elementwise")
    }

    static func invalidGraph(_ location: String, _ problem: String) -> Failure {
        Failure(.invalidModel, location: location, "the graph is invalid: \(problem)")
    }

    static func impossibleShape(_ shape: Shape) -> Failure {
        Failure(
            .limitExceeded, "a tensor of shape \(shape) cannot be computed",
            remedy: shape.contains { $0 < 0 }
                ? "sizes are at least 0" : "the limit is \(Limits.computedElementsText) elements")
    }
}
