#!/usr/bin/env python3
"""kills.py [--thaw PROGRAM] [--kills N] [--seed N] [--folder FOLDER]: kills commands at random times while they write.

Half of the kills come at any time during a run, half after its first temporary file has appeared. After each kill, the old output
or the complete new one must be there; after the next run in the same folder, nothing else. FOLDER may be on any file system."""
import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GRAPH = os.path.join(ROOT, "Models", "cifar10.pb")
PHOTOS = os.path.join(ROOT, "Tests", "Fixtures", "photographs")


def commands():
    """Names of outputs, and for each a function: the arguments that write its 'old' or 'new' version."""
    convert = lambda text: ["convert", GRAPH, "--author", text, "-o"]
    classify = lambda text: ["classify", GRAPH, PHOTOS, "--top", {"old": "1", "new": "2"}[text], "--format", "json"]
    return {
        "model.mlmodel": convert,
        "model.mlpackage": convert,
        "results.jsonl": lambda text: classify(text) + ["-o"],
        "page.html": lambda text: classify(text) + ["--report"],
    }


def digest(path):
    """The contents of a file or folder; None if it does not exist."""
    if not os.path.lexists(path):
        return None
    hash = hashlib.sha256()
    for place, folders, names in os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]:
        folders.sort()
        for name in sorted(names):
            hash.update(os.path.relpath(os.path.join(place, name), path).encode() + b"\0")
            with open(os.path.join(place, name), "rb") as file:
                hash.update(file.read())
    return hash.hexdigest()


def start(thaw, words):
    return subprocess.Popen([thaw] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finish(thaw, words):
    if start(thaw, words).wait() != 0:
        sys.exit(f"failed: {words}")


def leftovers(folder):
    return [name for name in os.listdir(folder) if name.startswith(".thaw-")]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--thaw", default=os.path.join(ROOT, ".build", "release", "thaw"))
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--folder")
    options = options.parse_args()
    draw = random.Random(options.seed)
    root = tempfile.mkdtemp(dir=options.folder)
    table = {}
    for number, (name, words) in enumerate(commands().items()):
        folder = os.path.join(root, str(number))
        os.mkdir(folder)
        path = os.path.join(folder, name)
        digests = {}
        for text in ("old", "new"):
            began = time.monotonic()
            finish(options.thaw, words(text) + [path])
            duration = time.monotonic() - began
            digests[text] = digest(path)
        row = table[name] = dict(kills=0, old=0, new=0, leftovers=0)
        while row["kills"] < (options.kills + number) // len(commands()):
            finish(options.thaw, words("old") + [path])
            process = start(options.thaw, words("new") + [path])
            if draw.random() < 0.5:
                time.sleep(draw.uniform(0, duration))
            else:
                while process.poll() is None and not leftovers(folder):
                    pass
                time.sleep(draw.choice([0, draw.uniform(0, 0.003), draw.uniform(0, 0.03)]))
            process.kill()
            if process.wait() != -signal.SIGKILL:
                continue
            row["kills"] += 1
            found = digest(path)
            states = [text for text in digests if digests[text] == found]
            if not states:
                sys.exit(f"{path}: neither the old nor the new output (seed {options.seed}, kill {row['kills']})")
            row[states[0]] += 1
            row["leftovers"] += bool(leftovers(folder))
            finish(options.thaw, words("new") + [path])
            if digest(path) != digests["new"] or os.listdir(folder) != [name]:
                sys.exit(f"{folder}: not repaired: {os.listdir(folder)}")
    print(f"{'output':16}{'kills':>7}{'old':>6}{'new':>6}  with leftovers, all removed by the next run")
    for name, row in table.items():
        print(f"{name:16}{row['kills']:7}{row['old']:6}{row['new']:6}{row['leftovers']:6}")
    print(f"{sum(row['kills'] for row in table.values())} kills survived")
    shutil.rmtree(root)


main()
