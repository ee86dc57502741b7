/// Quantizes the activations and weights of an image model to 8-bit integers.
///
///     let model = try Model.load(contentsOfFile: "Net.mlmodel").model
///     let quantization = try Quantization(model, imagesAt: photos)
///     try quantization.write(toFile: "Small.mlpackage")
///
/// The ranges of the activations are measured on photos, which should be similar to those that the model will see.
public struct Quantization: Sendable {
    /// Settings for quantizing a model.
    public struct Options: Sendable {
        /// The method that chooses ranges.
        public var statistic = RangeStatistic.error
        /// The share of top labels that may change, from 0 to 1. Layers are kept in floating point, the most sensitive first,
        /// until it suffices; nil keeps none.
        public var maximumChangedShare: Double?
        /// How images are fitted to the network's size.
        public var crop = Crop.fill
        /// How images are resized.
        public var resize = ResizeMethod.pillow
        /// How image files are decoded.
        public var decoding = DecodingOptions()
        /// The number of threads to use, at least 1.
        public var threads = 1

        /// The default options.
        public init() {}

        fileprivate func check() throws {
            try crop.check()
            if let share = maximumChangedShare, !(0...1).contains(share) { throw Failure.changedShare(share) }
        }
    }

    /// The quantized model. Computed in float32, it rounds its activations to quantized values.
    public let model: Model
    /// The number of photos that were read.
    public let photoCount: Int
    /// The number of layers with weights.
    public let layerCount: Int
    /// The names of the layers that are kept in floating point.
    public let keptLayers: [String]
    /// How many photos have the same top label as before; nil if the model does not return scores of classes.
    public let agreeingCount: Int?
    /// The reasons why photos could not be read, with their paths.
    public let failures: [Failure]
    /// Possible problems with the quantized model.
    public let warnings: [Note]
    /// The network without rounded activations, for formats that cannot express them, with the quantization parameters
    /// of its values.
    private let plain: Graph
    private let parametersByValue: [Graph.Value: QuantizationParameters]

    /// Quantizes a model.
    /// - Parameter paths: The photos on which ranges are measured, and top labels compared.
    /// - Throws: `Failure` if an option is invalid, if the model cannot be quantized, or if there is no photo that can be read.
    public init(_ model: Model, imagesAt paths: some Sequence<String>, options: Options = Options()) throws {
        try requireThreads(options.threads)
        try options.check()
        let image = try Quantization.check(model)
        let (pixels, damages, failures) = Quantization.pixels(paths, image, options)
        guard !pixels.isEmpty else { throw failures.first ?? Failure.noPhotos() }
        let sampler = ActivationSampler(image: image, pixels: pixels, threads: options.threads)
        let labels = try model.classScores.map { _ in try sampler.outputs(of: model.graph) }
        if labels == nil, options.maximumChangedShare != nil { throw Failure.noLabelsToKeep() }
        var network = try NetworkQuantizer.best(model.graph, sampler, options.statistic, scores: labels)
        try network.keepFloatingPointLayers()
        var agreeing: Int?
        var warnings = damages + Quantization.warnings(labels)
        if let labels {
            let limit = options.maximumChangedShare.map { Int(($0 * Double(pixels.count)).rounded(.down)) }
            let found = try network.keepLayers(agreeingWith: labels, atMost: limit, sampler)
            warnings += Quantization.warnings(changed: pixels.count - found, of: pixels.count, atMost: limit)
            guard network.kept.count < network.layerCount else {
                throw Failure.allLayersKept(limit ?? 0, of: pixels.count)
            }
            agreeing = found
        }
        self.warnings = warnings
        (plain, parametersByValue) = (network.graph, network.parametersByValue)
        (photoCount, layerCount, self.failures) = (pixels.count, network.layerCount, failures)
        (keptLayers, agreeingCount) = (network.kept, agreeing)
        var quantized = model
        quantized.graph = try network.quantized()
        quantized.quantization = QuantizationRecord(
            photoCount: agreeing == nil ? 0 : pixels.count, changedCount: agreeing.map { pixels.count - $0 } ?? 0)
        self.model = quantized
    }

    /// Writes the quantized model atomically: as a neural network if `path` ends in `.mlmodel`, as an ML Program if it ends in
    /// `.mlpackage`.
    ///
    /// - Parameters:
    ///   - target: The oldest systems that must load it; nil means iOS 17 for an ML Program. Programs for older systems and
    ///     neural networks have the ranges in their metadata, which only Thaw reads.
    ///   - precision: The types that an ML Program takes, computes in and returns.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Throws: `Failure` if the file cannot be written, or if it would compute in float16 with values that are too large for
    ///   it.
    @discardableResult
    public func write(
        toFile path: String, target: CoreMLVersion? = nil, precision: ProgramPrecision = ProgramPrecision(),
        mayReplace: Bool = true
    ) throws -> WrittenModel {
        let isProgram = try ModelFormat(pathToWrite: path) == .coreMLPackage
        let target = target ?? (isProgram ? .iOS17 : nil)
        if isProgram, precision.compute != .float32 { try checkFloat16() }
        let written = isProgram && target! >= .iOS17 ? model : try modelWithRanges()
        // The weights of layers in floating point have the precision that the program computes in.
        let weights = isProgram && precision.compute == .float32 ? WeightStorage(.float32) : nil
        return try written.write(
            toFile: path, weights: weights, target: target, precision: precision, mayReplace: mayReplace)
    }

    private func checkFloat16() throws {
        let plan = QuantizationPlan(plain)
        for value in plan.values {
            guard let parameters = parametersByValue[value] else { continue }
            let largest = max(-parameters.lowest, parameters.highest)
            guard largest > .largestHalf else { continue }
            throw Failure.tooLargeForFloat16(plan.name(of: value), largest)
        }
    }

    /// The model with the quantization parameters in its metadata.
    /// - Throws: `Failure` if two values have the same name there.
    func modelWithRanges() throws -> Model {
        var result = model
        result.graph = plain
        let plan = QuantizationPlan(plain)
        // In the order of the graph, so that if there are several failures, the same one is always reported.
        for value in plan.values {
            guard let parameters = parametersByValue[value] else { continue }
            let name = plan.name(of: value)
            guard result.quantization!.parameters.updateValue(parameters, forKey: featureName(name)) == nil else {
                throw Failure.cannotStoreRange(name)
            }
        }
        result.quantization!.kept = keptLayers.map { featureName($0) }
        return result
    }

    // MARK: Photos

    /// The image input of a model that can be quantized.
    private static func check(_ model: Model) throws -> ImageInput {
        guard model.laterStages == nil else { throw Failure.cannotQuantizePipeline() }
        let image = try model.onlyImage()
        guard !model.isQuantized else { throw Failure.alreadyQuantized() }
        guard image.sizes == .fixed else { throw Failure.cannotQuantizeFlexibleSizes(image.sizes) }
        guard model.batchSize == 1 else { throw Failure.cannotQuantizeBatch(model.batchSize) }
        return image
    }

    private static func pixels(
        _ paths: some Sequence<String>, _ image: ImageInput, _ options: Options
    ) -> (pixels: [Pixels], damages: [Note], failures: [Failure]) {
        let paths = Array(paths)
        let decoding = options.decoding
        let preparation = Classifier.Preparation(
            image: image, crop: options.crop, resize: options.resize, decoding: decoding)
        let results = Workers(min(options.threads, paths.count)).map(paths) {
            preparation.prepared(ImageFile(path: $0))
        }
        var (pixels, damages, failures): ([Pixels], [Note], [Failure]) = ([], [], [])
        for (path, result) in zip(paths, results) {
            switch result {
            case .success(let image):
                pixels.append(image.pixels)
                if let warning = image.warning { damages.append(Note(warning.code, "\(path): \(warning)")) }
            case .failure(let failure): failures.append(failure)
            }
        }
        return (pixels, damages, failures)
    }

    /// Checks what the network's outputs reveal about the photos.
    static func warnings(_ scores: [[Float]]?) -> [Note] {
        guard let scores else { return [] }
        if scores.count == 1 { return [.singlePhoto()] }
        let topClasses = scores.map { Classification.topIndex(of: $0) }
        if scores.count >= 10, Set(topClasses).count == 1 { return [.photosOfOneLabel(scores.count)] }
        let highest = scores.map { $0.max() ?? 0 }.sorted()
        let areProbabilities = scores.allSatisfy { abs($0.reduce(0, +) - 1) < 0.01 && $0.count > 2 }
        let median = highest[highest.count / 2]
        return areProbabilities && median < Quantization.minimumConfidence ? [.uncertainPhotos(median)] : []
    }

    /// Checks how many top labels change.
    static func warnings(changed: Int, of count: Int, atMost limit: Int?) -> [Note] {
        if let limit { return changed > limit ? [.labelsChanged(changed, of: count, atMost: limit)] : [] }
        return count >= 10 && 4 * changed > count ? [.manyLabelsChanged(changed, of: count)] : []
    }

    /// For photos of the right kind, the median of the highest probabilities exceeds this.
    private static let minimumConfidence: Float = 0.2
}

extension Model {
    /// The number of classes, if the first output is a vector of their scores.
    fileprivate var classScores: Int? {
        guard let output = graph.outputs.first, graph[output.value].element == .float32 else { return nil }
        let sizes = graph[output.value].shape.filter { $0 != 1 }
        return sizes.count == 1 && imageOutput == nil ? sizes[0] : nil
    }
}

extension Failure {
    fileprivate static func changedShare(_ share: Double) -> Failure {
        Failure(
            .invalidOption, "\(option: .maximumChangedShare) is \(share)", remedy: "expected a number from 0 to 1")
    }
}
