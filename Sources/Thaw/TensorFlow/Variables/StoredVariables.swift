/// The variables of a SavedModel or a checkpoint, in one of TensorFlow's two formats.
protocol StoredVariables: AnyObject {
    /// The path of the file that lists them, for error messages.
    var index: String { get }
    /// The total size of all its files.
    var byteCount: Int { get }
    /// Their names, sorted.
    var names: [String] { get }

    /// Whether there is a variable with this name.
    func contains(_ name: String) -> Bool
    /// The type of a variable and the parts in which it is stored, none if it is stored whole; nil if there is none.
    func entry(_ name: String) throws -> (type: TensorType, slices: [VariableSlice])?
    /// The value under a key, which is the name of a variable or the key of a part; nil if there is none.
    /// - Parameter type: The type that the variable's entry implies.
    func tensor(at key: [UInt8], _ type: TensorType) throws -> Tensor?
    /// The bytes of a scalar string; nil if there is none with this name.
    func string(_ name: String) throws -> ByteView?
}

extension StoredVariables {
    /// The value of a variable, or of a part of a partitioned one.
    ///
    /// - Parameter part: The part's range along each axis; nil means the whole variable.
    /// - Throws: `Failure` naming the file at fault if the value is corrupt, or if a file is missing.
    func value(_ name: String, part: [Range<Int>]? = nil) throws -> Tensor? {
        try naming(location: name) { () throws -> Tensor? in
            guard let (type, slices) = try naming(file: index, { try entry(name) }) else { return nil }
            let ranges = part ?? type.shape.map { 0..<$0 }
            if let slice = slices.first(where: { $0.ranges == ranges }) { return try stored(slice, of: name, type) }
            let whole = slices.isEmpty ? try self.tensor(at: Array(name.utf8), type) : nil
            let tensor = try whole ?? assembled(name, slices, type)
            guard let part else { return tensor }
            guard part.count == tensor.shape.rank, zip(part, tensor.shape).allSatisfy({ $0.upperBound <= $1 }) else {
                throw Failure.sliceOutside(tensor.shape)
            }
            return StridedSlice(ranges: part.map { StridedSlice.Range(start: $0.lowerBound, count: $0.count) })
                .evaluate([tensor])[0]
        }
    }

    private func stored(_ slice: VariableSlice, of name: String, _ type: TensorType) throws -> Tensor {
        let type = TensorType(Shape(slice.ranges.map(\.count)), type.element)
        guard let tensor = try tensor(at: slice.key(of: name), type) else {
            throw Failure.sliceMissing(slice.ranges).inFile(index)
        }
        return tensor
    }

    /// A complete partitioned variable.
    private func assembled(_ name: String, _ slices: [VariableSlice], _ type: TensorType) throws -> Tensor {
        let parts = try slices.map { try stored($0, of: name, type) }
        let count = parts.reduce(0) { $0 + $1.elementCount }
        guard count == type.shape.elementCount, VariableSlice.cover(type.shape, with: slices),
            zip(slices, parts).allSatisfy({
                $0.ranges.map(\.count) == $1.shape.dimensions && $1.element == type.element
            })
        else { throw Failure.valueCorrupt() }
        let storage = Tensor.Storage(byteCount: count * type.element.size) { memory in
            for (slice, part) in zip(slices, parts) {
                slice.copy(part, to: memory, type)
                part.storage.release()
            }
        }
        return Tensor(shape: type.shape, element: type.element, storage: storage)
    }
}

extension TensorType {
    private enum Field { static let dimension = 2, size = 1 }

    /// The type with the number and the shape that an entry of a checkpoint gives.
    /// - Throws: `Failure` if the elements are not numbers, or the shape is impossible.
    init(number: FileNumber?, shape: RawMessage?) throws {
        let number = (number ?? 0).size
        guard let element = DataType(rawValue: number)?.element else { throw Failure.valueNotNumeric(number) }
        let sizes = try shape?.messages(Field.dimension).map { (try $0.integer(Field.size) ?? 0).size }
        let shape = Shape(sizes ?? [])
        guard shape.checkedCount != nil else { throw Failure.impossibleConstant(shape) }
        self.init(shape, element)
    }
}
