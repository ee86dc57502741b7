#!/usr/bin/env python3
"""run.py PROGRAM [--seconds S] [--folder F] [TARGET …]: runs fuzz targets in turn, each for S seconds of CPU time.

Inputs are kept in F/corpus/TARGET, and failing ones in F/findings. Dictionaries are the strings of the fixtures. Ends with
status 1 if there are findings. The total of runs and CPU time of all calls is in F/runs.json."""
import argparse
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def dictionary(path):
    """The names of operations, attributes and layers that the readers support."""
    words = set()
    for source in (HERE.parent.parent / "Sources" / "Thaw").rglob("*.swift"):
        words |= set(re.findall(r'"([A-Za-z_][A-Za-z0-9_]{2,24})"', source.read_text(encoding="utf-8")))
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)), encoding="utf-8")


def run(program, target, seconds, folder):
    corpus, findings = folder / "corpus" / target, folder / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, THAW_FUZZ_TARGET=target, SWIFT_BACKTRACE="enable=no",
                       ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:" + os.environ.get("ASAN_OPTIONS", ""))
    if not any(corpus.iterdir()):
        subprocess.run([program], env=dict(environment, THAW_FUZZ_SEEDS=str(corpus)), check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    finished = subprocess.run(
        [program, str(corpus), f"-max_total_time={seconds}", "-max_len=65536", "-timeout=20", "-rss_limit_mb=3000",
         f"-dict={folder / 'words.dict'}", f"-artifact_prefix={findings}/{target}-", "-print_final_stats=1", "-verbosity=0"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = finished.stdout.decode("utf-8", "replace")
    (folder / f"{target}.log").write_text(log, encoding="utf-8")
    found = re.search(r"number_of_executed_units: (\d+)", log)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(found.group(1)) if found else 0, cpu, finished.returncode, log


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".build/fuzz/runs"))
    arguments = parser.parse_args()
    known = subprocess.run([arguments.program], stdout=subprocess.PIPE, check=True,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}).stdout.decode().split()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    dictionary(arguments.folder / "words.dict")
    totals_file = arguments.folder / "runs.json"
    totals = json.loads(totals_file.read_text()) if totals_file.exists() else {}
    failed = False
    for target in arguments.targets or known:
        runs, cpu, status, log = run(arguments.program, target, arguments.seconds, arguments.folder)
        total = totals.setdefault(target, {"runs": 0, "cpu_seconds": 0, "findings": 0})
        total["runs"] += runs
        total["cpu_seconds"] = round(total["cpu_seconds"] + cpu)
        total["findings"] += status != 0
        totals_file.write_text(json.dumps(totals, indent=1))
        print(f"{target}: {runs} runs in {cpu:.0f} s of CPU time, status {status}", flush=True)
        if status:
            failed = True
            print("\n".join(line for line in log.splitlines() if re.search(r"rror|Test unit", line))[:2000], flush=True)
    return 1 if failed else 0


sys.exit(main())
