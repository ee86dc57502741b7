import Foundation
import Testing

@testable import Thaw

/// Facts about operations, compared with their reference implementations.
@Suite struct OperationFactsTests {
    @Test func `every operation has a row in the table`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Thaw")
        var declared: Set<String> = []
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?m)^(?:struct|enum|final class) (\w+): (?:Engine)?Operation\b/) {
                declared.insert(String(match.1))
            }
        }
        #expect(declared.count > 30)
        #expect(declared == Set(OperationSample.all.map { "\(type(of: $0.operation))" }))
    }

    @Test(arguments: OperationSample.all) func `outputs depend on axes as their operations declare`(
        _ sample: OperationSample
    ) throws {
        for (input, tensor) in sample.tensors.enumerated() {
            for axis in tensor.shape.indices where tensor.shape[axis] > 0 {
                let use = sample.operation.use(ofAxis: axis, of: input, sample.inputs)
                for index in 0..<tensor.shape[axis] {
                    var changed = sample.tensors
                    changed[input] = tensor.changed(at: index, along: axis, within: sample.range)
                    let results = try zip(sample.operation.evaluate(sample.tensors), sample.operation.evaluate(changed))
                    for (old, new) in results {
                        let reached = use.axis.map { old.differences(from: new, along: $0) } ?? []
                        #expect(
                            reached.allSatisfy { use.mayReach($0, from: index, of: tensor.shape[axis]) },
                            "input \(input), axis \(axis): \(use), but index \(index) reaches \(reached)")
                    }
                }
            }
        }
    }

    @Test(arguments: OperationSample.all) func `operations that keep an axis declare it`(
        _ sample: OperationSample
    ) throws {
        for (input, tensor) in sample.tensors.enumerated() {
            for axis in tensor.shape.indices where tensor.shape[axis] > 1 {
                let use = sample.operation.use(ofAxis: axis, of: input, sample.inputs)
                if use == .regrouped { continue }
                let outputs = try sample.operation.evaluate(sample.tensors)
                for target in outputs[0].shape.indices where outputs[0].shape[target] == tensor.shape[axis] {
                    let isKept = try (0..<tensor.shape[axis]).allSatisfy { index in
                        var changed = sample.tensors
                        changed[input] = tensor.changed(at: index, along: axis, within: sample.range)
                        let new = try sample.operation.evaluate(changed)
                        return zip(outputs, new).allSatisfy { $0.differences(from: $1, along: target) == [index] }
                    }
                    if isKept { #expect(use.axis == target, "input \(input), axis \(axis): \(use)") }
                }
            }
        }
    }

    @Test(arguments: OperationSample.all) func `an axis that is kept is treated alike at every index`(
        _ sample: OperationSample
    ) throws {
        guard sample.inputs.count == 1 else { return }
        let tensor = sample.tensors[0]
        for axis in tensor.shape.indices {
            let use = sample.operation.use(ofAxis: axis, of: 0, sample.inputs)
            guard case .local(let target, Reach()) = use, sample.outputs[0].shape[target] == tensor.shape[axis] else {
                continue
            }
            let results = try sample.operation.evaluate([tensor.reversed(along: axis)])
            for (old, new) in try zip(sample.operation.evaluate([tensor]), results) {
                #expect(error(new.floats, old.reversed(along: target).floats) < 1e-6, "axis \(axis)")
            }
        }
    }

    @Test(arguments: OperationSample.all) func `arithmetic on channels is absorbed as in the table`(
        _ sample: OperationSample
    ) throws {
        let output = sample.outputs[0]
        let channels = output.shape.last ?? 0
        let arithmetic = ChannelArithmetic(
            scale: (0..<channels).map { 0.5 + Double($0) }, offset: (0..<channels).map { 1 - Double($0) })
        let followed = channels > 0 ? sample.operation.followed(by: arithmetic) : nil
        #expect((followed != nil) == sample.absorbs.contains(.arithmetic))
        guard let followed else { return }
        let expected = try BatchNormalization(arithmetic).evaluate(sample.operation.evaluate(sample.tensors))[0]
        #expect(try followed.outputTypes(sample.inputs) == [output])
        #expect(try error(followed.evaluate(sample.tensors)[0].floats, expected.floats) < 1e-5)
    }

    @Test(arguments: OperationSample.all) func `borders are absorbed as in the table`(_ sample: OperationSample)
        throws
    {
        let border = try #require(Pad(before: [0, 1, 0, 0], after: [0, 2, 3, 0]).border)
        let padded = sample.operation.padded(by: border)
        #expect((padded != nil) == sample.absorbs.contains(.border))
        guard let padded else { return }
        let image = Pad(before: [0, 1, 0, 0], after: [0, 2, 3, 0]).evaluate(sample.tensors)
        let expected = try sample.operation.evaluate(image)[0]
        let result = try padded.evaluate(sample.tensors)[0]
        #expect(result.type == expected.type)
        #expect(error(result.floats, expected.floats) < 1e-5)
    }

    @Test(arguments: OperationSample.all) func `operations' facts about their values are true`(
        _ sample: OperationSample
    ) throws {
        let (operation, inputs) = (sample.operation, sample.tensors)
        let results = try operation.evaluate(inputs)
        #expect(!operation.isIdentity(sample.inputs) || results == [inputs[0]])
        if operation.keepsElements { #expect(results[0].floats.sorted() == inputs[0].floats.sorted()) }
        for inputs in [inputs, sample.positiveTensors] {
            guard let range = operation.range(inputs: inputs.count, { inputs[$0].bounds }) else { continue }
            for bounds in try operation.evaluate(inputs).map(\.bounds) {
                #expect(range.contains(bounds.lowerBound) && range.contains(bounds.upperBound))
            }
        }
        if let bound = operation.bound {
            #expect(results[0].floats == inputs[0].floats.map { min(max($0, bound.low), bound.high) })
        }
        if let function = operation.scalarFunction(), operation.broadcasts,
            inputs.allSatisfy({ $0.shape == inputs[0].shape })
        {
            let expected = inputs[0].floats.indices.map { i in Float(function(inputs.map { Double($0.floats[i]) })) }
            #expect(error(results[0].floats, expected) < 1e-6)
        }
        if let type = sample.inputs.first, let arithmetic = ChannelArithmetic(operation, on: type) {
            #expect(error(BatchNormalization(arithmetic).evaluate(inputs)[0].floats, results[0].floats) < 1e-5)
        }
        #expect(!operation.caption(sample.inputs, sample.outputs).title.isEmpty)
    }
}

extension AxisUse {
    /// The axis of the output whose indices follow from those of the input.
    fileprivate var axis: Int? {
        switch self {
        case .local(let axis, _), .weighted(let axis), .reversed(let axis): axis
        case .regrouped, .rearranged, .combined: nil
        }
    }

    /// Whether an output index may depend on an input index.
    fileprivate func mayReach(_ output: Int, from input: Int, of size: Int) -> Bool {
        switch self {
        case .local(_, let reach):
            let start = Double(output) * reach.step.value
            return (start + reach.first - 1e-6...start + reach.last + 1e-6).contains(Double(input))
        case .weighted: return output == input
        case .reversed, .regrouped, .rearranged, .combined: return true
        }
    }
}

extension Tensor {
    fileprivate var bounds: ClosedRange<Double> { Double(floats.min() ?? 0)...Double(floats.max() ?? 0) }

    private func position(_ element: Int, along axis: Int) -> Int { element / shape.strides[axis] % shape[axis] }

    /// The tensor with other values at one index along an axis.
    fileprivate func changed(at index: Int, along axis: Int, within range: Range<Int>?) -> Tensor {
        let old = floats
        return Tensor(shape: shape, element: element) { i in
            guard position(i, along: axis) == index else { return Double(old[i]) }
            guard let range else { return Double(old[i]) + 0.6 }
            return Double((Int(old[i]) - range.lowerBound + 1) % range.count + range.lowerBound)
        }
    }

    /// The indices along an axis at which two tensors differ.
    fileprivate func differences(from other: Tensor, along axis: Int) -> [Int] {
        let (a, b) = (floats, other.floats)
        return Set(a.indices.filter { a[$0] != b[$0] }.map { position($0, along: axis) }).sorted()
    }

    fileprivate func reversed(along axis: Int) -> Tensor {
        StridedSlice.reversing([axis], of: shape).evaluate([self])[0]
    }
}
