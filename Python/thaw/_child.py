"""Runs a command in a separate process, and prints its failure as a JSON object."""

from __future__ import annotations

import json
import os
import sys
from ctypes import byref, c_char_p, c_int

from . import _library


def main() -> int:
    arguments = [os.fsencode(argument) for argument in sys.argv[1:]]
    status = c_int()
    try:
        _library.call("thaw_command", len(arguments), (c_char_p * len(arguments))(*arguments), byref(status))
    except _library.Error as failure:
        print(json.dumps({"code": failure.code, "message": failure.message}), file=sys.stderr)
        return 2
    return status.value
