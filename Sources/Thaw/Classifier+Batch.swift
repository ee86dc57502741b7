extension Classifier {
    /// Classifies the images in many files, each on one of several threads, and hands the answers to `body` in the order
    /// of `paths`, on the thread that calls.
    ///
    /// Reading, decoding and computing go on side by side. Some images are worked on before the answer to the first is
    /// handed over, never all of them: memory does not grow with their number.
    /// - Parameter body: Gets an image's path, and its classification, or the `Failure` of one that cannot be read. What
    ///   it throws ends the work.
    public func classify(
        imagesAt paths: [String], threads: Int,
        _ body: (String, Result<Classification, any Error>) throws -> Void
    ) rethrows {
        let workers = Workers(min(threads, paths.count))
        // Long enough that the threads seldom wait for the last of a window.
        let window = 16 * workers.count
        for start in stride(from: 0, to: paths.count, by: window) {
            let paths = paths[start..<min(start + window, paths.count)]
            let answers = workers.map(Array(paths)) { path in Result { try self.classify(imageAt: path) } }
            for (path, answer) in zip(paths, answers) { try body(path, answer) }
        }
    }
}
