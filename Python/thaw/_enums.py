"""Enumerations with the names and values of coremltools'."""

from enum import Enum, IntEnum


class target(IntEnum):
    """The oldest system that must load a model. Systems of the same format version are the same member."""

    iOS11 = 1
    iOS12 = 3
    iOS13 = 4
    iOS14 = 5
    iOS15 = 6
    iOS16 = 7
    iOS17 = 8
    iOS18 = 9
    iOS26 = 10
    macOS10_13 = 1
    macOS10_14 = 3
    macOS10_15 = 4
    macOS10_16 = 5
    macOS11 = 5
    macOS12 = 6
    macOS13 = 7
    macOS14 = 8
    macOS15 = 9
    macOS26 = 10
    watchOS4 = 1
    watchOS5 = 3
    watchOS6 = 4
    watchOS7 = 5
    watchOS8 = 6
    watchOS9 = 7
    watchOS10 = 8
    watchOS11 = 9
    watchOS26 = 10
    tvOS11 = 1
    tvOS12 = 3
    tvOS13 = 4
    tvOS14 = 5
    tvOS15 = 6
    tvOS16 = 7
    tvOS17 = 8
    tvOS18 = 9
    tvOS26 = 10


class precision(Enum):
    """The precision that an ML Program computes in."""

    FLOAT16 = "float16"
    FLOAT32 = "float32"


class colorlayout(Enum):
    """The order of an image's channels."""

    RGB = "RGB"
    BGR = "BGR"
    GRAYSCALE = "G"
    GRAYSCALE_FLOAT16 = "G_FLOAT16"


class ComputeUnit(Enum):
    """The processors that Core ML may use. Thaw always computes on the CPU."""

    ALL = 1
    CPU_AND_GPU = 2
    CPU_ONLY = 3
    CPU_AND_NE = 4
