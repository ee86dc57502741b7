import Foundation
import Testing

@testable import Thaw

/// A sequence of operations on a tensor.
enum Rearranging: Sendable, CustomTestStringConvertible {
    case transposed([Int])
    case reshaped(Shape)

    var testDescription: String {
        switch self {
        case .transposed(let order): "axes \(order)"
        case .reshaped(let shape): "shape \(shape)"
        }
    }
}

struct RearrangingCase: Sendable, CustomTestStringConvertible {
    let shape: Shape
    let steps: [Rearranging]

    init(_ shape: Shape, _ steps: Rearranging...) { self.init(shape, steps) }

    init(_ shape: Shape, _ steps: [Rearranging]) { (self.shape, self.steps) = (shape, steps) }

    var testDescription: String { "\(shape): " + steps.map(\.testDescription).joined(separator: ", ") }

    static let all = [
        RearrangingCase([2, 3], .transposed([1, 0])),
        RearrangingCase([2, 3], .transposed([1, 0]), .transposed([1, 0])),
        RearrangingCase([7, 5, 3, 2], .transposed([2, 3, 1, 0])),
        RearrangingCase([40, 1, 3, 3], .transposed([2, 3, 0, 1]), .reshaped([3, 3, 40, 1])),
        RearrangingCase([4, 1, 5], .transposed([1, 2, 0])),
        RearrangingCase([0, 3], .transposed([1, 0])),
        RearrangingCase([], .transposed([])),
        // The rows of a matrix after a flatten: its axes are split, permuted and merged again.
        RearrangingCase(
            [6, 24], .transposed([1, 0]), .reshaped([2, 3, 4, 6]), .transposed([1, 2, 0, 3]), .reshaped([24, 6])),
        RearrangingCase(
            [6, 24], .transposed([1, 0]), .reshaped([2, 3, 4, 6]), .transposed([1, 2, 0, 3]),
            .reshaped([24, 6]), .transposed([1, 0])),
        RearrangingCase([4, 6], .transposed([1, 0]), .reshaped([3, 8]), .transposed([1, 0])),
        RearrangingCase([4, 9], .transposed([1, 0]), .reshaped([6, 6]), .transposed([1, 0])),
        RearrangingCase([33, 70], .transposed([1, 0]), .reshaped([2310]), .reshaped([30, 77]), .transposed([1, 0])),
    ]

    /// The resulting tensor, and its values by definition.
    func carriedOut(_ element: ElementType) -> (tensor: Tensor, expected: [Double]) {
        var tensor = Tensor(shape: shape, element: element) { Double($0 % 97) }
        var numbers = (0..<shape.elementCount).map { Double($0 % 97) }
        for step in steps {
            switch step {
            case .reshaped(let shape): tensor = tensor.reshaped(shape)
            case .transposed(let order):
                let (strides, target) = (tensor.shape.strides, tensor.shape.permuted(order))
                numbers = (0..<target.elementCount).map { index in
                    let source = order.indices.reduce(0) { sum, axis in
                        sum + index / target.strides[axis] % target[axis] * strides[order[axis]]
                    }
                    return numbers[source]
                }
                tensor = tensor.transposed(order)
            }
        }
        return (tensor, numbers)
    }
}

struct TransposedTensorTests {
    @Test(
        arguments: RearrangingCase.all,
        [ElementType.float32, .float16, .uint8, .int64])
    func `a transposed tensor has its values at the right indices`(_ c: RearrangingCase, _ element: ElementType) {
        let (tensor, expected) = c.carriedOut(element)
        tensor.withElements { elements in #expect(expected.indices.map { elements[$0] } == expected) }
        #expect(tensor.floats.map { Double($0) } == expected)
    }

    @Test(arguments: RearrangingCase.all)
    func `a transposed tensor is written in pieces as in one, before and after it has been read`(
        _ c: RearrangingCase
    ) throws {
        let (tensor, expected) = c.carriedOut(.float32)
        let backwards = Array(tensor.shape.indices.reversed())
        let turned = RearrangingCase(c.shape, c.steps + [.transposed(backwards)]).carriedOut(.float32).expected
        for _ in 0..<2 {
            #expect(written(tensor.pending(as: .float32)) == expected)
            #expect(written(tensor.pending(backwards, as: .float32)) == turned)
            #expect(tensor.floats.map { Double($0) } == expected)
        }
    }

    @Test func `concurrent reads give the same values`() {
        let (tensor, expected) = RearrangingCase([64, 3, 5, 7], .transposed([2, 3, 1, 0])).carriedOut(.float32)
        let workers = Workers(4)
        withUnsafePointer(to: (tensor, expected)) { context in
            workers.run(chunks: 32, context: context) { context, _, _ in
                let (tensor, expected) = context.assumingMemoryBound(to: (Tensor, [Double]).self).pointee
                if tensor.floats.map({ Double($0) }) != expected { Issue.record("they differ") }
            }
        }
    }

    @Test(arguments: [[2, 1, 0], [2, 0, 1], [0, 1, 2]])
    func `weights of a mapped file are packed in either order of outputs`(order: [Int]) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "weights").path
        let numbers = noise(30 * 40 * 50)
        try numbers.withUnsafeBytes { Data($0) }.write(to: URL(filePath: path))
        let file = try MappedFile(path: path)
        let weights = Tensor(
            shape: [30, 40, 50], element: .float32, storage: Tensor.Storage(viewing: file.bytes, of: file)
        ).transposed(order)
        let matrix = weights.reshaped([weights.shape[0], weights.elementCount / weights.shape[0]])
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([1, matrix.shape[0]]))
        builder.output("y", try builder.one(Dense(matrix: matrix), x))
        let input = tensor([1, matrix.shape[0]], seed: 3)
        let expected = try builder.graph.evaluate([input])[0]
        for set in InstructionSet.availableForFloats {
            let output = try Program(builder.graph, instructionSet: set, threads: 2).run([input])[0]
            #expect(error(output.floats, expected.floats) < 1e-5, "\(set)")
        }
    }

    private func written(_ pending: PendingBytes) -> [Double] {
        var numbers: [Double] = []
        try! pending.write { bytes in
            for index in stride(from: 0, to: bytes.count, by: 4) {
                numbers.append(Double(bytes.loadUnaligned(fromByteOffset: index, as: Float.self)))
            }
        }
        return numbers
    }
}
