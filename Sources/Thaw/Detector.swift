/// Detects objects in images, with a pipeline that ends in non-maximum suppression, such as exported YOLO models.
///
///     let detector = try Detector(contentsOfFile: "YOLO.mlpackage")
///     for object in try detector.detect(imageAt: "street.jpg").objects { print(object.label, object.box) }
///
/// A detector may be used from several threads at once.
public final class Detector: Sendable {
    /// How objects are detected.
    public struct Options: Sendable {
        /// How an image is fitted to the network's size.
        public var crop = Crop.fill
        /// How an image is resized.
        public var resize = ResizeMethod.pillow
        /// How image files are decoded.
        public var decoding = DecodingOptions()
        /// Boxes with a lower confidence are dropped; nil means the model's own threshold.
        public var confidenceThreshold: Double?
        /// If the intersection over union of two boxes is higher, the less confident one is dropped; nil means the
        /// model's own threshold.
        public var iouThreshold: Double?

        /// The whole image, stretched, with the model's own thresholds.
        public init() {}

        fileprivate func check() throws {
            try crop.check()
            if let threshold = confidenceThreshold, !(threshold >= 0 && threshold.isFinite) {
                throw Failure.threshold("confidence", threshold, expected: "a finite number of at least 0")
            }
            if let threshold = iouThreshold, !(0...1).contains(threshold) {
                throw Failure.threshold("IoU", threshold, expected: "a number from 0 to 1")
            }
        }
    }

    /// The image that the network takes.
    public let image: ImageInput
    /// The label of each class; nil if the model has none.
    public let labels: [String]?
    /// Boxes with a lower confidence are dropped.
    public let confidenceThreshold: Double
    /// Of two boxes with a higher intersection over union, the less confident one is dropped.
    public let iouThreshold: Double
    private let options: Options
    private let sequence: StageSequence
    /// The inputs other than the image.
    private let inputs: [FeatureValue?]
    /// The positions of the confidences and the coordinates among the outputs.
    private let outputs: (confidence: Int, coordinates: Int)

    /// A detector for a pipeline.
    /// - Throws: `Failure` if an option is invalid, or if the pipeline does not detect objects in an image.
    public init(_ pipeline: Pipeline, options: Options = Options()) throws {
        try options.check()
        let images = pipeline.inputs.compactMap { if case .image(let image) = $0.type { image } else { nil } }
        guard let (step, detection, confidence, coordinates) = pipeline.sequence.detection, images.count == 1 else {
            throw Failure.noDetector(
                pipeline.stages.map(\.kind), isClassifier: pipeline.labels != nil && images.count == 1)
        }
        var stage = detection
        inputs = try pipeline.inputs.map { input in
            if case .image = input.type { return nil }
            guard let value = input.missingValue else { throw Failure.detectorInput(input.name, input.type) }
            return value
        }
        stage.confidenceThreshold = options.confidenceThreshold ?? stage.confidenceThreshold
        stage.iouThreshold = options.iouThreshold ?? stage.iouThreshold
        (confidenceThreshold, iouThreshold) = (stage.confidenceThreshold, stage.iouThreshold)
        image = images[0]
        labels = stage.classes.isEmpty ? nil : stage.classes.map(\.description)
        sequence = pipeline.sequence.replacing(step, by: stage)
        outputs = (confidence, coordinates)
        self.options = options
    }

    /// A detector for the Core ML model at `path`.
    /// - Parameters:
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The threads that share the work of the network.
    /// - Throws: `Failure` if the file cannot be read, if the model does not detect objects in an image, or if `threads` is
    ///   less than 1.
    public convenience init(
        contentsOfFile path: String, options: Options = Options(), precision: Precision = .float32, threads: Int = 1
    ) throws {
        let pipeline = try Pipeline(contentsOfFile: path, precision: precision, threads: threads)
        do { try self.init(pipeline, options: options) } catch let failure as Failure { throw failure.inFile(path) }
    }

    /// Detects objects in the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image.
    public func detect(imageAt path: String) throws -> Detection { try detect(ImageFile(path: path)) }

    /// Detects objects in an image in a file or in memory.
    /// - Throws: `Failure` naming the image if it cannot be decoded.
    public func detect(_ image: ImageFile) throws -> Detection {
        try detect(decoded(image))
    }

    private func detect(_ decoded: DecodedImage) throws -> Detection {
        var detection = try detect(decoded.pixels)
        detection.warning = decoded.warning
        return detection
    }

    /// Detects objects in an image in memory.
    /// - Throws: `Failure` if a stage does not accept the network's outputs.
    public func detect(_ pixels: Pixels) throws -> Detection {
        let fitted = fitted(pixels)
        return try detect(fitted, width: pixels.width, height: pixels.height)
    }

    /// Detects objects in the image in a file, on a thread of the library: neither the caller nor Swift's own threads are blocked.
    /// - Throws: `Failure` naming the file, or `CancellationError` if the task is canceled before the image has been decoded.
    public func detection(inImageAt path: String) async throws -> Detection {
        try await BackgroundThreads.shared.run { checkCancellation in
            try checkCancellation()
            let decoded = try self.decoded(ImageFile(path: path))
            try checkCancellation()
            return try self.detect(decoded)
        }
    }

    /// Detects objects in an image in memory, on a thread of the library: neither the caller nor Swift's own threads are blocked.
    /// - Throws: `Failure`, as `detect`, or `CancellationError` if the task is canceled before the network runs.
    public func detection(in pixels: Pixels) async throws -> Detection {
        try await BackgroundThreads.shared.run { checkCancellation in
            try checkCancellation()
            return try self.detect(pixels)
        }
    }

    func decoded(_ image: ImageFile) throws -> DecodedImage { try image.decoded(options.decoding) }

    func fitted(_ pixels: Pixels) -> Pixels { pixels.feature(for: image, crop: options.crop, resize: options.resize) }

    /// - Parameters:
    ///   - fitted: The image in the size that the network takes.
    ///   - width: The original width.
    ///   - height: The original height.
    func detect(_ fitted: Pixels, width: Int, height: Int) throws -> Detection {
        let results = try sequence.evaluate(inputs.map { $0 ?? .image(fitted) })
        guard case .multiArray(let confidences, let shape) = results[outputs.confidence],
            case .multiArray(let coordinates, _) = results[outputs.coordinates]
        else { preconditionFailure("the outputs of the suppression are not arrays") }
        let classCount = shape[1]
        let areas = options.crop.areas(width: width, height: height, to: image.width, image.height)
        let objects = (0..<shape[0]).compactMap { row -> Detection.Object? in
            let scores = confidences[row * classCount..<(row + 1) * classCount]
            let top = Array(scores).highest
            // If the number of boxes is fixed, the unused ones are zeros.
            guard classCount > 0, scores.contains(where: { $0 != 0 }) else { return nil }
            let box = Array(coordinates[4 * row..<4 * row + 4])
            let (x, width) = Self.original(
                box[0], box[2], from: areas.destination.columns, to: areas.source.columns, extent: image.width)
            let (y, height) = Self.original(
                box[1], box[3], from: areas.destination.rows, to: areas.source.rows, extent: image.height)
            return Detection.Object(
                label: labels?[top] ?? "\(top)", index: top, confidence: Float(scores[scores.startIndex + top]),
                box: Detection.Box(x: x, y: y, width: width, height: height))
        }
        return Detection(objects: objects, width: width, height: height)
    }

    /// The position in the photo of a box from the model's image, along one axis.
    ///
    /// - Parameters:
    ///   - center: Its center, relative to the size of the model's image.
    ///   - size: Its size, also relative.
    ///   - extent: The size of the model's image in pixels.
    private static func original(
        _ center: Double, _ size: Double, from imageRange: Range<Int>, to photoRange: Range<Int>, extent: Int
    ) -> (start: Double, size: Double) {
        let scale = Double(photoRange.count) / Double(imageRange.count)
        let start = ((center - size / 2) * Double(extent) - Double(imageRange.lowerBound)) * scale
        return (start + Double(photoRange.lowerBound), size * Double(extent) * scale)
    }
}

/// The objects detected in an image.
public struct Detection: Equatable, Sendable {
    /// A rectangle in pixels of the original image, upright. It may extend beyond the image.
    public struct Box: Hashable, Codable, Sendable {
        /// The left edge in pixels.
        public var x: Double
        /// The top edge in pixels.
        public var y: Double
        /// The width in pixels.
        public var width: Double
        /// The height in pixels.
        public var height: Double

        /// A rectangle with this top left corner.
        public init(x: Double, y: Double, width: Double, height: Double) {
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }
    }

    /// An object with its class.
    public struct Object: Hashable, Codable, Sendable {
        /// The label of the class; its index as text if the model has no labels.
        public let label: String
        /// The index of the class.
        public let index: Int
        /// The confidence of the class.
        public let confidence: Float
        /// The rectangle around the object.
        public let box: Box

        /// An object from elsewhere.
        public init(label: String, index: Int, confidence: Float, box: Box) {
            (self.label, self.index, self.confidence, self.box) = (label, index, confidence, box)
        }
    }

    /// The objects, the most confident first.
    public let objects: [Object]
    /// The width of the original image, upright, in pixels.
    public let width: Int
    /// The height of the original image, upright, in pixels.
    public let height: Int
    /// A problem found in the image's file if it could still be read.
    public internal(set) var warning: Note?

    /// A result from elsewhere.
    /// - Parameter objects: The most confident first.
    public init(objects: [Object], width: Int, height: Int) {
        (self.objects, self.width, self.height) = (objects, width, height)
    }
}

extension Failure {
    fileprivate static func threshold(_ name: String, _ value: Double, expected: String) -> Failure {
        Failure(.invalidOption, "the \(name) threshold is \(value)", remedy: "expected \(expected)")
    }
}
