"""Estimates the speed of the convolutions of ResNet50 and MobileNetV1 on arm64 without an arm64 machine: runs the inner loops
of the program built by `make arm64` through llvm-mca, which simulates a processor's pipelines. All data is assumed to be in the
L1 cache. The result is the efficiency: the cycles that the loop's multiply-adds alone need, divided by those that the loop
takes. Loops from Debian's XNNPACK and OpenBLAS packages are shown for comparison.

    python3 Benchmarks/arm64.py [--program .build/arm64/out/thaw] [--peers .build/arm64/target]

Needs llvm-mca and llvm-objdump (Debian: llvm-19); MCA and OBJDUMP name others."""
import argparse
import glob
import importlib.machinery
import importlib.util
import math
import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def load(name, path):
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


check = load("check_arm64", os.path.join(ROOT, ".ci", "check-arm64"))
MCA = os.environ.get("MCA", "llvm-mca-19")

# The vector multiply-adds that a core issues per cycle.
CORES = {"neoverse-n1": 2, "neoverse-v2": 4}
TARGET = 0.90


# The cores that lack a module's instructions.
LACKING = {"KernelsI8MM": {"neoverse-n1"}, "KernelsBFloat16": {"neoverse-n1"}}

# The symbols of depthwise convolutions of stride one or two. (They abbreviate the second "Stride" of HorizontalStride and
# StrideOne.)
DEPTHWISE = re.compile(r"computeRows.*Depthwise.*(One|Two)O_")


def multiply_adds(loop):
    return sum(1 for instruction in loop if instruction.name in check.PRODUCTS)


def vectors_loaded(loop):
    return sum({"ldp": 2, "ldr": 1, "ldur": 1}.get(instruction.name, 0) for instruction in loop
               if instruction.operands.startswith("q"))


def text(loop):
    """The loop as assembly. Addresses mean nothing to llvm-mca; branches need a label."""
    lines = []
    for instruction in loop:
        operands = re.sub(r"0x[0-9a-f]+ <.*>$", "loop", instruction.operands)
        lines.append(f"{instruction.name} {operands}".split(" //")[0])
    return "\n".join(lines) + "\n"


def share(loop, core, rounds=300):
    command = [MCA, "-mtriple=aarch64", f"-mcpu={core}", f"-iterations={rounds}", "-all-views=false", "-summary-view"]
    report = subprocess.run(command, input=text(loop), check=True, capture_output=True, text=True).stdout
    cycles = int(re.search(r"Total Cycles: +(\d+)", report)[1]) / rounds
    return multiply_adds(loop) / CORES[core] / cycles


class Kernels:
    """The loops of the kernels by the size of their tiles."""

    def __init__(self, program):
        self.tiles, self.runs, self.strided = {}, {}, {}
        self.extended = {"KernelsDotprod": {}, "KernelsI8MM": {}, "KernelsBFloat16": {}}
        self.shares = {}
        for name, body in check.functions(program):
            for loop in check.inner_loops(body):
                count = multiply_adds(loop)
                if "IntegerKernels" in name or "KernelsBFloat16" in name:
                    for module, tiles in self.extended.items():
                        if module in name and "convolveTile" in name:
                            # The same for quantized and bfloat16 values. A product of matrices does the work of two.
                            self.keep(tiles, count // (16 if module == "KernelsDotprod" else 8), loop)
                elif "convolveTile" in name and count % 16 == 0:
                    # Four steps of a pixel and 16 channels are 16 multiply-adds of four lanes.
                    self.keep(self.tiles, count // 16, loop)
                elif (stride := DEPTHWISE.search(name)) and count % 3 == 0:
                    # Three taps for several outputs. Loops over single taps load a value for each multiply-add.
                    size = count // 3
                    if size < 3 or vectors_loaded(loop) <= count:
                        self.keep(self.runs if stride[1] == "One" else self.strided, size, loop)

    @staticmethod
    def keep(loops, size, loop):
        if size and (size not in loops or len(loop) > len(loops[size])):
            loops[size] = loop

    def mean(self, loops, total, limit, core):
        """The efficiency over `total` pixels, split into as few parts as possible, of nearly equal size."""
        count = math.ceil(total / limit)
        sizes = [total // count + (1 if index < total % count else 0) for index in range(count)]
        time = sum(size / self.share(loops, size, core) for size in sizes)
        return total / time

    def share(self, loops, size, core):
        key = (id(loops), size, core)
        if key not in self.shares:
            self.shares[key] = share(loops[size], core)
        return self.shares[key]

    def convolution(self, pixels, core):
        return self.mean(self.tiles, pixels, max(self.tiles), core)

    def depthwise(self, width, stride, core):
        loops = self.runs if stride == 1 else self.strided
        return self.mean(loops, width, max(loops), core)


def resnet50():
    """Name, outputs along a side, multiply-adds, and how it is computed."""
    yield "7×7 3→64, stride 2", 112, 112**2 * 49 * 3 * 64, "tile"
    before = 64
    for side, width, repeats in ((56, 64, 3), (28, 128, 4), (14, 256, 6), (7, 512, 3)):
        pixels = side * side
        for block in range(repeats):
            yield f"1×1 {before}→{width}", side, pixels * before * width, "tile"
            yield f"3×3 {width}→{width}", side, pixels * 9 * width * width, "tile"
            yield f"1×1 {width}→{4 * width}", side, pixels * width * 4 * width, "tile"
            if block == 0:
                yield f"1×1 {before}→{4 * width}, projection", side, pixels * before * 4 * width, "tile"
            before = 4 * width


def mobilenet_v1():
    yield "3×3 3→32, stride 2", 112, 112**2 * 27 * 32, "tile"
    before, side = 32, 112
    for width, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        side //= stride
        yield f"depthwise 3×3 {before}, stride {stride}", side, side**2 * 9 * before, f"rows {stride}"
        yield f"1×1 {before}→{width}", side, side**2 * before * width, "tile"
        before = width


def peers(folder):
    """The loop with the most multiply-adds in each kernel of XNNPACK and OpenBLAS."""
    libraries = [
        ("XNNPACK", "libXNNPACK.so.0", r"xnn_f32_(igemm|gemm)_minmax_ukernel_\dx8__aarch64_neonfma\w*"
         r"|xnn_f32_dwconv_minmax_ukernel_up4x9__aarch64_neonfma"),
        ("OpenBLAS", "libopenblas.so.0", r"sgemm_kernel_(NEOVERSEN1|NEOVERSEV1|ARMV8)"),
    ]
    for owner, file, pattern in libraries:
        for path in glob.glob(os.path.join(folder, "usr/lib/aarch64-linux-gnu/**", file), recursive=True)[:1]:
            for name, body in check.functions(path, pattern):
                loops = sorted(check.inner_loops(body), key=multiply_adds)
                if loops and multiply_adds(loops[-1]) >= 8:
                    yield owner, name, loops[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/arm64/out/thaw"))
    parser.add_argument("--peers", default=os.path.join(ROOT, ".build/arm64/target"))
    options = parser.parse_args()
    kernels = Kernels(options.program)
    print("| network, step | outputs | " + " | ".join(CORES) + " |")
    print("|---|---|" + "---|" * len(CORES))
    low = []
    for network, steps in (("ResNet50", resnet50()), ("MobileNetV1", mobilenet_v1())):
        times, total, seen = dict.fromkeys(CORES, 0.0), 0, set()
        for name, side, work, kind in steps:
            shares = {
                core: kernels.convolution(side * side, core) if kind == "tile"
                else kernels.depthwise(side, int(kind.split()[1]), core)
                for core in CORES
            }
            for core in CORES:
                times[core] += work / shares[core]
            total += work
            if (name, side) not in seen:
                seen.add((name, side))
                print(f"| {network}, {name} | {side}×{side} | " + " | ".join(f"{shares[core]:.2f}" for core in CORES) + " |")
                low += [f"{network}, {name}: {core}" for core in CORES if shares[core] < TARGET]
        print(f"| **{network}, all** | | " + " | ".join(f"**{total / times[core]:.2f}**" for core in CORES) + " |")
    print("\n| loop | multiply-adds | " + " | ".join(CORES) + " |\n|---|---|" + "---|" * len(CORES))
    own = [("Thaw", f"tile of {size} pixels by 16 channels", kernels.tiles[size]) for size in sorted(kernels.tiles)]
    own += [("Thaw", f"depthwise, {size} outputs by 4 channels", kernels.runs[size]) for size in (7, 14)]
    own += [(f"Thaw, {module}", f"tile of {size} pixels by 16 channels", tiles[size])
            for module, tiles in kernels.extended.items() for size in sorted(tiles)]
    for owner, name, loop in own + list(peers(options.peers)):
        lacking = next((cores for module, cores in LACKING.items() if module in owner), ())
        print(f"| {owner}: {name} | {multiply_adds(loop)} of {len(loop)} | "
              + " | ".join("" if core in lacking else f"{share(loop, core):.2f}" for core in CORES) + " |")
    print(f"\nbelow {TARGET}: " + ("; ".join(low) or "none"))


if __name__ == "__main__":
    main()
