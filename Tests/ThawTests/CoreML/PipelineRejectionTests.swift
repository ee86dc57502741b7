import Foundation
import Testing

@testable import Thaw

/// A pipeline that contradicts itself: a valid one with one change.
private struct BrokenPipeline: CustomTestStringConvertible, Sendable {
    let name: String
    /// Text that the message must contain.
    let words: String
    let change: @Sendable (inout Message) -> Void

    init(_ name: String, _ words: String, _ change: @escaping @Sendable (inout Message) -> Void) {
        (self.name, self.words, self.change) = (name, words, change)
    }

    var testDescription: String { "\(name): \(words)" }

    static let all = outer + linear + trees + machines + categories

    // MARK: The sequence

    /// The same with a stage changed.
    private static func stage(
        _ name: String, _ index: Int, _ words: String, _ change: @escaping @Sendable (inout Message) -> Void
    ) -> BrokenPipeline {
        BrokenPipeline(name, words) { model in
            let kind = model.choice!
            func changed(_ pipeline: Message) -> Message {
                var pipeline = pipeline
                var models: [Message] = pipeline.models
                change(&models[index])
                pipeline.models = models
                return pipeline
            }
            if kind == "pipeline" {
                model.pipeline = changed(model["pipeline"])
            } else {
                model[kind].pipeline = changed(model[kind]["pipeline"])
            }
        }
    }

    /// Changes the feature at an index.
    private static func change(
        _ features: String, _ index: Int, of model: inout Message, _ change: (inout Message) -> Void
    ) {
        var all: [Message] = model.description[features]
        change(&all[index])
        model.description[features] = all
    }

    private static let outer = [
        BrokenPipeline("iris_logistic", "the pipeline has no stages") {
            $0.pipelineClassifier.pipeline.models = [] as [Message]
        },
        BrokenPipeline("iris_logistic", "the model has no specification version") { $0.specificationVersion = 0 },
        BrokenPipeline("iris_logistic", "the model's description has no outputs") {
            $0.description.output = [] as [Message]
        },
        BrokenPipeline("iris_logistic", "no stage returns the output 'nowhere'") {
            change("output", 0, of: &$0) { $0.name = "nowhere" }
        },
        BrokenPipeline("iris_logistic", "two features have the same name") {
            change("input", 0, of: &$0) { $0.name = "sepal_width" }
        },
        BrokenPipeline("iris_svc", "the feature 'input' is an array of shape [-4]") {
            change("input", 0, of: &$0) { $0.type.multiArrayType.shape = [-4] }
        },
        BrokenPipeline("iris_svc", "the feature 'input' is of kind 'sequenceType'") {
            change("input", 0, of: &$0) { $0.type.choose("sequenceType") }
        },
        stage("iris_logistic", 1, "stage 2 (scaler): takes 'nowhere', which is not an input") {
            change("input", 0, of: &$0) { $0.name = "nowhere" }
        },
        stage("iris_logistic", 1, "the feature of this name is an array of shape [4]") {
            change("input", 0, of: &$0) { $0.type.choose("stringType") }
        },
        stage("iris_logistic", 1, "does not have 0 inputs and 1 outputs") { $0.description.input = [] as [Message] },
        stage("iris_logistic", 0, "names 'nowhere', which is not an input of the stage") {
            var columns: [Message] = $0.featureVectorizer.inputList
            columns[0].inputColumn = "nowhere"
            $0.featureVectorizer.inputList = columns
        },
        stage("iris_logistic", 0, "is a number; 2 values are expected") {
            var columns: [Message] = $0.featureVectorizer.inputList
            columns[0].inputDimensions = 2
            $0.featureVectorizer.inputList = columns
        },
        stage("iris_logistic", 0, "an array of 3 values is expected") {
            $0.featureVectorizer.inputList = Array(($0.featureVectorizer.inputList as [Message]).dropLast())
        },
        stage("iris_logistic", 1, "the number of shifts or scales is 2; expected 4") {
            $0.scaler.shiftValue = [1.0, 2.0]
        },
    ]

    // MARK: Classifiers and regressors

    private static let linear = [
        stage("iris_logistic", 2, "the number of weights is 0") { $0.glmClassifier.weights = [] as [Message] },
        stage("iris_logistic", 2, "the number of weights in a row is 1; expected 4") {
            var rows: [Message] = $0.glmClassifier.weights
            rows[2].value = [1.0]
            $0.glmClassifier.weights = rows
        },
        stage("iris_logistic", 2, "the inputs have 4 values; the model takes 2") {
            $0.glmClassifier.weights = ($0.glmClassifier.weights as [Message]).map { row in
                var row = row
                row.value = [1.0, 2.0]
                return row
            }
        },
        stage("iris_logistic", 2, "the number of offsets is 1; expected 3") { $0.glmClassifier.offset = [1.0] },
        stage("iris_logistic", 2, "2 labels for 3 classes") { $0.glmClassifier.stringClassLabels.vector = ["a", "b"] },
        stage("iris_logistic", 2, "the label 'a' appears twice") {
            $0.glmClassifier.stringClassLabels.vector = ["a", "b", "a"]
        },
        stage("iris_logistic", 2, "the classifier has no labels") {
            $0.glmClassifier.stringClassLabels.vector = [] as [String]
        },
        stage("iris_logistic", 2, "the labels are integers") { $0.glmClassifier.int64ClassLabels.vector = [1, 2, 3] },
        stage("iris_logistic", 2, "the classifier's label output is named 'nowhere'") {
            $0.description.predictedFeatureName = "nowhere"
        },
        stage("iris_logistic", 2, "the probit transform is for two classes") {
            $0.glmClassifier.postEvaluationTransform = "Probit"
        },
        BrokenPipeline("hand_logit_regressor", "the regressor has 2 values") {
            change("output", 0, of: &$0) { $0.type.multiArrayType.shape = [3] }
        },
        BrokenPipeline("hand_logit_regressor", "numbers are expected") {
            change("input", 0, of: &$0) { $0.type.choose("stringType") }
        },
    ]

    private static func nodes(
        _ words: String, _ change: @escaping @Sendable (inout [Message]) -> Void
    ) -> BrokenPipeline {
        BrokenPipeline("hand_tree_modes", words) {
            var nodes: [Message] = $0.treeEnsembleRegressor.treeEnsemble.nodes
            change(&nodes)
            $0.treeEnsembleRegressor.treeEnsemble.nodes = nodes
        }
    }

    private static let trees = [
        nodes("node 0 of tree 0 has a child, node 9 of tree 0, that does not exist") { $0[0].trueChildNodeId = 9 },
        nodes("node 1 of tree 0 has two parents") { $0[0].falseChildNodeId = 1 },
        nodes("node 1 of tree 0 appears twice") { $0[2].nodeId = 1 },
        nodes("the 6 trees have 8 nodes without a parent") { $0[0].nodeBehavior = "LeafNode" },
        nodes("the 0 trees have 0 nodes without a parent") { $0 = [] },
        nodes("node 0 of tree 0 is in a cycle") { nodes in
            // The root of the first tree, and a child, become each other's children.
            nodes[1].nodeBehavior = "BranchOnValueEqual"
            nodes[1].trueChildNodeId = 0
            nodes[1].falseChildNodeId = 2
            nodes[0].falseChildNodeId = 3
            var leaf = nodes[2]
            leaf.nodeId = 3
            nodes.append(leaf)
        },
        nodes("node 1 of tree 0 adds to prediction 5 of 1") {
            var leaves: [Message] = $0[1].evaluationInfo
            leaves[0].evaluationIndex = 5
            $0[1].evaluationInfo = leaves
        },
        nodes("the inputs have 6 values; the model takes at least 61") { $0[0].branchFeatureIndex = 60 },
        nodes("the index 2147483648 is outside") { $0[0].branchFeatureIndex = 1 << 31 },
        BrokenPipeline("hand_tree_modes", "the number of base predictions is 2; expected 1") {
            $0.treeEnsembleRegressor.treeEnsemble.basePredictionValue = [1.0, 2.0]
        },
        BrokenPipeline("hand_tree_modes", "the number of prediction dimensions is 0") {
            $0.treeEnsembleRegressor.treeEnsemble.numPredictionDimensions = 0
        },
        BrokenPipeline("hand_tree_modes", "the transform of a regressor 'Classification_SoftMaxWithZeroClassReference'")
        {
            $0.treeEnsembleRegressor.postEvaluationTransform = "Classification_SoftMaxWithZeroClassReference"
        },
        BrokenPipeline("xgboost_binary", "the transform of a single value 'Classification_SoftMax'") {
            $0.treeEnsembleClassifier.postEvaluationTransform = "Classification_SoftMax"
        },
    ]

    private static let machines = [
        BrokenPipeline("hand_sparse_vectors", "the indices of a support vector are less than 1, or too large") {
            var vectors: [Message] = $0.supportVectorRegressor.sparseSupportVectors.vectors
            var nodes: [Message] = vectors[0].nodes
            nodes[0].index = 0
            vectors[0].nodes = nodes
            $0.supportVectorRegressor.sparseSupportVectors.vectors = vectors
        },
        BrokenPipeline("hand_sparse_vectors", "the indices of a support vector are less than 1, or too large") {
            var vectors: [Message] = $0.supportVectorRegressor.sparseSupportVectors.vectors
            var nodes: [Message] = vectors[0].nodes
            nodes[0].index = 1 << 30
            vectors[0].nodes = nodes
            $0.supportVectorRegressor.sparseSupportVectors.vectors = vectors
        },
        BrokenPipeline("hand_sparse_vectors", "the number of support vectors is 0") {
            $0.supportVectorRegressor.sparseSupportVectors.vectors = [] as [Message]
        },
        BrokenPipeline("hand_sparse_vectors", "the number of coefficients is 1; expected 2") {
            $0.supportVectorRegressor.coefficients.alpha = [1.0]
        },
        BrokenPipeline("hand_sparse_vectors", "the kernel 'none' is not supported") {
            $0.supportVectorRegressor.kernel = Message($0.supportVectorRegressor.kernel.messageType)
        },
        BrokenPipeline("iris_svc", "the number of values of rho is 1; expected 3") {
            $0.supportVectorClassifier.rho = [1.0]
        },
        BrokenPipeline("iris_svc", "the number of support vectors of all classes") {
            $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [-1, 5, 5]
        },
        BrokenPipeline("iris_svc", "the number of classes with support vectors is 1; expected 2") {
            $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [5]
        },
        BrokenPipeline("iris_svc", "the number of sigmoids is 1; expected 3") {
            $0.supportVectorClassifier.probB = [1.0]
        },
        BrokenPipeline("iris_svc", "the number of rows of coefficients is 0; expected 2") {
            $0.supportVectorClassifier.coefficients = [] as [Message]
        },
        BrokenPipeline("iris_svc", "which the classifier does not compute") {
            $0.supportVectorClassifier.probA = [Double]()
            $0.supportVectorClassifier.probB = [Double]()
        },
        BrokenPipeline("iris_svc", "the number of values of a support vector is 1; expected 4") {
            var vectors: [Message] = $0.supportVectorClassifier.denseSupportVectors.vectors
            vectors[1].values = [1.0]
            $0.supportVectorClassifier.denseSupportVectors.vectors = vectors
        },
        BrokenPipeline("hand_inverse_distance", "the number of dimensions is -1") {
            $0.kNearestNeighborsClassifier.nearestNeighborsIndex.numberOfDimensions = -1
        },
        BrokenPipeline("hand_inverse_distance", "the number of values of a sample is 2; expected 3") {
            $0.kNearestNeighborsClassifier.nearestNeighborsIndex.numberOfDimensions = 3
        },
        BrokenPipeline("hand_inverse_distance", "the number of neighbors is 0") {
            $0.kNearestNeighborsClassifier.numberOfNeighbors.defaultValue = 0
        },
        BrokenPipeline("hand_inverse_distance", "the number of labels is 1; expected 5") {
            $0.kNearestNeighborsClassifier.stringClassLabels.vector = ["near"]
        },
    ]

    // MARK: Categories

    /// A stage of the inner pipeline changed.
    private static func inner(
        _ index: Int, _ words: String, _ change: @escaping @Sendable (inout Message) -> Void
    ) -> BrokenPipeline {
        stage("hand_categories", 1, "stage 2.\(index + 1) (" + words) { outer in
            var models: [Message] = outer.pipeline.models
            change(&models[index])
            outer.pipeline.models = models
        }
    }

    private static let categories = [
        stage("hand_categories", 0, "stage 1 (imputer): missing values of a string are not replaced") {
            $0.imputer.imputedInt64Value = 3
        },
        stage("iris_imputed_mean", 0, "the number of replacements is 2; expected 4") {
            $0.imputer.imputedDoubleArray.vector = [1.0, 2.0]
        },
        inner(0, "categoricalMapping): the category 'red' appears twice") {
            let entries: [Message] = $0.categoricalMapping.stringToInt64Map.map
            $0.categoricalMapping.stringToInt64Map.map = entries + entries.filter { $0.key as String == "red" }
        },
        inner(1, "categoricalMapping): the feature 'index' is an integer; strings become integers") {
            $0.categoricalMapping.choose("stringToInt64Map")
        },
        inner(2, "oneHotEncoder): the category 'red' appears twice") {
            $0.oneHotEncoder.stringCategories.vector = ["red", "green", "red"]
        },
        inner(2, "oneHotEncoder): the category '1' is not of the type of the input") {
            $0.oneHotEncoder.int64Categories.vector = [1, 2, 3]
        },
        inner(2, "oneHotEncoder): the number of categories is 0") {
            $0.oneHotEncoder.stringCategories.vector = [] as [String]
        },
        inner(2, "oneHotEncoder): the feature 'encoded' is an array of shape [3]; an array of 2 values") {
            $0.oneHotEncoder.stringCategories.vector = ["red", "green"]
        },
        inner(3, "identity): the feature 'copy' is a string; the input is a number") {
            change("output", 0, of: &$0) { $0.type.choose("stringType") }
        },
        inner(5, "arrayFeatureExtractor): the index 5 is outside the 5 values") {
            $0.arrayFeatureExtractor.extractIndex = [5]
        },
        inner(5, "arrayFeatureExtractor): the number of indices is 2; expected 1") {
            $0.arrayFeatureExtractor.extractIndex = [0, 1]
        },
    ]
}

@Suite struct PipelineRejectionTests {
    @Test(arguments: BrokenPipeline.all)
    private func `a pipeline that contradicts itself is refused with its stage`(_ broken: BrokenPipeline) throws {
        let path = Fixtures.path("pipelines/\(broken.name).mlmodel")
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        broken.change(&model)
        let failure = #expect(throws: Failure.self) { try Pipeline(model) }
        #expect(failure?.problemText.contains(broken.words) == true, "\(failure?.problemText ?? "")")
    }

    @Test func `the file is named`() throws {
        let folder = try TemporaryFolder()
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("pipelines/iris_logistic.mlmodel")))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        model.pipelineClassifier.pipeline.models = [] as [Message]
        let path = folder.url.appending(path: "broken.mlmodel").path
        try Data(model.encoded()).write(to: URL(fileURLWithPath: path))
        let failure = #expect(throws: Failure.self) { try Pipeline(contentsOfFile: path) }
        #expect(failure?.file == path)
    }
}
