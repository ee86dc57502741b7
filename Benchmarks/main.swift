// Measures the time of a frozen graph in Thaw's engine, step by step.
//
//     ThawBenchmarks GRAPH.pb [--threads N] [--rounds N] [--steps N] [--check INPUT.npy OUTPUT.npy]
//
//     ThawBenchmarks --kernels
//
// The first form prints the median time of whole runs, then the slowest steps with their fraction of the measured peak.
// `--check` takes the tensors that `peers/generate.py` writes, and prints the largest difference from TensorFlow's output.
// The second form measures single layers.

import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

func fail(_ message: String) -> Never {
    let line = message + "\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
    exit(2)
}

func pad(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : String(repeating: " ", count: width - text.count) + text
}

func fixed(_ number: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
    let units = Int((number * scale).rounded())
    guard digits > 0 else { return String(units) }
    let fraction = String(units % Int(scale))
    return "\(units / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// The float32 values of a NumPy file. The header is not validated.
func values(ofNumPyFile path: String) -> [Float] {
    guard let file = fopen(path, "rb") else { fail("\(path): cannot open") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = ftell(file)
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: size)
    guard fread(&bytes, 1, size, file) == size, size > 10 else { fail("\(path): cannot read") }
    let start = 10 + Int(bytes[8]) + Int(bytes[9]) << 8
    return bytes.withUnsafeBytes { raw in
        (0..<(size - start) / 4).map { raw.loadUnaligned(fromByteOffset: start + $0 * 4, as: Float.self) }
    }
}

var (threads, rounds, shown) = (1, 30, 25)
var graphPath: String?
var check: (input: String, output: String)?
var wantsKernels = false
var arguments = CommandLine.arguments.dropFirst().makeIterator()
func positiveInteger(_ option: String, _ text: String?) -> Int {
    guard let value = text.flatMap({ Int($0) }), value > 0 else { fail("\(option): expected a positive integer") }
    return value
}
while let argument = arguments.next() {
    switch argument {
    case "--threads": threads = positiveInteger(argument, arguments.next())
    case "--rounds": rounds = positiveInteger(argument, arguments.next())
    case "--steps": shown = positiveInteger(argument, arguments.next())
    case "--kernels": wantsKernels = true
    case "--check":
        guard let input = arguments.next(), let output = arguments.next() else {
            fail("--check: expected two files")
        }
        check = (input, output)
    default: graphPath = argument
    }
}
if wantsKernels {
    do {
        try benchmarkKernels()
        try benchmarkIntegerKernels()
    } catch { fail("\(error)") }
    exit(0)
}
guard let graphPath else { fail("usage: ThawBenchmarks GRAPH.pb [--threads N] [--rounds N] [--steps N] [--check X Y]") }

do {
    let clock = ContinuousClock()
    var start = clock.now
    let model = try Converter().convert(contentsOfFile: graphPath).model
    print("read and converted in \(fixed((clock.now - start) / .milliseconds(1), 1)) ms")
    start = clock.now
    let program = try Program(model.graph, threads: threads)
    print(
        "compiled in \(fixed((clock.now - start) / .milliseconds(1), 1)) ms for \(program.instructionSet.rawValue): "
            + "\(program.multiplyAdds / 1_000_000) million multiply-adds, arena \(program.arenaBytes >> 10) KB, "
            + "constants \(program.constantBytes >> 10) KB")
    let executor = Executor(program, threads: threads)
    let shape = model.graph[model.graph.inputs[0].value].shape
    if let check {
        let inputs = values(ofNumPyFile: check.input)
        let expected = values(ofNumPyFile: check.output)
        let images = inputs.count / shape.elementCount
        var worst: Float = 0
        for image in 0..<images {
            let part = inputs[image * shape.elementCount..<(image + 1) * shape.elementCount]
            executor.load(Tensor(Array(part), shape: shape), forInputAt: 0)
            try executor.run()
            executor.withOutput(at: 0) { output in
                for (i, value) in output.enumerated() {
                    worst = max(worst, abs(value - expected[image * output.count + i]))
                }
            }
        }
        print("largest difference over \(images) images: \(worst)")
    } else {
        executor.load(Tensor([Float](repeating: 0.5, count: shape.elementCount), shape: shape), forInputAt: 0)
    }
    for _ in 0..<3 { try executor.run() }
    let times = try (0..<rounds).map { _ in try clock.measure { try executor.run() } / .milliseconds(1) }.sorted()
    let median = times[times.count / 2]
    let peak = program.instructionSet.peak()
    let rate = 2 * Double(program.multiplyAdds) / median * 1e3
    print(
        "median \(fixed(median, 3)) ms, minimum \(fixed(times[0], 3)) ms; \(fixed(rate / 1e9, 0)) GFLOP/s, "
            + "\(fixed(100 * rate / peak / Double(threads), 0))% of \(fixed(peak / 1e9, 0)) per core")
    let steps = try executor.profile(rounds: rounds)
    print("sum of steps \(fixed(steps.reduce(0) { $0 + $1.seconds } * 1e3, 3)) ms")
    for step in steps.sorted(by: { $0.seconds > $1.seconds }).prefix(shown) {
        let rate = 2 * Double(step.multiplyAdds) / step.seconds
        print(
            pad(fixed(step.seconds * 1e6, 0), 7) + " µs " + pad(fixed(rate / 1e9, 0), 5) + " GFLOP/s "
                + pad(fixed(100 * rate / peak / Double(threads), 0), 3) + "%  \(step.algorithm)  \(step.name)")
    }
} catch {
    fail("\(error)")
}
