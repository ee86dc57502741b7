"""Writes the fixtures next to this folder: `python Tests/Fixtures/make [FOLDER…]`, by default all of them.

Needs `pip install tensorflow-cpu==2.21.0 tf_keras==2.21.0 coremltools==9.0`, and for `converted` scikit-learn, torch and
interpreters that are not published; without these, it is skipped. The same versions on the same kind of CPU give the same bytes.
"""
import importlib
import os
import shutil
import sys

import tensorflow as tf

from common import FIXTURES, INTERPRETERS

MODULES = {"graphs": "cases", "refuse": "refusals", "networks": "networks", "ways": "ways", "live": "live", "decoding": "decoding", "pairs": "pairs",
           "coreml": "coreml", "converted": "converted", "generators": "generators", "labels": "labels"}
if tf.__version__.startswith("1."):
    MODULES = {"live1": "live"}

for folder in sys.argv[1:] or MODULES:
    if folder == "converted" and not os.path.isdir(INTERPRETERS):
        print(f"skipped: {folder} needs the interpreters in {INTERPRETERS}")
        continue
    # Imported first: if a package is missing, nothing is deleted.
    module = importlib.import_module(MODULES[folder])
    shutil.rmtree(os.path.join(FIXTURES, folder), ignore_errors=True)
    module.write()
