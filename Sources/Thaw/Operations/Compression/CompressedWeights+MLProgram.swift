/// Weights that an ML Program stores compressed: operations without inputs, computed once when the program is loaded.
extension MILBlock {
    /// Adds the operations whose result is weights of this shape, under a unique name.
    mutating func addCompressed(_ weights: CompressedWeights, _ shape: Shape, as name: String) {
        version = max(version, .iOS16)
        let type = TensorType(shape, float)
        switch weights {
        case .linear(let linear):
            let rows = linear.scales.count
            let data = Tensor(bytes: linear.quantized, shape: shape)
            let zeros = Tensor(bytes: linear.zeros, shape: [rows])
            addConstantExpression(
                "constexpr_affine_dequantize", name, type,
                [
                    ("axis", .immediate(Tensor(integers: [0], shape: []))),
                    ("quantized_data", inFile(data, .uint8, TensorType(shape, .uint8).message)),
                    ("scale", number(Tensor(linear.scales, shape: [rows]))),
                    ("zero_point", inFile(zeros, .uint8, TensorType([rows], .uint8).message)),
                ])
        case .palette(let palette) where version >= .iOS18:
            guard let scales = palette.scales else { return addPalette(palette, name, type) }
            let unscaled = unique(name + "_unscaled")
            addPalette(palette, unscaled, type)
            let scaleShape = Shape([scales.count] + shape.dropFirst().map { _ in 1 })
            addConstantExpression(
                "constexpr_blockwise_shift_scale", name, type, [("scale", number(Tensor(scales, shape: scaleShape)))],
                bound: true, reading: ("data", unscaled))
        case .palette(let palette): addPackedPalette(palette, name, type)
        }
    }

    /// Adds weights as signed 8-bit integers, if they are multiples of a scale in each output channel, and the program can
    /// store these scales exactly.
    /// - Parameter order: The order of the axes, the output channels first.
    /// - Returns: Their name, or nil if they are not.
    mutating func quantizedWeights(_ tensor: Tensor, _ name: String, _ order: [Int]) -> String? {
        guard order.first == tensor.shape.rank - 1, let rows = tensor.shape.last,
            let weights = SymmetricWeights(of: tensor, channels: rows),
            float == .float32 || weights.scales.allSatisfy(\.isHalf)
        else { return nil }
        version = max(version, .iOS16)
        let result = unique(name)
        let type = TensorType(tensor.shape.permuted(order), .int8)
        let zeros = Tensor(shape: [rows], element: .int8) { _ in 0 }
        addConstantExpression(
            "constexpr_affine_dequantize", result, TensorType(type.shape, float),
            [
                ("axis", .immediate(Tensor(integers: [0], shape: []))),
                ("quantized_data", inFile(weights.tensor(tensor.shape).transposed(order), .int8, type.message)),
                ("scale", number(Tensor(weights.scales, shape: [rows]))),
                ("zero_point", inFile(zeros, .int8, TensorType([rows], .int8).message)),
            ])
        return result
    }

    /// Adds indices with a single palette, as before iOS 18.
    private mutating func addPackedPalette(_ palette: PalettizedWeights, _ name: String, _ type: TensorType) {
        let bytes = packed(palette.indices, bits: palette.bits, .lowestFirst)
        let data = Tensor(bytes: bytes, shape: [bytes.count])
        let shape = type.shape
        addConstantExpression(
            "constexpr_lut_to_dense", name, type,
            [
                ("indices", inFile(data, .uint8, TensorType([bytes.count], .uint8).message)),
                ("lut", number(Tensor(palette.entries, shape: [palette.entries.count]))),
                ("shape", .immediate(Tensor(integers: shape.dimensions, shape: [shape.rank], element: .uint32))),
            ])
    }

    /// Adds indices with a palette for each group of rows.
    private mutating func addPalette(_ palette: PalettizedWeights, _ name: String, _ type: TensorType) {
        let kinds: [Int: (ProgramWeights.Kind, String)] = [
            8: (.uint8, "UINT8"), 6: (.uint6, "UINT6"), 4: (.uint4, "UINT4"),
        ]
        let (kind, elementName) = kinds[palette.bits]!
        let bytes = packed(palette.indices, bits: palette.bits, .lowestFirst)
        let data = Tensor(bytes: bytes, shape: [bytes.count])
        var indices = TensorType(type.shape, .uint8).message
        indices.tensorType.dataType = elementName
        let paletteShape = Shape([palette.groups] + type.shape.dropFirst().map { _ in 1 } + [1 << palette.bits, 1])
        addConstantExpression(
            "constexpr_lut_to_dense", name, type,
            [
                ("indices", inFile(data, kind, indices, elements: type.shape.elementCount)),
                ("lut", number(Tensor(palette.entries, shape: paletteShape))),
            ], bound: true)
    }

    /// A constant with floating-point values; it is in the file if it is large.
    private mutating func number(_ tensor: Tensor) -> Message {
        let type = TensorType(tensor.shape, float)
        return tensor.elementCount < MILBlock.minimumElementsInFile
            ? .immediate(tensor.converted(to: float))
            : inFile(tensor, float == .float16 ? .float16 : .float32, type.message)
    }
}

extension Tensor {
    init(bytes: [UInt8], shape: Shape) {
        let storage = Storage(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        self.init(shape: shape, element: .uint8, storage: storage)
    }
}

extension TensorType {
    fileprivate var message: Message { .tensorType(self) }
}

// MARK: Reading

extension CompressedWeights {
    static let mil = [
        MILRule("constexpr_affine_dequantize") { op, _ in
            let data = try op.constant("quantized_data")
            let axis = try op.axis(.constant(data))
            let scale = try op.along(axis, "scale", of: data)
            let zero = try op.along(axis, "zero_point", of: data)
            return [.constant(try op.dequantized(data, scale, zero))]
        },
        MILRule("constexpr_blockwise_shift_scale") { op, _ in
            let data = try op.constant("data")
            let offset = try op.has("offset") ? op.constant("offset") : nil
            return [.constant(try op.dequantized(data, op.constant("scale"), offset))]
        },
        MILRule("constexpr_lut_to_dense") { op, _ in
            guard op.has("shape") else { return [.constant(try op.palette(op.constant("indices")))] }
            return [.constant(try packedPalette(op))]
        },
        MILRule("constexpr_cast") { op, _ in [.constant(try op.constant("source_val"))] },
    ]

    /// One palette for all values, with packed indices: as before iOS 18.
    private static func packedPalette(_ op: MILRead) throws -> Tensor {
        let numbers = try op.constant("lut").floats
        let indices = try op.constant("indices")
        let shape = Shape(try op.integers("shape"))
        let bits = numbers.count.trailingZeroBitCount
        guard let count = shape.declaredCount, numbers.count == 1 << bits, (1...8).contains(bits),
            indices.bytes.count == (count * bits).dividedRoundingUp(by: 8)
        else { throw op.refused("\(indices.bytes.count) bytes of indices do not fill a tensor of shape \(shape)") }
        let unpackedIndices = indices.view.withBytes { unpacked($0, count: count, bits: bits, .lowestFirst) }
        return Tensor(unpackedIndices.map { numbers[Int($0)] }, shape: shape)
    }
}

extension MILRead {
    /// The values, or runs of values, at indices into palettes, with one palette per block of indices.
    func palette(_ indices: Tensor) throws -> Tensor {
        let palettes = try constant("lut")
        let rank = indices.shape.rank
        guard palettes.shape.rank == rank + 2,
            zip(indices.shape, palettes.shape).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
        else { throw refused("a palette of shape \(palettes.shape) does not match indices of shape \(indices.shape)") }
        let numbers = palettes.floats
        let length = palettes.shape[rank]
        let runs = try ValueRuns(self, indices.shape, palettes.shape[rank + 1])
        let block = Shape(palettes.shape.prefix(rank)).blockIndex(in: indices.shape)
        return try indices.withElements { elements in
            try Tensor(shape: runs.shape) { out in
                for i in 0..<out.count {
                    let (element, part) = runs.origin(i)
                    let index = Tensor.integer(elements[element])
                    guard (0..<length).contains(index) else {
                        throw refused("the index \(index) is not in the palette")
                    }
                    out[i] = numbers[(block(element) * length + index) * runs.length + part]
                }
            }
        }
    }

    /// A single value, or one per index of an axis of `data`, as a tensor that is broadcast over it.
    fileprivate func along(_ axis: Int, _ key: String, of data: Tensor) throws -> Tensor {
        let tensor = try constant(key)
        var shape = Shape(data.shape.map { _ in 1 })
        if tensor.elementCount != 1 { shape[axis] = data.shape[axis] }
        guard tensor.elementCount == shape.elementCount else {
            throw refused("'\(key)' has \(tensor.elementCount) values", remedy: "expected \(data.shape[axis])")
        }
        return tensor.reshaped(shape)
    }

    /// scale · (data − offset), both repeated over blocks of the data.
    func dequantized(_ data: Tensor, _ scale: Tensor, _ offset: Tensor?) throws -> Tensor {
        for tensor in [scale, offset].compactMap({ $0 }) {
            guard tensor.shape.rank == data.shape.rank,
                zip(data.shape, tensor.shape).allSatisfy({ $1 > 0 && $0 % $1 == 0 })
            else {
                throw refused(
                    "a scale or an offset of shape \(tensor.shape) does not match data of shape \(data.shape)")
            }
        }
        let scales = scale.floats
        let offsets = offset?.floats
        let scaleIndex = scale.shape.blockIndex(in: data.shape)
        let offsetIndex = offset?.shape.blockIndex(in: data.shape)
        return data.withElements { elements in
            Tensor(shape: data.shape) { out in
                for i in 0..<out.count {
                    let zero = offsetIndex.map { offsets![$0(i)] } ?? 0
                    out[i] = (Float(elements[i]) - zero) * scales[scaleIndex(i)]
                }
            }
        }
    }
}

/// Elements of a tensor, each of which represents a run of values along one axis.
struct ValueRuns {
    /// The number of values that an element represents.
    let length: Int
    /// The shape of all values.
    let shape: Shape
    /// The number of values per position of the axis.
    private let step: Int
    /// Runs in palettes of models are not longer than this. Longer ones would let a small file claim any amount of memory.
    private static let longest = 16

    /// - Throws: `Failure` if the runs are too long or their axis is not given.
    init(_ op: MILRead, _ indexShape: Shape, _ length: Int) throws {
        guard length != 1 else {
            (self.length, shape, step) = (1, indexShape, 1)
            return
        }
        let axis = try naming(location: op.location) { try indexShape.axis(op.integer("vector_axis")) }
        let size = indexShape[axis].multipliedReportingOverflow(by: length)
        var shape = indexShape
        shape[axis] = size.partialValue
        guard length > 0, !size.overflow, let count = shape.declaredCount else {
            throw op.refused("runs of \(length) values do not match indices of shape \(indexShape)")
        }
        guard length <= Self.longest || count <= ImportContext.largestConstant else {
            throw Failure.constantTooLarge(shape)
        }
        (self.length, self.shape, step) = (length, shape, indexShape.strides[axis])
    }

    /// The element that a value comes from, and its position in the run.
    func origin(_ number: Int) -> (element: Int, part: Int) {
        (number / (step * length) * step + number % step, number / step % length)
    }
}

extension Shape {
    /// For each element of a tensor of shape `whole`, the element of a tensor of this shape whose block contains it.
    /// - Precondition: Each size of this shape divides that of the whole.
    fileprivate func blockIndex(in whole: Shape) -> (Int) -> Int {
        let strides = whole.strides
        let own = self.strides
        let blocks = indices.map { whole[$0] / Swift.max(1, self[$0]) }
        let axes = indices.filter { self[$0] > 1 }
        return { element in
            axes.reduce(0) { $0 + element / strides[$1] % whole[$1] / blocks[$1] * own[$1] }
        }
    }
}
