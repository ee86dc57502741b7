#!/usr/bin/env python3
"""Measures what `thaw classify --fast` changes: how often the top label differs, and how far probabilities move.

usage: fast.py [--thaw BINARY] MODEL PHOTOS [OPTION...]

MODEL is an argument of `thaw classify`, PHOTOS a folder of JPEG files; other options (--labels, --crop, …) are passed to `thaw`.
"""
import argparse
import json
import subprocess


def answers(binary, words):
    command = [binary, "classify", *words, "--format", "json", "--top", "1000000"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return {row["image"]: {p["index"]: p["probability"] for p in row["predictions"]} for row in rows if "predictions" in row}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thaw", default=".build/release/thaw")
    parser.add_argument("model")
    parser.add_argument("photos")
    arguments, rest = parser.parse_known_args()
    words = [arguments.model, arguments.photos, *rest]
    exact, fast = answers(arguments.thaw, words), answers(arguments.thaw, words + ["--fast"])
    best = lambda row: max(row, key=row.get)
    other = [image for image in exact if best(exact[image]) != best(fast[image])]
    moves = sorted(abs(fast[image][best(row)] - row[best(row)]) for image, row in exact.items())
    print(f"photos: {len(exact)}, decoded differently: {sum(exact[image] != fast[image] for image in exact)}")
    print(f"top label differs: {len(other)}")
    print(f"probability of the top label moves by {sum(moves) / len(moves):.4f} on average, {moves[len(moves) // 2]:.4f} in the "
          f"median, {moves[-1]:.4f} at most")
    for image in other: print(f"  {image}: {max(exact[image].values()):.3f} against {fast[image][best(exact[image])]:.3f}")


if __name__ == "__main__":
    main()
