"""Pipelines that coremltools' converters do not write, built from the specification; NumPy computes the outputs."""
import math

import numpy as np
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder
from coremltools.models.pipeline import Pipeline, PipelineClassifier
from coremltools.models.tree_ensemble import TreeEnsembleClassifier, TreeEnsembleRegressor
from coremltools.proto import FeatureTypes_pb2, Model_pb2

EXACT = 1e-9
SINGLE = 1e-5


def described(inputs, outputs, predicted=None):
    """A model with these features and nothing else."""
    spec = Model_pb2.Model(specificationVersion=4)
    for features, target in ((inputs, spec.description.input), (outputs, spec.description.output)):
        for name, kind in features:
            feature = target.add(name=name)
            datatypes._set_datatype(feature.type, kind)
    if predicted:
        spec.description.predictedFeatureName = predicted
        for name, kind in outputs:
            if isinstance(kind, datatypes.Dictionary):
                spec.description.predictedProbabilitiesName = name
    return spec


def classifier(width, text=True, probabilities=True):
    key = datatypes.String() if text else datatypes.Int64()
    outputs = [("label", key)]
    if probabilities:
        outputs.append(("scores", datatypes.Dictionary(key)))
    return described([("x", datatypes.Array(width))], outputs, "label")


def pipeline(inputs, outputs, models):
    """A pipeline of these models."""
    spec = described(inputs, outputs)
    spec.pipeline.models.extend(models)
    return spec


def logistic(x):
    return 1 / (1 + math.exp(-x))


def classified(labels, probabilities):
    top = int(np.argmax(probabilities))
    return {"label": labels[top], "scores": dict(zip(labels, probabilities))}


def linear(table):
    generator = np.random.default_rng(3)
    data = generator.normal(size=(8, 3))
    weights, offsets = generator.normal(size=(2, 3)), np.array([0.3, -0.2])

    def filled(spec, model, rows):
        for row in range(rows):
            model.weights.add().value.extend(weights[row])
            model.offset.append(offsets[row])
        return spec

    spec = classifier(3)
    filled(spec, spec.glmClassifier, 1).glmClassifier.postEvaluationTransform = 1
    spec.glmClassifier.stringClassLabels.vector.extend(["no", "yes"])
    lines = []
    for row in data:
        second = 0.5 * math.erfc(-(weights[0] @ row + offsets[0]) / math.sqrt(2))
        lines.append(({"x": row}, classified(["no", "yes"], [1 - second, second])))
    table.add("hand_probit", spec, lines, EXACT, "GLM classifier with probit")

    spec = classifier(3, text=False)
    filled(spec, spec.glmClassifier, 2).glmClassifier.int64ClassLabels.vector.extend([5, -1, 7])
    lines = []
    for row in data:
        exponentials = np.exp(np.concatenate([[0], weights @ row + offsets]))
        lines.append(({"x": row}, classified([5, -1, 7], exponentials / exponentials.sum())))
    table.add("hand_reference_class", spec, lines, EXACT, "GLM classifier whose first class is the reference")

    spec = described([("x", datatypes.Array(3))], [("y", datatypes.Array(2))])
    filled(spec, spec.glmRegressor, 2).glmRegressor.postEvaluationTransform = 1
    lines = [({"x": row}, {"y": [logistic(value) for value in weights @ row + offsets]}) for row in data]
    table.add("hand_logit_regressor", spec, lines, EXACT, "GLM regressor with logit and two values")


def trees(table):
    """All modes of branches, and missing values on both sides."""
    modes = ["LessThanEqual", "LessThan", "GreaterThanEqual", "GreaterThan", "Equal", "NotEqual"]
    model = TreeEnsembleRegressor([("a", datatypes.Double()), ("b", datatypes.Int64()), ("c", datatypes.Array(4))], "y")
    model.set_default_prediction_value(0.125)
    for tree, mode in enumerate(modes):
        model.add_branch_node(tree, 0, tree, 1, "BranchOnValue" + mode, 1, 2, missing_value_tracks_true_child=tree % 2 == 0)
        model.add_leaf_node(tree, 1, 2.0 ** tree)
        model.add_leaf_node(tree, 2, 0.0)
    tests = [np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal]
    lines = []
    for row in ([1, 1, 1, 1, 1, 1], [0.5, 0, 0.5, 0.5, 0.5, 0.5], [1.5, 2, 1.5, 1.5, 1.5, 1.5], [math.nan, 1] + [math.nan] * 4):
        total = 0.125 + sum(2.0 ** tree for tree, test in enumerate(tests)
                            if (tree % 2 == 0 if math.isnan(row[tree]) else test(row[tree], 1)))
        lines.append(({"a": row[0], "b": int(row[1]), "c": row[2:]}, {"y": total}))
    table.add("hand_tree_modes", model.spec, lines, EXACT, "a tree for each mode of branching")

    labels = ["one", "two", "three"]
    model = TreeEnsembleClassifier([("x", datatypes.Array(2))], labels,
                                   [("label", datatypes.String()), ("scores", datatypes.Dictionary(datatypes.String()))])
    model.set_default_prediction_value([0.1, -0.4])
    model.set_post_evaluation_transform("Classification_SoftMaxWithZeroClassReference")
    for tree in range(2):
        # Identifiers need not be in order.
        model.add_leaf_node(tree, 9, [0.7, -0.3])
        model.add_leaf_node(tree, 4, {tree: 1.5})
        model.add_branch_node(tree, 6, tree, 0.1, "BranchOnValueLessThan", 9, 4)
    lines = []
    # 0.1 is not a float32, so values are compared in double precision.
    for row in ([0.0, 0.0], [0.0, 1.0], [0.1, 0.09999999999], [1.0, 1.0]):
        values = np.array([0.1, -0.4])
        for tree in range(2):
            values = values + (np.array([0.7, -0.3]) if row[tree] < 0.1 else 1.5 * np.eye(2)[tree])
        exponentials = np.exp(np.concatenate([[0], values]))
        lines.append(({"x": row}, classified(labels, exponentials / exponentials.sum())))
    table.add("hand_zero_class", model.spec, lines, EXACT, "a tree classifier whose first class is the reference")


def machines(table):
    """A support vector machine with sparse vectors; neighbors with strings."""
    spec = described([("x", datatypes.Array(4))], [("y", datatypes.Double())])
    machine = spec.supportVectorRegressor
    machine.kernel.rbfKernel.gamma, machine.rho = 0.4, 0.25
    vectors = np.array([[1, 0, 0.5, 0], [0, -1, 0, 0]])
    for vector in vectors:
        sparse = machine.sparseSupportVectors.vectors.add()
        for index in np.flatnonzero(vector):
            sparse.nodes.add(index=index + 1, value=vector[index])
    machine.coefficients.alpha.extend([1.5, -0.5])
    data = np.random.default_rng(4).normal(size=(6, 4))
    lines = [({"x": row}, {"y": np.array([1.5, -0.5]) @ np.exp(-0.4 * ((vectors - row) ** 2).sum(axis=1)) - 0.25}) for row in data]
    table.add("hand_sparse_vectors", spec, lines, EXACT, "a support vector regressor with sparse vectors")

    labels = ["far", "near"]
    spec = classifier(2)
    neighbors = spec.kNearestNeighborsClassifier
    neighbors.nearestNeighborsIndex.numberOfDimensions = 2
    neighbors.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    neighbors.nearestNeighborsIndex.linearIndex.SetInParent()
    samples, given = np.array([[0, 0], [1, 0], [4, 0], [4, 1], [5, 0]]), ["near", "near", "far", "far", "far"]
    for sample in samples:
        neighbors.nearestNeighborsIndex.floatSamples.add().vector.extend(sample)
    neighbors.numberOfNeighbors.defaultValue = 5
    neighbors.inverseDistanceWeighting.SetInParent()
    neighbors.stringClassLabels.vector.extend(given)
    lines = []
    for row in ([0.5, 0.25], [3.5, 0.5], [2.0, 0.0], [4.0, 0.0]):
        distances = ((samples - np.array(row)) ** 2).sum(axis=1)
        weights = (distances == 0).astype(float) if (distances == 0).any() else 1 / distances
        votes = np.array([sum(weight for weight, label in zip(weights, given) if label == name) for name in labels])
        lines.append(({"x": row}, classified(labels, votes / votes.sum())))
    table.add("hand_inverse_distance", spec, lines, EXACT, "nearest neighbors weighted by distance")


def categories(table):
    """Strings and integers become each other, and arrays."""
    string, number, integer, array = datatypes.String(), datatypes.Double(), datatypes.Int64(), datatypes.Array
    imputer = described([("color", string)], [("color", string)])
    imputer.imputer.imputedStringValue, imputer.imputer.replaceStringValue = "red", ""
    mapping = described([("color", string)], [("index", integer)])
    for index, color in enumerate(["red", "green", "blue"]):
        mapping.categoricalMapping.stringToInt64Map.map[color] = index
    mapping.categoricalMapping.int64Value = 3
    back = described([("index", integer)], [("name", string)])
    for index, name in enumerate(["rouge", "vert", "bleu"]):
        back.categoricalMapping.int64ToStringMap.map[index] = name
    back.categoricalMapping.strValue = "?"
    encoder = described([("color", string)], [("encoded", array(3))])
    encoder.oneHotEncoder.stringCategories.vector.extend(["red", "green", "blue"])
    encoder.oneHotEncoder.handleUnknown = 1
    copy = described([("size", number)], [("copy", number)])
    copy.identity.SetInParent()
    vectorizer = described([("encoded", array(3)), ("copy", number), ("index", integer)], [("vector", array(5))])
    for name, count in (("index", 1), ("encoded", 3), ("copy", 1)):
        vectorizer.featureVectorizer.inputList.add(inputColumn=name, inputDimensions=count)
    extractor = described([("vector", array(5))], [("picked", integer)])
    extractor.arrayFeatureExtractor.extractIndex.append(0)
    inner = pipeline([("color", string), ("size", number)],
                     [("vector", array(5)), ("name", string), ("picked", integer)],
                     [mapping, back, encoder, copy, vectorizer, extractor])
    outer = pipeline([("color", string), ("size", number)],
                     [("vector", array(5)), ("name", string), ("picked", integer)], [imputer, inner])
    outer.description.input[0].type.isOptional = True
    lines = []
    colors = ["red", "green", "blue"]
    for color, size in (("red", 1.5), ("blue", -2.0), ("mauve", 0.5), ("", 1.0), (None, 2.0)):
        known = color or "red"
        index = colors.index(known) if known in colors else 3
        outputs = {"vector": [index] + [float(known == other) for other in colors] + [size],
                   "name": (["rouge", "vert", "bleu"] + ["?"])[index], "picked": index}
        lines.append(({"size": size} if color is None else {"color": color, "size": size}, outputs))
    table.add("hand_categories", outer, lines, EXACT, "a pipeline in a pipeline, of strings")


def networks(table):
    """Networks as stages: features of an array and of an image."""
    generator = np.random.default_rng(5)
    first, second = generator.normal(size=(4, 3)).astype("f4"), generator.normal(size=(3, 4)).astype("f4")
    builder = NeuralNetworkBuilder([("x", datatypes.Array(3))], [("features", datatypes.Array(4))])
    builder.add_inner_product("dense", first, None, 3, 4, False, "x", "sum")
    builder.add_activation("active", "RELU", "sum", "features")
    spec = described([("features", datatypes.Array(4))],
                     [("label", datatypes.String()), ("scores", datatypes.Dictionary(datatypes.String()))], "label")
    labels = ["a", "b", "c"]
    for row in second:
        spec.glmClassifier.weights.add().value.extend(row)
        spec.glmClassifier.offset.append(0)
    spec.glmClassifier.classEncoding = 1
    spec.glmClassifier.stringClassLabels.vector.extend(labels)
    both = PipelineClassifier([("x", datatypes.Array(3))], labels, [("label", datatypes.String()),
                                                                    ("scores", datatypes.Dictionary(datatypes.String()))])
    both.add_model(builder.spec)
    both.add_model(spec)
    lines = []
    for row in generator.normal(size=(6, 3)):
        values = np.array([logistic(value) for value in second @ np.maximum(first @ row, 0)])
        lines.append(({"x": row}, classified(labels, values / values.sum())))
    table.add("hand_network", both.spec, lines, SINGLE, "a network, and a linear classifier of its features")

    builder = NeuralNetworkBuilder([("image", datatypes.Array(3, 2, 2))], [("means", datatypes.Array(3))])
    builder.add_pooling("mean", 1, 1, 1, 1, "AVERAGE", "VALID", "image", "means", is_global=True)
    builder.set_pre_processing_parameters(image_input_names=["image"], image_scale=1 / 255)
    neighbors = described([("means", datatypes.Array(3))], [("label", datatypes.String())], "label")
    model = neighbors.kNearestNeighborsClassifier
    model.nearestNeighborsIndex.numberOfDimensions = 3
    model.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    model.uniformWeighting.SetInParent()
    model.numberOfNeighbors.defaultValue = 1
    for color in np.eye(3):
        model.nearestNeighborsIndex.floatSamples.add().vector.extend(color)
    model.stringClassLabels.vector.extend(["red", "green", "blue"])
    images = PipelineClassifier([("image", datatypes.Array(3, 2, 2))], ["red", "green", "blue"], [("label", datatypes.String())])
    images.add_model(builder.spec)
    images.add_model(neighbors)
    image = images.spec.description.input[0].type.imageType
    image.width = image.height = 2
    image.colorSpace = FeatureTypes_pb2.ImageFeatureType.RGB
    table.save_model("image_colors", images.spec, "an image's mean color, and the nearest of three")


def write(table):
    for part in (linear, trees, machines, categories, networks):
        part(table)
