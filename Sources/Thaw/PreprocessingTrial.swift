/// How sure a network is of what it sees under each of the ways in which it may have been fed while it was trained.
///
/// A network that is fed rightly is sure of its first labels, and they are right: a person sees at a glance which way it is.
public struct PreprocessingTrial: Sendable {
    /// The family, or nil for a scaling that none of them has.
    public let preprocessing: Preprocessing?
    public let image: ImageInput
    /// Whether the model as it is is fed this way.
    public let isPresent: Bool
    /// The mean probability of the first label.
    public let confidence: Double
    /// How often each label came first, the most frequent first, of equals the one that came first earlier.
    public let labels: [(label: String, count: Int)]

    /// Tries the model as it is fed, and all families that know its colours. Images that cannot be read are passed over.
    ///
    /// - Parameter color: The order of channels, where that is certain.
    /// - Throws: `Failure` when the model takes no image or gives no row of one number a class.
    public static func all(
        for model: Model, color: ColorLayout? = nil, imagesAt paths: [String], crop: Crop = .fill,
        decoding: DecodingOptions = DecodingOptions(), threads: Int = 1
    ) throws -> [PreprocessingTrial] {
        let present = try model.onlyImage()
        let standard = color ?? (present.color == .gray ? .gray : .rgb)
        var ways = Preprocessing.allCases.compactMap { preprocessing -> (Preprocessing?, ImageInput)? in
            var image = present
            image.color = color ?? preprocessing.color ?? standard
            guard image.color.channels == present.color.channels,
                let scaling = try? preprocessing.scaling(image.color)
            else { return nil }
            image.scaling = scaling
            return (preprocessing, image)
        }
        if !ways.contains(where: { $0.1 == present }) { ways.insert((nil, present), at: 0) }
        return try ways.map { preprocessing, image in
            var model = model
            model.image = image
            var labels: [String] = []
            var sum = 0.0
            try Classifier(model, crop: crop, decoding: decoding).classify(imagesAt: paths, threads: threads) {
                _, result in
                guard case .success(let classification) = result else { return }
                let first = classification.top(1)[0]
                labels.append(first.label)
                sum += classification.confidence(of: first.index)
            }
            let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
            var seen = Set<String>()
            let order = labels.filter { seen.insert($0).inserted }
            return PreprocessingTrial(
                preprocessing: preprocessing, image: image, isPresent: image == present,
                confidence: sum / Double(max(1, labels.count)),
                labels: order.enumerated().sorted {
                    (-counts[$0.element]!, $0.offset) < (-counts[$1.element]!, $1.offset)
                }
                .map { ($0.element, counts[$0.element]!) })
        }
    }
}

extension Classification {
    /// The probability of a class; of a network that ends before its softmax, what that would make of it.
    fileprivate func confidence(of index: Int) -> Double {
        if probabilities.allSatisfy({ (0...1).contains($0) }) { return Double(probabilities[index]) }
        let row = Tensor(probabilities, shape: [1, probabilities.count])
        return Double(Softmax(axis: 1).evaluate([row])[0].floats[index])
    }
}
