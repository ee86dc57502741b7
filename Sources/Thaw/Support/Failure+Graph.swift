extension Failure {
    static func noSuchAxis(_ axis: Int, of shape: some CustomStringConvertible) -> Failure {
        Failure(.wrongShape, "axis \(axis) does not exist in an array of shape \(shape)")
    }

    static func cannotBroadcast(_ a: some CustomStringConvertible, _ b: some CustomStringConvertible) -> Failure {
        Failure(.wrongShape, "arrays of shapes \(a) and \(b) cannot be combined element by element")
    }

    static func invalidGraph(_ place: String, _ problem: String) -> Failure {
        Failure(.invalidModel, place: place, "the graph is not sound: " + problem)
    }
}
