@testable import Thaw

extension EngineCase {
    static let tensors: [EngineCase] = {
        let range = { @Sendable (start: Int, count: Int, step: Int) in
            StridedSlice.Range(start: start, count: count, step: step)
        }
        var cases = [
            single("transpose of a matrix", [37, 50], Transpose([1, 0])),
            single("transpose of an image", [2, 5, 6, 7], Transpose([0, 3, 1, 2])),
            single("transpose that moves little", [3, 1, 5, 1, 2], Transpose([1, 0, 3, 2, 4])),
            single(
                "slice", [2, 6, 7, 5],
                StridedSlice(ranges: [range(0, 2, 1), range(1, 3, 2), range(6, 4, -2), range(2, 3, 1)])),
            single("repeated", [2, 3, 4], Tile(multiples: [2, 1, 3])),
            single("repeated along axes of one element", [3, 1, 4], BroadcastTo(shape: [2, 3, 5, 4])),
            single("border of a half", [2, 3, 4], Pad(before: [1, 0, 2], after: [0, 1, 1], value: 0.5)),
            single("border of an image of rows", [1, 3, 4, 5], Pad(before: [0, 1, 2, 0], after: [0, 2, 1, 0])),
            single(
                "a border wider than the halo", [1, 2, 3, 4],
                Pad(before: [0, 300, 0, 0], after: [0, 0, 1, 0])),
            single("mean over the first axis", [5, 33], Reduction(function: .mean, axes: [0], keepsAxes: false)),
            single(
                "sum over separate axes", [3, 4, 5, 6], Reduction(function: .sum, axes: [0, 2], keepsAxes: true)),
            single("smallest of all", [3, 40], Reduction(function: .minimum, axes: [0, 1], keepsAxes: false)),
            single("product over rows", [3, 5], Reduction(function: .product, axes: [1], keepsAxes: false)),
            single(
                "maximum over the image", [2, 3, 4, 20], Reduction(function: .maximum, axes: [1, 2], keepsAxes: false)),
            single("logarithms of probabilities", [3, 100], Softmax(axis: 1, isLogarithmic: true)),
            single("logarithms of probabilities along rows", [4, 6], Softmax(axis: 0, isLogarithmic: true)),
            single("a value for each row", [4, 7], Binary(.subtract, constant: tensor([4, 1]), constantFirst: true)),
            single("a value for each position", [2, 3, 4, 5], Binary(.multiply, constant: tensor([3, 4, 5]))),
            EngineCase("a slice per output", [2, 3, 7]) { builder, values in
                try builder.add(Split(axis: 2, sizes: [2, 1, 4]), values, name: "split")
            },
            EngineCase("slices along the first axis", [5, 6]) { builder, values in
                let parts = try builder.add(Split(axis: 0, sizes: [2, 3]), values, name: "split")
                return [try builder.one(Unary(.relu), parts[1]), parts[0]]
            },
            EngineCase("a column and a row broadcast", [5, 1], [1, 40]) { builder, values in
                [try builder.one(Binary(.subtract), values[0], values[1])]
            },
            EngineCase("a scalar as the first operand", [1], [3, 20]) { builder, values in
                [try builder.one(Binary(.subtract), values[0], values[1])]
            },
            EngineCase("a batch of images with separate factors", [2, 4, 5, 16]) { builder, values in
                let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 20), values[0])
                let mean = try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), image)
                let share = try builder.one(Unary(.sigmoid), mean)
                let squeezed = try builder.one(Binary(.multiply), share, image)
                return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 8), squeezed)]
            },
        ]
        for channels in [32, 40] {
            cases.append(
                EngineCase("slices of blocks of \(channels) channels", [2, 8, 9, 3]) { builder, values in
                    let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, channels), values[0])
                    let cut = try builder.one(
                        StridedSlice(ranges: [
                            range(0, 2, 1), range(1, 7, 1), range(8, 4, -2), range(16, channels - 16, 1),
                        ]), image)
                    let some = try builder.one(
                        StridedSlice(ranges: [range(1, 1, 1), range(0, 8, 1), range(0, 9, 1), range(3, 7, 1)]), image)
                    return [
                        try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), channels - 16, 8), cut),
                        try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 7, 8), some),
                    ]
                })
            cases.append(
                EngineCase("split blocks of \(channels) channels", [1, 4, 5, 3]) { builder, values in
                    let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, channels), values[0])
                    let parts = try builder.add(Split(axis: 3, sizes: [16, channels - 16]), [image], name: "split")
                    return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 8), parts[0]), parts[1]]
                })
        }
        return cases
    }()
}
