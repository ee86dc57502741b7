extension GraphSurvey {
    /// Operations that read values only to train, to save or to report.
    private static let leftovers: Set<String> = [
        "NoOp", "Assert", "SaveV2", "RestoreV2", "SaveSlices", "RestoreSlice", "MergeV2Checkpoints", "ShardedFilename",
        "MergeSummary",
        "ScalarSummary", "HistogramSummary", "ImageSummary", "TensorSummary", "TensorSummaryV2", "PrintV2",
        "ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyRMSProp", "ApplyAdagrad",
        "ResourceApplyGradientDescent",
        "ResourceApplyMomentum", "ResourceApplyAdam", "ResourceApplyKerasMomentum", "ResourceApplyRMSProp", "InTopK",
        "InTopKV2",
        "IteratorToStringHandle", "MakeIterator", "SoftmaxCrossEntropyWithLogits",
        "SparseSoftmaxCrossEntropyWithLogits", "L2Loss",
    ]

    /// Operations that keep what they read in a variable.
    private static let updates: Set<String> = [
        "Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp",
    ]

    private static let sources: Set<String> = [
        "Const", "Placeholder", "PlaceholderV2", "VariableV2", "Variable", "VarHandleOp",
    ]

    /// What is made of an answer to hold it against the truth, or to reckon a loss.
    private static let comparisons: Set<String> = [
        "ArgMax", "TopK", "TopKV2", "Log", "Log1p", "Exp", "Neg", "Abs", "ClipByValue", "StopGradient",
    ]

    /// Parts of the names that training gives to what it adds, where a graph has labels.
    private static let trainingWords = [
        "loss", "accuracy", "metrics", "entropy", "xent", "squared_error", "psnr", "ssim", "optimizer", "train_op",
    ]

    /// The outputs that show themselves: nodes that depend on the image and on nothing like its label, and that nobody
    /// reads; what only trains, saves, reports or compares with labels counts for nobody.
    ///
    /// - Parameter fed: Placeholders that arrays are at hand for, which are no labels then.
    func outputs(fed: Set<String> = []) throws -> [String] {
        let order = try order(from: nodes.map(\.name), stoppingAt: [])
        let (labels, hasTruth) = labels(order, fed)
        let outputs = outputs(order, labels, isTrained: hasTruth)
        return outputs.isEmpty && hasTruth ? self.outputs(order, [], isTrained: false) : outputs
    }

    private func outputs(_ order: [Int], _ labels: Set<Reference>, isTrained: Bool) -> [String] {
        var isLeftover = [Bool](repeating: false, count: nodes.count)
        var dependsOnInput = [Bool](repeating: false, count: nodes.count)
        // What goes round in a loop is known the second time.
        for place in order + (order.contains { nodes[$0].op == "NextIteration" } ? order : []) {
            let node = nodes[place]
            let data = node.data.map { Reference($0) }
            let read = data.compactMap { places[$0.node] }
            isLeftover[place] =
                onlyTrains(node, byName: isTrained) || read.contains { isLeftover[$0] }
                || data.contains(where: labels.contains)
            // A file's name has a default; sound and text to be decoded have none. What is true or false is no input.
            let isFileName = node.op == "PlaceholderWithDefault" && node.dataType == .string
            dependsOnInput[place] =
                (node.op.hasPrefix("Placeholder") && !isFileName && node.dataType != .bool)
                || InputNode.sources.contains(node.op) || read.contains { dependsOnInput[$0] }
        }
        var isRead = [Bool](repeating: false, count: nodes.count)
        var isCompared = isRead
        var isKept = isRead
        for place in order.reversed() {
            let node = nodes[place]
            // What only variables are changed by is no output: the averages that training keeps.
            let updates =
                GraphSurvey.updates.contains(node.op) || (isKept[place] && !isRead[place] && !isCompared[place])
            // An answer's class that is only held against the label is no output; the answer is.
            let counts =
                !isLeftover[place] && !updates
                && (isRead[place] || !isCompared[place] || !GraphSurvey.comparisons.contains(node.op))
            for input in node.inputs {
                guard let source = places[Reference(input).node] else { continue }
                if counts {
                    isRead[source] = true
                } else if updates {
                    isKept[source] = true
                } else {
                    isCompared[source] = true
                }
            }
            if !counts { isLeftover[place] = true }
        }
        let outputs = nodes.indices.filter {
            !isRead[$0] && !isLeftover[$0] && dependsOnInput[$0] && !GraphSurvey.sources.contains(nodes[$0].op)
        }
        // Whether something holds is asked beside the answer; an answer may be what was asked of, too.
        let isChecked = checked(order)
        let answers = outputs.filter { nodes[$0].op != "CheckNumerics" && !isChecked[$0] }
        return (answers.isEmpty ? outputs : answers).map { nodes[$0].name }
    }

    /// Whether a node only trains, saves or reports, by its operation or by the part of the graph that it stands in.
    /// - Parameter byName: Whether the words of training in its name count, too.
    private func onlyTrains(_ node: NodeDefinition, byName: Bool) -> Bool {
        GraphSurvey.leftovers.contains(node.op) || GraphSurvey.updates.contains(node.op)
            || node.name.split(separator: "/").contains { $0.hasPrefix("gradients") || $0.hasPrefix("assert_") }
            || (byName && GraphSurvey.trainingWords.contains(where: node.name.lowercased().contains))
    }

    /// Per node: whether it is read, but by what ends in an assertion only, or for the order of things.
    private func checked(_ order: [Int]) -> [Bool] {
        var isChecked = [Bool](repeating: false, count: nodes.count)
        var isUsed = isChecked
        for place in order.reversed() {
            let node = nodes[place]
            let isCheck = (isChecked[place] && !isUsed[place]) || node.op == "Assert" || node.op == "NoOp"
            for input in node.inputs {
                guard let source = places[Reference(input).node] else { continue }
                if isCheck || input.hasPrefix("^") { isChecked[source] = true } else { isUsed[source] = true }
            }
        }
        return nodes.indices.map { isChecked[$0] && !isUsed[$0] }
    }

    /// Where a graph has one input like an image, those of its other inputs that are neither switches nor single fractions:
    /// labels, for one. And whether there is something that answers may be held against: labels, or other images.
    private func labels(_ order: [Int], _ fed: Set<String>) -> (labels: Set<Reference>, hasTruth: Bool) {
        var images: Set<Reference> = []
        var others: Set<Reference> = []
        for place in order {
            let node = nodes[place]
            if node.isOpenSwitch { continue }
            if node.op == "Placeholder" || node.op == "PlaceholderV2" {
                let reference = Reference(node.name)
                if fed.contains(node.name), node.declaredShape(0)?.count ?? 0 < 3 { continue }
                let isWhole = [.int32, .int64].contains(node.dataType)
                switch node.declaredShape(0) {
                case let sizes? where sizes.count >= 3 && !isWhole: images.insert(reference)
                case let sizes? where !sizes.isEmpty: others.insert(reference)
                case nil where isWhole: others.insert(reference)
                default: break
                }
            } else if InputNode.sources.contains(node.op), case .list(let shapes)? = node.attributes["output_shapes"] {
                for output in shapes.indices {
                    var reference = Reference(node.name)
                    reference.output = output
                    if node.declaredShape(output)?.count ?? 0 >= 3 {
                        images.insert(reference)
                    } else {
                        others.insert(reference)
                    }
                }
            }
        }
        if let image = images.first, images.count == 1 { others = truths(others, image, order) }
        return (images.count == 1 ? others : [], images.count > 1 || (images.count == 1 && !others.isEmpty))
    }

    /// More inputs than this are looked at together only.
    private static let mostInputs = 64

    /// Those of some inputs beside an image that it is only held against. What an answer is made of, such as the number of a
    /// style, is none of them.
    private func truths(_ inputs: Set<Reference>, _ image: Reference, _ order: [Int]) -> Set<Reference> {
        if areOnlyJudgedBy(inputs, image, order) { return inputs }
        return inputs.count > GraphSurvey.mostInputs ? [] : inputs.filter { areOnlyJudgedBy([$0], image, order) }
    }

    /// Whether all that is made of the image and of these inputs ends in what only trains or judges.
    private func areOnlyJudgedBy(_ inputs: Set<Reference>, _ image: Reference, _ order: [Int]) -> Bool {
        let none = [Bool](repeating: false, count: nodes.count)
        var (dependsOnInputs, dependsOnImage, isJudgement, isTotal, isRead) = (none, none, none, none, none)
        for place in order {
            let node = nodes[place]
            let data = node.data.map { Reference($0) }
            let read = data.compactMap { places[$0.node] }
            for source in read { isRead[source] = true }
            let made = read.filter { dependsOnInputs[$0] }
            dependsOnImage[place] = data.contains(image) || read.contains { dependsOnImage[$0] }
            dependsOnInputs[place] = data.contains(where: inputs.contains) || !made.isEmpty
            guard dependsOnInputs[place] else { continue }
            isJudgement[place] =
                onlyTrains(node, byName: true) || GraphSurvey.questions.contains(node.op)
                || made.contains { isJudgement[$0] }
            isTotal[place] =
                GraphSurvey.totals.contains(node.op)
                || (GraphSurvey.arithmetic.contains(node.op) && !made.isEmpty && made.allSatisfy { isTotal[$0] })
        }
        return !nodes.indices.contains {
            dependsOnInputs[$0] && dependsOnImage[$0] && !isRead[$0] && !isJudgement[$0] && !isTotal[$0]
        }
    }

    private static let questions: Set<String> = ["Equal", "NotEqual"]

    /// What a loss that is written out ends in, and what may still be done to it.
    private static let totals: Set<String> = ["Mean", "Sum"]
    private static let arithmetic: Set<String> = [
        "Neg", "Add", "AddV2", "AddN", "Sub", "Mul", "Div", "RealDiv", "Sqrt", "Identity", "Cast",
    ]
}

extension NodeDefinition {
    /// The width and height that a placeholder declares for an image.
    var imageSize: (width: Int, height: Int)? {
        guard let sizes = declaredShape(0), sizes.count >= 3 else { return nil }
        let (height, width) = (sizes[sizes.count - 3], sizes[sizes.count - 2])
        return height > 0 && width > 0 ? (width, height) : nil
    }

    var dataType: DataType? { if case .type(let type)? = attributes["dtype"] { type } else { nil } }

    /// The sizes that a source declares for an output; nil where the rank is not known.
    fileprivate func declaredShape(_ output: Int) -> [Int]? {
        if case .shape(let sizes)? = attributes["shape"] { return sizes }
        guard case .list(let shapes)? = attributes["output_shapes"], shapes.indices.contains(output),
            case .shape(let sizes) = shapes[output]
        else { return nil }
        return sizes
    }
}
