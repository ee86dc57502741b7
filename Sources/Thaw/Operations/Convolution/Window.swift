/// The sliding window of a convolution or pooling over the height and width of an image.
///
/// Padding is explicit: TensorFlow's SAME and VALID are resolved during import.
struct Window: Hashable, Sendable {
    /// The window along one axis of the image, in pixels.
    struct Axis: Hashable, Sendable {
        var size: Int
        var stride = 1
        var dilation = 1
        /// Implicit zeros before the first and after the last pixel.
        var before = 0
        var after = 0

        /// The number of pixels that the window spans.
        var extent: Int { (size - 1) * dilation + 1 }

        /// The number of window positions over `input` pixels; 0 if the window does not fit.
        func outputSize(_ input: Int) -> Int {
            let room = input + before + after - extent
            return room < 0 ? 0 : room / stride + 1
        }

        /// The axis padded as in TensorFlow's SAME: ceil(input / stride) positions, with the odd zero at the end.
        func same(_ input: Int) -> Axis {
            let positions = input.dividedRoundingUp(by: stride)
            let total = Swift.max(0, (positions - 1) * stride + extent - input)
            var axis = self
            axis.before = total / 2
            axis.after = total - total / 2
            return axis
        }
    }

    /// A window of a single pixel.
    static let pixel = Window(height: Axis(size: 1), width: Axis(size: 1))

    var height: Axis
    var width: Axis
    /// Whether the padding is TensorFlow's SAME for every image size, in which case the amounts apply to one size.
    /// Set when a model for several sizes is written, and not used by anything else.
    var followsSize = false

    var hasPadding: Bool { height.before + height.after + width.before + width.after > 0 }

    /// Whether each output depends on a single pixel, and no pixel is skipped.
    var isPointwise: Bool { [height, width].allSatisfy { $0.size == 1 && $0.stride == 1 } && !hasPadding }

    /// - Throws: `Failure` if the window has no pixels.
    func requirePixels() throws {
        guard height.size > 0, width.size > 0 else { throw Failure.emptyWindow([height.size, width.size]) }
    }

    /// The output size for an image; that of an empty image is empty.
    /// - Throws: `Failure` if the window has no pixels, or is larger than the padded image.
    func outputSize(height inputHeight: Int, width inputWidth: Int) throws -> (height: Int, width: Int) {
        try requirePixels()
        let size = (height: height.outputSize(inputHeight), width: width.outputSize(inputWidth))
        guard size.height > 0 || inputHeight == 0, size.width > 0 || inputWidth == 0 else {
            throw Failure.windowTooLarge(height.extent, width.extent, inputHeight, inputWidth)
        }
        return size
    }
}

// MARK: Facts

/// An operation that slides a window over an image.
protocol WindowOperation: Operation {
    var window: Window { get set }
}

extension WindowOperation {
    /// The same operation with another window.
    func sliding(_ window: Window) -> any WindowOperation {
        var result = self
        result.window = window
        return result
    }
}

extension Window {
    /// The window's effect along an axis of an image other than the channel axis.
    func use(ofAxis axis: Int) -> AxisUse {
        switch axis {
        case 1: .local(1, height.reach)
        case 2: .local(2, width.reach)
        default: .kept(axis)
        }
    }

    /// The window for an image without this border of zeros.
    func padded(by border: Border) -> Window {
        var window = self
        window.height.before += border.height.before
        window.height.after += border.height.after
        window.width.before += border.width.before
        window.width.after += border.width.after
        return window
    }

    /// "3×3, stride 2, dilation 4": height before width, each once if both are the same.
    var caption: String {
        func pair(_ word: String, _ a: Int, _ b: Int) -> String? {
            a == 1 && b == 1 ? nil : word + (a == b ? " \(a)" : " \(a)×\(b)")
        }
        return [
            "\(height.size)×\(width.size)", pair("stride", height.stride, width.stride),
            pair("dilation", height.dilation, width.dilation),
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

extension Window.Axis {
    fileprivate var reach: Reach {
        Reach(step: Fraction(stride), first: -Double(before), last: Double(extent - 1 - before))
    }
}

// MARK: TensorFlow

extension TensorFlowNode {
    /// The window given by the node's strides, dilations and padding, over an image of shape `image` (batch, height,
    /// width, channel).
    /// - Throws: `Failure` for strides over batch or channel, and for invalid padding.
    func window(height: Int, width: Int, over image: Shape, dilationKey: String = "dilations") throws -> Window {
        let isChannelsFirst = try string("data_format", default: "NHWC") == "NCHW"
        func spatial(_ key: String, default value: [Int]) throws -> (Int, Int) {
            let list = try ints(key, default: value)
            guard list.count == 4, list.allSatisfy((1..<1 << 24).contains) else {
                throw Failure.badAttribute(name, op, key)
            }
            guard list[0] == 1, list[isChannelsFirst ? 1 : 3] == 1 else {
                throw refused(
                    "\(key) \(list) apply to the batch or the channels", remedy: "only height and width are supported")
            }
            return isChannelsFirst ? (list[2], list[3]) : (list[1], list[2])
        }
        let strides = try spatial("strides", default: [])
        let dilations = try spatial(dilationKey, default: [1, 1, 1, 1])
        var window = Window(
            height: .init(size: height, stride: strides.0, dilation: dilations.0),
            width: .init(size: width, stride: strides.1, dilation: dilations.1))
        switch try string("padding", default: "") {
        case "VALID": break
        case "SAME":
            window.height = window.height.same(image[1])
            window.width = window.width.same(image[2])
        case "EXPLICIT":
            let list = try ints("explicit_paddings", default: [])
            guard list.count == 8, list.allSatisfy((0..<1 << 24).contains) else {
                throw Failure.badAttribute(name, op, "explicit_paddings")
            }
            let channel = isChannelsFirst ? 1 : 3
            let row = isChannelsFirst ? 2 : 1
            guard list[0] + list[1] + list[2 * channel] + list[2 * channel + 1] == 0 else {
                throw refused(
                    "explicit_paddings \(list) pad the batch or the channels",
                    remedy: "only height and width may be padded")
            }
            (window.height.before, window.height.after) = (list[2 * row], list[2 * row + 1])
            (window.width.before, window.width.after) = (list[2 * row + 2], list[2 * row + 3])
        case let padding:
            throw refused("the padding '\(padding)' is unknown", remedy: "expected SAME, VALID or EXPLICIT")
        }
        return window
    }

    /// Requires the node's input to be an image: rank 4.
    func requireImage(_ operand: Operand) throws {
        guard operand.shape.rank == 4 else {
            throw refused("the input has shape \(operand.shape)", remedy: "expected four axes")
        }
    }
}
