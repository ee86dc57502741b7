/// Classifies images.
///
///     let classifier = try Classifier(contentsOfFile: "inference.mlmodel")
///     let classification = try classifier.classify(imageAt: "cat.jpg")
///     print(classification.top(5))
///
/// A classifier may be used from several threads at once.
public final class Classifier: Sendable {
    /// The model that classifies.
    public let model: Model
    /// The compiled model.
    public let program: Program
    /// How an image is fitted to the network's size.
    public var crop: Crop { preparation.crop }
    /// How an image is resized.
    public var resize: ResizeMethod { preparation.resize }
    /// How image files are decoded.
    public var decoding: DecodingOptions { preparation.decoding }
    private let preparation: Preparation
    private let first: (path: String, image: Ahead<Result<Prepared, Failure>>)?
    let executors: ExecutorPool

    /// A classifier of images, with this model.
    /// - Parameters:
    ///   - isFast: Whether JPEGs that are at least twice as large as needed may be decoded at reduced scale, which changes
    ///     the results slightly.
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The number of threads per image.
    /// - Throws: `Failure` if the model takes no image or does not return a vector of class scores, or if the crop or
    ///   `threads` is invalid.
    public convenience init(
        _ model: Model, crop: Crop = .fill, resize: ResizeMethod = .pillow,
        decoding: DecodingOptions = DecodingOptions(), isFast: Bool = false, precision: Precision = .float32,
        threads: Int = 1
    ) throws {
        try self.init(
            model, crop: crop, resize: resize, decoding: decoding, isFast: isFast, precision: precision,
            threads: threads, first: nil)
    }

    /// - Parameter first: The file of the image that will be classified first: it is read while the program is compiled.
    package init(
        _ model: Model, crop: Crop, resize: ResizeMethod, decoding: DecodingOptions, isFast: Bool,
        precision: Precision, threads: Int, first: String?
    ) throws {
        try crop.check()
        let image = try model.onlyImage()
        let output = model.graph[model.graph.outputs[0].value]
        let isRow = output.element == .float32 && output.shape.dropFirst().filter({ $0 != 1 }).count <= 1
        guard isRow || model.laterStages != nil else { throw Failure.noScoresOutput(output) }
        self.model = model
        let preparation = Preparation(
            image: image, crop: crop, resize: resize,
            decoding: isFast ? decoding.reduced(for: image, crop: crop) : decoding)
        self.preparation = preparation
        self.first = first.map { path in (path, Ahead { preparation.prepared(ImageFile(path: path)) }) }
        program = try Program(model, precision: precision, threads: threads)
        executors = ExecutorPool(program, threads: threads)
    }

    /// A classifier for the Core ML model or the TensorFlow graph at `path`.
    /// - Parameter labels: The labels of a graph's classes; a Core ML classifier has its own.
    /// - Throws: `Failure` if the file cannot be read, if the model does not take an image and return a vector of class
    ///   scores, or if `threads` is less than 1.
    public convenience init(
        contentsOfFile path: String, labels: Labels? = nil, precision: Precision = .float32, threads: Int = 1
    ) throws {
        let model = try Model.load(contentsOfFile: path, labels: labels).model
        try self.init(model, precision: precision, threads: threads)
    }

    /// Classifies the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image.
    public func classify(imageAt path: String) throws -> Classification {
        classify(try preparation.prepare(ImageFile(path: path)))
    }

    /// Classifies an image in a file or in memory.
    /// - Throws: `Failure` naming the image if it cannot be decoded.
    public func classify(_ image: ImageFile) throws -> Classification { classify(try preparation.prepare(image)) }

    /// Classifies an image in memory.
    public func classify(_ pixels: Pixels) -> Classification { classify(Prepared(pixels: preparation.fitted(pixels))) }

    /// Classifies the image in a file, on a thread of the library: neither the caller nor Swift's own threads are blocked.
    /// - Throws: `Failure` naming the file, or `CancellationError` if the task is canceled before the image has been read.
    public func classification(ofImageAt path: String) async throws -> Classification {
        try await classification { try $0.prepare(ImageFile(path: path)) }
    }

    /// Classifies an image in memory, on a thread of the library: neither the caller nor Swift's own threads are blocked.
    /// - Throws: `CancellationError` if the task is canceled before the image has been resized.
    public func classification(of pixels: Pixels) async throws -> Classification {
        try await classification { Prepared(pixels: $0.fitted(pixels)) }
    }

    private func classification(
        preparing prepare: @escaping @Sendable (Preparation) throws -> Prepared
    ) async throws -> Classification {
        try await BackgroundThreads.shared.run { checkCancellation in
            try checkCancellation()
            let image = try prepare(self.preparation)
            try checkCancellation()
            return self.classify(image)
        }
    }

    // MARK: The two steps

    /// The first step, which may have been done already.
    func prepared(_ found: ImageFile, thumbnailSide: Int?) -> Result<Prepared, Failure> {
        let isFirst = found.isUnread && thumbnailSide == nil && first?.path == found.path
        if isFirst, let image = first?.image.take() { return image }
        return preparation.prepared(found, thumbnailSide: thumbnailSide)
    }

    func classify(_ prepared: Prepared) -> Classification {
        executors.with { executor in
            for item in 0..<model.batchSize {
                prepared.pixels.bytes.withUnsafeBufferPointer {
                    executor.load(pixels: $0, preparation.image.scaling, forInputAt: 0, image: item)
                }
            }
            let (probabilities, warning) = probabilities(executor)
            var classification = Classification(probabilities: probabilities, labels: model.classifier?.labels)
            (classification.warning, classification.thumbnail) = (warning ?? prepared.warning, prepared.thumbnail)
            if warning == nil, probabilities.contains(where: \.isNaN) {
                classification.warning = .containsNaN("the model's output", "; one of its weights may be NaN")
            }
            return classification
        }
    }

    /// Runs the network, and the later stages of a pipeline. The probabilities are NaN, with the reason, if a loop does not
    /// end, or a stage refuses its input.
    private func probabilities(_ executor: Executor) -> (values: [Float], warning: Note?) {
        do {
            try executor.run()
            guard let laterStages = model.laterStages else {
                return (executor.withOutput(at: 0) { Array($0.prefix(model.classCount)) }, nil)
            }
            return (try laterStages.probabilities(model.graph.outputs.indices.map { executor.output(at: $0) }), nil)
        } catch {
            return (Array(repeating: .nan, count: model.classCount), .stageFailed("\(error)"))
        }
    }
}

/// The result of classifying an image.
public struct Classification: Equatable, Sendable {
    /// One value per class, in the order of the network's output.
    public let probabilities: [Float]
    /// A problem found in the image's file if it could still be read.
    public internal(set) var warning: Note?
    /// A thumbnail of the image as a JPEG file, if one was requested.
    package internal(set) var thumbnail: [UInt8]?
    private let labels: [String]?

    /// A result from elsewhere, for an `Evaluation` or for tests.
    /// - Parameter labels: The label of each class; nil for their indices.
    public init(probabilities: [Float], labels: [String]?) {
        precondition(labels.map { $0.count == probabilities.count } ?? true)
        self.probabilities = probabilities
        self.labels = labels
    }

    /// A class with its label, or its index if there are no labels.
    public struct Prediction: Hashable, Codable, Sendable {
        /// The label of the class; its index as text if the model has no labels.
        public let label: String
        /// The index of the class in the network's output.
        public let index: Int
        /// The network's output for the class.
        public let probability: Float

        /// A prediction from elsewhere.
        public init(label: String, index: Int, probability: Float) {
            (self.label, self.index, self.probability) = (label, index, probability)
        }
    }

    /// The `count` most probable classes, the most probable first. Ties are in the order of the index.
    public func top(_ count: Int) -> [Prediction] {
        Classification.topIndices(of: probabilities, count: count).map {
            Prediction(label: labels?[$0] ?? "\($0)", index: $0, probability: probabilities[$0])
        }
    }

    /// The index of the largest value of at least one. The first of equal values counts, and NaN is the least.
    package static func topIndex(of values: [Float]) -> Int { topIndices(of: values, count: 1)[0] }

    /// The indices of the `count` largest values, the largest first. Ties are in the order of the index; NaN comes last.
    public static func topIndices(of values: [Float], count: Int) -> [Int] {
        let keys = values.map { $0.isNaN ? -.infinity : $0 }
        if count > keys.count / 8 {
            return Array(keys.indices.sorted { (keys[$1], $0) < (keys[$0], $1) }.prefix(count))
        }
        var best: [Int] = []
        for index in keys.indices {
            if best.count == count, let last = best.last, keys[index] <= keys[last] { continue }
            let position = best.firstIndex { keys[index] > keys[$0] } ?? best.count
            best.insert(index, at: position)
            if best.count > count { best.removeLast() }
        }
        return best
    }
}
