#!/usr/bin/env python3
"""run.py PROGRAM [--seconds S] [--timeout T] [--folder F] [TARGET …]: runs fuzz targets in turn, each for S seconds of CPU
time.

Inputs are kept in F/corpus/TARGET, and failing ones in F/findings. The dictionary consists of the string literals in
Sources/Thaw that look like names. An input that takes more than T seconds of real time is read again alone: it is a
finding if it takes that much CPU time, and else only met a busy or stopped machine. Ends with status 1 if there are
findings. The total of runs and CPU time of all calls is in F/runs.json; the total of a target begins anew when its
sources have changed."""
import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "Sources"
GRAPHS = ["CSchemas", "Thaw/Support", "Thaw/Graph", "Thaw/Operations", "Thaw/Passes", "Thaw/Model"]
TENSORFLOW = GRAPHS + ["Thaw/TensorFlow", "Thaw/Converter*.swift"]
CORE_ML = GRAPHS + ["Thaw/CoreML", "Thaw/CoreMLSource.swift"]
# What each target reads with. The engine, which runs what was read, is not part of it, wherever it is.
ENGINE = re.compile(r"\+(Engine|Integer)\.swift$")
READS_WITH = {
    "graph": TENSORFLOW,
    "savedModel": TENSORFLOW,
    "checkpoint": TENSORFLOW,
    "neuralNetwork": CORE_ML,
    "program": CORE_ML,
    "pipeline": CORE_ML + ["Thaw/Features", "Thaw/Pipeline.swift"],
    "labels": ["Thaw/Support", "Thaw/Model"],
    "truth": ["Thaw/Support", "Thaw/Model", "Thaw/GroundTruth.swift"],
    "numPy": ["Thaw/Support"],
    "image": ["Thaw/Support", "Thaw/Images", "CCodecs"],
    "options": ["Thaw/Support", "ThawCommand"],
    "http": ["Thaw/Support", "ThawService"],
    "infer": ["Thaw/Support", "ThawService"],
    "cInterface": ["Thaw/Support", "CThaw", "ThawC"],
}


def fingerprint(target):
    """A digest of the sources that the target reads with."""
    digest = hashlib.sha256()
    for pattern in READS_WITH[target]:
        for place in sorted(SOURCES.glob(pattern)):
            for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if file.suffix in (".swift", ".c", ".h") and not ENGINE.search(file.name):
                    digest.update(f"{file.relative_to(SOURCES)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def dictionary(path):
    """Writes the dictionary, which has the names of operations, attributes and layers that the readers support."""
    words = set()
    for source in (SOURCES / "Thaw").rglob("*.swift"):
        words |= set(re.findall(r'"([A-Za-z_][A-Za-z0-9_]{2,24})"', source.read_text(encoding="utf-8")))
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)), encoding="utf-8")


def cpu_time(process):
    """The seconds of CPU time that a process has used; None when it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Target:
    def __init__(self, program, name, arguments):
        self.program, self.name, self.timeout, self.folder = program, name, arguments.timeout, arguments.folder
        self.corpus, self.findings = self.folder / "corpus" / name, self.folder / "findings"
        self.corpus.mkdir(parents=True, exist_ok=True)
        self.findings.mkdir(parents=True, exist_ok=True)
        self.environment = dict(
            os.environ, THAW_FUZZ_TARGET=name, SWIFT_BACKTRACE="enable=no",
            ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:" + os.environ.get("ASAN_OPTIONS", ""))
        if not any(self.corpus.iterdir()):
            subprocess.run([program], env=dict(self.environment, THAW_FUZZ_SEEDS=str(self.corpus)), check=True)

    def run(self, seconds):
        """Runs for that CPU time, or until there is a finding: the number of runs, CPU time, status and log."""
        runs, cpu = 0, 0.0
        while True:
            found, used, status, log = self.part(seconds - cpu)
            runs, cpu = runs + found, cpu + used
            slow = re.search(r"Test unit written to (\S*timeout-\S*)", log)
            if not slow or self.is_slow(slow.group(1)):
                return runs, cpu, status, log
            os.remove(slow.group(1))
            if cpu >= seconds:
                return runs, cpu, 0, log

    def part(self, seconds):
        """Runs until libFuzzer ends, or is told to end after that CPU time."""
        log = self.folder / f"{self.name}.log"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [self.program, str(self.corpus), "-max_len=65536", f"-timeout={self.timeout}", "-rss_limit_mb=3000",
                 f"-dict={self.folder / 'words.dict'}", f"-artifact_prefix={self.findings}/{self.name}-",
                 "-print_final_stats=1", "-verbosity=0"],
                env=self.environment, stdout=output, stderr=subprocess.STDOUT)
            is_told = False
            while process.poll() is None:
                if not is_told and (cpu_time(process) or 0) >= seconds:
                    process.send_signal(signal.SIGUSR1)
                    is_told = True
                time.sleep(0.2)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"number_of_executed_units: (\d+)", text)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        # While it starts, it knows no signals, and ends by this one.
        is_ended = is_told and process.returncode == -signal.SIGUSR1
        return int(found.group(1)) if found else 0, cpu, 0 if is_ended else process.returncode, text

    def is_slow(self, path):
        """Whether an input takes more CPU time than it may."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.timeout, self.timeout + 1))
        alone = subprocess.run([self.program, path, "-timeout=100000"], env=self.environment, preexec_fn=limit,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return alone.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--timeout", type=int, default=20)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".build/fuzz/runs"))
    # Targets may follow options.
    arguments = parser.parse_intermixed_args()
    known = subprocess.run([arguments.program], stdout=subprocess.PIPE, check=True,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}).stdout.decode().split()
    if unlisted := [name for name in known if name not in READS_WITH]:
        sys.exit(f"the sources of {', '.join(unlisted)} are not listed")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    dictionary(arguments.folder / "words.dict")
    totals_file = arguments.folder / "runs.json"
    totals = json.loads(totals_file.read_text()) if totals_file.exists() else {}
    failed = False
    prints = {name: fingerprint(name) for name in known}
    for name in arguments.targets or known:
        runs, cpu, status, log = Target(arguments.program, name, arguments).run(arguments.seconds)
        if totals.get(name, {}).get("sources") != prints[name]:
            totals[name] = {"sources": prints[name], "runs": 0, "cpu_seconds": 0, "findings": 0}
        total = totals[name]
        total["runs"] += runs
        total["cpu_seconds"] = round(total["cpu_seconds"] + cpu)
        total["findings"] += status != 0
        totals_file.write_text(json.dumps(totals, indent=1))
        print(f"{name}: {runs} runs in {cpu:.0f} s of CPU time, status {status}; since its sources changed: {total['runs']} "
              f"runs in {total['cpu_seconds']} s, {total['findings']} findings", flush=True)
        if status:
            failed = True
            print("\n".join(line for line in log.splitlines() if re.search(r"rror|Test unit", line))[:2000], flush=True)
    return 1 if failed else 0


sys.exit(main())
