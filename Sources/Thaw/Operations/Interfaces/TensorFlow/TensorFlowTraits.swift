/// What is known of a TensorFlow operation by its name, whether it can be converted or not.
///
/// Searches that run before the conversion ask for traits instead of names: for the channels of an image, for outputs, for
/// places where a graph can be cut.
struct TensorFlowTraits: Sendable {
    var axes: ImageAxes
    var roles: TensorFlowRoles
}

/// What a TensorFlow operation does to the axes of an image that it reads.
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
    /// Reads an image at this input. The attribute `data_format` says which axis the channels are.
    case image(input: Int)
    /// Reads an image at the first input. The channels are its last axis.
    case channelsLast
    /// Anything else: what the axes of the result mean is not known.
    case lost
}

/// The parts that TensorFlow operations play in graphs, as far as searches distinguish them.
struct TensorFlowRoles: OptionSet, Hashable, Sendable {
    let rawValue: Int

    // MARK: What it computes

    /// The result is the first input, unchanged.
    static let identity = Self(rawValue: 1 << 0)
    static let cast = Self(rawValue: 1 << 1)
    /// Sums, differences, products and quotients.
    static let affine = Self(rawValue: 1 << 2)
    /// May give an integer that its inputs' type cannot represent.
    static let mayOverflow = Self(rawValue: 1 << 3)
    /// Less or greater.
    static let ordering = Self(rawValue: 1 << 4)
    /// Tells the size of a tensor only.
    static let size = Self(rawValue: 1 << 5)
    static let resize = Self(rawValue: 1 << 6)
    static let batchNormalization = Self(rawValue: 1 << 7)
    /// Has weights.
    static let layer = Self(rawValue: 1 << 8)
    /// Usually gives a value for each pixel.
    static let map = Self(rawValue: 1 << 9)
    /// Draws random numbers from 0 to 1.
    static let random = Self(rawValue: 1 << 10)

    // MARK: Answers, and how they are judged

    /// Says the same answer in another way.
    static let rewording = Self(rawValue: 1 << 11)
    /// Chooses the best of several values.
    static let choice = Self(rawValue: 1 << 12)
    /// A step of the comparison of an answer with the truth, or of a loss.
    static let comparison = Self(rawValue: 1 << 13)
    /// Asks whether an answer is right.
    static let question = Self(rawValue: 1 << 14)
    /// What a loss that is spelled out ends in.
    static let total = Self(rawValue: 1 << 15)
    /// What may still be done to such a total.
    static let totalArithmetic = Self(rawValue: 1 << 16)
    /// A step from a statistic of a batch to the update of its moving average.
    static let averaging = Self(rawValue: 1 << 17)
    /// Trains, judges, saves or reports.
    static let leftover = Self(rawValue: 1 << 18)
    /// Changes weights by their gradients.
    static let optimizer = Self(rawValue: 1 << 19)

    // MARK: Where values come from

    static let constant = Self(rawValue: 1 << 20)
    /// Takes a value from outside, and has none of its own.
    static let placeholder = Self(rawValue: 1 << 21)
    /// Takes a value from outside, and has one of its own.
    static let defaultPlaceholder = Self(rawValue: 1 << 22)
    static let variable = Self(rawValue: 1 << 23)
    /// Gives a variable a value.
    static let assignment = Self(rawValue: 1 << 24)
    /// Changes the value of a variable, or gives it one.
    static let update = Self(rawValue: 1 << 25)
    /// Decodes an image.
    static let decoder = Self(rawValue: 1 << 26)
    /// Hands on elements of a data set or a queue.
    static let iterator = Self(rawValue: 1 << 27)

    /// Where values come from that depend on nothing else.
    static let source: Self = [.constant, .placeholder, .variable]
    /// What takes a value from outside.
    static let fed: Self = [.placeholder, .defaultPlaceholder]

    // MARK: Control flow

    /// Sends a value to one of two sides.
    static let switching = Self(rawValue: 1 << 28)
    /// Sends a value to one of several sides.
    static let selecting = Self(rawValue: 1 << 32)
    /// Hands on the one of its inputs that is computed.
    static let merge = Self(rawValue: 1 << 29)
    /// Calls one of several functions.
    static let condition = Self(rawValue: 1 << 30)
    /// Calls a function.
    static let call = Self(rawValue: 1 << 31)
}
