"""`python -m thaw` is the command `thaw`."""

import os
import sys
from ctypes import c_char_p

from . import _library


def main() -> int:
    words = [os.fsencode(word) for word in ["thaw"] + sys.argv[1:]]
    return _library.library().thaw_main(len(words), (c_char_p * (len(words) + 1))(*words, None))


if __name__ == "__main__":
    sys.exit(main())
