"""`python -m thaw` is the command `thaw`."""

import os
import sys
from ctypes import c_char_p

from . import _library


def main() -> int:
    arguments = [os.fsencode(argument) for argument in ["thaw"] + sys.argv[1:]]
    return _library.library().thaw_main(len(arguments), (c_char_p * (len(arguments) + 1))(*arguments, None))


if __name__ == "__main__":
    sys.exit(main())
