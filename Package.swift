// swift-tools-version: 6.2
import PackageDescription

// Passes of Swift's optimizer that LLVM repeats, and an analysis for them. On the kernels' register tiles, which are deep trees
// of structs, they take two thirds of the compile time and find nothing that LLVM would miss: the inner loops stay the same.
// Elsewhere they take an eighth of the time.
let redundantPasses = without([
    "loop-invariant-code-motion", "redundant-load-elimination", "dead-store-elimination", "dce", "bcopts",
    "compute-side-effects",
])

// Passes that do not pay in the module Thaw, whose time is spent in the kernels: they move and pair reference counting, copy
// functions for each closure that they are called with, and compute what LLVM computes again. They take a fifth of the compile
// time. The last five, LLVM's, take a thirtieth.
let costlyPasses =
    without([
        "retain-sinking", "release-hoisting", "late-release-hoisting", "arc-sequence-opts", "arc-loop-opts",
        "closure-specialize", "cse", "performance-constant-propagation", "jumpthread-simplify-cfg",
    ])
    + llvm([
        "-enable-constraint-elimination=false", "-enable-misched=false", "-disable-copyprop", "-disable-lsr",
        "-disable-objc-arc-contract",
    ])

// LLVM checks the code that it is given, which finds mistakes of the compiler, not ours, and takes a twentieth of the time.
let unverified = ["-Xfrontend", "-disable-llvm-verify"]

func without(_ passes: [String]) -> [String] { llvm(passes.map { "-sil-disable-pass=\($0)" }) }
func llvm(_ options: [String]) -> [String] { options.flatMap { ["-Xllvm", $0] } }

// Emits each module's interface in a separate job, which takes seconds. With the Makefile's driver option, dependent modules
// then compile in parallel with the module instead of after it. Nothing in these modules is worth inlining into others.
let earlyInterface = ["-emit-module-separately-wmo", "-disable-cmo"]

// LLVM in one thread. The module Thaw is on the critical path: it keeps a core to itself until it gets to LLVM, and then uses
// all cores. On two cores, that saves a twentieth of the time.
let oneThread = ["-num-threads", "1"]

// Optimized for size: kernels and conversions of arrays take the time, the rest runs once. That saves a fifth of the compile
// time. (Swift 6.2 gives up on the package below if it contains these sums.)
let smallCode = ["-Osize"] + redundantPasses + costlyPasses + earlyInterface + unverified
let smallCodeByOneThread = smallCode + oneThread

// The target architecture: this machine's, unless THAW_ARCHITECTURE names another, as `make arm64` does. (The manifest itself
// is always compiled for this machine, and SwiftPM has no conditions for architectures.)
#if arch(x86_64)
    let hostArchitecture = "x86_64"
#else
    let hostArchitecture = "arm64"
#endif
let architecture = Context.environment["THAW_ARCHITECTURE"] ?? hostArchitecture

// Every instruction set gets the same kernel sources (KernelsAVX2 and KernelsAVX512 are symbolic links to KernelsBaseline),
// compiled with its own flags. One of them is selected at run time.
func kernels(
    _ name: String, define: [String] = [], flags: [String] = [], others: [Target.Dependency] = []
) -> Target {
    var flags = flags.flatMap { ["-Xcc", $0] } + redundantPasses + earlyInterface + unverified + oneThread
    if architecture == "x86_64" {
        // Intel's Cascade Lake takes up to a tenth longer if inner loops do not begin with a block of 32 bytes.
        flags += llvm(["-x86-experimental-pref-innermost-loop-alignment=5"])
    }
    let settings: [SwiftSetting] = define.map { .define($0) } + [.unsafeFlags(flags)]
    return .target(name: name, dependencies: ["Kernels", "CMachine"] + others, swiftSettings: settings)
}

// The 8-bit integer kernels are in separate modules, because they support more instruction sets.
var kernelModules = [kernels("KernelsBaseline"), kernels("IntegerKernelsBaseline")]

if architecture == "x86_64" {
    let avx2 = ["-mavx2", "-mfma"]
    let avx512 = ["-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mfma"]
    kernelModules += [
        kernels("KernelsAVX2", define: ["AVX2"], flags: avx2),
        kernels("KernelsAVX512", define: ["AVX512"], flags: avx512),
        // Some of the same files, for bfloat16 images. It calls KernelsAVX512 for float32 computations.
        kernels(
            "KernelsBFloat16", define: ["AVX512", "BFLOAT16"], flags: avx512 + ["-mavx512bf16"],
            others: ["KernelsAVX512"]),
        // The same with convolutions by AMX. It calls KernelsBFloat16 for everything else. Modules compile in descending order
        // of their names: this short one fills the time until all interfaces exist, and then Thaw starts, which takes longest.
        kernels(
            "KernelsBFloat16AMX", define: ["AVX512", "BFLOAT16", "AMX"],
            flags: avx512 + ["-mavx512bf16", "-mamx-tile", "-mamx-bf16"], others: ["KernelsBFloat16"]),
        // Convolutions multiply bytes, some of them complemented (COMPLEMENTS): see IntegerConvolution.
        kernels("IntegerKernelsAVX2", define: ["AVX2", "COMPLEMENTS"], flags: avx2),
        kernels("IntegerKernelsAVX2VNNI", define: ["AVX2", "VNNI"], flags: avx2 + ["-mavxvnni"]),
        kernels("IntegerKernelsAVX512", define: ["AVX512"], flags: avx512),
        kernels("IntegerKernelsAVX512VNNI", define: ["AVX512", "VNNI"], flags: avx512 + ["-mavx512vnni"]),
        // Only convolutions. It calls IntegerKernelsAVX512VNNI for everything else.
        kernels(
            "IntegerKernelsAMX", define: ["AVX512", "VNNI", "AMX"],
            flags: avx512 + ["-mavx512vnni", "-mamx-tile", "-mamx-int8"], others: ["IntegerKernelsAVX512VNNI"]),
    ]
} else if architecture == "arm64" {
    kernelModules += [
        // Like VNNI, but both bytes are signed.
        kernels("IntegerKernelsDotprod", define: ["VNNI", "DOTPROD"], flags: ["-march=armv8-a+dotprod"]),
        // Like VNNI, and matrices of bytes as well.
        kernels("IntegerKernelsI8MM", define: ["VNNI", "MATRICES"], flags: ["-march=armv8-a+i8mm"]),
        // As on x86-64, some of the same files. It calls KernelsBaseline for float32 computations.
        kernels(
            "KernelsBFloat16", define: ["BFLOAT16", "MATRICES"], flags: ["-march=armv8-a+bf16"],
            others: ["KernelsBaseline"]),
    ]
}

// Links the Swift runtime into programs and the C library; SwiftPM's own option supports only programs. Not for sanitizers: a
// static link hides their replacements of libc's functions from libc, and they then free memory that they did not allocate.
let staticRuntime: [LinkerSetting] =
    Context.environment["THAW_SANITIZED"] == nil
    ? [.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))] : []

// The C interface is a shared library that exports only the functions in its header.
let exports = LinkerSetting.unsafeFlags(
    [
        "-Xlinker", "-soname=libthaw.so.0", "-Xlinker",
        "--version-script=" + Context.packageDirectory + "/Sources/ThawC/exports.map",
    ], .when(platforms: [.linux]))

let package = Package(
    name: "Thaw",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "Thaw", targets: ["Thaw"]),
        .library(name: "ThawFoundation", targets: ["ThawFoundation"]),
        .executable(name: "thaw", targets: ["ThawMain"]),
        .executable(name: "thaw-serve", targets: ["ThawServe"]),
        // `make libthaw` renames it to libthaw.so.0.
        .library(name: "ThawC", type: .dynamic, targets: ["ThawC"]),
    ],
    targets: [
        .systemLibrary(
            name: "CProtobuf", pkgConfig: "libprotobuf-c",
            providers: [.apt(["libprotobuf-c-dev"]), .brew(["protobuf-c"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(
            name: "CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CWebP", pkgConfig: "libwebp",
            providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
        // Not every giflib has a pkg-config file; its header is in the default search path anyway.
        .systemLibrary(name: "CGIF", providers: [.apt(["libgif-dev"]), .brew(["giflib"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        // libpng depends on zlib, so it is always available.
        .systemLibrary(name: "CZlib"),
        .target(
            name: "CCodecs", dependencies: ["CTurboJPEG", "CPNG", "CWebP", "CGIF"],
            linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "CSchemas", dependencies: ["CProtobuf"],
            exclude: ["tensorflow.proto", "coreml.proto", "generate.sh", "check_numbers.py"]),
        .target(name: "CMachine"),
        .target(name: "COutputs"),
        .target(name: "CThaw", exclude: ["thaw.pc.in"]),
        .target(
            name: "ThawC", dependencies: ["CThaw", "Thaw", "ThawCommand"], exclude: ["exports.map"],
            linkerSettings: staticRuntime + [exports]),
        .target(name: "Kernels"),
        .target(
            name: "Thaw",
            dependencies: ["CProtobuf", "CCodecs", "CSchemas", "CMachine", "COutputs", "Kernels"]
                + kernelModules.map { .byName(name: $0.name) },
            swiftSettings: [.unsafeFlags(smallCode)]),
        // A separate target, because Foundation adds megabytes and milliseconds to programs that do not need it.
        .target(name: "ThawFoundation", dependencies: ["Thaw"], packageAccess: false),
        .target(
            name: "ThawCommand", dependencies: ["Thaw", "CMachine", "COutputs"], exclude: ["Report/Page"],
            // Not without optimization: generic code would take half a millisecond at each start.
            swiftSettings: [.unsafeFlags(smallCodeByOneThread)]),
        .executableTarget(
            name: "ThawMain", dependencies: ["ThawCommand"], path: "Sources/Main", linkerSettings: staticRuntime),
        // A separate program: the HTTP library's dependencies would slow down the start of every command. It uses only the
        // library's public API, like any other client. Four files are symbolic links to those of Thaw and ThawCommand.
        .target(
            name: "ThawService", dependencies: ["Thaw", "CMicroHTTPD", "CZlib"], exclude: ["Page"],
            packageAccess: false),
        .executableTarget(
            name: "ThawServe", dependencies: ["ThawService"], path: "Sources/ServeMain", linkerSettings: staticRuntime
        ),
        .executableTarget(
            name: "ThawBenchmarks", dependencies: ["Thaw"], path: "Benchmarks",
            exclude: [
                "README.md", "arm64.py", "compression.py", "endurance.py", "fast.py", "folder.py", "memory.py",
                "networks.py", "peers.py", "precision.py", "processes.py", "python.py", "scaling.py", "service.lua",
                "service.py", "spark.py", "speed.svg", "torchvision.py",
            ]),
        .testTarget(name: "ThawTests", dependencies: ["Thaw"]),
        .testTarget(name: "ThawFoundationTests", dependencies: ["ThawFoundation", "Thaw"]),
        .testTarget(name: "ThawServiceTests", dependencies: ["ThawService", "Thaw"]),
        .testTarget(
            name: "ThawCommandTests", dependencies: ["ThawCommand", "Thaw"], exclude: ["CInterface/Programs", "Faults"]),
    ])
// Swift 6.2 gives up on the expression above if it contains this sum.
package.targets += kernelModules

// `make fuzz` instruments everything but the kernels for libFuzzer and AddressSanitizer. THAW_FUZZ is the path of the
// compiler's libFuzzer library without a main function.
if let library = Context.environment["THAW_FUZZ"] {
    let flags = ["-sanitize=fuzzer,address", "-enable-testing", "-DTHAW_FUZZ"]
    for target in package.targets {
        switch target.name {
        case "CCodecs", "CSchemas":
            target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]
        case "Thaw", "ThawCommand", "ThawService", "ThawC":
            target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
            // A program needs neither the exports nor the soname of the C library.
            target.linkerSettings = []
        default: break
        }
    }
    package.targets.append(
        .executableTarget(
            name: "ThawFuzz", dependencies: ["Thaw", "ThawCommand", "ThawService", "ThawC", "CThaw"],
            path: "Tests/Fuzz",
            exclude: ["run.py", "SmokeTests.swift"], swiftSettings: [.unsafeFlags(flags)],
            linkerSettings: [
                .unsafeFlags(["-sanitize=address", "-Xlinker", library]), .linkedLibrary("stdc++"),
            ]))
} else {
    // `make test` runs the same targets for a moment, without libFuzzer.
    package.targets.append(
        .testTarget(
            name: "ThawFuzzTests", dependencies: ["Thaw", "ThawCommand", "ThawService"], path: "Tests/Fuzz",
            exclude: ["run.py", "main.swift", "FuzzTarget+CInterface.swift"]))
}

// For `make test`: undefined behavior in C code traps. The tests themselves are compiled without optimization, which takes half
// the time.
if Context.environment["THAW_TEST"] != nil {
    for target in package.targets {
        if ["CCodecs", "CSchemas", "CMachine", "COutputs", "CThaw"].contains(target.name) {
            target.cSettings =
                (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=undefined", "-fsanitize-trap=undefined"])]
        }
        if target.isTest { target.swiftSettings = [.unsafeFlags(["-Onone"])] }
    }
}

// Tests read internal declarations, but not those of the kernels: metadata of their types contains functions of the same name in
// every module, and the linker might keep one with AVX-512 instructions for all of them.
if Context.environment["THAW_TEST"] != nil || Context.environment["THAW_TESTABLE"] != nil {
    for target in package.targets where ["Thaw", "ThawCommand", "ThawService"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-enable-testing"])]
    }
}
