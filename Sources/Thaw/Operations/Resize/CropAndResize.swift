/// TensorFlow's CropAndResize: crops boxes out of images and resizes them. Rows and columns of each box are weighted
/// sums of the image's. They are computed as products with matrices of linear interpolation weights, constant or
/// computed like the boxes. No CropAndResize remains in the graph.
enum CropAndResize {
    static let tensorFlow = [
        TensorFlowRule("CropAndResize", axes: .channelsLast, roles: []) { node, context in
            var images = try context.asFloats(node.input(0), name: node.name + "/floats")
            try node.requireImage(images)
            let boxes = try context.asFloats(node.input(1), name: node.name + "/boxes")
            let indices = try node.input(2)
            let size = try node.integers(3, "crop size")
            guard size.count == 2, size.allSatisfy((1...FilterWeights.largestSize).contains) else {
                throw node.refused("\(size) is not a valid image size")
            }
            guard boxes.shape.rank == 2, boxes.shape[1] == 4, indices.shape == [boxes.shape[0]] else {
                throw node.refused(
                    "image indices of shape \(indices.shape) do not match boxes of shape \(boxes.shape)")
            }
            let method = try node.string("method", default: "bilinear")
            guard method == "bilinear" || method == "nearest" else {
                throw Failure.badAttribute(node.name, node.op, "method")
            }
            try BoxSampling.checkImages(indices, of: images, node)
            if images.shape[0] > 1 {
                images = try context.add(Gather(axis: 0), [images, indices], name: node.name + "/images")[0]
            }
            var axes: [Axis] = []
            for axis in 0..<2 {
                axes.append(
                    try Axis(
                        node, boxes, axis, from: images.shape[axis + 1], to: size[axis], isNearest: method == "nearest",
                        &context))
            }
            let result = try interpolated(images, axes, node, &context)
            let value = try node.float("extrapolation_value", default: 0)
            return [value == 0 ? result : try extrapolated(result, by: value, axes, node, &context)]
        }
    ]

    /// The pixels of the boxes: boxes, height, width, channels. Pixels outside the image are 0.
    private static func interpolated(
        _ images: Operand, _ axes: [Axis], _ node: TensorFlowNode, _ context: inout ImportContext
    ) throws -> Operand {
        let (height, width, channels) = (images.shape[1], images.shape[2], images.shape[3])
        let (count, size) = (axes[0].weights.shape[0], axes.map { $0.weights.shape[1] })
        let flatRows = try context.add(
            Reshape([images.shape[0], height, width * channels]), images, name: node.name + "/lines")
        let rows = try context.product(MatrixProduct(), axes[0].weights, flatRows, name: node.name + "/rows")
        let cropped = try context.add(Reshape([count, size[0], width, channels]), rows, name: node.name + "/cut")
        let matrix = try context.add(Reshape([count, 1, size[1], width]), axes[1].weights, name: node.name + "/matrix")
        return try context.product(MatrixProduct(), matrix, cropped, name: node.name)
    }

    /// The pixels with another value than 0 outside the image.
    private static func extrapolated(
        _ pixels: Operand, by value: Float, _ axes: [Axis], _ node: TensorFlowNode, _ context: inout ImportContext
    ) throws -> Operand {
        let (count, height, width) = (pixels.shape[0], pixels.shape[1], pixels.shape[2])
        let rowsInside = try context.add(Reshape([count, height, 1, 1]), axes[0].inside, name: node.name + "/inside")
        let columnsInside = try context.add(Reshape([count, 1, width, 1]), axes[1].inside, name: node.name + "/inside")
        let inside = try context.combine(.multiply, rowsInside, columnsInside, name: node.name + "/inside")
        let number = Operand.constant(Tensor([value], shape: []))
        let filling = try context.combine(
            .subtract, number, context.combine(.multiply, inside, number, name: node.name + "/share"),
            name: node.name + "/outside")
        return try context.combine(.add, pixels, filling, name: node.name + "/sum")
    }

    /// The interpolation of the boxes' pixels along one axis.
    private struct Axis {
        /// Boxes, pixels of the box, pixels of the image.
        let weights: Operand
        /// Boxes, pixels of the box: 1 if the pixel is inside the image, otherwise 0.
        let inside: Operand

        /// - Parameter axis: 0 for height, 1 for width: the index of the boxes' start coordinate; the end coordinate
        ///   is two further.
        init(
            _ node: TensorFlowNode, _ boxes: Operand, _ axis: Int, from input: Int, to output: Int, isNearest: Bool,
            _ context: inout ImportContext
        ) throws {
            let name = node.name + (axis == 0 ? "/height" : "/width")
            let count = boxes.shape[0]
            func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
                try context.combine(function, a, b, name: "\(name)/\(function)")
            }
            func number(_ number: Float) -> Operand { .constant(Tensor([number], shape: [])) }
            func edge(_ index: Int) throws -> Operand {
                let ranges = [StridedSlice.Range(start: 0, count: count), StridedSlice.Range(start: index, count: 1)]
                return try context.add(StridedSlice(ranges: ranges), boxes, name: name + "/edge")
            }
            let (start, end) = (try edge(axis), try edge(axis + 2))
            let last = number(Float(input - 1))
            var positions: Operand
            if output > 1 {
                let length = try combine(.multiply, combine(.subtract, end, start), last)
                let step = try combine(.divide, length, number(Float(output - 1)))
                let pixels = Operand.constant(Tensor((0..<output).map(Float.init), shape: [1, output]))
                positions = try combine(.add, combine(.multiply, start, last), combine(.multiply, step, pixels))
            } else {
                positions = try combine(.multiply, combine(.multiply, combine(.add, start, end), number(0.5)), last)
            }
            let isInside = try context.add(
                Binary(.and),
                [combine(.greaterOrEqual, positions, number(0)), combine(.lessOrEqual, positions, last)],
                name: name + "/inside")[0]
            inside = try context.add(Cast(element: .float32), isInside, name: name + "/inside/number")
            if isNearest {
                positions = try context.add(
                    Unary(.floor), combine(.add, positions, number(0.5)), name: name + "/nearest")
            }
            let column = try context.add(Reshape([count, output, 1]), positions, name: name + "/positions")
            try ImportContext.checkConstant([input])
            let all = Operand.constant(Tensor((0..<input).map(Float.init), shape: [1, 1, input]))
            let distance = try context.add(Unary(.absolute), combine(.subtract, column, all), name: name + "/distance")
            let tent = try context.add(Unary(.relu), combine(.subtract, number(1), distance), name: name + "/tent")
            let mask = try context.add(Reshape([count, output, 1]), inside, name: name + "/mask")
            weights = try combine(.multiply, tent, mask)
        }
    }
}
