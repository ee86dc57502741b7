"""Thaw: converts TensorFlow image classifiers to Core ML, and runs Core ML models on Linux.

The API follows coremltools, so that a script needs only a different import:

    import thaw as ct

    image = ct.ImageType(shape=(1, 224, 224, 3), scale=1 / 127.5, bias=[-1, -1, -1])
    model = ct.convert("inference.pb", inputs=[image], classifier_config=ct.ClassifierConfig("labels.txt"))
    model.save("inference.mlmodel")
    print(model.predict({"input": photo})["classLabel"])

Importing this module loads nothing else: the library, NumPy and TensorFlow are loaded when they are needed.
"""

import _thread
import importlib as _importlib
import os as _os

from . import _absent
from ._version import __version__

_absent.explain_imports()

# Held while modules and the library are loaded, and during forks: a child must not wait for a thread that it does not have.
_loading = _thread.RLock()
_os.register_at_fork(before=_loading.acquire, after_in_parent=_loading.release, after_in_child=_loading.release)

# The module that each public name comes from.
_HOMES = {
    "convert": "_convert",
    "ImageType": "_types",
    "TensorType": "_types",
    "ClassifierConfig": "_types",
    "RangeDim": "_types",
    "EnumeratedShapes": "_types",
    "Shape": "_types",
    "target": "_enums",
    "precision": "_enums",
    "colorlayout": "_enums",
    "ComputeUnit": "_enums",
    "Classifier": "_classifier",
    "Classification": "_classifier",
    "Prediction": "_classifier",
    "Detector": "_detector",
    "Detection": "_detector",
    "DetectedObject": "_detector",
    "quantize": "_reports",
    "evaluate": "_reports",
    "compare": "_reports",
    "inspect": "_reports",
    "Error": "_errors",
    "NotFoundError": "_errors",
    "ExistsError": "_errors",
    "FileError": "_errors",
    "InvalidValueError": "_errors",
    "InvalidTypeError": "_errors",
    "UnknownNameError": "_errors",
    "UnsupportedError": "_errors",
    "MachineError": "_errors",
}
_MODULES = ("models", "optimize", "spark")

__all__ = sorted(_HOMES) + sorted(_MODULES) + ["__version__"]


def __getattr__(name):
    if name in _HOMES:
        with _loading:
            value = getattr(_importlib.import_module("." + _HOMES[name], __name__), name)
    elif name in _MODULES:
        with _loading:
            value = _importlib.import_module("." + name, __name__)
    else:
        return _absent.attribute(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__) | _absent.forwarded(__name__))
