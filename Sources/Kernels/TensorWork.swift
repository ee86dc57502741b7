/// Copies elements from one tensor to another: `count` rows of `width`. Each tensor has its own steps.
public struct CopyWork {
    public var input: UnsafePointer<Float>
    public var inputRowStep: Int
    public var inputStep: Int
    public var output: UnsafeMutablePointer<Float>
    public var outputRowStep: Int
    public var outputStep: Int
    public var width: Int
    public var count: Int

    public init(
        input: UnsafePointer<Float>, inputRowStep: Int, inputStep: Int, output: UnsafeMutablePointer<Float>,
        outputRowStep: Int, outputStep: Int, width: Int, count: Int
    ) {
        self.input = input
        self.inputRowStep = inputRowStep
        self.inputStep = inputStep
        self.output = output
        self.outputRowStep = outputRowStep
        self.outputStep = outputStep
        self.width = width
        self.count = count
    }
}

/// Reduces each run of `depth` values, `width` apart, to one: `output[x] = factor · Σ input[d · width + x]`, or the
/// maximum, minimum or product instead of the sum.
public struct ReductionWork {
    public enum Kind: UInt8, Sendable, CaseIterable { case sum, maximum, minimum, product }

    public var kind: Kind
    public var input: UnsafePointer<Float>
    public var depth: Int
    public var width: Int
    /// The columns to compute, out of `width`.
    public var columns: Range<Int>
    public var factor: Float
    public var output: UnsafeMutablePointer<Float>

    public init(
        kind: Kind, input: UnsafePointer<Float>, depth: Int, width: Int, columns: Range<Int>, factor: Float,
        output: UnsafeMutablePointer<Float>
    ) {
        self.kind = kind
        self.input = input
        self.depth = depth
        self.width = width
        self.columns = columns
        self.factor = factor
        self.output = output
    }
}

/// The product of two plain matrices without gaps between rows: `rows` × `depth` times `depth` × `columns`.
public struct MatrixWork {
    public var left: UnsafePointer<Float>
    public var right: UnsafePointer<Float>
    public var output: UnsafeMutablePointer<Float>
    public var rows: Int
    public var depth: Int
    public var columns: Int

    public init(
        left: UnsafePointer<Float>, right: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>, rows: Int,
        depth: Int, columns: Int
    ) {
        self.left = left
        self.right = right
        self.output = output
        self.rows = rows
        self.depth = depth
        self.columns = columns
    }
}
