"""The public names, the enumerations and the descriptions of inputs, none of which needs the library."""

import ast
import errno
import importlib
import pickle

import pytest
from material import run


def test_import_loads_neither_numpy_nor_the_library():
    loaded = run(
        "import sys; import thaw; print(*[name for name in ('numpy', 'ctypes', 'PIL', 'tensorflow', 'pandas', 'json')"
        " if name in sys.modules])"
    )
    assert loaded == ""


def test_every_public_name_exists(ct):
    for name in ct.__all__:
        if name != "spark":
            assert getattr(ct, name) is not None, name


@pytest.mark.parametrize("name", ["StateType", "converters", "ReshapeFrequency", "utils", "transform"])
def test_names_that_only_coremltools_has_cause_advice(ct, name):
    with pytest.raises(AttributeError, match="coremltools has it"):
        getattr(ct, name)


@pytest.mark.parametrize(
    "statement",
    [
        "import thaw.converters.mil.input_types",
        "from thaw import PassPipeline",
        "from thaw.models.neural_network import flexible_shape_utils",
        "import thaw.optimize.torch.quantization",
        "from thaw.optimize.coreml import prune_weights",
        "import thaw.optimize.coreml.experimental",
        "import thaw.utils",
        "from thaw.models import utils",
    ],
)
def test_imports_that_only_coremltools_has_cause_advice(ct, statement):
    with pytest.raises(ImportError, match="coremltools has it"):
        exec(statement)


def test_an_unknown_module_is_not_found(ct):
    with pytest.raises(ModuleNotFoundError, match="nonsense"):
        exec("import thaw.models.nonsense")


def test_an_unknown_name_is_not_an_attribute(ct):
    with pytest.raises(AttributeError, match="nonsense"):
        ct.nonsense
    assert not hasattr(ct, "nonsense")


def test_targets_of_the_same_format_are_equal(ct):
    assert ct.target.iOS15 == ct.target.macOS12 == ct.target.watchOS8 == ct.target.tvOS15 == 6
    assert ct.target.iOS11 < ct.target.iOS12 < ct.target.iOS13 < ct.target.iOS26
    assert pickle.loads(pickle.dumps(ct.target.macOS10_15)) is ct.target.iOS13


def test_color_layouts_are_given_as_members_or_as_coremltools_strings(ct):
    assert ct.ImageType(color_layout="G").color_layout is ct.colorlayout.GRAYSCALE
    assert ct.ImageType(color_layout=ct.colorlayout.BGR).color_layout is ct.colorlayout.BGR
    with pytest.raises(ValueError, match="color_layout"):
        ct.ImageType(color_layout="CMYK")


@pytest.mark.parametrize(
    "arguments, numbers",
    [
        ({}, ([1.0], [0.0, 0.0, 0.0])),
        ({"scale": 0.5, "bias": [1, 2, 3]}, ([0.5], [1.0, 2.0, 3.0])),
        ({"scale": [1, 2, 3], "bias": -1}, ([1.0, 2.0, 3.0], [-1.0])),
        ({"color_layout": "G", "scale": 1 / 255.0}, ([1 / 255.0], [0.0])),
    ],
)
def test_scale_and_bias_are_expanded_by_channel(ct, arguments, numbers):
    assert ct.ImageType(**arguments).numbers() == numbers


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ({"scale": [1, 2]}, ValueError, "scale has 2 numbers"),
        ({"bias": [1, 2, 3], "color_layout": "G"}, ValueError, "1 channel"),
        ({"scale": "x"}, TypeError, "scale"),
        ({"bias": float("nan")}, ValueError, "finite"),
        ({"name": 3}, TypeError, "name"),
        ({"shape": 224}, ValueError, "shape"),
        ({"shape": (1, None, 224, 3)}, ValueError, "RangeDim"),
        ({"shape": (1, -1, 224, 3)}, ValueError, "RangeDim"),
        ({"shape": (1, 0, 224, 3)}, ValueError, "empty"),
        ({"shape": (1, 2.5, 224, 3)}, TypeError, "integer"),
        ({"shape": (1, True, 224, 3)}, TypeError, "integer"),
        ({"grayscale_use_uint8": True}, ValueError, "GRAYSCALE"),
    ],
)
def test_wrong_images_are_refused(ct, arguments, error, words):
    with pytest.raises(error, match=words) as caught:
        ct.ImageType(**arguments)
    assert isinstance(caught.value, ct.Error) and caught.value.code


@pytest.mark.parametrize("bounds", [(5, 2), (0, 3), (1, 4, 5), (3, 5, 2)])
def test_wrong_ranges_are_refused(ct, bounds):
    with pytest.raises(ValueError):
        ct.RangeDim(*bounds)


def test_shapes_have_defaults(ct):
    shape = ct.Shape((1, ct.RangeDim(128, 256, default=200), ct.RangeDim(128, -1), 3))
    assert shape.default == (1, 200, 128, 3) and shape.is_flexible
    shapes = ct.EnumeratedShapes([(1, 8, 8, 3), (1, 4, 4, 3)], default=(1, 4, 4, 3))
    assert shapes.default == (1, 4, 4, 3)
    for wrong in ([(1, 8, 8, 3)], [(1, 8, 8, 3), (8, 8, 3)], [(1, 8, 8, 3), shape]):
        with pytest.raises(ValueError):
            ct.EnumeratedShapes(wrong)
    with pytest.raises(ValueError, match="not one of the shapes"):
        ct.EnumeratedShapes([(1, 8, 8, 3), (1, 4, 4, 3)], default=(1, 5, 5, 3))
    for wrong in ((1, 100, 128, 3), (1, 128, 0, 3), (2, 128, 128, 3), (1, 128, 128)):
        with pytest.raises(ValueError, match="default") as caught:
            ct.Shape((1, ct.RangeDim(128, 256), ct.RangeDim(128, -1), 3), default=wrong)
        assert caught.value.code == "wrongShape"


def test_numpy_integers_are_integers(ct):
    numpy = pytest.importorskip("numpy")
    assert ct.Shape((numpy.int64(1), numpy.int32(8))).shape == (1, 8)


@pytest.mark.parametrize(
    "name, base",
    [
        ("NotFoundError", FileNotFoundError),
        ("ExistsError", FileExistsError),
        ("FileError", OSError),
        ("InvalidValueError", ValueError),
        ("InvalidTypeError", TypeError),
        ("UnknownNameError", KeyError),
        ("UnsupportedError", NotImplementedError),
        ("MachineError", RuntimeError),
    ],
)
def test_exceptions_derive_from_pythons_own(ct, name, base):
    failure = getattr(ct, name)("what is wrong", "someCode", "what to do")
    assert isinstance(failure, base) and isinstance(failure, ct.Error)
    assert str(failure) == "what is wrong\nwhat to do" and failure.code == "someCode"
    copied = pickle.loads(pickle.dumps(failure))
    assert type(copied) is type(failure) and copied.code == "someCode" and str(copied) == str(failure)


def test_files_in_exceptions_are_named_as_in_pythons_own(ct):
    failure = ct.NotFoundError("a.pb: no such file", "noSuchFile", filename="a.pb")
    for one in (failure, pickle.loads(pickle.dumps(failure))):
        assert one.filename == "a.pb" and one.errno == errno.ENOENT
    assert ct.ExistsError("").errno == errno.EEXIST and ct.ExistsError("").filename is None


@pytest.mark.parametrize("arguments", [{"nbits": 5}, {"mode": "uniform", "nbits": 4}, {"nbits": 4, "cluster_dim": 2}])
def test_unsupported_palettes_are_refused(ct, arguments):
    with pytest.raises(NotImplementedError):
        ct.optimize.coreml.OpPalettizerConfig(**arguments)


@pytest.mark.parametrize("arguments", [{"dtype": "int4"}, {"granularity": "per_block"}, {"mode": "nonlinear"}])
def test_unsupported_quantization_is_refused(ct, arguments):
    with pytest.raises(NotImplementedError):
        ct.optimize.coreml.OpLinearQuantizerConfig(**arguments)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"source": "pytorch"}, "coremltools, .* is not installed"),
        ({"source": "caffe"}, "caffe"),
        ({"convert_to": "milinternal"}, "milinternal"),
        ({"pass_pipeline": object()}, "pass_pipeline"),
        ({"states": [3]}, "states"),
        ({"minimum_deployment_target": "iOS99"}, "minimum_deployment_target"),
        ({"minimum_deployment_target": "iOS16", "convert_to": "neuralnetwork"}, "cannot be combined with"),
        ({"minimum_deployment_target": "iOS14", "convert_to": "mlprogram"}, "cannot be combined with"),
        ({"compute_precision": "float8"}, "compute_precision"),
        ({"convert_to": "neuralnetwork", "compute_precision": "FLOAT16"}, "compute_precision"),
        ({"inputs": 3}, "inputs"),
        ({"inputs": ["image"]}, "inputs"),
        ({"outputs": "Softmax"}, "outputs"),
    ],
)
def test_wrong_arguments_of_convert_are_refused(ct, arguments, words):
    with pytest.raises(ct.Error, match=words):
        ct.convert(b"", **arguments)


@pytest.mark.parametrize("model", [3, None, [], ["a.pb", "b.pb"], object()])
def test_invalid_models_are_refused(ct, model):
    with pytest.raises(ct.Error):
        ct.convert(model)


def test_unavailable_coremltools_modules_cause_advice(ct):
    for name in ("neural_network", "pipeline", "datatypes"):
        with pytest.raises(AttributeError, match="coremltools has it"):
            getattr(ct.models, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        ct.models.nonsense
    for name in ("prune_weights", "decompress_weights"):
        with pytest.raises(AttributeError, match="coremltools has it"):
            getattr(ct.optimize.coreml, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        ct.optimize.coreml.nonsense
    with pytest.raises(AttributeError, match="__version__"):
        ct.version


def test_older_converters_cause_advice(ct):
    for statement in ("import thaw.converters.keras", "from thaw.converters import keras"):
        with pytest.raises(ImportError, match="keras.*thaw.convert"):
            exec(statement)


def test_the_classes_of_a_model_are_in_a_module_as_well(ct):
    import thaw.models.model
    from thaw.models.model import ComputeUnit, MLModel, MLState

    assert thaw.models.model is ct.models.model
    assert MLModel is ct.models.MLModel and MLState is ct.models.State and ComputeUnit is ct.ComputeUnit


@pytest.mark.parametrize("name", ["thaw.models", "thaw.optimize.coreml"])
def test_types_of_forwarded_names_are_declared(ct, name):
    with open(importlib.import_module(name).__file__) as file:
        body = ast.parse(file.read()).body
    conditions = [part for part in body if isinstance(part, ast.If) and part.test.id == "TYPE_CHECKING"]
    declared = {part.target.id for one in conditions for part in one.body if isinstance(part, ast.AnnAssign)}
    names = ct._absent._NAMES[name]
    assert declared == {name for name, advice in names.items() if advice is ct._absent.FORWARDED}


def test_members_and_types_of_coremltools_are_accepted(ct):
    import enum

    pytest.importorskip("numpy")
    # As coremltools has them.
    layouts = enum.Enum("ColorLayout", {"RGB": "RGB", "GRAYSCALE": "G", "CMYK": "CMYK"})
    assert ct.ImageType(color_layout=layouts.GRAYSCALE).color_layout is ct.colorlayout.GRAYSCALE
    for wrong in (layouts.CMYK, 3, None):
        with pytest.raises(ValueError, match="color_layout"):
            ct.ImageType(color_layout=wrong)

    def of_coremltools(name, bits):
        return type(name, (), {"get_bitwidth": classmethod(lambda cls: bits)})

    for name, bits, expected in (("fp16", 16, "float16"), ("fp32", 32, "float32"), ("int", 32, "int32")):
        assert ct.TensorType(dtype=of_coremltools(name, bits)).type_name() == expected
    for wrong in (of_coremltools("str", 8), object, "nonsense"):
        with pytest.raises(TypeError, match="unsupported"):
            ct.TensorType(dtype=wrong).type_name()
