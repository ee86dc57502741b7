import Foundation
import Testing

@testable import Thaw

/// How weights and ranges of values are mapped to integers.
extension QuantizationTests {
    @Test func `the quantized values of weights are recovered`() throws {
        let weights = Tensor(noise(9 * 16 * 8), shape: [3, 3, 16, 8])
        #expect(SymmetricWeights(of: weights, channels: 8) == nil)
        let quantized = SymmetricWeights(rounding: weights, channels: 8)
        let rounded = quantized.weights(weights.shape)
        // Half of the largest step, which the scale's rounding to float16 makes slightly longer.
        #expect(difference(rounded, weights) <= 0.501 / 127)
        for tensor in [rounded, rounded.converted(to: .float16).asFloat32] {
            let found = try #require(SymmetricWeights(of: tensor, channels: 8))
            #expect(found.quantized == quantized.quantized)
        }
        #expect(SymmetricWeights(of: Tensor([Float.nan], shape: [1]), channels: 1) == nil)
        #expect(SymmetricWeights(of: Tensor([0, 0], shape: [2, 1]), channels: 1)?.quantized == [0, 0])
    }

    @Test(
        arguments: [(100, true), (1, true), (1e-3, true), (2e-4, true), (1e-4, false), (1e-9, false)]
            as [(Float, Bool)])
    func `scales of weights are float16 values if that is precise enough`(_ largest: Float, _ isHalf: Bool) {
        let scale = SymmetricWeights.scale(largest)
        #expect(scale.isHalf == isHalf)
        #expect((largest * 0.9999...largest * 1.1).contains(127 * scale))
    }

    @Test(
        arguments: [
            (-1, 1, 128), (0, 6, 0), (-6, 0, 255), (0.5, 2, 0), (0, 0, 0), (-1e-3, 1e-3, 127), (-1e-4, 1e-4, 128),
        ] as [(Float, Float, Int)])
    func `every quantized range contains 0`(_ low: Float, _ high: Float, _ zeroPoint: Int) {
        let quantized = QuantizationParameters(low, high)
        #expect(quantized.scale > 0 && quantized.zeroPoint == zeroPoint)
        // The scale is rounded to float16.
        let step = quantized.scale * 1.01
        #expect(quantized.lowest <= min(0, low) + step && quantized.highest >= max(0, high) - step)
    }

    @Test(arguments: RangeStatistic.allCases)
    func `zeros after a relu do not shorten the range`(_ statistic: RangeStatistic) {
        let values = (0..<200_000).map { index -> Float in
            let (x, y) = (Float(index % 1001) / 1001, Float(index % 997) / 997)
            return index % 2 == 0 ? 0 : x * y
        }
        var distribution = Distribution(0, 1)
        values.withUnsafeBufferPointer { distribution.add($0) }
        #expect(distribution.range(statistic).high > 0.75)
    }

    @Test(arguments: RangeStatistic.allCases) func `outliers are left out`(_ statistic: RangeStatistic) {
        // So many values that their rounding costs more than a clamped outlier.
        let values = (0..<2_000_000).map { Float($0 % 1000) / 1000 } + [80]
        var distribution = Distribution(0, 80)
        values.withUnsafeBufferPointer { distribution.add($0) }
        let range = distribution.range(statistic)
        #expect(range.low == 0)
        #expect(statistic == .extremes ? range.high == 80 : range.high < 40 && range.high > 0.9, "\(range)")
    }

    @Test(
        arguments: RangeStatistic.allCases,
        [(0, 0x1p-140), (-0x1p-140, 0x1p-140), (0x1p-140, 0x1p-139)] as [(Float, Float)])
    func `a range near 0 has no bins, and stays as it is`(_ statistic: RangeStatistic, _ range: (Float, Float)) {
        var distribution = Distribution(range.0, range.1)
        [range.0, range.1, range.0].withUnsafeBufferPointer { distribution.add($0) }
        #expect(distribution.counts.reduce(0, +) == 3)
        #expect(distribution.range(statistic) == (range.0, range.1))
    }
}
