/// Images of several sizes.
extension Failure {
    static func imageSizes(_ name: String, _ problem: String) -> Failure {
        Failure(.invalidModel, location: name, "the image sizes are invalid: \(problem)")
    }

    static func otherSize(_ name: String, _ size: ImageSize, _ sizes: ImageSizes)
        -> Failure
    {
        Failure(.wrongSize, location: name, "the image cannot have \(size) pixels", remedy: "supported sizes: \(sizes)")
    }
}
