import Thaw

/// Prints the fraction of peak performance that the engine reaches for each layer, and compares the cost model's choice
/// with the measurements. For every layer, all algorithms are measured in turn, several times, and the peak along with them.
func benchmarkKernels() throws {
    typealias Layer = LayerBenchmark.Layer
    let layers: [(name: String, layer: Layer)] = [
        ("1×1 56² 64→256", Layer(.convolution, 56, 64, 256)), ("1×1 28² 256→256", Layer(.convolution, 28, 256, 256)),
        ("1×1 14² 512→512", Layer(.convolution, 14, 512, 512)), ("1×1 7² 512→2048", Layer(.convolution, 7, 512, 2048)),
        ("3×3 stride 2 224² 3→32", Layer(.convolution, 224, 3, 32, window: (3, 3), stride: 2)),
        ("3×3 224² 64→64", Layer(.convolution, 224, 64, 64, window: (3, 3))),
        ("3×3 56² 64→64", Layer(.convolution, 56, 64, 64, window: (3, 3))),
        ("3×3 28² 128→128", Layer(.convolution, 28, 128, 128, window: (3, 3))),
        ("3×3 14² 256→256", Layer(.convolution, 14, 256, 256, window: (3, 3))),
        ("3×3 7² 512→512", Layer(.convolution, 7, 512, 512, window: (3, 3))),
        ("3×3 28² 128→32", Layer(.convolution, 28, 128, 32, window: (3, 3))),
        ("5×5 35² 48→64", Layer(.convolution, 35, 48, 64, window: (5, 5))),
        ("1×7 17² 192→192", Layer(.convolution, 17, 192, 192, window: (1, 7))),
        ("7×1 17² 128→128", Layer(.convolution, 17, 128, 128, window: (7, 1))),
        ("1×3 8² 384→384", Layer(.convolution, 8, 384, 384, window: (1, 3))),
        ("depthwise 3×3 112² 64", Layer(.depthwise, 112, 64, 64, window: (3, 3))),
        ("depthwise 3×3 stride 2 112² 64", Layer(.depthwise, 112, 64, 64, window: (3, 3), stride: 2)),
        ("depthwise 3×3 14² 512", Layer(.depthwise, 14, 512, 512, window: (3, 3))),
        ("depthwise 5×5 28² 240", Layer(.depthwise, 28, 240, 240, window: (5, 5))),
        ("dense 2048→1000", Layer(.dense, 1, 2048, 1000)),
    ]
    let set = try InstructionSet.chosen()
    print("\(set.rawValue), one thread; * is the cost model's choice, which should be the fastest")
    print(pad("µs", 44 + 10) + pad("GFLOP/s", 9) + pad("peak", 8) + "  estimate")
    var (worst, worstLayer) = (1.0, "")
    for (name, layer) in layers {
        let benchmark = try LayerBenchmark(layer)
        let (medians, peak) = measure(benchmark) { set.peak() }
        for (candidate, seconds) in zip(benchmark.candidates, medians) {
            let ratio = seconds / medians.min()!
            if candidate.algorithm == benchmark.chosen, ratio > worst { (worst, worstLayer) = (ratio, name) }
            let estimate = candidate.estimate > 0 ? fixed(candidate.estimate / 1e3, 0) + " kcycles" : ""
            print(row(name, candidate, of: benchmark, seconds, peak) + "  " + estimate)
        }
    }
    print(
        "the cost model's choice takes at most \(fixed(worst, 2)) times as long as the fastest algorithm"
            + (worst > 1 ? ": \(worstLayer)" : ""))
}

/// The times of a layer's algorithms, which are measured in turn, and the peak: medians.
private func measure(_ benchmark: LayerBenchmark, peak: () -> Double) -> (seconds: [Double], peak: Double) {
    var times = benchmark.candidates.map { _ in [Double]() }
    var peaks: [Double] = []
    for _ in 0..<5 {
        for (index, candidate) in benchmark.candidates.enumerated() {
            times[index].append(candidate.measure(rounds: 7))
        }
        peaks.append(peak())
    }
    return (times.map { $0.sorted()[$0.count / 2] }, peaks.sorted()[peaks.count / 2])
}

/// A row of a table: an algorithm's time, its rate, and its share of the peak. * marks the chosen one.
private func row(
    _ layer: String, _ candidate: LayerBenchmark.Candidate, of benchmark: LayerBenchmark, _ seconds: Double,
    _ peak: Double
) -> String {
    let rate = 2 * Double(candidate.multiplyAdds) / seconds
    let label = layer + ", " + candidate.algorithm
    return (candidate.algorithm == benchmark.chosen ? "* " : "  ") + label
        + String(repeating: " ", count: max(1, 54 - label.count)) + pad(fixed(seconds * 1e6, 1), 9)
        + pad(fixed(rate / 1e9, 0), 9) + pad(fixed(100 * rate / peak, 0) + "%", 8)
}

/// Prints the fraction of the peak of operations on 8-bit integers that the engine reaches for each convolution of ResNet50 with
/// each algorithm, and for all of them together.
func benchmarkIntegerKernels() throws {
    typealias Layer = LayerBenchmark.Layer
    let layers: [(count: Int, layer: Layer)] = [
        (1, Layer(.convolution, 224, 3, 64, window: (7, 7), stride: 2)),
        (1, Layer(.convolution, 56, 64, 64)), (3, Layer(.convolution, 56, 64, 64, window: (3, 3))),
        (4, Layer(.convolution, 56, 64, 256)), (2, Layer(.convolution, 56, 256, 64)),
        (1, Layer(.convolution, 56, 256, 128)), (1, Layer(.convolution, 56, 256, 512, stride: 2)),
        (1, Layer(.convolution, 56, 128, 128, window: (3, 3), stride: 2)),
        (3, Layer(.convolution, 28, 128, 128, window: (3, 3))), (4, Layer(.convolution, 28, 128, 512)),
        (3, Layer(.convolution, 28, 512, 128)), (1, Layer(.convolution, 28, 512, 256)),
        (1, Layer(.convolution, 28, 512, 1024, stride: 2)),
        (1, Layer(.convolution, 28, 256, 256, window: (3, 3), stride: 2)),
        (5, Layer(.convolution, 14, 256, 256, window: (3, 3))), (6, Layer(.convolution, 14, 256, 1024)),
        (5, Layer(.convolution, 14, 1024, 256)), (1, Layer(.convolution, 14, 1024, 512)),
        (1, Layer(.convolution, 14, 1024, 2048, stride: 2)),
        (1, Layer(.convolution, 14, 512, 512, window: (3, 3), stride: 2)),
        (2, Layer(.convolution, 7, 512, 512, window: (3, 3))), (3, Layer(.convolution, 7, 512, 2048)),
        (2, Layer(.convolution, 7, 2048, 512)),
    ]
    let set = try InstructionSet.chosen()
    print("\n8-bit integers: the convolutions of ResNet50 with \(set.rawValue), one thread; * is the chosen algorithm")
    print(pad("µs", 44 + 10) + pad("Gop/s", 9) + pad("peak", 8))
    var (operations, direct, chosen, peaks) = (0.0, 0.0, 0.0, [Double]())
    for (count, layer) in layers {
        let benchmark = try LayerBenchmark(layer, precision: .int8)
        let (medians, peak) = measure(benchmark) { set.peak(.int8) }
        peaks.append(peak)
        for (candidate, seconds) in zip(benchmark.candidates, medians) {
            if candidate.algorithm == benchmark.chosen { chosen += Double(count) * seconds }
            let name =
                "\(count) · \(layer.size)² \(layer.inputs)→\(layer.outputs)"
                + (layer.stride > 1 ? " stride \(layer.stride)" : "")
            print(row(name, candidate, of: benchmark, seconds, peak))
        }
        operations += Double(2 * count * benchmark.candidates[0].multiplyAdds)
        direct += Double(count) * medians[0]
    }
    let peak = peaks.sorted()[peaks.count / 2]
    for (name, seconds) in [("", chosen), (" without Winograd's algorithm", direct)] {
        print(
            "all convolutions of ResNet50 together\(name): \(fixed(seconds * 1e3, 2)) ms, "
                + "\(fixed(100 * operations / seconds / peak, 0))% of the peak")
    }
}
