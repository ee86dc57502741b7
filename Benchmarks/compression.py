"""Measures the size in KB and the accuracy of a network with compressed weights, for each
storage type and dialect, as in the tables of docs/converting.md.

    python3 Benchmarks/compression.py TEST [--thaw .build/release/thaw] [--only palette6,int8]
    python3 Benchmarks/compression.py TRUTH.tsv --graph GRAPH --labels LABELS --with "--offset 1 --crop center:0.875"

The network is the demo's unless --graph names another. TEST is the argument of `thaw evaluate`: a folder with a subfolder of photos
for each class (such as `test` of Models/README.md), or a table. Exits with 1 if the demo network loses more than half a point with
int8 or palette8 relative to float32, or more than one point with palette6.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The points of accuracy that each storage type may lose; None means no limit.
LIMITS = {"float32": 0, "float16": 0.5, "int8": 0.5, "palette8": 0.5, "palette6": 1, "palette4": None}
# The dialects with their target and file extension.
DIALECTS = [
    ("neural network", "mlmodel", []),
    ("ML Program", "mlpackage", []),
    ("ML Program for iOS 18", "mlpackage", ["--target", "iOS18"]),
]


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("test")
    parser.add_argument("--thaw", default=str(ROOT / ".build/release/thaw"))
    parser.add_argument("--only", default=",".join(LIMITS))
    parser.add_argument("--graph", default=ROOT / "Models/cifar10.pb")
    parser.add_argument("--labels", default=ROOT / "labels/cifar10.txt")
    parser.add_argument("--with", dest="words", default="", help="further options of thaw evaluate")
    options = parser.parse_args()
    is_demo = options.graph == parser.get_default("graph")

    def thaw(*words):
        return subprocess.run([options.thaw, *map(str, words)], check=True, capture_output=True, text=True).stdout

    print("| weights | " + " | ".join(f"{name} | " for name, _, _ in DIALECTS) + "|")
    print("|---" * (1 + 2 * len(DIALECTS)) + "|")
    whole, failures = None, []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for weights in options.only.split(","):
            cells = []
            for number, (name, ending, words) in enumerate(DIALECTS):
                source, result = folder / f"whole{number}.{ending}", folder / f"{weights}{number}.{ending}"
                if not source.exists():
                    thaw(
                        "convert", options.graph, "--labels", options.labels, "-o", source,
                        "--weights", "float32", *words)
                if weights == "float32":
                    result = source
                else:
                    thaw("compress", source, "-o", result, "--weights", weights)
                report = thaw("evaluate", result, options.test, "--format", "json", *options.words.split())
                right = json.loads(report)["top1"]["share"] * 100
                cells.append(f"{size(result) / 1e3:.0f} | {right:.2f}%")
                whole = right if whole is None else whole
                limit = LIMITS[weights]
                if limit is not None and is_demo and right < whole - limit:
                    failures.append(f"{weights} as {name}: {right:.2f}% correct, {whole:.2f}% before; at most {limit} points may be lost")
            print(f"| {weights} | " + " | ".join(cells) + " |", flush=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
