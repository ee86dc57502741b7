"""What Thaw leaves to coremltools, which takes and returns Thaw's models."""

import os
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

coremltools = pytest.importorskip("coremltools")
np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")

from material import CAT, FIXTURES, GRAPH, LABELS, run  # noqa: E402

import thaw as ct  # noqa: E402


@pytest.fixture(scope="module")
def photo():
    return Image.open(CAT).convert("RGB").resize((32, 32))


@pytest.fixture(scope="module")
def program():
    """The project's network as an ML Program that block-wise quantization supports."""
    config = ct.ClassifierConfig(LABELS)
    return ct.convert(GRAPH, classifier_config=config, minimum_deployment_target=ct.target.iOS18)


def test_modules_are_those_of_coremltools():
    import thaw.models.utils
    import thaw.utils
    from coremltools.proto import Model_pb2
    from thaw.converters.mil import Builder
    from thaw.models.neural_network import NeuralNetworkBuilder
    from thaw.models.neural_network.quantization_utils import quantize_weights
    from thaw.proto import Model_pb2 as forwarded

    assert thaw.utils is ct.utils is ct.models.utils
    assert ct.proto.Model_pb2 is Model_pb2 is forwarded
    assert issubclass(Builder, coremltools.converters.mil.Builder)
    assert NeuralNetworkBuilder is coremltools.models.neural_network.NeuralNetworkBuilder
    assert quantize_weights.__doc__ == coremltools.models.neural_network.quantization_utils.quantize_weights.__doc__
    assert ct.converters.convert is ct.convert and ct.converters.ImageType is ct.ImageType
    assert "rename_feature" in dir(ct.utils)
    assert not hasattr(ct.optimize, "utils") and not hasattr(ct.utils, "nonsense")
    with pytest.raises(ImportError):
        exec("import thaw.utils.nonsense")


def test_names_are_listed_and_found_without_an_import():
    # Python holds a lock while it looks for modules: an import by the finder would wait for other threads forever.
    listed = run(
        "import sys, thaw; from thaw import _absent; spec = _absent._Finder.find_spec('thaw.utils');"
        "print(spec is not None, 'utils' in dir(thaw), 'prune_weights' in dir(thaw.optimize.coreml),"
        " 'datatypes' in dir(thaw.models), 'coremltools' in sys.modules)"
    )
    assert listed == "True True True True False"


def magnitude(coreml):
    return coreml.prune_weights, coreml.OptimizationConfig(coreml.OpMagnitudePrunerConfig(target_sparsity=0.3))


def uniform(coreml):
    return coreml.palettize_weights, coreml.OptimizationConfig(coreml.OpPalettizerConfig(mode="uniform", nbits=6))


def without_linear(coreml):
    config = coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=6), op_type_configs={"linear": None})
    return coreml.palettize_weights, config


def blocks(coreml):
    own = coreml.OpLinearQuantizerConfig(dtype="int4", granularity="per_block", block_size=16)
    config = coreml.OptimizationConfig(coreml.OpLinearQuantizerConfig())
    config.set_op_type("conv", own)
    return coreml.linear_quantize_weights, config


def of_a_dictionary(coreml):
    settings = {"config_type": "OpLinearQuantizerConfig", "global_config": {"mode": "linear"}}
    config = coreml.OptimizationConfig.from_dict(settings)
    config.set_op_type("linear", coreml.OpLinearQuantizerConfig(dtype="uint8"))
    return coreml.linear_quantize_weights, config


@pytest.mark.parametrize("case", [magnitude, uniform, without_linear, blocks, of_a_dictionary])
def test_compression_that_thaw_lacks_is_that_of_coremltools(program, photo, case):
    compress, config = case(ct.optimize.coreml)
    made = compress(program, config)
    theirs = coremltools.models.MLModel(program.get_spec(), weights_dir=program.weights_dir, skip_model_load=True)
    function, their_config = case(coremltools.optimize.coreml)
    expected = ct.models.MLModel(function(theirs, their_config))
    assert isinstance(made, ct.models.MLModel)
    assert made.predict({"input": photo}) == expected.predict({"input": photo})
    assert made.predict({"input": photo})["classLabel"] == "cat"
    assert made.predict({"input": photo}) != program.predict({"input": photo})


def test_configurations_are_values(program, photo):
    coreml = ct.optimize.coreml
    own = coreml.OpPalettizerConfig(nbits=8)
    assert own == coreml.OpPalettizerConfig(nbits=8) != coreml.OpPalettizerConfig(nbits=4)
    assert "nbits=8" in repr(own)
    own.nbits = 4
    made = coreml.palettize_weights(program, coreml.OptimizationConfig(own))
    expected = coreml.palettize_weights(program, coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=4)))
    assert made.predict({"input": photo}) == expected.predict({"input": photo})


@pytest.mark.parametrize("threshold", [2048, 10**7], ids=["compressed", "copied"])
def test_a_compressed_model_of_undecided_kind_is_an_ml_program_for_coremltools(photo, threshold):
    coreml = ct.optimize.coreml
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    config = coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=6, weight_threshold=threshold))
    small = coreml.palettize_weights(model, config)
    assert small.get_spec().WhichOneof("Type") == "mlProgram" and small.weights_dir
    assert coreml.decompress_weights(small).predict({"input": photo})["classLabel"] == "cat"


def test_temporary_packages_are_removed(program, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert len(ct.optimize.coreml.get_weights_metadata(program, weight_threshold=1000)) > 1
    ct.utils.randomize_weights(program)
    assert not list(tmp_path.glob("*.mlpackage"))


def test_decompressed_weights_are_those_of_the_compressed_model(program, photo):
    coreml = ct.optimize.coreml
    config = coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=4))
    small = coreml.palettize_weights(program, config)
    whole = coreml.decompress_weights(small)
    name = "classLabel_probs"
    assert whole.predict({"input": photo})[name] == pytest.approx(small.predict({"input": photo})[name], abs=1e-3)
    assert "lut" in str(small.get_spec()) and "lut" not in str(whole.get_spec())


def test_wrong_configurations_are_refused(program):
    coreml = ct.optimize.coreml
    with pytest.raises(ValueError, match="nonsense"):
        coreml.OpPalettizerConfig(mode="nonsense", nbits=4)
    for config in (None, coreml.OpPalettizerConfig(nbits=4), coreml.OptimizationConfig()):
        with pytest.raises(ct.InvalidTypeError, match="OpPalettizerConfig"):
            coreml.palettize_weights(program, config)
    with pytest.raises(ct.InvalidTypeError, match="OpLinearQuantizerConfig.*OpPalettizerConfig"):
        coreml.linear_quantize_weights(program, coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=4)))


def test_functions_of_utils_take_models(program, photo):
    random = ct.utils.randomize_weights(program)
    assert isinstance(random, ct.models.MLModel)
    assert random.predict({"input": photo}) != program.predict({"input": photo})
    # The kind is undecided.
    network = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    small = ct.models.neural_network.quantization_utils.quantize_weights(network, 8)
    assert ct.models.MLModel(small).predict({"input": photo})["classLabel"] == "cat"


def test_models_of_scikit_learn_are_converted():
    linear_model = pytest.importorskip("sklearn.linear_model")
    inputs = np.array([[0.0, 1], [1, 0], [2, 2], [3, 5]])
    model = linear_model.LinearRegression().fit(inputs, [1.0, 2, 4, 9])
    converted = ct.converters.sklearn.convert(model, ["a", "b"], "value")
    assert isinstance(converted, ct.models.MLModel)
    assert converted.predict({"a": 2, "b": 3})["value"] == pytest.approx(model.predict([[2, 3]])[0])


def test_programs_of_mil_are_converted(photo, tmp_path):
    from thaw.converters.mil import Builder as mb

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 32, 32))])
    def program(x):
        return mb.reduce_mean(x=mb.relu(x=x), axes=[2, 3], keep_dims=False, name="means")

    image = ct.ImageType(name="x", shape=(1, 3, 32, 32), scale=1 / 127.5, bias=[-1, -1, -1], color_layout="BGR")
    model = ct.convert(
        program,
        inputs=[image],
        minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT32,
        pass_pipeline=ct.PassPipeline.DEFAULT,
    )
    pixels = np.asarray(photo, np.float32)[..., ::-1] / 127.5 - 1
    np.testing.assert_allclose(model.predict({"x": photo})["means"][0], np.maximum(pixels, 0).mean((0, 1)), atol=1e-4)
    with pytest.raises(ct.InvalidValueError, match="an ML Program cannot be a .mlmodel file"):
        model.save(tmp_path / "model.mlmodel")
    with pytest.raises(ct.InvalidValueError, match="signature= is for TensorFlow"):
        ct.convert(program, signature="serving_default")
    model = ct.convert(program, convert_to="neuralnetwork", compute_units=ct.ComputeUnit.CPU_ONLY)
    assert model.compute_unit is ct.ComputeUnit.CPU_ONLY
    model.save(tmp_path / "model.mlmodel")


def test_a_model_that_thaw_cannot_run_remains_one_of_coremltools(tmp_path, caplog):
    from thaw.converters.mil import Builder as mb

    @mb.program(input_specs=[mb.TensorSpec(shape=(4,))])
    def program(x):
        return mb.non_zero(x=x)

    model = ct.convert(program)
    assert isinstance(model, coremltools.models.MLModel) and "Thaw cannot run this model" in caplog.text
    model.save(str(tmp_path / "model.mlpackage"))


@pytest.mark.parametrize(
    "shape",
    [
        ct.Shape((1, 3, ct.RangeDim(8, 32, default=16), ct.RangeDim(8, 32))),
        ct.EnumeratedShapes([(1, 3, 8, 8), (1, 3, 16, 16)], default=(1, 3, 16, 16)),
        (1, 3, 8, 8),
        None,
    ],
)
def test_descriptions_of_inputs_become_those_of_coremltools(shape):
    from thaw._coremltools import theirs

    image = ct.ImageType("x", shape, 0.5, [1, 2, 3], ct.colorlayout.BGR, channel_first=True)
    default = np.ones((1, 3, 8, 8), np.int32) if isinstance(shape, tuple) else None
    tensor = ct.TensorType("y", shape, np.int32, default)
    for ours, other in zip((image, tensor), theirs([image, tensor])):
        assert type(other) is getattr(coremltools, type(ours).__name__)
        assert other.name == ours.name and (other.shape is None) == (shape is None)
        if isinstance(shape, ct.EnumeratedShapes):
            assert [list(one.shape) for one in other.shape.shapes] == [[1, 3, 8, 8], [1, 3, 16, 16]]
            assert list(other.shape.default) == [1, 3, 16, 16]
        elif isinstance(shape, ct.Shape):
            height, width = other.shape.shape[2:]
            assert (height.lower_bound, height.upper_bound, height.default) == (8, 32, 16)
            assert (width.lower_bound, width.upper_bound) == (8, 32)
        elif shape:
            assert list(other.shape.shape) == [1, 3, 8, 8]
            assert other.name == "x" or (other.default_value == default).all()
    other = theirs(image)
    assert (other.scale, list(other.bias), other.color_layout) == (0.5, [1, 2, 3], coremltools.colorlayout.BGR)
    config = theirs(ct.ClassifierConfig(["a"], "label", "p"))
    assert (config.class_labels, config.predicted_feature_name) == (["a"], "label")
    state = ct.StateType(wrapped_type=ct.TensorType(shape=(1, 3), dtype=np.float16), name="memory")
    assert isinstance(state, coremltools.StateType) and isinstance(state, ct.StateType)


def test_descriptions_of_coremltools_are_accepted(photo):
    from thaw._coremltools import theirs

    layout = coremltools.colorlayout.BGR
    image = coremltools.ImageType("input", scale=1 / 127.5, bias=[-1, -1, -1], color_layout=layout)
    assert ct.convert(GRAPH, inputs=[image])._description["inputs"][0]["color"] == "bgr"
    tensor = coremltools.TensorType("input", shape=(1, 32, 32, 3))
    assert ct.convert(GRAPH, inputs=[tensor])._description["inputs"][0]["type"] == "multiArray"
    dim = coremltools.RangeDim(2, 5, default=3)
    assert ct.Shape((1, dim)).default == (1, 3) and theirs(ct.Shape((1, dim))).shape[1] is dim
    assert ct.TensorType(shape=coremltools.Shape((1, dim))).shape.default == (1, 3)
    shapes = coremltools.EnumeratedShapes([(1, 2), (1, 4)], default=(1, 4))
    assert ct.TensorType(shape=shapes).shape.default == (1, 4)
    # Inputs with the same symbol have the same size.
    own = ct.RangeDim(1, 8, symbol="length")
    first, second = theirs([ct.TensorType("a", (1, own)), ct.TensorType("b", (1, own))])
    assert first.shape.shape[1] is second.shape.shape[1]
    with pytest.raises(ct.UnsupportedError, match="coremltools .* has no target.iOS11"):
        theirs(ct.target.iOS11)


def test_types_of_coremltools_are_accepted():
    types = coremltools.converters.mil.mil.types
    assert ct.TensorType(dtype=types.fp16).type_name() == "float16"
    assert ct.TensorType(dtype=types.int64).type_name() == "int64"


def test_features_are_renamed_by_coremltools(photo, tmp_path):
    from thaw.models.utils import load_spec

    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS))
    spec = model.get_spec()
    ct.utils.rename_feature(spec, "input", "photo")
    renamed = ct.models.MLModel(spec, weights_dir=model.weights_dir)
    assert renamed.predict({"photo": photo})["classLabel"] == "cat"
    renamed.save(tmp_path / "renamed.mlpackage")
    assert load_spec(str(tmp_path / "renamed.mlpackage")).description.input[0].name == "photo"


def test_a_pipeline_of_programs_is_read_with_its_weights(photo, tmp_path):
    stages = []
    for name in ("first", "second"):
        model = ct.convert(GRAPH, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32)
        spec = model.get_spec()
        if name == "second":
            ct.utils.rename_feature(spec, spec.description.output[0].name, "again")
        stages.append(ct.models.MLModel(spec, weights_dir=model.weights_dir))
    ours = ct.utils.make_pipeline(*stages)
    assert isinstance(ours, ct.models.MLModel)
    expected = ours.predict({"input": photo})
    assert sorted(os.listdir(ours.weights_dir)) == ["0-weight.bin", "1-weight.bin"]
    again = ct.models.MLModel(ours.get_spec(), weights_dir=ours.weights_dir)
    for name, value in again.predict({"input": photo}).items():
        assert (value == expected[name]).all()


def test_a_spec_is_read_with_the_folder_of_its_weights(photo, tmp_path):
    config = ct.ClassifierConfig(LABELS)
    model = ct.convert(GRAPH, classifier_config=config, convert_to="mlprogram")
    folder = model.weights_dir
    assert os.listdir(folder) == ["weight.bin"] and model.weights_dir == folder
    spec = model.get_spec()
    spec.description.metadata.author = "A. Author"
    renamed = ct.models.MLModel(spec, weights_dir=folder)
    assert renamed.author == "A. Author"
    assert renamed.predict({"input": photo})["classLabel"] == "cat"
    model.close()
    # Scripts return the specification and the folder of a model that they do not keep.
    assert ct.models.MLModel(spec, weights_dir=folder).author == "A. Author"
    with pytest.raises(FileNotFoundError, match=r"weights_dir.*expected the folder.*weight\.bin"):
        ct.models.MLModel(spec, weights_dir=str(tmp_path / "nowhere"))
    for wrong in (str(tmp_path), None):
        with pytest.raises(ct.Error, match=r"weight\.bin; expected|missing; expected"):
            ct.models.MLModel(spec, weights_dir=wrong)
    with pytest.raises(TypeError, match="weights_dir"):
        ct.models.MLModel(spec, weights_dir=3)
    undecided = ct.convert(GRAPH, classifier_config=config)
    assert undecided.get_spec().WhichOneof("Type") == "mlProgram" and os.listdir(undecided.weights_dir)
    network = ct.convert(GRAPH, classifier_config=config, convert_to="neuralnetwork")
    assert network.weights_dir is None
    assert ct.models.MLModel(network.get_spec(), weights_dir=network.weights_dir).predict({"input": photo})
    # A neural network has no use for a program's weights.
    assert ct.models.MLModel(network.get_spec(), weights_dir=undecided.weights_dir).predict({"input": photo})


def test_folders_of_weights_are_removed_at_exit(program, tmp_path, monkeypatch):
    # With a model, if it has only been passed to a function of coremltools.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = ct.convert(GRAPH, convert_to="mlprogram")
    ct.optimize.coreml.get_weights_metadata(model)
    assert list(tmp_path.glob("thaw-weights-*"))
    model.close()
    assert not list(tmp_path.glob("thaw-weights-*"))
    code = (
        "import os, sys, thaw\n"
        "folder = thaw.convert(sys.argv[1], convert_to='mlprogram').weights_dir\n"
        "assert os.listdir(folder) == ['weight.bin']\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "assert os.listdir(folder) == ['weight.bin']\n"
        "print(folder)"
    )
    assert not os.path.exists(run(code, GRAPH))


def test_a_program_without_weights_has_a_folder_for_them():
    program = relu_program()
    model = ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16)
    assert os.path.isdir(model.weights_dir)
    assert ct.models.MLModel(model.get_spec(), weights_dir=model.weights_dir).predict({"x": [[-1.0, 0.0, 2.0]]})
    types = ct.proto.FeatureTypes_pb2.ArrayFeatureType
    changed = ct.utils.change_input_output_tensor_type(model, types.FLOAT32, types.FLOAT16)
    assert changed.get_spec().description.output[0].type.multiArrayType.dataType == types.FLOAT16


def relu_program():
    from thaw.converters.mil import Builder

    @Builder.program(input_specs=[Builder.TensorSpec(shape=(1, 3))])
    def program(x):
        return Builder.relu(x=x, name="y")

    return program


def test_methods_of_coremltools_take_models_and_targets(photo):
    from thaw.converters.mil import Builder
    from thaw.converters.mil.mil import Function

    pipeline = ct.models.pipeline.Pipeline([("input", ct.models.datatypes.Array(3, 32, 32))], ["probabilities"])
    pipeline.add_model(ct.convert(GRAPH))
    pipeline.add_model(ct.convert(GRAPH, convert_to="neuralnetwork").get_spec())
    assert [part.WhichOneof("Type") for part in pipeline.spec.pipeline.models] == ["neuralNetwork"] * 2
    assert isinstance(pipeline, coremltools.models.pipeline.Pipeline)

    class_labels = ct.models.pipeline.PipelineClassifier([("input", ct.models.datatypes.Array(3, 32, 32))], ["a", "b"])
    class_labels.add_model(ct.convert(GRAPH))
    assert len(class_labels.spec.pipelineClassifier.pipeline.models) == 1

    specs = [Builder.TensorSpec(shape=(1, 3))]
    program = Builder.program(input_specs=specs, opset_version=ct.target.iOS16)(lambda x: Builder.relu(x=x))
    assert program.functions["main"].opset_version is coremltools.target.iOS16
    model = ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16)
    (answer,) = model.predict({"x": [[-1.0, 0.0, 2.0]]}).values()
    assert answer.tolist() == [[0.0, 0.0, 2.0]]
    function = Builder.function(input_specs=specs, opset_version=ct.target.iOS17)(lambda x: Builder.relu(x=x))
    assert function.opset_version is coremltools.target.iOS17
    assert Function({}, opset_version=ct.target.iOS15).opset_version is coremltools.target.iOS15


@pytest.mark.parametrize("name", ["keras", "tensorflow", "caffe", "onnx"])
def test_converters_of_older_versions_cause_advice(name):
    advice = "older versions of coremltools have it: .*[tT]haw"
    with pytest.raises(AttributeError, match=f"'thaw.converters' has no attribute '{name}'; {advice}"):
        getattr(ct.converters, name)
    for statement in (f"from thaw.converters import {name}", f"import thaw.converters.{name}"):
        with pytest.raises(ImportError, match=advice):
            exec(statement)


# MARK: Editing


@pytest.mark.parametrize("arguments", [{}, {"convert_to": "neuralnetwork"}, {"convert_to": "mlprogram"}])
def test_changes_of_the_message_change_the_model(photo, tmp_path, arguments):
    model = ct.convert(GRAPH, classifier_config=ct.ClassifierConfig(LABELS), **arguments)
    expected = model.predict({"input": photo})
    assert model._spec is model._spec
    description = model._spec.description
    description.metadata.author = "A. Author"
    assert model.author == "A. Author"
    # Both ways of changing metadata may alternate.
    model.license = "MIT"
    model.input_description["input"] = "A photo"
    model.user_defined_metadata["key"] = "value"
    assert description.metadata.license == "MIT" and description.metadata.userDefined["key"] == "value"
    assert description.input[0].shortDescription == "A photo"
    description.metadata.shortDescription = "A network"
    ct.utils.rename_feature(model._spec, "input", "photo")
    answer = model.predict({"photo": photo})
    assert answer["classLabel"] == expected["classLabel"]
    assert list(model.input_description) == ["photo"] and "'photo'" in str(model)
    assert model.get_spec() == model._spec and model.get_spec() is not model._spec
    ending = ".mlmodel" if arguments.get("convert_to") == "neuralnetwork" else ".mlpackage"
    model._spec.description.metadata.versionString = "2.0"
    model.save(tmp_path / ("model" + ending))
    for saved in (
        ct.models.MLModel(tmp_path / ("model" + ending)),
        ct.models.MLModel(model._spec, weights_dir=model.weights_dir),
    ):
        texts = (saved.author, saved.license, saved.short_description, saved.version)
        assert texts == ("A. Author", "MIT", "A network", "2.0")
        assert saved.predict({"photo": photo}) == answer
    model.close()
    with pytest.raises(ValueError, match="closed"):
        model._spec


def test_changes_of_the_message_reach_compression_and_coremltools(photo):
    coreml = ct.optimize.coreml
    config = coreml.OptimizationConfig(coreml.OpPalettizerConfig(nbits=4))
    model = ct.convert(GRAPH)
    small = coreml.palettize_weights(model, config)
    model.precision = "bf16"
    ct.utils.rename_feature(model._spec, "input", "photo")
    assert list(coreml.palettize_weights(model, config).input_description) == ["photo"]
    assert list(ct.utils.randomize_weights(model).input_description) == ["photo"]
    assert model.predict({"photo": photo}) and model.precision == "bf16"
    # What was compressed before stays as it was, in both kinds.
    for kind in ("mlProgram", "neuralNetwork"):
        assert b"photo" not in small._serialized(kind=kind)[0]


def test_a_message_that_is_wrong_is_refused(photo):
    model = ct.convert(GRAPH, convert_to="mlprogram")
    name = model._spec.description.input[0].name
    model._spec.description.input[0].name = "nonsense"
    for use in (lambda: model.predict({name: photo}), lambda: model.author, model.make_state):
        with pytest.raises(ct.Error):
            use()
    assert model.get_spec().description.input[0].name == "nonsense"
    model._spec.description.input[0].name = name
    assert model.predict({name: photo})


def test_a_state_belongs_to_the_model_before_a_change():
    with ct.models.MLModel(os.path.join(FIXTURES, "inputs", "stateful.mlpackage")) as model:
        state = model.make_state()
        model._spec.description.metadata.author = "A. Author"
        with pytest.raises(ValueError, match="make a new state"):
            model.predict({}, state=state)
        assert model.make_state()
