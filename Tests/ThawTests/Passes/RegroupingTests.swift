import Testing

@testable import Thaw

private let regroupingCases: [RecognitionCase] = [
    RecognitionCase("rows of pixels", becomes: "Normalization") {
        let rows = try $0.one(Reshape([1, 20, 6, 1]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [0, 2, 3], epsilon: 1e-3), rows))
    },
    RecognitionCase("a whole image as one channel", becomes: "Normalization") {
        let tall = try $0.one(Reshape([1, 1, 24, 5]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [2, 3], epsilon: 1e-3), tall))
    },
    RecognitionCase("groups of channels stay", becomes: "Reshape", "Normalization", "Reshape") {
        let groups = try $0.one(Reshape([1, 4, 5, 2, 3]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [1, 2, 4], epsilon: 1e-3), groups))
    },
    RecognitionCase("rows that are not rows of the tensor stay", becomes: "Reshape", "Normalization", "Reshape") {
        let rows = try $0.one(Reshape([1, 12, 10, 1]), $1)
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(Normalization(axes: [2], epsilon: 1e-3), rows))
    },
    RecognitionCase("another shape after it stays", becomes: "Reshape", "Normalization", "Reshape") {
        let rows = try $0.one(Reshape([1, 20, 6, 1]), $1)
        return try $0.one(Reshape([20, 6]), $0.one(Normalization(axes: [0, 2, 3], epsilon: 1e-3), rows))
    },
    RecognitionCase("a dense layer on pixels", becomes: "Convolution") {
        let dense = Dense(matrix: tensor([6, 3]), bias: tensor([1, 3], seed: 2))
        return try $0.one(Reshape([1, 4, 5, 3]), $0.one(dense, $0.one(Reshape([20, 6]), $1)))
    },
    RecognitionCase("a dense layer on rows of pixels stays", becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([30, 30]))
        return try $0.one(Reshape([1, 4, 5, 6]), $0.one(dense, $0.one(Reshape([4, 30]), $1)))
    },
    RecognitionCase("a dense layer on pixels in another order stays", becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([6, 3]))
        return try $0.one(Reshape([1, 5, 4, 3]), $0.one(dense, $0.one(Reshape([20, 6]), $1)))
    },
    RecognitionCase("a dense layer on a single pixel stays", [1, 1, 1, 6], becomes: "Reshape", "Dense", "Reshape") {
        let dense = Dense(matrix: tensor([6, 3]))
        return try $0.one(Reshape([1, 1, 1, 3]), $0.one(dense, $0.one(Reshape([1, 6]), $1)))
    },
]

@Suite struct RegroupingTests {
    @Test(arguments: regroupingCases) private func `an operation on rows needs no reshapes`(_ c: RecognitionCase) throws
    {
        try c.check { $0.withoutRegrouping() }
    }
}
