/// Compares two models on the same images. The first is computed by the reference implementations, the second by the engine.
///
///     let graph = try Converter().convert(contentsOfFile: "inference.pb")
///     let model = try Model.load(contentsOfFile: "inference.mlmodel")
///     let report = try Comparison(graph, model).report(imagesAt: ["cat.jpg"])
///     print(report.agrees)
///
/// A converted graph is computed as it was read, before any pass, so that the comparison covers the passes too.
public struct Comparison: Sendable {
    /// The largest allowed difference, relative to the larger of 1 and the value range of the first model's output.
    public let tolerance: Double
    let first: Side
    let second: Side
    private let crop: Crop
    private let decoding: DecodingOptions
    let program: Program
    private let executors: ExecutorPool
    /// The label of each class, if either model has labels.
    private let labels: [String]?

    /// A graph, and the scaling of pixels before they reach it.
    struct Side: Sendable {
        let graph: Graph
        let image: ImageInput
        let scaling: PixelScaling
    }

    /// The tolerance between models whose weights are stored in 32 bits.
    public static let defaultTolerance = 1e-4
    /// The tolerance if either model has weights of fewer bits, or if the second is computed in a lower precision.
    public static let shortWeightTolerance = 2e-2

    /// The tolerance if the second model is computed in this precision.
    package static func tolerance(of precision: Precision) -> Double {
        precision == .float32 ? defaultTolerance : shortWeightTolerance
    }

    /// A comparison of two models.
    /// - Parameters:
    ///   - tolerance: By default ``defaultTolerance``, or ``shortWeightTolerance`` if either model has short weights.
    ///   - precision: The precision that the second model is computed in.
    ///   - crop: How an image is fitted to the networks' size.
    /// - Throws: `Failure` if the images, the outputs or the labels of the two models do not match, or if the engine cannot
    ///   run the second.
    public init(
        _ first: Conversion, _ second: Conversion, tolerance: Double? = nil, precision: Precision = .float32,
        crop: Crop = .fill, decoding: DecodingOptions = DecodingOptions()
    ) throws {
        try crop.check()
        var second = second
        second.model.graph.arrangeOutputs(like: first.model.graph)
        let (image, otherImage) = (try first.model.onlyImage(), try second.model.onlyImage())
        try Comparison.checkInputs(image, otherImage)
        try Comparison.checkOutputs(first.model, second.model)
        labels = try Comparison.commonLabels(first.model, second.model)
        self.crop = crop
        self.decoding = decoding
        self.first =
            first.original.map { Side(graph: $0, image: image, scaling: image.outerScaling) }
            ?? Side(graph: first.model.graph, image: image, scaling: image.scaling)
        let (prepared, lower) = try second.model.prepared(for: precision)
        self.second = Side(graph: prepared.graph, image: otherImage, scaling: otherImage.scaling)
        try self.first.graph.requireComputable()
        program = try Program(prepared.graph, precision: lower)
        let isShort = first.hasShortWeights || second.hasShortWeights || program.precision != .float32
        self.tolerance =
            tolerance ?? (isShort ? Comparison.shortWeightTolerance : Comparison.defaultTolerance)
        executors = ExecutorPool(program, threads: 1)
    }

    // MARK: Comparability

    static func checkInputs(_ a: ImageInput, _ b: ImageInput) throws {
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
            // Axes of size 1 make no difference.
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

    /// Compares the models on the images in these files, using several threads.
    ///
    /// - Throws: `Failure` if the engine cannot determine the first difference, or if `threads` is less than 1. Failures of
    ///   single images are part of the report.
    public func report(imagesAt paths: [String], threads: Int = 1) throws -> Report {
        var report = Report(tolerance: tolerance, precision: program.precision)
        try report.add(imagesAt: paths, threads: threads, labels: labels, decoding: decoding) { try compare($0) }
        guard let largest = report.largest else { return report }
        let (differs, isLower) = (!(largest.difference.relative <= tolerance), program.precision != .float32)
        guard differs || isLower else { return report }
        try naming(file: largest.image) {
            let pixels = try DecodedImage(contentsOfFile: largest.image, options: decoding).pixels
            if differs { report.firstDifference = try firstDifference(pixels, largest) }
            if isLower { report.layers = try layerDifferences(pixels, largest.image) }
        }
        return report
    }

    private func compare(_ pixels: Pixels) throws -> Outcome {
        let expected = try first.graph.evaluate([input(of: first, pixels)]).map(\.floats)
        let actual = try executors.with { executor in
            load(pixels, into: executor)
            try executor.run()
            return second.graph.outputs.indices.map { executor.output(at: $0).floats }
        }
        var outcome = Outcome(
            differences: zip(second.graph.outputs, zip(expected, actual)).map { port, values in
                (port.name, Difference(values.0, values.1))
            })
        if let index = expected.firstIndex(where: { $0.contains(where: \.isNaN) }) {
            outcome.warning = .containsNaN("'\(second.graph.outputs[index].name)'")
        }
        let shape = second.graph[second.graph.outputs[0].value].shape
        let axes = shape.dropFirst().filter { $0 != 1 }
        if axes.count == 1 {
            let (a, b) = (Array(expected[0].prefix(axes[0])), Array(actual[0].prefix(axes[0])))
            let top = [a, b].map { Classification.topIndex(of: $0) }
            // Each of the two values may be off by the tolerance.
            let gap = Double(a[top[0]] - a[top[1]])
            outcome.classes = (top[0], top[1], gap <= 2 * tolerance * max(1, a.range))
        }
        return outcome
    }

    /// The image in the size and colors that a side's network takes.
    func fitted(_ pixels: Pixels, to image: ImageInput) -> Pixels { pixels.fitted(to: image, crop: crop) }

    /// The input of a side's graph, repeated for every item of its batch.
    func input(of side: Side, _ pixels: Pixels) -> Tensor {
        Tensor(
            fitted(pixels, to: side.image), side.scaling, shape: side.graph[side.graph.inputs[0].value].shape)
    }

    /// Loads the image into every item of the second model's batch.
    func load(_ pixels: Pixels, into executor: Executor) {
        let bytes = fitted(pixels, to: second.image).bytes
        for item in 0..<(second.graph[second.graph.inputs[0].value].shape.first ?? 1) {
            bytes.withUnsafeBufferPointer { executor.load(pixels: $0, second.scaling, forInputAt: 0, image: item) }
        }
    }
}

extension Comparison {
    /// The difference of two tensors.
    public struct Difference: Sendable {
        /// The largest difference of two elements at the same index; infinite if they differ and one is not finite.
        public let absolute: Double
        /// The same relative to the larger of 1 and the value range of the first tensor.
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
    /// The distance between the smallest and the largest finite value.
    fileprivate var range: Double {
        let finite = self.lazy.filter(\.isFinite)
        guard let low = finite.min(), let high = finite.max() else { return 0 }
        return Double(high) - Double(low)
    }
}

extension Graph {
    /// Arranges the outputs in the order of the other graph if both have the same names; otherwise leaves them unchanged.
    fileprivate mutating func arrangeOutputs(like other: Graph) {
        let indices = other.outputs.map { port in outputs.firstIndex { $0.name == port.name } }
        guard indices.count == outputs.count, Set(indices.compactMap { $0 }).count == outputs.count else { return }
        outputs = indices.map { outputs[$0!] }
    }
}

extension ImageInput {
    /// The scaling of pixels before the network's own graph: `scaling` without the part that was lifted out of the
    /// graph.
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
    /// The same graph with the preprocessing of another model's image input: its channel order and its scaling. Nil if the
    /// images have different numbers of channels.
    ///
    /// If the other model does not reveal which part of its scaling belongs to the network, this graph's part is used.
    package func withPreprocessing(of other: ImageInput) -> Conversion? {
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
