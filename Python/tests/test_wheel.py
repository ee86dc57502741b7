"""What the wheel installs: the command, the library with what it needs, license texts, and types."""

import glob
import os
import platform
import re
import subprocess
import sys
import sysconfig

import pytest
from material import CAT, GRAPH, LABELS

import thaw

# The library is taken from elsewhere only if the package is tested without a wheel.
pytestmark = pytest.mark.skipif("THAW_LIBRARY" in os.environ, reason="THAW_LIBRARY is set: no wheel is tested")

SITE = os.path.dirname(os.path.dirname(os.path.abspath(thaw.__file__)))
COMMAND = os.path.join(sysconfig.get_path("scripts"), "thaw")


def information(name):
    (folder,) = glob.glob(os.path.join(SITE, "thaw_coreml-*.dist-info"))
    return os.path.join(folder, name)


def test_the_command_runs():
    assert subprocess.check_output([COMMAND, "--version"]).decode().split() == ["thaw", thaw.__version__]
    assert subprocess.run([COMMAND, "nonsense"], stderr=subprocess.DEVNULL).returncode == 2
    assert subprocess.check_output([COMMAND, "classify", GRAPH, "--labels", LABELS, CAT, "--quiet"])


def test_the_command_says_that_the_package_is_missing(tmp_path):
    copy = str(tmp_path / "thaw")
    with open(COMMAND, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    os.chmod(copy, 0o755)
    child = subprocess.run([copy, "--version"], stderr=subprocess.PIPE)
    assert child.returncode == 2 and b"thaw-coreml is not installed beside" in child.stderr


def test_the_wheel_is_for_every_python_and_an_old_glibc():
    with open(information("WHEEL")) as file:
        tags = re.findall(r"^Tag: (.+)$", file.read(), re.MULTILINE)
    assert tags == ["py3-none-manylinux_" + {"x86_64": "2_34_x86_64", "aarch64": "2_35_aarch64"}[platform.machine()]]


def test_the_wheel_contains_the_library_once():
    with open(information("RECORD")) as file:
        sizes = {line.split(",")[0]: int(line.split(",")[2] or 0) for line in file.read().splitlines()}
    assert [name for name, size in sizes.items() if size > 2e6] == ["thaw/libthaw.so"]


def test_each_library_comes_with_its_license():
    names = os.listdir(os.path.join(SITE, "thaw_coreml.libs"))
    libraries = {re.split(r"-[0-9a-f]{8}\.so", name)[0] for name in names}
    texts = {os.path.splitext(name)[0] for name in os.listdir(information("licenses"))}
    assert len(libraries) >= 5 and texts == libraries | {"swift"}
    assert all(os.path.getsize(os.path.join(information("licenses"), name + ".txt")) > 500 for name in texts)


def test_the_library_loads_nothing_that_a_system_may_lack():
    code = "import thaw; thaw._library.library(); print(open('/proc/self/maps').read())"
    maps = subprocess.check_output([sys.executable, "-c", "import thaw._library\n" + code]).decode()
    for name in ("protobuf-c", "turbojpeg", "png16", "webp", "gif"):
        paths = set(re.findall(r"/\S*lib" + name + r"\S*", maps))
        assert len(paths) == 1 and paths.pop().startswith(os.path.join(SITE, "thaw_coreml.libs")), name


def test_types_are_declared():
    folder = os.path.dirname(thaw.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed"))
    with open(os.path.join(folder, "__init__.pyi")) as file:
        declared = set(re.findall(r" as (\w+)$|^((?!_[a-z])\w+):", file.read(), re.MULTILINE))
    # The others are coremltools' own, which may not be installed.
    theirs = {name for name, advice in thaw._absent._NAMES["thaw"].items() if advice.startswith(thaw._absent.FORWARDED)}
    assert {first or second for first, second in declared} == {*thaw.__all__, *theirs}
