/// Tells what is on images.
///
///     let classifier = try Classifier(Model.load(contentsOf: "inference.mlmodel").model)
///     let answer = try classifier.classify(imageAt: "cat.jpg")
///     print(answer.top(5))
///
/// A classifier may be used from several threads at once.
public final class Classifier: Sendable {
    public let model: Model
    public let program: Program
    /// How an image comes to the network's size.
    public let crop: Crop
    /// How the file of an image is read.
    public let decoding: DecodingOptions
    private let image: ImageInput
    private let executors: ExecutorPool

    /// - Parameter threads: The threads that one image is spread over.
    /// - Throws: `Failure` when the model takes no image, or gives no row of numbers.
    public init(
        _ model: Model, crop: Crop = .fill, decoding: DecodingOptions = DecodingOptions(), threads: Int = 1
    ) throws {
        guard let image = model.image, model.graph.inputs.count == 1 else { throw Failure.takesNoImage() }
        let output = model.graph[model.graph.outputs[0].value]
        guard output.element == .float32, output.shape.dropFirst().filter({ $0 != 1 }).count <= 1 else {
            throw Failure.givesNoRow(output)
        }
        self.model = model
        self.image = image
        self.crop = crop
        self.decoding = decoding
        program = try Program(model.graph, threads: threads)
        executors = ExecutorPool(program, threads: threads)
    }

    /// Classifies the image in a file.
    /// - Throws: `Failure` naming the file when it is no image that can be read.
    public func classify(imageAt path: String) throws -> Classification {
        try naming(file: path) {
            let image = try DecodedImage(contentsOf: path, decoding)
            var answer = classify(image.pixels)
            answer.warning = image.warning
            return answer
        }
    }

    /// Classifies an image in memory.
    public func classify(_ pixels: Pixels) -> Classification {
        // One channel is resized faster than three.
        let gray = image.color == .gray ? pixels.converted(to: .gray) : pixels
        let fitted = gray.fitted(width: image.width, height: image.height, crop: crop).converted(to: image.color)
        return executors.with { executor in
            for place in 0..<model.batch {
                fitted.bytes.withUnsafeBufferPointer {
                    executor.load(pixels: $0, image.scaling, input: 0, image: place)
                }
            }
            executor.run()
            let probabilities = executor.withOutput(0) { Array($0.prefix(model.classCount)) }
            return Classification(probabilities: probabilities, labels: model.classifier?.labels)
        }
    }
}

/// What a network says of an image.
public struct Classification: Sendable {
    /// One number a class, in the order of the network's output.
    public let probabilities: [Float]
    /// What is wrong with the image's file, though it could be read.
    public internal(set) var warning: String?
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
        let order = probabilities.indices.sorted { a, b in
            // A number that is none comes last.
            let x = probabilities[a].isNaN ? -.infinity : probabilities[a]
            let y = probabilities[b].isNaN ? -.infinity : probabilities[b]
            return x == y ? a < b : x > y
        }
        return order.prefix(count).map {
            Prediction(label: labels?[$0] ?? "\($0)", index: $0, probability: probabilities[$0])
        }
    }
}
