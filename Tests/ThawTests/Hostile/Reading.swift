@testable import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The outcome of reading a damaged file.
enum Reading {
    /// It is refused.
    case refused(Failure)
    /// It is read, and everything that can be computed from it agrees.
    case accepted
    /// It is read, but something about it is wrong.
    case wrong(String)
}

/// Reads files that may be damaged in any way, and runs the models in them if possible.
enum HostileReader: String, CaseIterable {
    case graph, savedModel, checkpoint, neuralNetwork, program, pipeline, labels, truth, numPy, image

    /// - Throws: Never a `Failure`.
    func read(_ path: String) -> Reading {
        do {
            switch self {
            case .graph, .savedModel, .checkpoint:
                var options = Converter.Options()
                options.openSize = ImageSize(width: 16, height: 16)
                return try Self.compared(Converter(options).convert(contentsOfFile: path))
            case .neuralNetwork, .program: return try Self.compared(Model.load(contentsOfFile: path))
            case .pipeline: return try Self.evaluated(Pipeline(contentsOfFile: path))
            case .labels: _ = try Labels(contentsOfFile: path)
            case .truth:
                var model = Model(graph: Graph())
                model.classifier = ClassifierConfiguration(
                    labels: ["cat", "dog", "bird"], predictedFeature: "label", probabilities: "scores")
                _ = try GroundTruth(contentsOfFile: path, for: model)
            case .numPy: _ = try Tensor(contentsOfNumPyFile: path)
            case .image:
                for options in [DecodingOptions(), DecodingOptions(background: .white, isStrict: true)] {
                    let pixels = try Pixels(contentsOfFile: path, options: options)
                    guard pixels.bytes.count == pixels.width * pixels.height * pixels.channels else {
                        return .wrong("\(pixels.bytes.count) bytes of pixels")
                    }
                }
            }
            return .accepted
        } catch let failure as Failure {
            return Self.problem(failure).map { .wrong($0) } ?? .refused(failure)
        } catch { return .wrong("another error: \(error)") }
    }

    /// The problem with a message, if any.
    private static func problem(_ failure: Failure) -> String? {
        let text = failure.description
        if failure.file == nil { return "no file is named: \(text)" }
        if text.utf8.count > 20_000 { return "a message of \(text.utf8.count) bytes" }
        return nil
    }

    // MARK: Engine and reference

    /// Values of a run are not compared beyond this, because differences of large values have large errors.
    private static let largest: Float = 1e4
    /// Larger networks are compiled but not run: the reference takes long.
    private static let work = 4_000_000

    /// Runs a model on the engine and by the reference.
    private static func compared(_ conversion: Conversion) throws -> Reading {
        let graph = conversion.model.graph
        let program: Program
        // A model that is too large to run is refused without a file: the caller names it.
        do { program = try Program(graph) } catch let failure as Failure where failure.code == .limitExceeded {
            return .accepted
        }
        let work = graph.types.reduce(graph.multiplyAdds) {
            $0.addingReportingOverflow($1.shape.elementCount).partialValue
        }
        // The work is that of one iteration of each loop, which may take hundreds.
        let most = graph.nodes.contains { $0.operation is Loop } ? Self.work / 1000 : Self.work
        guard 0..<most ~= work else { return .accepted }
        let inputs = graph.inputs.enumerated().map { noise(graph[$1.value], seed: $0) }
        // The product of padding and an infinite weight is NaN or nothing, which depends on the library in TensorFlow too.
        var isOrdinary = graph.nodes.flatMap(\.operation.weights).allSatisfy { weights in
            !weights.element.isFloatingPoint || weights.floats.allSatisfy(\.isFinite)
        }
        let expected: [Tensor]
        do {
            expected = try graph.evaluate(inputs) { _, tensors in
                for tensor in tensors where tensor.element.isFloatingPoint {
                    isOrdinary = isOrdinary && tensor.floats.allSatisfy { abs($0) < largest }
                }
            }
        } catch let failure as Failure where failure.code == .limitExceeded {
            // A loop does not end. Only a run can tell, so this failure has no file either.
            return (try? program.run(inputs)) == nil ? .accepted : .wrong("the loop ends only in the engine")
        }
        let actual = try program.run(inputs)
        guard actual.count == expected.count else { return .wrong("\(actual.count) outputs, not \(expected.count)") }
        for (index, (actual, expected)) in zip(actual, expected).enumerated() {
            guard actual.shape == expected.shape else {
                return .wrong("output \(index) is \(actual.shape), not \(expected.shape)")
            }
            guard isOrdinary else { continue }
            for (a, b) in zip(actual.floats, expected.floats) where !(a == b || (a.isNaN && b.isNaN)) {
                // 16-bit weights and long sums.
                guard abs(a - b) <= 2e-3 * max(1, abs(b)) else { return .wrong("output \(index) is \(a), not \(b)") }
            }
        }
        return .accepted
    }

    private static func noise(_ type: TensorType, seed: Int) -> Tensor {
        var state = UInt64(seed) &+ 0x9E37_79B9_7F4A_7C15
        let values = (0..<type.shape.elementCount).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 24)
        }
        let tensor = Tensor(values, shape: type.shape)
        return type.element == .float32 ? tensor : Cast(element: type.element).evaluate([tensor])[0]
    }

    private static func evaluated(_ pipeline: Pipeline) throws -> Reading {
        var values: [String: FeatureValue] = [:]
        for input in pipeline.inputs {
            switch input.type {
            case .integer: values[input.name] = .integer(1)
            case .number: values[input.name] = .number(0.5)
            case .string: values[input.name] = .string("a")
            case .multiArray(let shape?):
                guard let count = Shape(shape).checkedCount, count < 1 << 20 else { return .accepted }
                values[input.name] = .multiArray((0..<count).map { Double($0 % 7) / 7 }, shape: shape)
            default: return .accepted
            }
        }
        // An input that does not fit is refused without a file.
        do { _ = try pipeline.run(values) } catch is Failure {}
        return .accepted
    }
}
