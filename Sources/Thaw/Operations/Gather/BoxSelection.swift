/// Non-maximum suppression: of boxes that overlap, only the one with the highest score is kept.
///
/// Inputs: the boxes, as x and y of the center, width and height, and their scores for each class, both by image.
/// Outputs: the kept boxes in descending order of their highest score, their scores, their indices, and their number.
/// The rest is filled with zeros, and with indices of −1.
struct BoxSelection: Operation {
    /// Boxes that overlap a better one by a higher intersection over union are removed.
    var overlap: Float
    /// Boxes with lower scores are removed.
    var score: Float
    var count: Int
    /// Whether boxes compete only with boxes whose highest score is for the same class.
    var isPerClass = false

    var kind: String { "BoxSelection" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (boxes, scores) = (inputs[0].shape, inputs[1].shape)
        guard boxes.rank == 3 else { throw Failure.wrongRank(3, boxes) }
        guard scores.rank == 3, boxes[2] == 4, boxes.prefix(2).elementsEqual(scores.prefix(2)), scores[2] > 0 else {
            throw Failure.shapesDiffer(boxes, scores)
        }
        return [
            TensorType([boxes[0], count, 4]), TensorType([boxes[0], count, scores[2]]),
            TensorType([boxes[0], count], .int32), TensorType([boxes[0]], .int32),
        ]
    }

    /// Each box is compared with all boxes that are kept.
    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        let (images, candidates) = (inputs[0].shape[0], inputs[0].shape[1])
        return .saturatedProduct(images, candidates, Swift.min(count, candidates))
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let types = try! outputTypes(inputs.map(\.type))
        let (images, candidates, classes) = (inputs[0].shape[0], inputs[0].shape[1], inputs[1].shape[2])
        let (boxes, scores) = (inputs[0].floats, inputs[1].floats)
        let kept = (0..<images).map { image in
            let rows = image * candidates..<(image + 1) * candidates
            let candidates = rows.map { row in
                ScoredBox(
                    index: row - rows.lowerBound, box: boxes[4 * row..<4 * row + 4].map(Double.init),
                    scores: scores[classes * row..<classes * (row + 1)].lazy.map(Double.init))
            }
            return ScoredBox.kept(
                candidates, score: Double(score), overlap: Double(overlap), isPerClass: isPerClass, count: count)
        }
        /// Rows of one of the inputs.
        func rows(_ values: [Float], _ width: Int, _ type: TensorType) -> Tensor {
            Tensor(shape: type.shape, element: .float32) { element in
                let (row, image) = (element / width % count, element / width / count)
                guard row < kept[image].count else { return 0 }
                return Double(values[(image * candidates + kept[image][row]) * width + element % width])
            }
        }
        return [
            rows(boxes, 4, types[0]), rows(scores, classes, types[1]),
            Tensor(shape: types[2].shape, element: .int32) { element in
                let indices = kept[element / count]
                return element % count < indices.count ? Double(indices[element % count]) : -1
            },
            Tensor(shape: types[3].shape, element: .int32) { Double(kept[$0].count) },
        ]
    }
}

// MARK: Facts

extension BoxSelection {
    var family: Family { .arrangement }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 0 ? .kept(0) : .combined
    }
}

// MARK: Neural network

extension BoxSelection {
    static let neural = [
        NeuralRule("NonMaximumSuppression") { layer, reading in
            let parameters = layer.parameters
            // The inputs are boxes and scores, then the thresholds and the number of boxes if they are not parameters.
            let parameter: Int = parameters.maxBoxes
            let count = try layer.inputs.count > 4 ? layer.integers(4).first ?? 0 : parameter
            let operation = BoxSelection(
                overlap: try layer.number(2, default: parameters.iouThreshold),
                score: try layer.number(3, default: parameters.scoreThreshold),
                count: count, isPerClass: parameters.perClassSuppression)
            guard (1...maximumBoxes).contains(operation.count) else {
                throw layer.refused("\(operation.count) boxes cannot be selected")
            }
            return try reading.add(operation, [layer.input(), layer.input(1)], layer)
        }
    ]

    /// No detector has more than this.
    private static let maximumBoxes = 1 << 20
}

// MARK: ML Program

extension BoxSelection {
    static let mil = [
        MILRule("non_maximum_suppression") { op, reading in
            // Since iOS 17, there is no score threshold, and the boxes are along the last axis.
            let isTransposed = !op.has("score_threshold")
            let operation = BoxSelection(
                overlap: try op.number("iou_threshold"),
                score: isTransposed ? -.infinity : try op.number("score_threshold"),
                count: try op.integer("max_boxes"), isPerClass: try op.bool("per_class_suppression", default: false))
            guard (1...maximumBoxes).contains(operation.count) else {
                throw op.refused("\(operation.count) boxes cannot be selected")
            }
            let inputs = try ["boxes", "scores"].map { try reading.asFloats(op.operand($0), op) }
            guard isTransposed else { return try reading.add(operation, inputs, op) }
            func transposed(_ operand: Operand) throws -> Operand {
                try reading.add(Transpose([0, 2, 1]), [operand], op)[0]
            }
            let results = try reading.add(operation, inputs.map(transposed), op)
            return try results[..<2].map(transposed) + results[2...]
        }
    ]
}
