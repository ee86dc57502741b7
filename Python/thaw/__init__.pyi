from typing import Any

from . import models as models
from . import optimize as optimize
from . import spark as spark
from ._classifier import Classification as Classification
from ._classifier import Classifier as Classifier
from ._classifier import Prediction as Prediction
from ._convert import convert as convert
from ._detector import DetectedObject as DetectedObject
from ._detector import Detection as Detection
from ._detector import Detector as Detector
from ._enums import ComputeUnit as ComputeUnit
from ._enums import colorlayout as colorlayout
from ._enums import precision as precision
from ._enums import target as target
from ._errors import Error as Error
from ._errors import ExistsError as ExistsError
from ._errors import FileError as FileError
from ._errors import InvalidTypeError as InvalidTypeError
from ._errors import InvalidValueError as InvalidValueError
from ._errors import MachineError as MachineError
from ._errors import NotFoundError as NotFoundError
from ._errors import UnknownNameError as UnknownNameError
from ._errors import UnsupportedError as UnsupportedError
from ._reports import compare as compare
from ._reports import evaluate as evaluate
from ._reports import inspect as inspect
from ._reports import quantize as quantize
from ._types import ClassifierConfig as ClassifierConfig
from ._types import EnumeratedShapes as EnumeratedShapes
from ._types import ImageType as ImageType
from ._types import RangeDim as RangeDim
from ._types import Shape as Shape
from ._types import TensorType as TensorType

__version__: str

_loading: Any

# coremltools' own.
PassPipeline: Any
ReshapeFrequency: Any
SpecializationStrategy: Any
StateType: Any
converters: Any
proto: Any
transform: Any
utils: Any
