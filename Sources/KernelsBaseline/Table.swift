import Kernels

#if AVX512
    private let cyclesPerVector = 0.5
#elseif AVX2 || arch(arm64)
    private let cyclesPerVector = 1.0
#else
    private let cyclesPerVector = 4.0
#endif

/// The kernels as compiled for this module's instruction set. Call this only if the machine has the instructions.
public func makeKernelTable() -> KernelTable {
    KernelTable(
        groupBlocks: groupBlocks, tilePixels: tilePixels, cyclesPerVector: cyclesPerVector, convolve: convolve,
        convolveDepthwise: convolveDepthwise, transformInput: transformInput, transformOutput: transformOutput,
        transformFilters: transformFilters, pool: pool, sumPixels: sumPixels, resize: resize,
        normalizeLocally: normalizeLocally, unary: unary, binary: binary, scale: scale, softmax: softmax,
        logSoftmax: logSoftmax, normalize: normalize, normalizeLength: normalizeLength, planeMoments: planeMoments,
        copy: copy, reduce: reduce, multiplyMatrices: multiplyMatrices, block: block, unblock: unblock,
        loadPixels: loadPixels, resampleRows: resampleRows, resampleColumns: resampleColumns, peak: peak)
}

/// Twelve to 28 independent sums: enough to hide the latency of an addition, few enough to stay in registers.
private func peak(_ rounds: Int) -> Int {
    var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero)
    #if AVX512
        var more = sums
    #endif
    let a = Vector(repeating: Float(rounds) * 1e-9)
    let b = Vector(repeating: 0.5)
    for _ in 0..<rounds {
        sums.0 = multiplyAdd(sums.0, a, b)
        sums.1 = multiplyAdd(sums.1, a, b)
        sums.2 = multiplyAdd(sums.2, a, b)
        sums.3 = multiplyAdd(sums.3, a, b)
        sums.4 = multiplyAdd(sums.4, a, b)
        sums.5 = multiplyAdd(sums.5, a, b)
        #if AVX512
            more.0 = multiplyAdd(more.0, a, b)
            more.1 = multiplyAdd(more.1, a, b)
            more.2 = multiplyAdd(more.2, a, b)
            more.3 = multiplyAdd(more.3, a, b)
            more.4 = multiplyAdd(more.4, a, b)
            more.5 = multiplyAdd(more.5, a, b)
        #endif
    }
    var all = sums.0 + sums.1 + sums.2 + sums.3 + sums.4 + sums.5
    var accumulators = 6
    #if AVX512
        all += more.0 + more.1 + more.2 + more.3 + more.4 + more.5
        accumulators = 12
    #endif
    // The sums must be used, or nothing would be computed.
    return total(all) == -1 ? 0 : 2 * blockWidth * accumulators * rounds
}
