import Testing

@testable import Thaw

/// Windows of convolutions and pooling.
@Suite struct WindowTests {
    @Test(arguments: [(0, 3), (5, 0), (0, 0)]) func `a window without pixels is refused`(_ height: Int, _ width: Int) {
        let filters = Tensor([Float](), shape: [height, width, 3, 3])
        let window = Window(height: .init(size: height), width: .init(size: width))
        let operations: [any Thaw.Operation] = [
            Convolution(filters: filters, bias: nil, window: window),
            DepthwiseConvolution(filters: filters, bias: nil, window: window),
            TransposedConvolution(filters: filters, window: window),
            Pooling(function: .maximum, window: window),
        ]
        for operation in operations {
            let failure = #expect(throws: Failure.self, "\(operation.kind)") {
                try operation.outputTypes([TensorType([1, 8, 8, 3])])
            }
            #expect(failure?.problem == Failure.emptyWindow([height, width]).problem, "\(operation.kind)")
        }
    }

    @Test func `a window over a volume without depth is refused`() {
        let node = TensorFlowNode(
            definition: NodeDefinition(name: "node", op: "MaxPool3D", inputs: [], attributes: [:]), inputs: [])
        let axes = [0, 2, 2].map { Window.Axis(size: $0) }
        var context = ImportContext()
        let type = TensorType([1, 3, 4, 8, 8])
        let volume = Operand.edge(context.builder.input("volume", type), type)
        let pooled = #expect(throws: Failure.self) {
            try context.pooled(volume, .maximum, axes, countsPadding: false, node)
        }
        let filters = Tensor([Float](), shape: [3, 2, 0, 2, 2])
        let transposed = #expect(throws: Failure.self) {
            try context.transposedConvolution(volume, filters, nil, axes, groups: 1, node)
        }
        for failure in [pooled, transposed] {
            #expect(failure?.problem == Failure.emptyWindow([0]).problem && failure?.location == "node")
        }
    }
}
