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
    fileprivate static let programModes: [(mode: String, grid: SamplingGrid)] = [
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
        let image = try op.image()
        let sizes = [image.shape[2], image.shape[3], size.height, size.width]
        guard sizes.allSatisfy((1...FilterWeights.largestSize).contains) else {
            throw op.refused("an image of shape \(image.shape) cannot be resized to \(size.width)×\(size.height)")
        }
        let resize = Resize(rows: taps(image.shape[2], size.height), columns: taps(image.shape[3], size.width))
        return try reading.add(resize, image, op)
    }
}

extension MILRead {
    fileprivate func targetSize() throws -> (height: Int, width: Int) {
        (try integer("target_size_height", default: 1), try integer("target_size_width", default: 1))
    }

    /// The image's size times the factors, truncated to whole pixels.
    fileprivate func upsampledSize() throws -> (height: Int, width: Int) {
        let image = try image().shape
        let factors = try ["scale_factor_height", "scale_factor_width"].map { try number($0, default: 1) }
        guard factors.allSatisfy({ $0 > 0 && $0 <= Float(FilterWeights.largestSize) }) else {
            throw refused("\(factors) are not valid factors for height and width")
        }
        return (Int(Float(image[2]) * factors[0]), Int(Float(image[3]) * factors[1]))
    }
}
