"""Where the tests' material is, and how they run other processes."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GRAPH = os.path.join(ROOT, "Models", "cifar10.pb")
LABELS = os.path.join(ROOT, "labels", "cifar10.txt")
PHOTOS = os.path.join(ROOT, "Tests", "Fixtures", "photographs")
FIXTURES = os.path.join(ROOT, "Tests", "Fixtures")
CAT = os.path.join(PHOTOS, "cat.jpg")


def labels():
    with open(LABELS) as file:
        return file.read().split()


def run(code, *arguments, **options):
    """Runs Python code in a separate process, and returns what it prints."""
    command = [sys.executable, "-c", code] + list(arguments)
    child = subprocess.run(command, capture_output=True, timeout=120, **options)
    assert child.returncode == 0, child.stderr.decode()
    return child.stdout.decode().strip()


def thaw_command(*words):
    """Runs the command, and returns its standard output."""
    child = subprocess.run([sys.executable, "-m", "thaw"] + list(words), stdout=subprocess.PIPE, timeout=120)
    assert child.returncode == 0
    return child.stdout.decode()
