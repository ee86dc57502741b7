/// Holds one model to another on the same pictures: the first computed by the plain references, the second by the engine.
///
///     let graph = try Converter().convert(contentsOf: "inference.pb")
///     let model = try Model.load(contentsOf: "inference.mlmodel")
///     let report = try Comparison(graph, model).report(imagesAt: ["cat.jpg"])
///     print(report.agrees)
///
/// A graph is computed as it was read, before any pass over it, so that the passes answer for what they did as well.
public struct Comparison: Sendable {
    /// How far apart numbers may lie, as a share of the larger of 1 and the range of the first model's.
    public let tolerance: Double
    let first: Side
    let second: Side
    private let crop: Crop
    private let decoding: DecodingOptions
    private let program: Program
    private let executors: ExecutorPool
    /// One name a class where either model has names.
    private let labels: [String]?

    /// A graph with what is done to a pixel before it gets there.
    struct Side: Sendable {
        let graph: Graph
        let image: ImageInput
        let scaling: PixelScaling
    }

    /// The tolerance between models whose weights are stored in 32 bits, and where either has shorter ones.
    public static let tolerance = 1e-4
    public static let toleranceOfShortWeights = 2e-2

    /// - Parameters:
    ///   - tolerance: Unless given, ``tolerance``, or ``toleranceOfShortWeights`` where either model has such.
    ///   - crop: How an image comes to the networks' size.
    /// - Throws: `Failure` where the two do not take the same image or do not give the same arrays, or where their classes
    ///   differ, and when the engine cannot run the second.
    public init(
        _ first: Conversion, _ second: Conversion, tolerance: Double? = nil, crop: Crop = .fill,
        decoding: DecodingOptions = DecodingOptions()
    ) throws {
        var second = second
        second.model.graph.arrangeOutputs(like: first.model.graph)
        let (image, otherImage) = (try first.model.onlyImage(), try second.model.onlyImage())
        try Comparison.checkInputs(image, otherImage)
        try Comparison.checkOutputs(first.model, second.model)
        labels = try Comparison.commonLabels(first.model, second.model)
        let isShort = first.hasShortWeights || second.hasShortWeights
        self.tolerance =
            tolerance ?? (isShort ? Comparison.toleranceOfShortWeights : Comparison.tolerance)
        self.crop = crop
        self.decoding = decoding
        self.first =
            first.original.map { Side(graph: $0, image: image, scaling: image.outerScaling) }
            ?? Side(graph: first.model.graph, image: image, scaling: image.scaling)
        self.second = Side(graph: second.model.graph, image: otherImage, scaling: otherImage.scaling)
        for type in self.first.graph.types where type.shape.elementCount > Program.largestTensor {
            throw Failure.arrayTooLarge(type)
        }
        program = try Program(second.model.graph)
        executors = ExecutorPool(program, threads: 1)
    }

    // MARK: What can be compared

    private static func checkInputs(_ a: ImageInput, _ b: ImageInput) throws {
        guard a.width == b.width, a.height == b.height else {
            throw Failure.imagesDiffer("\(a.width)×\(a.height) pixels", "\(b.width)×\(b.height)")
        }
        guard a.color.channels == b.color.channels else {
            throw Failure.imagesDiffer("\(a.color.channels) channels", "\(b.color.channels)")
        }
    }

    private static func checkOutputs(_ a: Model, _ b: Model) throws {
        guard a.graph.outputs.count == b.graph.outputs.count else {
            throw Failure.outputCountsDiffer(a.graph.outputs.map(\.name), b.graph.outputs.map(\.name))
        }
        for (port, other) in zip(a.graph.outputs, b.graph.outputs) {
            // One axis of one element more or less says nothing.
            let shape = a.graph[port.value].shape
            let otherShape = b.graph[other.value].shape
            guard shape.filter({ $0 != 1 }) == otherShape.filter({ $0 != 1 }) else {
                throw Failure.outputsDiffer(port.name, shape, other.name, otherShape)
            }
        }
    }

    private static func commonLabels(_ a: Model, _ b: Model) throws -> [String]? {
        guard let labels = a.classifier?.labels, let others = b.classifier?.labels else {
            return a.classifier?.labels ?? b.classifier?.labels
        }
        if let index = zip(labels, others).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            throw Failure.labelsDiffer(index, labels[index], others[index])
        }
        return labels
    }

    // MARK: Running

    /// Compares the models on the images in these files, each on one of several threads.
    ///
    /// - Throws: `Failure` when the engine cannot tell where the models first part. What is wrong with an image stands in
    ///   the report.
    public func report(imagesAt paths: [String], threads: Int = 1) throws -> Report {
        let workers = Workers(min(threads, paths.count))
        let outcomes = workers.map(paths) { path in
            Result {
                try naming(file: path) {
                    let image = try DecodedImage(contentsOf: path, decoding)
                    var outcome = compare(image.pixels)
                    outcome.warning = image.warning ?? outcome.warning
                    return outcome
                }
            }
        }
        var report = Report(tolerance: tolerance)
        for (path, outcome) in zip(paths, outcomes) {
            switch outcome {
            case .success(let outcome): report.add(outcome, path, labels)
            case .failure(let failure as Failure): report.failures.append((path, failure))
            case .failure(let error): throw error
            }
        }
        if let largest = report.largest, !(largest.difference.relative <= tolerance) {
            report.place = try naming(file: largest.image) {
                try firstPlace(try DecodedImage(contentsOf: largest.image, decoding).pixels, largest)
            }
        }
        return report
    }

    /// What came of one image.
    struct Outcome: Sendable {
        /// One difference an output.
        var differences: [(output: String, difference: Difference)]
        /// The classes that come first, where the first output is a row of one number a class, and whether the tolerance
        /// explains that they differ.
        var classes: (first: Int, second: Int, isExplained: Bool)?
        /// What is wrong with the image's file, though it could be read.
        var warning: String?
    }

    private func compare(_ pixels: Pixels) -> Outcome {
        let expected = first.graph.evaluate([input(of: first, pixels)]).map(\.floats)
        let actual = executors.with { executor in
            load(pixels, into: executor)
            executor.run()
            return second.graph.outputs.indices.map { executor.output($0).floats }
        }
        var outcome = Outcome(
            differences: zip(second.graph.outputs, zip(expected, actual)).map { port, arrays in
                (port.name, Difference(arrays.0, arrays.1))
            })
        if let place = expected.firstIndex(where: { $0.contains(where: \.isNaN) }) {
            outcome.warning = "'\(second.graph.outputs[place].name)' holds what is no number"
        }
        let shape = second.graph[second.graph.outputs[0].value].shape
        let axes = shape.dropFirst().filter { $0 != 1 }
        if axes.count == 1 {
            let (a, b) = (Array(expected[0].prefix(axes[0])), Array(actual[0].prefix(axes[0])))
            let top = [a, b].map { Classification(probabilities: $0, labels: nil).top(1)[0].index }
            // Each of the two values may be off by as much.
            let gap = Double(a[top[0]] - a[top[1]])
            outcome.classes = (top[0], top[1], gap <= 2 * tolerance * max(1, a.range))
        }
        return outcome
    }

    /// The picture as a side's network takes it.
    func fitted(_ pixels: Pixels, to image: ImageInput) -> Pixels {
        pixels.fitted(width: image.width, height: image.height, crop: crop).converted(to: image.color)
    }

    /// The first graph's input, in every place of its batch.
    func input(of side: Side, _ pixels: Pixels) -> Tensor {
        let bytes = fitted(pixels, to: side.image).bytes
        let scale = side.scaling.scale
        let bias = side.scaling.bias
        return Tensor(shape: side.graph[side.graph.inputs[0].value].shape) { values in
            for i in values.indices {
                let channel = i % scale.count
                values[i] = Float(scale[channel] * Double(bytes[i % bytes.count]) + bias[channel])
            }
        }
    }

    /// Puts the picture into every place of the second model's batch.
    func load(_ pixels: Pixels, into executor: Executor) {
        let bytes = fitted(pixels, to: second.image).bytes
        for place in 0..<(second.graph[second.graph.inputs[0].value].shape.first ?? 1) {
            bytes.withUnsafeBufferPointer { executor.load(pixels: $0, second.scaling, input: 0, image: place) }
        }
    }
}

extension Comparison {
    /// How far two arrays lie apart.
    public struct Difference: Sendable {
        /// The largest difference of two numbers at the same place; infinite where only one is a number.
        public let absolute: Double
        /// That as a share of the larger of 1 and the range of the first array.
        public let relative: Double

        init(_ a: [Float], _ b: [Float]) {
            absolute = zip(a, b).reduce(0) { largest, pair in
                if pair.0 == pair.1 || (pair.0.isNaN && pair.1.isNaN) { return largest }
                let distance = abs(Double(pair.0) - Double(pair.1))
                return distance.isFinite ? max(largest, distance) : .infinity
            }
            relative = absolute / max(1, a.range)
        }
    }
}

extension [Float] {
    /// From the least finite number to the greatest.
    fileprivate var range: Double {
        let finite = self.lazy.filter(\.isFinite)
        guard let low = finite.min(), let high = finite.max() else { return 0 }
        return Double(high) - Double(low)
    }
}

extension Graph {
    /// Puts outputs of the same names into the same order; where there are others, they stay as they are.
    fileprivate mutating func arrangeOutputs(like other: Graph) {
        let places = other.outputs.map { port in outputs.firstIndex { $0.name == port.name } }
        guard places.count == outputs.count, Set(places.compactMap { $0 }).count == outputs.count else { return }
        outputs = places.map { outputs[$0!] }
    }
}

extension ImageInput {
    /// What is done to a pixel on its way to the network's own graph: `scaling` without the part that was lifted out of it.
    var outerScaling: PixelScaling {
        guard let lifted else { return scaling }
        return PixelScaling(
            scale: zip(scaling.scale, lifted.scale).map { $1 == 0 ? 1 : $0 / $1 },
            bias: scaling.bias.indices.map { i in
                lifted.scale[i] == 0 ? 0 : (scaling.bias[i] - lifted.bias[i]) / lifted.scale[i]
            })
    }
}

extension Conversion {
    /// The same graph, fed as another model declares its image input: in its order of channels, with its scaling. Nil where
    /// the images have not the same channels.
    ///
    /// Where the other does not say which part of its scaling is the network's own, it is the graph's.
    public func fed(as other: ImageInput) -> Conversion? {
        guard var image = model.image, image.color.channels == other.color.channels else { return nil }
        image.color = other.color
        if let lifted = image.lifted, other.lifted != nil {
            image.scaling = other.outerScaling.followed(by: lifted)
        } else {
            image.scaling = image.lifted == nil ? other.outerScaling : other.scaling
        }
        var result = self
        result.model.image = image
        return result
    }
}
