"""Core ML models that must be refused, each made from a valid one by one change: `coreml/refuse/NAME`, listed in `refuse.tsv`."""
from coremltools.proto import Model_pb2

from common import save_bytes, save_table


def write(good):
    """`good` is a classifier's specification of version 1."""
    rows = []

    def save(name, data, wrong, words):
        save_bytes("coreml/refuse/" + name, data)
        rows.append((name, words or "-", wrong))

    def changed(name, change, wrong, words=""):
        spec = Model_pb2.Model()
        spec.CopyFrom(good)
        change(spec, spec.neuralNetworkClassifier)
        save(name, spec.SerializeToString(deterministic=True), wrong, words)

    def layer(network, kind):
        return next(layer for layer in network.layers if layer.WhichOneof("layer") == kind)

    def drop_label(spec, network):
        del network.stringClassLabels.vector[4:]

    def shorten_weights(spec, network):
        del layer(network, "convolution").convolution.weights.floatValue[-1:]

    def enlarge(spec, network):
        layer(network, "convolution").convolution.outputChannels = 1 << 40

    def widen_filter(spec, network):
        layer(network, "convolution").convolution.kernelChannels = 5

    def read_unknown(spec, network):
        network.layers[3].input[0] = "nowhere"

    def read_later(spec, network):
        network.layers[0].input[0] = network.layers[5].output[0]

    def repeat_blob(spec, network):
        network.layers[2].output[0] = network.layers[1].output[0]

    def use_lstm(spec, network):
        network.layers[2].uniDirectionalLSTM.inputVectorSize = 4

    def use_custom(spec, network):
        network.layers[2].custom.className = "MyLayer"

    def misname_probabilities(spec, network):
        network.labelProbabilityLayerName = "nowhere"

    def misname_preprocessing(spec, network):
        network.preprocessing[0].featureName = "nowhere"

    def enlarge_image(spec, network):
        spec.description.input[0].type.imageType.width = 1 << 40

    for name, change, wrong, words in [
            ("label_count", drop_label, "4 labels for 5 classes", "4 5"),
            ("weights_too_short", shorten_weights, "a weight too few", "layer_convolution_1"),
            ("outputs_2_40", enlarge, "2^40 filters", "layer_convolution_1"),
            ("kernel_channels", widen_filter, "3 channels, a filter of 5", "layer_convolution_1"),
            ("unknown_blob", read_unknown, "a layer reads what nobody writes", "nowhere"),
            ("later_blob", read_later, "a layer reads what comes later", "layer_convolution_1"),
            ("repeated_blob", repeat_blob, "two layers write one blob", "leakyrelu_2"), ("lstm", use_lstm, "an LSTM", "LSTM"),
            ("custom_layer", use_custom, "a custom layer", "custom"),
            ("probabilities_unknown", misname_probabilities, "probabilities from no layer", "nowhere"),
            ("preprocessing_unknown", misname_preprocessing, "preprocessing for no input", "nowhere"),
            ("picture_2_40", enlarge_image, "a picture 2^40 pixels wide", "image"),
            ("no_layers", lambda spec, network: network.ClearField("layers"), "no layers", ""),
            ("no_version", lambda spec, network: spec.ClearField("specificationVersion"), "no specification version", "version"),
            ("no_kind", lambda spec, network: spec.ClearField("neuralNetworkClassifier"), "a description without a model", ""),
            ("pipeline", lambda spec, network: spec.pipelineClassifier.pipeline.names.append("a"), "a pipeline", "pipeline"),
            ("tree", lambda spec, network: setattr(spec.treeEnsembleClassifier.treeEnsemble, "numPredictionDimensions", 1),
             "a tree ensemble", "tree")]:
        changed(name + ".mlmodel", change, wrong, words)
    data = good.SerializeToString(deterministic=True)
    save("truncated.mlmodel", data[:len(data) // 2], "the first half of a model", "truncated")
    save("truncated_by_a_byte.mlmodel", data[:-1], "a model without its last byte", "truncated")
    save("empty.mlmodel", b"", "an empty file", "empty")
    save_table("coreml/refuse/refuse.tsv", ("file", "words", "wrong"), rows)
