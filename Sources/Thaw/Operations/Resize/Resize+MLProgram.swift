extension Resize: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let isFromLeft = followsSize && wholeFactors != nil && samples(.left)
        if isFromLeft, !repeatsPixels {
            try block.require(.iOS16, "a bilinear resize of images of several sizes, without half-pixel centers,")
        }
        block.inFloats(node) { node, block in
            if let (height, width) = wholeFactors, repeatsPixels {
                return block.add(
                    "upsample_nearest_neighbor", node,
                    [
                        "x": .value(node.input), "scale_factor_height": .integer(height),
                        "scale_factor_width": .integer(width),
                    ])
            }
            if followsSize, let (height, width) = wholeFactors, samples(.edges) || samples(.corners) {
                return block.add(
                    "upsample_bilinear", node,
                    [
                        "x": .value(node.input), "scale_factor_height": .constant(Tensor([Float(height)], shape: [])),
                        "scale_factor_width": .constant(Tensor([Float(width)], shape: [])),
                        "align_corners": .bool(!samples(.edges)),
                    ])
            }
            if isFromLeft, let (height, width) = wholeFactors {
                return block.add(
                    "upsample_bilinear", node,
                    [
                        "x": .value(node.input), "scale_factor_height": .constant(Tensor([Float(height)], shape: [])),
                        "scale_factor_width": .constant(Tensor([Float(width)], shape: [])),
                        "align_corners": .bool(false), "half_pixel_centers": .bool(false),
                    ])
            }
            if let mode = Resize.programModes.prefix(3).first(where: { samples($0.grid) })?.mode {
                return block.add(
                    "resize_bilinear", node,
                    [
                        "x": .value(node.input), "target_size_height": .integer(rows.outputSize),
                        "target_size_width": .integer(columns.outputSize), "sampling_mode": .text(mode),
                    ])
            }
            var node = node
            if !rows.isIdentity {
                let weights = MILArgument.constant(rows.matrix.reshaped([1, 1, rows.outputSize, rows.inputSize]))
                guard !columns.isIdentity else {
                    return block.add("matmul", node, ["x": weights, "y": .value(node.input)])
                }
                var shape = node.input.shape
                shape[2] = rows.outputSize
                node.inputs = [
                    block.part("matmul", node, "rows", shape: shape, ["x": weights, "y": .value(node.input)])
                ]
            }
            block.add(
                "matmul", node,
                [
                    "x": .value(node.input),
                    "y": .constant(columns.matrix.reshaped([1, 1, columns.outputSize, columns.inputSize])),
                    "transpose_y": .bool(true),
                ])
        }
    }

    /// The sampling modes of ML Programs: first those that TensorFlow also has.
    static let programModes: [(mode: String, grid: SamplingGrid)] = [
        ("DEFAULT", .left), ("STRICT_ALIGN_CORNERS", .corners), ("UNALIGN_CORNERS", .edges),
        ("ALIGN_CORNERS", .cornersOrMiddle), ("OFFSET_CORNERS", .parts),
    ]
}

// MARK: Reading

extension Resize {
    static let mil = [
        MILRule("resize_bilinear") { op, reading in
            let mode = try op.text("sampling_mode", default: "DEFAULT")
            guard let grid = programModes.first(where: { $0.mode == mode })?.grid else {
                throw op.refused("the sampling mode \(mode) is unknown")
            }
            return [try read(op, try op.targetSize(), { .linear(grid, $0, $1) }, &reading)]
        },
        MILRule("resize_nearest_neighbor") { op, reading in
            [try read(op, try op.targetSize(), { .nearest(.left, $0, $1) }, &reading)]
        },
        MILRule("upsample_nearest_neighbor") { op, reading in
            [try read(op, try op.upsampledSize(), { .nearest(.left, $0, $1) }, &reading)]
        },
        MILRule("resize") { op, reading in
            let shape = try op.operand().shape
            let (sizes, count) = (try op.integers("shape"), try op.integer("resized_dims"))
            let (mode, kind) = (
                try op.text("sampling_mode", default: "DEFAULT"), try op.text("interpolation_mode", default: "LINEAR")
            )
            guard shape.rank >= 2, (1...2).contains(count), count <= sizes.count else {
                throw op.refused(
                    "\(count) axes of a tensor of shape \(shape) cannot be resized", remedy: "one or two can")
            }
            guard let grid = programModes.first(where: { $0.mode == mode })?.grid,
                kind == "LINEAR" || kind == "NEAREST_NEIGHBOR" && [.left, .corners, .edges].contains(grid)
            else { throw op.refused("the modes '\(kind)' and '\(mode)' are not supported") }
            // A size of 0 means that of the tensor.
            let own = Array(shape.suffix(2))
            let target = zip(own, own.prefix(2 - count) + sizes.suffix(count)).map { $1 == 0 ? $0 : $1 }
            let resized = try read(
                op, (target[0], target[1]), { kind == "LINEAR" ? .linear(grid, $0, $1) : .nearest(grid, $0, $1) },
                &reading)
            return [resized]
        },
        MILRule("upsample_bilinear") { op, reading in
            let isAligned = try op.bool("align_corners", default: true)
            let grid =
                isAligned ? SamplingGrid.corners : try op.bool("half_pixel_centers", default: true) ? .edges : .left
            return [try read(op, try op.upsampledSize(), { .linear(grid, $0, $1) }, &reading)]
        },
    ]

    private static func read(
        _ op: MILRead, _ size: (height: Int, width: Int), _ taps: (Int, Int) -> FilterWeights,
        _ reading: inout ImportContext
    ) throws -> Operand {
        let x = try op.operand()
        let shape = x.shape
        guard shape.rank >= 2 else { throw Failure.wrongRank(4, shape).at(op.location) }
        // All axes before the last two are alike.
        let (height, width) = (shape[shape.rank - 2], shape[shape.rank - 1])
        guard [height, width, size.height, size.width].allSatisfy((1...FilterWeights.largestSize).contains) else {
            throw op.refused("an image of shape \(shape) cannot be resized to \(size.width)×\(size.height)")
        }
        let resize = Resize(rows: taps(height, size.height), columns: taps(width, size.width))
        if shape.rank == 4 { return try reading.add(resize, x, op) }
        let image = try reading.reshaped(x, [1, shape.dropLast(2).reduce(1, *), height, width], op)
        let result = try reading.add(resize, image, op)
        return try reading.reshaped(result, Shape(shape.dropLast(2) + [size.height, size.width]), op)
    }
}

extension MILRead {
    fileprivate func targetSize() throws -> (height: Int, width: Int) {
        (try integer("target_size_height", default: 1), try integer("target_size_width", default: 1))
    }

    /// The image's size times the factors, truncated to whole pixels.
    fileprivate func upsampledSize() throws -> (height: Int, width: Int) {
        let image = Array(try operand().shape.suffix(2))
        guard image.count == 2 else { throw Failure.wrongRank(4, try operand().shape).at(location) }
        let factors = try ["scale_factor_height", "scale_factor_width"].map { try number($0, default: 1) }
        guard factors.allSatisfy({ $0 > 0 && $0 <= Float(FilterWeights.largestSize) }) else {
            throw refused("\(factors) are not valid factors for height and width")
        }
        return (Int(Float(image[0]) * factors[0]), Int(Float(image[1]) * factors[1]))
    }
}
