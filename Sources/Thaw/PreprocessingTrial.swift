/// A network's confidence with one of the usual kinds of preprocessing.
///
/// With the right preprocessing, a network is confident of its top labels, and they are correct: a user sees at a glance
/// which one is right.
package struct PreprocessingTrial: Sendable {
    /// The preprocessing family, or nil for a scaling that belongs to none.
    package let preprocessing: Preprocessing?
    package let image: ImageInput
    /// Whether this is the model's current preprocessing.
    package let isPresent: Bool
    /// The mean probability of the top label.
    package let confidence: Double
    /// How often each label came out on top, the most frequent first. Ties are in order of appearance.
    package let labels: [(label: String, count: Int)]

    /// Tries the model's current preprocessing and all families that fit its colors. Unreadable images are skipped.
    ///
    /// - Parameter color: The channel order, if that is certain.
    /// - Throws: `Failure` if the model takes no image or does not return a vector of class scores.
    package static func all(
        for model: Model, color: ColorLayout? = nil, imagesAt paths: [String], crop: Crop = .fill,
        decoding: DecodingOptions = DecodingOptions(), threads: Int = 1
    ) throws -> [PreprocessingTrial] {
        let present = try model.onlyImage()
        let defaultColor = color ?? (present.color == .gray ? .gray : .rgb)
        var ways = Preprocessing.allCases.compactMap { preprocessing -> (Preprocessing?, ImageInput)? in
            var image = present
            image.color = color ?? preprocessing.color ?? defaultColor
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
            let order = labels.unique
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
    /// The probability of a class. If the network returns logits, softmax is applied first.
    fileprivate func confidence(of index: Int) -> Double {
        if probabilities.allSatisfy({ (0...1).contains($0) }) { return Double(probabilities[index]) }
        let row = Tensor(probabilities, shape: [1, probabilities.count])
        return Double(Softmax(axis: 1).evaluate([row])[0].floats[index])
    }
}
