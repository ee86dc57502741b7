import Kernels

/// The algorithm that computes a convolution.
///
/// Strassen's algorithm is not among them. It would save an eighth of a pointwise convolution's products, but read 1.75
/// times as many weights and add images to each other: on Zen 4, MobileNetV1 took 0.965 of the time with one thread, 0.99
/// with two, and ResNet50 0.985.
enum ConvolutionAlgorithm: Hashable, Sendable {
    case direct
    case winograd(WinogradForm)
}

/// Which algorithm a layer gets: the cheapest one according to the cost model or, for tests and measurements, a given
/// one if it supports the layer.
enum AlgorithmChoice: Sendable {
    case cheapest
    case only(ConvolutionAlgorithm)
}

/// Estimates the processor cycles that a convolution takes with each algorithm.
///
/// An estimate is the larger of two times: that of the arithmetic, in vector instructions, and that of reading the
/// weights from memory. The constants are measured.
struct CostModel {
    let kernels: any KernelTable.Type
    /// The rate at which weights arrive from memory. It depends on the machine's memory more than on its instructions,
    /// so all kernel tables share it.
    static let bytesPerCycle = 5.0

    init(_ kernels: any KernelTable.Type) {
        self.kernels = kernels
    }

    private var cyclesPerVector: Double { kernels.cyclesPerVector }

    /// The algorithms that support a window.
    func candidates(_ window: Window) -> [ConvolutionAlgorithm] {
        guard kernels.winograd != nil else { return [.direct] }
        return [.direct] + WinogradForm.all.filter { $0.supports(window) }.map { .winograd($0) }
    }

    /// - Parameter isDeep: Whether the layer is part of a network with many layers.
    func cheapest(_ window: Window, from: Location, to: Location, isDeep: Bool) -> ConvolutionAlgorithm {
        let isExact = isDeep && !kernels.roundsImages
        return candidates(window).filter { !isExact || !CostModel.isRough($0, from) }
            .min { cycles($0, window, from, to) < cycles($1, window, from, to) }!
    }

    /// The number of convolutions at which a network counts as deep.
    static let deep = 40

    /// Rounding errors of F(4×4, 3×3) are about three times those of F(2×2, 3×3). Layers with few channels come first
    /// in a network, and their errors propagate through all others: over the 94 convolutions of InceptionV3 they added
    /// up to more than 1e-4.
    private static func isRough(_ algorithm: ConvolutionAlgorithm, _ from: Location) -> Bool {
        algorithm == .winograd(WinogradForm(height: .four3, width: .four3)) && from.channels <= 64
    }

    /// The time it takes to read a convolution's weights from memory.
    private func weightCycles(_ steps: ConvolutionSteps, _ to: Location) -> Double {
        Double(to.blocks * kernels.packedBytes(steps)) / CostModel.bytesPerCycle
    }

    func cycles(_ algorithm: ConvolutionAlgorithm, _ window: Window, _ from: Location, _ to: Location) -> Double {
        let (inputs, outputs) = (Double(from.blocks * from.blockWidth), Double(to.blocks * to.blockWidth))
        let blockWidth = Double(to.blockWidth)
        switch algorithm {
        case .direct:
            let taps = Double(window.height.size * window.width.size)
            let vectors = Double(to.pixels) * taps * inputs * outputs / blockWidth
            let steps = ConvolutionSteps(
                tapCount: window.height.size * window.width.size * from.blocks, depth: from.blockWidth)
            return max(vectors * cyclesPerVector, weightCycles(steps, to))
        case .winograd(let form):
            let multiplier = kernels.winograd!.products(form)
            let plan = WinogradPlan(form, from: from, to: to, multiplier)
            let tiles = Double(plan.tiles)
            let points = Double(form.points)
            // Each point of a tile is not only computed but also written and read in either transform.
            let lines = Double(form.height.points > 1 && form.width.points > 1 ? 2 : 1)
            let pointVectors = lines * Double(max(form.height.points, form.width.points)) / 2 + 3
            let transforms = tiles * points * pointVectors * (inputs + outputs) / blockWidth
            let products = points * tiles * inputs * outputs / blockWidth
            let weightCycles = Double(to.blocks * multiplier.packedBytes(plan.steps)) / CostModel.bytesPerCycle
            return max(products * multiplier.cyclesPerVector, points * weightCycles)
                + transforms * kernels.plain.cyclesPerVector
        }
    }
}
