/// Tells what is on images.
///
///     let classifier = try Classifier(contentsOf: "inference.mlmodel")
///     let answer = try classifier.classify(imageAt: "cat.jpg")
///     print(answer.top(5))
///
/// A classifier may be used from several threads at once.
public final class Classifier: Sendable {
    public let model: Model
    public let program: Program
    /// How an image comes to the network's size.
    public var crop: Crop { preparation.crop }
    public var resize: ResizeMethod { preparation.resize }
    /// How the file of an image is read.
    public var decoding: DecodingOptions { preparation.decoding }
    private let preparation: Preparation
    private let first: (path: String, image: Ahead<Result<Prepared, Failure>>)?
    private let executors: ExecutorPool

    /// - Parameters:
    ///   - isFast: Whether JPEGs that are at least twice as large as needed may be decoded at reduced scale, which changes
    ///     the numbers a little.
    ///   - threads: The threads that one image is spread over.
    /// - Throws: `Failure` when the model takes no image, or gives no row of numbers.
    public convenience init(
        _ model: Model, crop: Crop = .fill, resize: ResizeMethod = .pillow,
        decoding: DecodingOptions = DecodingOptions(), isFast: Bool = false, threads: Int = 1
    ) throws {
        try self.init(
            model, crop: crop, resize: resize, decoding: decoding, isFast: isFast, threads: threads, first: nil)
    }

    /// - Parameter first: The file of the image that will be classified first: it is read while the program is made.
    package init(
        _ model: Model, crop: Crop, resize: ResizeMethod, decoding: DecodingOptions, isFast: Bool, threads: Int,
        first: String?
    ) throws {
        let image = try model.onlyImage()
        let output = model.graph[model.graph.outputs[0].value]
        guard output.element == .float32, output.shape.dropFirst().filter({ $0 != 1 }).count <= 1 else {
            throw Failure.givesNoRow(output)
        }
        self.model = model
        var decoding = decoding
        if isFast {
            decoding.reduction = DecodingOptions.Reduction(width: image.width, height: image.height, crop: crop)
        }
        let preparation = Preparation(image: image, crop: crop, resize: resize, decoding: decoding)
        self.preparation = preparation
        self.first = first.map { path in (path, Ahead { preparation.prepared(FoundImage(path: path)) }) }
        program = try Program(model.graph, threads: threads)
        executors = ExecutorPool(program, threads: threads)
    }

    /// A classifier of the Core ML model in a file, or of the frozen graph there, whose labels `labels` names.
    /// - Throws: `Failure` when it cannot be read, or is no model that takes an image and gives a row of numbers.
    public convenience init(contentsOf path: String, labels: Labels? = nil, threads: Int = 1) throws {
        let model = try Model.load(contentsOf: path, labels: labels).model
        try self.init(model, threads: threads)
    }

    /// Classifies the image in a file.
    /// - Throws: `Failure` naming the file when it is no image that can be read.
    public func classify(imageAt path: String) throws -> Classification {
        classify(try preparation.prepare(FoundImage(path: path)))
    }

    /// Classifies an image in memory.
    public func classify(_ pixels: Pixels) -> Classification { classify(Prepared(pixels: preparation.fitted(pixels))) }

    /// The same, for callers that must not be held up: the work goes on elsewhere meanwhile.
    /// - Throws: `CancellationError` besides, where the task is cancelled before the image has been read.
    public func classify(imageAt path: String) async throws -> Classification {
        try await classifyElsewhere { try self.preparation.prepare(FoundImage(path: path)) }
    }

    /// Classifies an image in memory, for callers that must not be held up.
    /// - Throws: `CancellationError` where the task is cancelled before the image has come to the network's size.
    public func classify(_ pixels: Pixels) async throws -> Classification {
        try await classifyElsewhere { Prepared(pixels: self.preparation.fitted(pixels)) }
    }

    private func classifyElsewhere(_ prepare: @escaping @Sendable () throws -> Prepared) async throws -> Classification
    {
        let work = Task.detached {
            try Task.checkCancellation()
            let image = try prepare()
            try Task.checkCancellation()
            return self.classify(image)
        }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    // MARK: The two halves of it

    /// The first half, which may have been done already.
    func prepared(_ found: FoundImage, thumbnailSide: Int?) -> Result<Prepared, Failure> {
        let isFirst = found.content == nil && found.failure == nil && thumbnailSide == nil && first?.path == found.path
        if isFirst, let image = first?.image.take() { return image }
        return preparation.prepared(found, thumbnailSide: thumbnailSide)
    }

    func classify(_ prepared: Prepared) -> Classification {
        executors.with { executor in
            for place in 0..<model.batch {
                prepared.pixels.bytes.withUnsafeBufferPointer {
                    executor.load(pixels: $0, preparation.image.scaling, input: 0, image: place)
                }
            }
            executor.run()
            let probabilities = executor.withOutput(0) { Array($0.prefix(model.classCount)) }
            var answer = Classification(probabilities: probabilities, labels: model.classifier?.labels)
            (answer.warning, answer.thumbnail) = (prepared.warning, prepared.thumbnail)
            if answer.probabilities.contains(where: \.isNaN) {
                answer.warning = "the model's answer is no number: a weight of it may be none"
            }
            return answer
        }
    }
}

/// What a network says of an image.
public struct Classification: Sendable {
    /// One number a class, in the order of the network's output.
    public let probabilities: [Float]
    /// What is wrong with the image's file, though it could be read.
    public internal(set) var warning: String?
    /// A small version of the image as a JPEG file, where one was asked for.
    public internal(set) var thumbnail: [UInt8]?
    private let labels: [String]?

    init(probabilities: [Float], labels: [String]?) {
        self.probabilities = probabilities
        self.labels = labels
    }

    /// A class with its name, or its index where there are no names.
    public struct Prediction: Sendable {
        public let label: String
        public let index: Int
        public let probability: Float
    }

    /// The `count` most likely classes, the likeliest first; of equals the one with the lower index.
    public func top(_ count: Int) -> [Prediction] {
        // A number that is none comes last.
        let keys = probabilities.map { $0.isNaN ? -.infinity : $0 }
        var best: [Int] = []
        for index in keys.indices {
            if best.count == count, let last = best.last, keys[index] <= keys[last] { continue }
            let place = best.firstIndex { keys[index] > keys[$0] } ?? best.count
            best.insert(index, at: place)
            if best.count > count { best.removeLast() }
        }
        return best.map { Prediction(label: labels?[$0] ?? "\($0)", index: $0, probability: probabilities[$0]) }
    }
}
