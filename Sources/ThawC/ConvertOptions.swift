import CThaw
import Thaw

/// The options of a conversion, from the structures of the header.
struct ConvertOptions {
    private(set) var options = Converter.Options.independentOfFiles
    private(set) var labels: Labels?
    private var hasUnnamedInput = false

    /// - Parameter pointer: NULL for the defaults.
    init(_ pointer: UnsafePointer<thaw_convert_options>?) throws {
        guard let given = try ThawC.options(pointer, "options") else { return }
        options.input = try text(given.input, "options.input")
        options.outputs = try texts(given.outputs, given.output_count, "options.outputs")
        for (index, input) in try structures(given.inputs, given.input_count, "options.inputs").enumerated() {
            try add(input, "options.inputs[\(index)]")
        }
        try addLabels(given)
        guard -1...1 ~= given.image_output else {
            throw Failure.outOfRange("options.image_output", given.image_output, "from -1 to 1")
        }
        options.imageOutput = given.image_output == 0 ? nil : given.image_output > 0
        options.imageOutputName = try text(given.image_output_name, "options.image_output_name")
        options.predictedFeature = try text(given.class_label, "options.class_label") ?? options.predictedFeature
        options.probabilities = try text(given.probabilities, "options.probabilities")
        options.channels = try channels(given.channels)
        options.preprocessing = try preprocessing(given.preprocessing)
        options.batchNorm = try choice(given.batch_norm, "options.batch_norm") ?? .graph
        options.usesMovingAverages = given.uses_moving_averages != 0
        options.tag = try text(given.tag, "options.tag")
        options.signature = try text(given.signature, "options.signature")
        for (index, setting) in try array(given.settings, given.setting_count, "options.settings").enumerated() {
            options.placeholderValues.append(try PlaceholderValue(setting, "options.settings[\(index)]"))
        }
        options.outputScale = try numbers(given.output_scale, given.output_scale_count, "options.output_scale")
        options.outputBias = try numbers(given.output_bias, given.output_bias_count, "options.output_bias")
        options.outputColor = try choice(given.output_color, "options.output_color")
        for (index, pair) in try array(given.renamings, given.renaming_count, "options.renamings").enumerated() {
            let position = "options.renamings[\(index)]"
            let old = try requiredText(pair.key, position + ".key")
            options.renamings.append((old, try requiredText(pair.value, position + ".value")))
        }
        if options.imageOutput == false,
            options.imageOutputName != nil || options.outputScale != nil || options.outputBias != nil
                || options.outputColor != nil
        {
            throw Failure.cannotCombine(
                "image_output -1", "image_output_name, output_scale, output_bias or output_color")
        }
        if options.preprocessing != nil, options.scale != nil || options.bias != nil {
            throw Failure.cannotCombine("preprocessing", "scale or bias")
        }
    }

    private func channels(_ pointer: UnsafePointer<CChar>?) throws -> Graph.ChannelOrder? {
        switch try text(pointer, "options.channels") {
        case nil: nil
        case "first": .channelsFirst
        case "last": .channelsLast
        case let other?: throw Failure.notAChoiceOf("options.channels", other, ["first", "last"])
        }
    }

    private func preprocessing(_ pointer: UnsafePointer<CChar>?) throws -> Preprocessing? {
        guard let name = try text(pointer, "options.preprocessing"), name != "auto" else { return nil }
        guard let family = Preprocessing(rawValue: name) else {
            throw Failure.notAChoiceOf(
                "options.preprocessing", name, ["auto"] + Preprocessing.allCases.map(\.rawValue))
        }
        return family
    }

    // MARK: Inputs

    private mutating func add(_ input: thaw_input_options, _ position: String) throws {
        let size = try size(input.width, input.height, position)
        let color: ColorLayout? = try choice(input.color, position + ".color")
        let scale = try numbers(input.scale, input.scale_count, position + ".scale")
        let bias = try numbers(input.bias, input.bias_count, position + ".bias")
        let sizes = try sizes(input, position)
        let shape = try shape(input, position)
        guard let name = try text(input.name, position + ".name") else {
            guard !hasUnnamedInput else { throw Failure.cannotCombine(position, "another structure without a name") }
            hasUnnamedInput = true
            options.size = size
            options.sizes = sizes
            (options.color, options.scale, options.bias, options.shape) = (color, scale, bias, shape)
            options.isTensor = input.is_tensor != 0
            options.keepsIntegers = input.keeps_integers != 0
            return
        }
        guard options.inputs[name] == nil else {
            throw Failure.cannotCombine(position, "another structure of this name")
        }
        var own = InputOptions()
        (own.size, own.color, own.scale, own.bias, own.shape) = (size, color, scale, bias, shape)
        // Flexible sizes are those of the only image.
        if sizes != .fixed {
            guard options.sizes == .fixed else {
                throw Failure.cannotCombine("\(position).sizes", "flexible sizes of another input")
            }
            (options.sizes, options.size, own.size) = (sizes, size, nil)
        }
        own.isTensor = input.is_tensor != 0
        own.keepsIntegers = input.keeps_integers != 0
        options.inputs[name] = own
    }

    private func size(_ width: Int32, _ height: Int32, _ position: String) throws -> ImageSize? {
        if width == 0, height == 0 { return nil }
        guard 1...Int32(ImageSizes.longestSide) ~= width, 1...Int32(ImageSizes.longestSide) ~= height else {
            throw Failure.imageSize(Int(width), Int(height)).at(position)
        }
        return ImageSize(width: Int(width), height: Int(height))
    }

    private func sizes(_ input: thaw_input_options, _ position: String) throws -> ImageSizes {
        let sides = [input.minimum_width, input.maximum_width, input.minimum_height, input.maximum_height]
        guard input.size_count > 0 else {
            if sides.allSatisfy({ $0 == 0 }) { return .fixed }
            guard sides.allSatisfy({ 1...Int32(ImageSizes.longestSide) ~= $0 }), sides[0] <= sides[1],
                sides[2] <= sides[3]
            else {
                throw Failure(.invalidOption, location: position, "the range of sizes \(sides) is invalid")
            }
            return .range(width: Int(sides[0])...Int(sides[1]), height: Int(sides[2])...Int(sides[3]))
        }
        guard sides.allSatisfy({ $0 == 0 }) else {
            throw Failure.cannotCombine("\(position).sizes", "a range of sizes")
        }
        guard input.size_count <= ImageSizes.maximumCount else {
            throw Failure(.limitExceeded, location: position, "there are more than \(ImageSizes.maximumCount) sizes")
        }
        let numbers = try array(input.sizes, 2 * input.size_count, position + ".sizes")
        let all = try (0..<input.size_count).map { index in
            let found = try size(numbers[2 * index], numbers[2 * index + 1], position)
            guard let found else { throw Failure.imageSize(0, 0).at(position) }
            return found
        }
        guard Set(all).count == all.count else {
            throw Failure(.invalidOption, location: position, "a size is given twice")
        }
        return all.count == 1
            ? .range(width: all[0].width...all[0].width, height: all[0].height...all[0].height) : .enumerated(all)
    }

    private func shape(_ input: thaw_input_options, _ position: String) throws -> [Int]? {
        guard input.rank != 0 else { return nil }
        guard 1...32 ~= input.rank else {
            throw Failure.outOfRange("\(position).rank", Int(input.rank), "from 0 to 32")
        }
        let sizes = try array(input.shape, Int(input.rank), position + ".shape").map { Int($0) }
        guard sizes.allSatisfy({ $0 > 0 }), let count = Shape(sizes).checkedCount, count < 1 << 31 else {
            throw Failure(.wrongShape, location: position, "the shape \(sizes) is invalid")
        }
        return sizes
    }

    // MARK: Labels

    private mutating func addLabels(_ given: thaw_convert_options) throws {
        let names = try texts(given.labels, given.label_count, "options.labels")
        let integers = Array(try array(given.integer_labels, given.integer_label_count, "options.integer_labels"))
        let file = path(given.label_file)
        let members = [
            names.isEmpty ? nil : "labels", integers.isEmpty ? nil : "integer_labels", file.map { _ in "label_file" },
        ].compactMap { $0 }
        guard members.count <= 1 else {
            throw Failure.cannotCombine(members[0], members.dropFirst().joined(separator: " or "))
        }
        if !names.isEmpty { labels = try Labels(names) }
        if !integers.isEmpty { labels = try Labels(integers.map { "\($0)" }) }
        if let file { labels = try Labels(contentsOfFile: file) }
        options.hasIntegerLabels = !integers.isEmpty || file != nil && given.file_has_integers != 0
    }
}

extension PlaceholderValue {
    fileprivate init(_ setting: thaw_setting, _ position: String) throws {
        let name = try requiredText(setting.name, position + ".name")
        let values = try array(setting.values, setting.count, position + ".values")
        guard !values.isEmpty else { throw Failure.isNull(position + ".values") }
        let texts = values.map { value in Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
        self.init(name: name, value: texts.joined(separator: ","))
    }
}

extension Converter.Options {
    /// Options that read files completely. Python programs write the next model over the file of the last one, as
    /// `tf.io.write_graph` does, and still use that.
    static var independentOfFiles: Self {
        var options = Self()
        options.mapsFiles = false
        return options
    }
}
