import Foundation
import Testing

@testable import Thaw

/// Palettes for weights whose output channels differ in scale, and for sensitive layers.
@Suite struct PaletteTests {
    // MARK: Codes

    private static let rows = 32
    private static let length = 64

    /// Rows of noise, each smaller than the previous one.
    private static func uneven(from largest: Float = 1, by factor: Float = 0.7) -> Tensor {
        let numbers = noise(rows * length)
        return Tensor(shape: [rows, length]) { out in
            for index in out.indices {
                out[index] = numbers[index] * largest * Float(pow(Double(factor), Double(index / length)))
            }
        }
    }

    /// The squared error of each row relative to its squared norm, and the sum of its errors relative to the largest
    /// weight.
    private static func errors(_ quantized: PalettizedWeights, _ weights: Tensor) -> [(square: Float, sum: Float)] {
        let floats = weights.floats
        let levels = 1 << quantized.bits
        return (0..<rows).map { row in
            var (square, energy, sum, largest) = (Float(0), Float(0), Float(0), Float(0))
            for index in row * length..<(row + 1) * length {
                let palette = row / (rows / quantized.groups) * levels
                let back = quantized.entries[palette + Int(quantized.indices[index])] * (quantized.scales?[row] ?? 1)
                square += (back - floats[index]) * (back - floats[index])
                energy += floats[index] * floats[index]
                sum += back - floats[index]
                largest = max(largest, abs(floats[index]))
            }
            return (square / energy, abs(sum) / largest)
        }
    }

    @Test(arguments: [8, 6]) func `with scales, one palette serves rows of any magnitude`(_ bits: Int) {
        let weights = Self.uneven()
        let scales = PalettizedWeights.scales(of: weights, storedAs: .float32)
        let scaled = Self.errors(PalettizedWeights(weights, bits: bits, scales: scales), weights)
        let plain = Self.errors(PalettizedWeights(weights, bits: bits), weights)
        let bound: Float = bits == 8 ? 0.0003 : 0.004
        #expect(scaled.allSatisfy { $0.square < bound }, "\(scaled.map(\.square).max()!)")
        // The smallest rows would be lost.
        #expect(plain.last!.square > 10 * bound)
    }

    @Test(arguments: [(6, 1), (6, 8), (4, 1), (4, 4)]) func `the errors of a row cancel out`(_ bits: Int, _ groups: Int)
    {
        let weights = Self.uneven(by: 1)
        let quantized = PalettizedWeights(weights, bits: bits, groups: groups)
        let step: Float = 2 / Float(1 << bits)
        for (square, sum) in Self.errors(quantized, weights) {
            #expect(sum < step)
            // Rounding to the nearest value reduces the error only slightly.
            #expect(square < step * step)
        }
    }

    @Test(arguments: [ElementType.float32, .float16]) func `scales are values that can be stored`(
        _ element: ElementType
    ) {
        let numbers: [Float] = [4, 0, 1e-3, 1e-9].flatMap { [$0, -$0 / 2] }
        let scales = PalettizedWeights.scales(of: Tensor(numbers, shape: [4, 2]), storedAs: element)
        #expect(scales[0] == 1 && scales[1] == 1)
        #expect(abs(scales[2] - 2.5e-4) < 2.5e-7)
        #expect(scales[3] == 0x1p-24)
        if element == .float16 { #expect(scales.allSatisfy { float(fromHalf: half(from: $0)) == $0 }) }
    }

    @Test func `unusual weights are quantized`() {
        for weights in [Tensor([0, 0, 0, 0], shape: [2, 2]), Tensor([3], shape: [1, 1]), Tensor([], shape: [2, 0])] {
            let scales = PalettizedWeights.scales(of: weights, storedAs: .float16)
            for scales in [nil, scales] {
                let quantized = PalettizedWeights(weights, bits: 4, scales: scales)
                #expect(quantized.indices.count == weights.elementCount)
                #expect(quantized.medianError == 0)
            }
        }
    }

    // MARK: Layers

    private typealias Link = LayerLink

    @Test func `inputs of depthwise convolutions are found before elementwise layers`() {
        let links = [
            Link(kind: .other, inputs: ["image"], outputs: ["a"]),
            Link(kind: .channelwise, inputs: ["a"], outputs: ["b"]),
            Link(kind: .channelwise, inputs: ["a", "b"], outputs: ["c"]),
            Link(kind: .depthwise, inputs: ["c"], outputs: ["d"]),
            Link(kind: .other, inputs: ["d"], outputs: ["e"]),
            Link(kind: .channelwise, inputs: ["e"], outputs: ["f"]),
        ]
        #expect(LayerLink.depthwiseInputs(links) == ["a", "b", "c"])
    }

    private static func pointwise(_ inputs: Int, _ outputs: Int, uneven: Bool, bias: Bool = true) -> Convolution {
        let numbers = noise(inputs * outputs)
        let filters = Tensor(shape: [1, 1, inputs, outputs]) { out in
            for index in out.indices {
                out[index] = numbers[index] * (uneven ? Float(pow(0.8, Double(index % outputs))) : 1)
            }
        }
        return Convolution(
            filters: filters, bias: bias ? Tensor(noise(outputs), shape: [outputs]) : nil,
            window: Window(height: .init(size: 1), width: .init(size: 1)))
    }

    /// The compressed form of a model with this chain of operations.
    private func written(
        _ operations: [any Thaw.Operation], on shape: Shape = [1, 6, 6, 32], _ type: WeightType, _ form: Form
    ) throws -> (model: Model, back: Model, report: CompressionReport, kinds: [String], forms: [StoredWeights]) {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType(shape))
        for (index, operation) in operations.enumerated() {
            value = try builder.add(operation, [value], name: "layer\(index)")[0]
        }
        builder.output("output", value)
        let model = Model(graph: builder.graph)
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model." + (form == .network ? "mlmodel" : "mlpackage")).path
        let report = try model.write(
            toFile: path, weights: WeightStorage(type), target: form == .iOS18 ? .iOS18 : form == .iOS16 ? .iOS16 : nil
        ).compression
        let message = try CoreMLFile(path, ModelFormat(of: path)).message()
        let kinds =
            form == .network
            ? (message["neuralNetwork"].layers as [Message]).compactMap(\.choice) : try ProgramReader.kinds(message)
        return (
            model, try Model.load(contentsOfFile: path).model, try #require(report), kinds,
            StoredWeights.all(in: message)
        )
    }

    enum Form: CaseIterable { case network, iOS16, iOS18 }

    @Test(arguments: Form.allCases, [true, false]) func `uneven channels are scaled`(_ form: Form, _ hasBias: Bool)
        throws
    {
        let layers: [any Thaw.Operation] = [
            Self.pointwise(32, 64, uneven: true, bias: hasBias), Unary(.relu),
            Self.pointwise(64, 32, uneven: false, bias: hasBias),
        ]
        let (model, back, report, kinds, forms) = try written(layers, .palette6, form)
        #expect(report == CompressionReport(layerCount: 2))
        switch form {
        case .network: #expect(kinds.filter { $0 == "scale" }.count == 1)
        case .iOS16:
            #expect(kinds.filter { $0 == "mul" }.count == 1 && kinds.filter { $0 == "add" }.count == (hasBias ? 1 : 0))
        case .iOS18: #expect(kinds.filter { $0 == "constexpr_blockwise_shift_scale" }.count == 1)
        }
        #expect(forms.contains { $0.form == "6-bit palette" && $0.count == 2 * 32 * 64 }, "\(forms)")
        let folded = try back.graph.withFoldedArithmetic()
        let before = model.graph.nodes.compactMap { $0.operation as? Convolution }
        let after = folded.nodes.compactMap { $0.operation as? Convolution }
        #expect(after.count == 2)
        // Each channel separately: the smallest is a ten thousandth of the largest.
        let (a, b) = (before[0].filters.floats, after[0].filters.floats)
        for channel in 0..<64 {
            let indices = stride(from: channel, to: a.count, by: 64)
            let error = indices.reduce(Float(0)) { $0 + (a[$1] - b[$1]) * (a[$1] - b[$1]) }
            let energy = indices.reduce(Float(0)) { $0 + a[$1] * a[$1] }
            #expect(error < 0.005 * energy, "channel \(channel)")
        }
        if hasBias { #expect(difference(after[0].bias!, before[0].bias!) < 0.001) }
        let input = Tensor(noise(6 * 6 * 32), shape: [1, 6, 6, 32])
        #expect(try difference(back.graph.output(for: input), model.graph.evaluate([input])[0]) < 0.05)
    }

    @Test(arguments: [(1 << 16, 1024), (1 << 8, 1024), (1 << 16, 16)])
    func `a palette of long runs, which a small file can contain, has a limit`(_ count: Int, _ length: Int) throws {
        let indices = Tensor(shape: [count, 1], element: .uint8) { _ in 1 }
        let op = MILRead(
            name: "weights", kind: "constexpr_lut_to_dense",
            arguments: [
                "lut": [.operand(.constant(Tensor(shape: [1, 1, 2, length], element: .float32) { Double($0) }))],
                "vector_axis": [.operand(.constant(Tensor(integers: [1], shape: [])))],
            ], outputCount: 1)
        if count * length > ImportContext.largestConstant {
            #expect(throws: Failure.constantTooLarge([count, length])) { try op.palette(indices) }
        } else {
            let values = try op.palette(indices)
            #expect(values.shape == [count, length])
            #expect(values.floats.last == Float(2 * length - 1))
        }
    }

    @Test(arguments: [Form.network, .iOS16]) func `even channels are not scaled`(_ form: Form) throws {
        let (_, _, report, kinds, _) = try written([Self.pointwise(32, 64, uneven: false)], .palette6, form)
        #expect(report == CompressionReport(layerCount: 1))
        #expect(!kinds.contains { ["scale", "mul", "constexpr_blockwise_shift_scale"].contains($0) }, "\(kinds)")
    }

    @Test(arguments: Form.allCases, [WeightType.palette8, .palette6, .palette4, .int8])
    func `layers that feed depthwise convolutions stay int8`(_ form: Form, _ type: WeightType) throws {
        let window = Window(height: .init(size: 3), width: .init(size: 3))
        let layers: [any Thaw.Operation] = [
            Self.pointwise(32, 64, uneven: true), Unary(.relu6),
            DepthwiseConvolution(filters: Tensor(noise(9 * 64), shape: [3, 3, 64, 1]), window: window),
            Unary(.relu6), Self.pointwise(64, 32, uneven: true),
        ]
        let (_, _, report, _, forms) = try written(layers, type, form)
        let isLow = type == .palette6 || type == .palette4
        #expect(report.layerCount == 2)
        #expect(report.atEightBits == (isLow ? [.init(name: "layer0", reason: .feedsDepthwise)] : []))
        let linear = forms.first { $0.form == "8-bit linear" }?.count ?? 0
        #expect(linear == (type == .int8 ? 4096 : isLow ? 2048 : 0), "\(forms)")
    }

    @Test(arguments: Form.allCases) func `dense layers are scaled if the dialect supports it`(_ form: Form) throws {
        let matrix = Self.uneven(by: 0.8).transposed([1, 0])
        let dense = Dense(matrix: matrix, bias: Tensor(noise(Self.rows), shape: [Self.rows]))
        let (model, back, report, kinds, _) = try written([dense], on: [1, Self.length], .palette6, form)
        let reasons: [CompressionReport.Layer] =
            form == .network ? [.init(name: "layer0", reason: .unevenChannels)] : []
        #expect(report.atEightBits == reasons)
        #expect(kinds.contains("mul") == (form == .iOS16))
        let input = Tensor(noise(Self.length), shape: [1, Self.length])
        #expect(try difference(back.graph.output(for: input), model.graph.evaluate([input])[0]) < 0.02)
    }

    @Test(arguments: [Form.iOS16, .iOS18]) func `layers that share weights are each scaled`(_ form: Form) throws {
        let layer = Self.pointwise(64, 64, uneven: true)
        let (model, back, report, kinds, forms) = try written(
            [layer, Unary(.relu), layer], on: [1, 6, 6, 64], .palette6, form)
        #expect(report.layerCount == 1)
        #expect(kinds.filter { $0 == "mul" }.count == (form == .iOS16 ? 2 : 0))
        #expect(forms.first { $0.form == "6-bit palette" }?.count == 64 * 64)
        let input = Tensor(noise(6 * 6 * 64), shape: [1, 6, 6, 64])
        #expect(try difference(back.graph.output(for: input), model.graph.evaluate([input])[0]) < 0.05)
    }

    @Test(arguments: Form.allCases) func `a model without large weights is reported`(_ form: Form) throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 6, 6, 8]))
        builder.output("output", try builder.add(Self.pointwise(8, 8, uneven: false), [input], name: "small")[0])
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model." + (form == .network ? "mlmodel" : "mlpackage")).path
        let written = try Model(graph: builder.graph).write(
            toFile: path, weights: WeightStorage(.int8), target: form == .iOS18 ? .iOS18 : nil)
        #expect(written.compression == CompressionReport())
    }
}
