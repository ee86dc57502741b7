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

    /// The numbers of the bits, in the order of the roles below.
    private enum Bit: Int {
        case identity, cast, quantizing, affine, mayOverflow, truncates, ordering, greater, size, resize,
            batchNormalization, layer, map, random
        case sum, difference, squaredDifference, product, quotient, logarithm, softplus, summation, mean,
            dense, reshape, part, reversal, pack, range, select, zeros
        case equivalentPrediction, choice, argMax, comparison, correctnessTest, total, totalArithmetic,
            averaging, leftover, check, assertion, barrier, optimizer
        case constant, placeholder, defaultPlaceholder, variable, assignment, update, decoder, cropping,
            iterator, dequeuing, dequeuingBatch
        case switching, selecting, merge, iteration, loop, condition, indexedCondition, call
    }

    init(rawValue: Int) { self.rawValue = rawValue }

    private init(bit: Bit) {
        precondition(bit.rawValue < Int.bitWidth, "a larger integer is needed")
        rawValue = 1 << bit.rawValue
    }

    // MARK: Computation

    /// The result is the first input, unchanged.
    static let identity = Self(bit: .identity)
    static let cast = Self(bit: .cast)
    /// Converts real values to quantized ones.
    static let quantizing = Self(bit: .quantizing)
    /// Sums, differences, products and quotients.
    static let affine = Self(bit: .affine)
    /// Computes numbers that the integer type of its inputs may not represent.
    static let mayOverflow = Self(bit: .mayOverflow)
    /// Computes fractions, which the integer type of its inputs truncates.
    static let truncates = Self(bit: .truncates)
    /// Less or greater.
    static let ordering = Self(bit: .ordering)
    /// Greater, or greater or equal.
    static let greater = Self(bit: .greater)
    /// Returns only the size of a tensor.
    static let size = Self(bit: .size)
    static let resize = Self(bit: .resize)
    static let batchNormalization = Self(bit: .batchNormalization)
    /// Has weights.
    static let layer = Self(bit: .layer)
    /// Usually returns a value for each pixel.
    static let map = Self(bit: .map)
    /// Draws random numbers from 0 to 1.
    static let random = Self(bit: .random)

    // Arithmetic that searches look for, under every name that TensorFlow has for it.

    /// The sum of two tensors.
    static let sum = Self(bit: .sum)
    static let difference = Self(bit: .difference)
    static let squaredDifference = Self(bit: .squaredDifference)
    static let product = Self(bit: .product)
    static let quotient = Self(bit: .quotient)
    static let logarithm = Self(bit: .logarithm)
    /// The last step of log(1 + exp(x)).
    static let softplus = Self(bit: .softplus)
    /// The sum along axes; the second input is the axes.
    static let summation = Self(bit: .summation)
    /// The mean along axes; the second input is the axes.
    static let mean = Self(bit: .mean)
    /// Multiplies rows by a matrix, the second input.
    static let dense = Self(bit: .dense)
    /// Changes the shape to the second input.
    static let reshape = Self(bit: .reshape)
    /// Selects a part of a tensor.
    static let part = Self(bit: .part)
    /// Reverses a tensor along the axes that the second input lists.
    static let reversal = Self(bit: .reversal)
    /// Joins tensors along a new axis.
    static let pack = Self(bit: .pack)
    /// Counts from a first number to a limit.
    static let range = Self(bit: .range)
    /// Selects elements of the second or third input by the first.
    static let select = Self(bit: .select)
    /// Returns zeros in the shape of the input.
    static let zeros = Self(bit: .zeros)

    // MARK: Predictions and their evaluation

    /// Another form of the same prediction.
    static let equivalentPrediction = Self(bit: .equivalentPrediction)
    /// Chooses the best of several values.
    static let choice = Self(bit: .choice)
    /// The index of the largest value.
    static let argMax = Self(bit: .argMax)
    /// A step of the comparison of a prediction with the ground truth, or of a loss.
    static let comparison = Self(bit: .comparison)
    /// Tests whether a prediction is correct.
    static let correctnessTest = Self(bit: .correctnessTest)
    /// The last operation of a loss that is composed of several.
    static let total = Self(bit: .total)
    /// An operation that may follow such a total.
    static let totalArithmetic = Self(bit: .totalArithmetic)
    /// A step from a statistic of a batch to the update of its moving average.
    static let averaging = Self(bit: .averaging)
    /// Trains, evaluates, saves or reports.
    static let leftover = Self(bit: .leftover)
    /// Returns its input, and ends the computation if that is not finite.
    static let check = Self(bit: .check)
    /// Returns nothing, and ends the computation if its condition is false.
    static let assertion = Self(bit: .assertion)
    /// Returns nothing: it only waits for other nodes.
    static let barrier = Self(bit: .barrier)
    /// Changes weights by their gradients.
    static let optimizer = Self(bit: .optimizer)

    // MARK: Sources of values

    static let constant = Self(bit: .constant)
    /// Takes a value from outside, and has no default.
    static let placeholder = Self(bit: .placeholder)
    /// Takes a value from outside, and has a default.
    static let defaultPlaceholder = Self(bit: .defaultPlaceholder)
    static let variable = Self(bit: .variable)
    /// Assigns a variable's initial value.
    static let assignment = Self(bit: .assignment)
    /// Changes the value of a variable, or assigns one.
    static let update = Self(bit: .update)
    /// Decodes an image.
    static let decoder = Self(bit: .decoder)
    /// Returns a part of the decoded image.
    static let cropping = Self(bit: .cropping)
    /// Returns elements of a data set or a queue.
    static let iterator = Self(bit: .iterator)
    /// Returns elements of a queue, the first input.
    static let dequeuing = Self(bit: .dequeuing)
    /// Returns several elements of a queue, stacked.
    static let dequeuingBatch = Self(bit: .dequeuingBatch)

    /// Sources that do not depend on other values.
    static let source: Self = [.constant, .placeholder, .variable]
    /// Sources that take a value from outside.
    static let anyPlaceholder: Self = [.placeholder, .defaultPlaceholder]

    // MARK: Control flow

    /// Sends a value to one of two branches.
    static let switching = Self(bit: .switching)
    /// Sends a value to one of several branches.
    static let selecting = Self(bit: .selecting)
    /// Returns the one of its inputs that is computed.
    static let merge = Self(bit: .merge)
    /// Passes a value to the next iteration of a loop.
    static let iteration = Self(bit: .iteration)
    /// Calls a function again and again.
    static let loop = Self(bit: .loop)
    /// Calls one of several functions.
    static let condition = Self(bit: .condition)
    /// Calls one of several functions, selected by an index.
    static let indexedCondition = Self(bit: .indexedCondition)
    /// Calls a function.
    static let call = Self(bit: .call)
}
