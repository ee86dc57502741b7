@testable import Thaw

extension EngineCase {
    /// Products of computed matrices, and attention.
    static let matrices: [EngineCase] = [
        product("with few rows", [3, 7], [7, 40]),
        product("with many rows", [2, 61, 20], [2, 20, 37]),
        product("of the first transposed", [20, 33], [20, 18], MatrixProduct(transposeFirst: true)),
        product("of the second transposed", [3, 33, 20], [3, 18, 20], MatrixProduct(transposeSecond: true)),
        product(
            "of both transposed", [2, 6, 5], [2, 9, 6], MatrixProduct(transposeFirst: true, transposeSecond: true)),
        product("of batches that broadcast", [2, 1, 40, 3], [4, 3, 17]),
        product("in several parts", [9, 4096], [4096, 40]),
        attention("of one head", [1, 50, 12], [1, 33, 12], [1, 33, 20], Attention(factor: 0.25)),
        attention("of several heads", [2, 3, 100, 16], [2, 3, 100, 16], [2, 3, 100, 16], Attention(factor: 1)),
        attention("over many keys", [1, 40, 8], [1, 1500, 8], [1, 1500, 8], Attention(factor: 0.5)),
        attention(
            "of one query over many keys", [2, 1, 8], [2, 1500, 8], [2, 1500, 5],
            Attention(factor: 0.5, mask: tensor([2, 1, 1500]))),
        attention(
            "with a mask", [4, 49, 16], [4, 49, 16], [4, 49, 16],
            Attention(factor: 0.25, mask: tensor([4, 49, 49]))),
        attention(
            "with a mask for all rows", [2, 3, 20, 8], [2, 3, 17, 8], [2, 3, 17, 8],
            Attention(factor: 0.25, mask: tensor([3, 1, 17]))),
        attention(
            "with a mask for all keys", [2, 3, 20, 8], [2, 3, 32, 8], [2, 3, 32, 8],
            Attention(factor: 0.25, mask: tensor([3, 20, 1]))),
        attention(
            "with a mask that hides keys", [2, 30, 8], [2, 33, 8], [2, 33, 8],
            Attention(factor: 0.5, mask: Tensor((0..<33).map { $0 % 3 == 0 ? -.infinity : 0 }, shape: [33]))),
        attention("over one key", [2, 20, 8], [2, 1, 8], [2, 1, 8], Attention(factor: 0.5, mask: tensor([]))),
        EngineCase("attention with a computed mask", [2, 30, 8], [2, 30, 8], [2, 30, 8], [30, 1]) { builder, values in
            try builder.add(Attention(factor: 0.5, mask: tensor([30, 30])), values, name: "attention")
        },
    ]

    private static func product(
        _ name: String, _ left: Shape, _ right: Shape, _ product: MatrixProduct = MatrixProduct()
    ) -> EngineCase {
        EngineCase("matrix product " + name, left, right) { builder, values in
            [try builder.one(product, values[0], values[1])]
        }
    }

    private static func attention(
        _ name: String, _ query: Shape, _ key: Shape, _ value: Shape, _ attention: Attention
    ) -> EngineCase {
        EngineCase("attention " + name, query, key, value) { builder, values in
            try builder.add(attention, values, name: "attention")
        }
    }
}
