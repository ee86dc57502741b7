/// The input of a TensorFlow graph.
extension Failure {
    static func inputNotNumeric(_ node: String, _ op: String, _ type: String) -> Failure {
        refused(
            node, op, "the input is of type \(type)",
            "expected an image; \(option: .input) NODE selects a node after the decoding", code: .wrongType)
    }

    static func decodedNotBytes(_ node: String, _ op: String, _ type: String) -> Failure {
        refused(
            node, op, "it decodes images to \(type), not to bytes",
            "\(option: .input) NODE selects a node after the decoding; \(option: .scale) and \(option: .bias) say what its "
                + "values are")
    }

    static func cropLost(_ node: String, _ op: String) -> Failure {
        refused(
            node, op, "its crop window would be lost, because a model takes whole images",
            "\(option: .input) NODE selects a node after the decoding, which then takes whole images")
    }

    static func inputNotImage(_ node: String, _ op: String, _ shape: Shape) -> Failure {
        refused(node, op, "the input has shape \(shape)", "expected an image of 1 or 3 channels", code: .wrongShape)
    }

    static func inputTooLarge(_ node: String, _ op: String, _ shape: Shape) -> Failure {
        refused(node, op, "the input of shape \(shape) is too large", code: .limitExceeded)
    }

    static func inputEmpty(_ name: String, _ shape: Shape) -> Failure {
        Failure(
            .wrongShape, location: name, "the input of shape \(shape) has no elements",
            remedy: "a model needs an input of at least one element")
    }

    static func sizeUnknown(_ node: String, _ op: String) -> Failure {
        var failure = refused(
            node, op, "the size of the input is unknown", "set it with \(option: .size) WxH", code: .unknownSize)
        failure.hint =
            "\(option: .size) 224x224 is what most classifiers take; \(task: .apply) uses each image's own size"
        return failure
    }

    /// - Parameters:
    ///   - sizes: The sizes that a layer takes, in ascending order.
    ///   - likely: The one among them that is most common.
    static func severalSizes(
        _ node: String, _ op: String, _ sizes: [ImageSize], likely: ImageSize, layer: String
    ) -> Failure {
        var failure = refused(
            node, op, "the size of the input is unknown: \(listedSizes(sizes)) fit \(layer)",
            "set it with \(option: .size) WxH", code: .unknownSize)
        failure.names = sizes.map(\.optionText)
        failure.hint = "\(option: .size) \(likely.optionText) is the most likely one"
        return failure
    }

    /// A hint at sizes other than the given one.
    static func sizesFit(_ sizes: [ImageSize], layer: String) -> Phrase {
        "\(layer) takes images of \(listedSizes(sizes)) pixels: set \(option: .size) accordingly"
    }

    static func sizeWorks(_ size: ImageSize) -> Phrase {
        "the graph takes other sizes: \(option: .size) \(size.optionText) converts"
    }

    private static func listedSizes(_ sizes: [ImageSize]) -> String {
        guard sizes.count > 6 else { return sizes.map(\.optionText).joined(separator: ", ") }
        return "\(sizes[0].optionText) to \(sizes[sizes.count - 1].optionText)"
    }

    /// - Parameter fixed: The sizes that the graph determines.
    static func sizeDiffers(
        _ node: String, _ op: String, _ given: ImageSize, fixed: (width: Int?, height: Int?), isLayoutGiven: Bool
    ) -> Failure {
        let expected = [fixed.width, fixed.height].map { $0.map(String.init) ?? "?" }.joined(separator: "x")
        return refused(
            node, op, "the size \(given.optionText) differs from the graph's \(expected)",
            isLayoutGiven
                ? "omit \(option: .channels) if the graph has another layout, or \(option: .size)"
                : "omit \(option: .size)",
            code: .wrongSize)
    }

    static func shapeDiffers(_ node: String, _ op: String, _ given: [Int], _ fixed: [Int]) -> Failure {
        let sizes = fixed.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ", ")
        return refused(
            node, op, "the shape \(given) differs from the graph's [\(sizes)]", "omit the shape",
            code: .wrongShape)
    }

    static func colorDiffers(_ node: String, _ op: String, _ color: String, _ channels: Int) -> Failure {
        refused(
            node, op,
            "\(option: .color) \(color) does not fit an input of \(counted(channels, "channel"))",
            code: .invalidOption)
    }

    static func rowDiffers(_ node: String, _ op: String, _ count: Int, _ shape: Shape) -> Failure {
        refused(node, op, "a vector of \(count) values is not an image of shape \(shape)", code: .wrongShape)
    }
}

/// Notes about the input.
extension Note {
    static func sizeFound(_ size: ImageSize, _ channels: Int?, layer: String) -> Note {
        let depth = channels.map { " and " + counted($0, "channel") } ?? ""
        return Note(
            .sizeInferred, "the image has \(size.optionText) pixels\(depth), because no other size fits \(layer)")
    }

    static func rowIsImage(_ shape: Shape) -> Note {
        let size = ImageSize(width: shape[2], height: shape[1])
        return Note(
            .sizeInferred,
            "the row of \(shape.elementCount) values is read as \(shape[3] == 1 ? "a gray" : "an RGB") image of "
                + "\(size.optionText) pixels")
    }

    static func sizeOfResize(_ size: ImageSize, at node: String) -> Note {
        Note(
            .sizeInferred,
            "the graph resizes its input to \(size.optionText) at '\(node)': the model takes images of that size")
    }

    static func inputReplaced(_ node: String, _ op: String) -> Note {
        Note(.inputReplaced, "the image replaces '\(node)' (\(op)); the nodes before it are omitted")
    }

    static func channelsUnknown(_ node: String, _ shape: Shape) -> Note {
        Note(
            .channelsUnknown,
            "it is unclear whether '\(node)', \(shape), is a channels-first image; "
                + "\(option: .channels) first treats it as one")
    }
}
