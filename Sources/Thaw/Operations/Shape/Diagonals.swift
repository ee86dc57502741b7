/// The diagonals of matrices, where the last two axes of a tensor are the matrices.
///
/// Diagonals are counted from the main diagonal upward. Several diagonals are stored as the rows of a matrix, the
/// topmost first; short ones are padded at the end or at the start.
struct Diagonals {
    /// The lowest and the highest diagonal.
    let range: ClosedRange<Int>
    let rows: Int
    let columns: Int
    /// Whether the diagonals above the main one, and those below it, are aligned to the start of their rows.
    var beginsAbove = true
    var beginsBelow = true

    /// The number of elements of a diagonal.
    func length(_ diagonal: Int) -> Int { Swift.max(0, min(rows + min(0, diagonal), columns - max(0, diagonal))) }

    /// The index of a matrix element in the rows of diagonals, or nil if it is not on any of them.
    ///
    /// - Parameter length: The length of the rows.
    private func position(row: Int, column: Int, length: Int) -> Int? {
        let diagonal = column - row
        guard range.contains(diagonal) else { return nil }
        let isAtBeginning = diagonal >= 0 && beginsAbove || diagonal <= 0 && beginsBelow
        let offset = isAtBeginning ? 0 : length - self.length(diagonal)
        return (range.upperBound - diagonal) * length + min(row, column) + offset
    }

    /// The matrices with these rows as their diagonals.
    func put(_ diagonals: Tensor, _ matrices: Tensor) -> Tensor {
        let length = diagonals.shape.last!
        return diagonals.withElements { numbers in
            matrices.withElements { elements in
                Tensor(shape: matrices.shape, element: matrices.element) { index in
                    let (matrix, row, column) = (index / columns / rows, index / columns % rows, index % columns)
                    return position(row: row, column: column, length: length)
                        .map { numbers[matrix * range.count * length + $0] } ?? elements[index]
                }
            }
        }
    }
}

// MARK: TensorFlow

extension Diagonals {
    static let tensorFlow = [
        // Usually ones, for an identity matrix.
        TensorFlowRule("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", axes: .lost, roles: [], build: matrix),
        // Usually zeros, for an identity matrix that is not square.
        TensorFlowRule(
            "MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", axes: .lost, roles: [], build: settingDiagonal),
        TensorFlowRule(
            "MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", axes: .lost, roles: [], build: diagonalPart),
    ]

    /// Matrices with constant diagonals.
    private static func matrix(_ node: TensorFlowNode, _: inout ImportContext) throws -> [Operand] {
        let numbers = try node.constant(0, "diagonal")
        guard let length = numbers.shape.last, length > 0 else {
            throw node.refused("the diagonal has no elements")
        }
        let range = try range(node, at: 1)
        // The smallest matrix that contains the diagonals. One of its sides may be longer.
        let smallest = (rows: length - min(range.upperBound, 0), columns: length + max(range.lowerBound, 0))
        var (rows, columns) = (-1, -1)
        var filling = 0.0
        if node.op != "MatrixDiag" {
            (rows, columns) = (try node.integer(2, "number of rows"), try node.integer(3, "number of columns"))
            filling = try paddingValue(node)
        }
        if rows == -1, columns == -1 {
            (rows, columns) = (max(smallest.rows, smallest.columns), max(smallest.rows, smallest.columns))
        }
        if rows == -1 { rows = smallest.rows }
        if columns == -1 { columns = smallest.columns }
        let outer = numbers.shape.dropLast(range.count == 1 ? 1 : 2)
        guard rows >= smallest.rows, columns >= smallest.columns,
            rows == smallest.rows || columns == smallest.columns,
            range.count == 1 || numbers.shape.dropLast().last == range.count
        else {
            throw node.refused("diagonals of shape \(numbers.shape) do not fit \(rows) rows and \(columns) columns")
        }
        let shape = Shape(outer + [rows, columns])
        try ImportContext.checkConstant(shape)
        let diagonals = try Diagonals(range: range, rows: rows, columns: columns, of: node)
        return [.constant(diagonals.put(numbers, Tensor(shape: shape, element: numbers.element) { _ in filling }))]
    }

    /// Constant matrices with other diagonals.
    private static func settingDiagonal(_ node: TensorFlowNode, _: inout ImportContext) throws -> [Operand] {
        let (matrices, numbers) = (try node.constant(0, "matrix"), try node.constant(1, "diagonal"))
        guard matrices.shape.rank >= 2 else { throw Failure.tooFewAxes(2, matrices.shape) }
        let range = try range(node, at: 2)
        let outer = matrices.shape.dropLast(2)
        let (rows, columns) = (matrices.shape[outer.count], matrices.shape[outer.count + 1])
        let length = min(rows + min(range.upperBound, 0), columns - max(range.lowerBound, 0))
        let shape = Shape(outer + (range.count == 1 ? [] : [range.count]) + [length])
        guard length > 0, numbers.shape == shape, numbers.element == matrices.element else {
            throw node.refused("diagonals of shape \(numbers.shape) do not fit \(rows) rows and \(columns) columns")
        }
        let diagonals = try Diagonals(range: range, rows: rows, columns: columns, of: node)
        return [.constant(diagonals.put(numbers, matrices))]
    }

    /// One diagonal of each matrix, gathered from the list of its elements.
    private static func diagonalPart(_ node: TensorFlowNode, _ context: inout ImportContext) throws -> [Operand] {
        let matrices = try node.input(0)
        let range = try range(node, at: 1)
        let outer = matrices.shape.dropLast(2)
        guard matrices.shape.rank >= 2 else { throw Failure.tooFewAxes(2, matrices.shape) }
        let (rows, columns) = (matrices.shape[outer.count], matrices.shape[outer.count + 1])
        guard range.count == 1 else {
            throw node.refused("several diagonals are not supported", remedy: "expected one")
        }
        let length = Diagonals(range: range, rows: rows, columns: columns).length(range.lowerBound)
        guard length > 0 else {
            throw node.refused("a matrix of \(rows) rows and \(columns) columns has no diagonal \(range.lowerBound)")
        }
        let first = range.lowerBound < 0 ? -range.lowerBound * columns : range.lowerBound
        let indices = Tensor(integers: (0..<length).map { first + $0 * (columns + 1) }, shape: [length])
        let list = try context.add(Reshape(Shape(outer + [rows * columns])), matrices, name: node.name + "/list")
        return try context.add(Gather(axis: outer.count), [list, .constant(indices)], name: node.name)
    }

    /// The diagonals that a node refers to.
    private static func range(_ node: TensorFlowNode, at input: Int) throws -> ClosedRange<Int> {
        guard node.op.last!.isNumber else { return 0...0 }
        let ends = try node.integers(input, "list of diagonals")
        guard let low = ends.first, let high = ends.last, ends.count <= 2, low <= high,
            ends.allSatisfy((-ImportContext.largestConstant...ImportContext.largestConstant).contains)
        else { throw node.refused("\(ends) are not valid diagonals") }
        return low...high
    }

    /// The value outside the diagonals.
    private static func paddingValue(_ node: TensorFlowNode) throws -> Double {
        let tensor = try node.constant(4, "padding value")
        guard tensor.elementCount == 1 else {
            throw Failure.notOneNumber(node.name, node.op, "padding value", tensor.elementCount)
        }
        return tensor.withElements { $0[0] }
    }

    /// Aligned as the node specifies. Before version 3 TensorFlow always aligned to the start.
    private init(range: ClosedRange<Int>, rows: Int, columns: Int, of node: TensorFlowNode) throws {
        self.init(range: range, rows: rows, columns: columns)
        guard node.op.hasSuffix("V3") else { return }
        switch try node.string("align", default: "RIGHT_LEFT") {
        case "LEFT_LEFT": break
        case "RIGHT_LEFT": beginsAbove = false
        case "LEFT_RIGHT": beginsBelow = false
        case "RIGHT_RIGHT": (beginsAbove, beginsBelow) = (false, false)
        default: throw Failure.badAttribute(node.name, node.op, "align")
        }
    }
}
