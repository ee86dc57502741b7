extension Resize: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        if followsSize, wholeFactors != nil, samples(.left), !repeatsPixels {
            try block.require(.iOS16, "a bilinear resize of images of several sizes, without half-pixel centers,")
        }
        block.inFloats(node) { node, block in
            if let (kind, arguments) = resampling {
                block.add(kind, node.outputs, [("x", .value(node.input))] + arguments)
            } else {
                writeProducts(node, to: &block)
            }
        }
    }

    /// The operation that resizes, with its arguments after the image; nil if there is none.
    private var resampling: (kind: String, arguments: [(String, MILArgument)])? {
        if let (height, width) = wholeFactors {
            if repeatsPixels {
                return (
                    "upsample_nearest_neighbor",
                    [("scale_factor_height", .integer(height)), ("scale_factor_width", .integer(width))]
                )
            }
            let factors: [(String, MILArgument)] = [
                ("scale_factor_height", .number(Float(height))), ("scale_factor_width", .number(Float(width))),
            ]
            if followsSize, samples(.edges) || samples(.corners) {
                return ("upsample_bilinear", factors + [("align_corners", .bool(!samples(.edges)))])
            }
            if followsSize, samples(.left) {
                return (
                    "upsample_bilinear",
                    factors + [("align_corners", .bool(false)), ("half_pixel_centers", .bool(false))]
                )
            }
        }
        guard let mode = Resize.programModes.prefix(3).first(where: { samples($0.grid) })?.mode else { return nil }
        return (
            "resize_bilinear",
            [
                ("target_size_height", .integer(rows.outputSize)), ("target_size_width", .integer(columns.outputSize)),
                ("sampling_mode", .text(mode)),
            ]
        )
    }

    private func writeProducts(_ node: MILNode, to block: inout MILBlock) {
        var image = node.input
        let products = self.products
        for (axis, matrix) in products {
            var result = node.output
            if axis != products.last!.axis {
                var shape = image.shape
                shape[axis] = matrix.shape[2]
                result = MILValue(
                    name: block.unique(node.output.name + "_rows"), type: TensorType(shape, node.output.element))
            }
            block.add(
                "matmul", [result],
                axis == 2
                    ? [("x", .constant(matrix)), ("y", .value(image))]
                    : [("x", .value(image)), ("y", .constant(matrix)), ("transpose_y", .bool(true))])
            image = result
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
            // coremltools writes TensorFlow's resize with half-pixel centers as this operation, and that without as the next
            // one.
            [try read(op, try op.targetSize(), { .nearest(.edges, $0, $1) }, &reading)]
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
                    "\(count) axes of a tensor of shape \(shape) cannot be resized", remedy: "expected one or two")
            }
            guard let grid = programModes.first(where: { $0.mode == mode })?.grid,
                kind == "LINEAR" || kind == "NEAREST_NEIGHBOR" && [.left, .corners, .edges].contains(grid)
            else { throw op.refused("the modes '\(kind)' and '\(mode)' are not supported") }
            // A size of 0 means that of the tensor.
            let current = Array(shape.suffix(2))
            let target = zip(current, current.prefix(2 - count) + sizes.suffix(count)).map { $1 == 0 ? $0 : $1 }
            let nearestGrid = grid == .left ? SamplingGrid.edges : grid
            let resized = try read(
                op, (target[0], target[1]),
                { kind == "LINEAR" ? .linear(grid, $0, $1) : .nearest(nearestGrid, $0, $1) }, &reading)
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
        guard shape.rank >= 2 else { throw Failure.tooFewAxes(2, shape).at(op.location) }
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
        guard image.count == 2 else { throw Failure.tooFewAxes(2, try operand().shape).at(location) }
        let factors = try ["scale_factor_height", "scale_factor_width"].map { try number($0, default: 1) }
        guard factors.allSatisfy({ $0 > 0 && $0 <= Float(FilterWeights.largestSize) }) else {
            throw refused("\(factors) are not valid factors for height and width")
        }
        return (Int(Float(image[0]) * factors[0]), Int(Float(image[1]) * factors[1]))
    }
}
