/// The traits of a TensorFlow operation, which depend only on its name. Unsupported operations have them too.
///
/// Searches before the conversion use traits instead of names: for the channels of an image, for outputs, and for
/// positions at which a graph can be cut.
struct TensorFlowTraits: Sendable {
    var axes: ImageAxes
    var roles: TensorFlowRoles
}

/// The effect of a TensorFlow operation on the axes of an image that it reads.
enum ImageAxes: Hashable, Sendable {
    /// The result has the axes of the inputs.
    case kept
    /// The same, but axes may have other lengths.
    case resized
    /// Adds a border; the second input is its widths.
    case padded
    /// Changes the order of the axes; the second input is the order.
    case permuted
    /// Adds an axis; the second input is its position.
    case expanded
    /// Selects along an axis; the second input is the indices.
    case selected
    /// Slices; masks may add and remove axes.
    case sliced
    /// Reads an image at this input. The attribute `data_format` determines the channel axis.
    case image(input: Int)
    /// Reads an image at the first input. The channels are its last axis.
    case channelsLast
    /// Anything else: the meaning of the result's axes is unknown.
    case lost
}

/// The roles of TensorFlow operations in graphs that searches distinguish.
struct TensorFlowRoles: OptionSet, Hashable, Sendable {
    let rawValue: Int

    // MARK: Computation

    /// The result is the first input, unchanged.
    static let identity = Self(rawValue: 1 << 0)
    static let cast = Self(rawValue: 1 << 1)
    /// Converts real values to quantized ones.
    static let quantizing = Self(rawValue: 1 << 55)
    /// Sums, differences, products and quotients.
    static let affine = Self(rawValue: 1 << 2)
    /// Computes numbers that the integer type of its inputs may not represent.
    static let mayOverflow = Self(rawValue: 1 << 3)
    /// Computes fractions, which the integer type of its inputs truncates.
    static let truncates = Self(rawValue: 1 << 52)
    /// Less or greater.
    static let ordering = Self(rawValue: 1 << 4)
    /// Returns only the size of a tensor.
    static let size = Self(rawValue: 1 << 5)
    static let resize = Self(rawValue: 1 << 6)
    static let batchNormalization = Self(rawValue: 1 << 7)
    /// Has weights.
    static let layer = Self(rawValue: 1 << 8)
    /// Usually returns a value for each pixel.
    static let map = Self(rawValue: 1 << 9)
    /// Draws random numbers from 0 to 1.
    static let random = Self(rawValue: 1 << 10)

    // Arithmetic that searches look for, under every name that TensorFlow has for it.

    /// The sum of two tensors.
    static let sum = Self(rawValue: 1 << 34)
    static let difference = Self(rawValue: 1 << 35)
    static let squaredDifference = Self(rawValue: 1 << 36)
    static let product = Self(rawValue: 1 << 37)
    static let quotient = Self(rawValue: 1 << 38)
    static let logarithm = Self(rawValue: 1 << 54)
    /// The sum along axes; the second input is the axes.
    static let summation = Self(rawValue: 1 << 39)
    /// The mean along axes; the second input is the axes.
    static let mean = Self(rawValue: 1 << 40)
    /// Multiplies rows by a matrix, the second input.
    static let dense = Self(rawValue: 1 << 41)
    /// Changes the shape to the second input.
    static let reshape = Self(rawValue: 1 << 42)
    /// Selects a part of a tensor.
    static let part = Self(rawValue: 1 << 53)
    /// Joins tensors along a new axis.
    static let pack = Self(rawValue: 1 << 43)
    /// Counts from a first number to a limit.
    static let range = Self(rawValue: 1 << 44)
    /// Selects elements of the second or third input by the first.
    static let select = Self(rawValue: 1 << 45)

    // MARK: Predictions and their evaluation

    /// Another form of the same prediction.
    static let equivalentPrediction = Self(rawValue: 1 << 11)
    /// Chooses the best of several values.
    static let choice = Self(rawValue: 1 << 12)
    /// The index of the largest value.
    static let argMax = Self(rawValue: 1 << 46)
    /// A step of the comparison of an answer with the truth, or of a loss.
    static let comparison = Self(rawValue: 1 << 13)
    /// Tests whether a prediction is correct.
    static let correctnessTest = Self(rawValue: 1 << 14)
    /// The last operation of a loss that is composed of several.
    static let total = Self(rawValue: 1 << 15)
    /// An operation that may follow such a total.
    static let totalArithmetic = Self(rawValue: 1 << 16)
    /// A step from a statistic of a batch to the update of its moving average.
    static let averaging = Self(rawValue: 1 << 17)
    /// Trains, evaluates, saves or reports.
    static let leftover = Self(rawValue: 1 << 18)
    /// Returns its input, and ends the computation if that is not finite.
    static let check = Self(rawValue: 1 << 47)
    /// Returns nothing, and ends the computation if its condition is false.
    static let assertion = Self(rawValue: 1 << 48)
    /// Returns nothing: it only waits for other nodes.
    static let barrier = Self(rawValue: 1 << 49)
    /// Changes weights by their gradients.
    static let optimizer = Self(rawValue: 1 << 19)

    // MARK: Sources of values

    static let constant = Self(rawValue: 1 << 20)
    /// Takes a value from outside, and has no default.
    static let placeholder = Self(rawValue: 1 << 21)
    /// Takes a value from outside, and has a default.
    static let defaultPlaceholder = Self(rawValue: 1 << 22)
    static let variable = Self(rawValue: 1 << 23)
    /// Assigns a variable's initial value.
    static let assignment = Self(rawValue: 1 << 24)
    /// Changes the value of a variable, or assigns one.
    static let update = Self(rawValue: 1 << 25)
    /// Decodes an image.
    static let decoder = Self(rawValue: 1 << 26)
    /// Returns a part of the decoded image.
    static let cropping = Self(rawValue: 1 << 33)
    /// Returns elements of a data set or a queue.
    static let iterator = Self(rawValue: 1 << 27)

    /// Sources that do not depend on other values.
    static let source: Self = [.constant, .placeholder, .variable]
    /// Sources that take a value from outside.
    static let fed: Self = [.placeholder, .defaultPlaceholder]

    // MARK: Control flow

    /// Sends a value to one of two branches.
    static let switching = Self(rawValue: 1 << 28)
    /// Sends a value to one of several branches.
    static let selecting = Self(rawValue: 1 << 32)
    /// Returns the one of its inputs that is computed.
    static let merge = Self(rawValue: 1 << 29)
    /// Passes a value to the next iteration of a loop.
    static let iteration = Self(rawValue: 1 << 50)
    /// Calls a function again and again.
    static let loop = Self(rawValue: 1 << 51)
    /// Calls one of several functions.
    static let condition = Self(rawValue: 1 << 30)
    /// Calls a function.
    static let call = Self(rawValue: 1 << 31)
}
