/// Makes pictures of pictures: style transfer, super-resolution and the like.
///
///     let network = try ImageToImage(contentsOf: "style.mlmodel")
///     let picture = try network.apply(toImageAt: "photo.jpg").pixels
///     try picture.write(to: "painting.png")
///
/// A super-resolution network of one channel gets the luma of a color image; the chroma is enlarged by Pillow's bicubic filter.
///
/// A model of a fixed size gets every picture in that size. A graph that leaves height and width open takes each picture in
/// its own, to the nearest multiple of what the network halves and doubles. One object is for one thread at a time.
public final class ImageToImage {
    public struct Options: Sendable {
        /// How a picture comes to a fixed size.
        public var crop = Crop.fill
        public var decoding = DecodingOptions()
        /// A larger picture is made smaller until neither side is longer.
        public var longestSide: Int?
        /// The side of the tiles that a larger picture is worked on in, in pixels that go in; nil works on it whole.
        public var tile: Int?
        /// The threads that a picture is spread over.
        public var threads = 1
        /// The bytes that a picture may take at most.
        var memory = machineMemory / 10 * 9

        public init() {}
    }

    /// The model; where sizes are open, in some size.
    public let model: Model
    /// What was found out when a graph was converted.
    public let conversion: Conversion?
    private let options: Options
    private let image: ImageInput
    /// How far pixels see.
    private let locality: Locality
    /// Makes the model in another size; nil where its size is fixed.
    private let resize: ((_ width: Int, _ height: Int) throws -> Model)?
    /// What ran last: pictures of one size often follow each other.
    private var engine: Engine?

    /// - Throws: `Failure` when the model takes or gives no image, or does not work in tiles where these are asked for.
    public convenience init(_ model: Model, _ options: Options = Options()) throws {
        try self.init(model, nil, options, resize: nil)
    }

    /// Reads a model, or converts a graph with `graphOptions`.
    /// - Throws: `Failure` naming the file and what is wrong with it.
    public convenience init(
        contentsOf path: String, graphOptions: Converter.Options = .init(), _ options: Options = Options()
    ) throws {
        var graphOptions = graphOptions
        graphOptions.imageOutput = true
        // Of a size that is open, this one tells all but what depends on the picture.
        graphOptions.openSize = (256, 256)
        let conversion = try Model.load(contentsOf: path, options: graphOptions)
        graphOptions = graphOptions.settled(by: conversion)
        var resize: ((_ width: Int, _ height: Int) throws -> Model)?
        if conversion.isSizeOpen {
            resize = { [graphOptions] width, height in
                var graphOptions = graphOptions
                graphOptions.size = (width, height)
                return try Model.load(contentsOf: path, options: graphOptions).model
            }
        }
        if let inSize = conversion.model.inSize {
            resize = { [graphOptions] width, height in
                var model = try inSize(ImageSize(width: width, height: height))
                if model.imageOutput == nil {
                    var notes: [String] = []
                    model.imageOutput = try Converter(graphOptions).imageOutput(model, &notes)
                }
                return model
            }
        }
        do {
            var model = conversion.model
            if model.imageOutput == nil {
                var notes: [String] = []
                model.imageOutput = try Converter(graphOptions).imageOutput(model, &notes)
            }
            try self.init(model, conversion, options, resize: resize)
        } catch let failure as Failure {
            throw failure.inFile(path)
        }
    }

    private init(
        _ model: Model, _ conversion: Conversion?, _ options: Options,
        resize: ((_ width: Int, _ height: Int) throws -> Model)?
    ) throws {
        let image = try model.onlyImage()
        guard let output = model.imageOutput else {
            throw Failure.givesNoImage(model.graph.outputs.map { ($0.name, model.graph[$0.value]) })
        }
        guard model.batch == 1 else { throw Failure.fixedBatch(image.name, model.batch) }
        (self.model, self.conversion, self.options, self.image, self.resize) = (
            model, conversion, options, image, resize
        )
        locality = Locality(
            model.graph, input: model.graph.inputs[0].value, output: model.graph.outputs[output.index].value,
            form: output.form)
        if let tile = options.tile {
            try checkTile(tile)
        } else if resize == nil, options.longestSide != nil {
            throw Failure.sizeFixed("--max-side", image.width, image.height)
        }
    }

    /// What a picture became.
    public struct Result: Sendable {
        public let pixels: Pixels
        /// What is wrong with the picture's file, though it could be read.
        public let warning: String?
    }

    /// - Throws: `Failure` naming the file where it is no image that can be read, or too large.
    public func apply(toImageAt path: String) throws -> Result {
        try naming(file: path) {
            let image = try DecodedImage(contentsOf: path, options.decoding)
            return Result(pixels: try apply(to: image.pixels), warning: image.warning)
        }
    }

    /// - Throws: `Failure` where the picture is too large for memory.
    public func apply(to picture: Pixels) throws -> Pixels {
        let size = size(for: picture)
        guard picture.channels == 3, worksOnLuma else {
            let gray = image.color == .gray ? picture.converted(to: .gray) : picture
            let fitted = gray.fitted(width: size.width, height: size.height, crop: options.crop)
            return try result(of: fitted.converted(to: image.color), for: picture)
        }
        let planes = LumaAndChroma(picture.fitted(width: size.width, height: size.height, crop: options.crop))
        return planes.with(luma: try result(of: planes.luma, for: picture)).rgb
    }

    /// Whether color images keep their chroma: if the network enlarges gray images.
    private var worksOnLuma: Bool {
        guard image.color == .gray, let form = model.imageOutput?.form, form.channels == 1 else { return false }
        return form.width > image.width && form.height > image.height
    }

    /// What the network makes of an image that has its size and its channels.
    /// - Parameter picture: The image that it was made of.
    private func result(of fitted: Pixels, for picture: Pixels) throws -> Pixels {
        let size = (width: fitted.width, height: fitted.height)
        let window = (
            width: min(size.width, tileSize?.width ?? size.width),
            height: min(size.height, tileSize?.height ?? size.height)
        )
        let engine = try engine(for: window, of: picture)
        let columns = stretches(of: size.width, window.width, engine.form.width, locality.columns)
        let rows = stretches(of: size.height, window.height, engine.form.height, locality.rows)
        let (width, height) = (columns.last!.end, rows.last!.end)
        try checkMemory(for: width * height * engine.form.channels + engine.program.arenaBytes, picture)
        return Pixels(width: width, height: height, channels: engine.form.channels) { target in
            for row in rows {
                for column in columns {
                    engine.run(fitted.part(window, at: (column.start, row.start)))
                    engine.copy(column, row, to: target, width: width)
                }
            }
        }
    }

    // MARK: Sizes

    /// The size in which the network works on a picture.
    private func size(for picture: Pixels) -> (width: Int, height: Int) {
        let isFixed = resize == nil && options.tile == nil
        if isFixed { return (image.width, image.height) }
        if image.sizes != .fixed, options.tile == nil {
            // What is asked for as the longest side is a bound of the range, too.
            let longest = Double(options.longestSide ?? .max)
            let part = min(1, longest / Double(max(picture.width, picture.height)))
            let wanted = ImageSize(
                width: max(1, Int((Double(picture.width) * part).rounded())),
                height: max(1, Int((Double(picture.height) * part).rounded())))
            let size = image.sizes.nearest(to: wanted)!
            return (size.width, size.height)
        }
        let scale = min(1, Double(options.longestSide ?? .max) / Double(max(picture.width, picture.height)))
        let unit = locality.multiple
        func rounded(_ side: Int) -> Int {
            let exact = Double(side) * scale
            var count = max(1, Int((exact / Double(unit)).rounded()))
            if let limit = options.longestSide, count > 1, count * unit > limit { count -= 1 }
            return count * unit
        }
        var size = (width: rounded(picture.width), height: rounded(picture.height))
        if resize == nil {
            // Tiles of a fixed size need a picture that holds one.
            size = (max(size.width, image.width), max(size.height, image.height))
        }
        return size
    }

    /// The size of the tiles, where there are any.
    private var tileSize: (width: Int, height: Int)? {
        guard let tile = options.tile else { return nil }
        guard resize != nil else { return (image.width, image.height) }
        let side = tile / (locality.multiple) * (locality.multiple)
        return (side, side)
    }

    private func checkTile(_ tile: Int) throws {
        if let global = locality.global { throw Failure.cannotTile(global) }
        if resize == nil, tile != image.width || tile != image.height {
            throw Failure.tileSizeFixed(image.width, image.height)
        }
        let margin = max(
            Tiles.margin(locality.columns, locality.multiple), Tiles.margin(locality.rows, locality.multiple))
        guard tile >= 2 * margin + locality.multiple else {
            throw Failure.tileTooSmall(tile, least: 2 * margin + locality.multiple)
        }
    }

    private func stretches(of length: Int, _ window: Int, _ output: Int, _ axis: Locality.Axis) -> [Tiles.Stretch] {
        guard window < length else { return [Tiles.Stretch(start: 0, kept: 0..<output, target: 0)] }
        return Tiles.stretches(of: length, window, output, axis, unit: locality.multiple)
    }

    // MARK: Running

    /// The engine for a size, or the last one where it is of that size.
    private func engine(for size: (width: Int, height: Int), of picture: Pixels) throws -> Engine {
        if let engine, engine.size == size { return engine }
        engine = nil
        let model = try resize.map { try $0(size.width, size.height) } ?? model
        let program: Program
        do {
            program = try Program(model.graphOfPixels(), threads: options.threads)
        } catch let failure as Failure where resize != nil {
            throw failure.inPicture(picture.width, picture.height, canTile: canTile)
        }
        try checkMemory(for: program.arenaBytes, picture)
        let result = Engine(model, program, size, threads: options.threads)
        engine = result
        return result
    }

    private var canTile: Bool { locality.global == nil }

    private func checkMemory(for byteCount: Int, _ picture: Pixels) throws {
        guard byteCount > options.memory else { return }
        throw Failure.pictureNeeds(byteCount, options.memory).inPicture(picture.width, picture.height, canTile: canTile)
    }
}

/// A program of one size with its memory, and how its output becomes pixels.
private final class Engine {
    let program: Program
    let size: (width: Int, height: Int)
    let form: ImageForm
    private let output: ImageOutput
    private let scaling: PixelScaling
    private let executor: Executor

    init(_ model: Model, _ program: Program, _ size: (width: Int, height: Int), threads: Int) {
        (self.program, self.size) = (program, size)
        output = model.imageOutput!
        form = output.form
        scaling = model.image!.scaling
        executor = Executor(program, threads: threads)
    }

    func run(_ pixels: Pixels) {
        pixels.bytes.withUnsafeBufferPointer { executor.load(pixels: $0, scaling, input: 0) }
        executor.run()
    }

    /// Writes what is kept of the output to its place in a picture of `width` pixels, in the order red, green, blue.
    func copy(
        _ columns: Tiles.Stretch, _ rows: Tiles.Stretch, to target: UnsafeMutableBufferPointer<UInt8>, width: Int
    ) {
        let channels = form.channels
        let isReversed = output.color == .bgr
        executor.withOutput(output.index) { numbers in
            for (line, row) in rows.kept.enumerated() {
                let from = numbers.baseAddress! + (row * form.width + columns.kept.lowerBound) * channels
                let to = target.baseAddress! + ((rows.target + line) * width + columns.target) * channels
                for i in 0..<columns.kept.count * channels {
                    let number = from[isReversed ? i - i % 3 + 2 - i % 3 : i]
                    // What is no number becomes black.
                    let held = number > 0 ? min(number, 255) : 0
                    to[i] = UInt8(held + 0.5)
                }
            }
        }
    }
}

extension Pixels {
    /// The part of this size that begins at `origin`; the picture itself where that is all of it.
    fileprivate func part(_ size: (width: Int, height: Int), at origin: (x: Int, y: Int)) -> Pixels {
        if size == (width, height) { return self }
        return Pixels(width: size.width, height: size.height, channels: channels) { target in
            for y in 0..<size.height {
                let from = ((origin.y + y) * width + origin.x) * channels
                let line = bytes[from..<from + size.width * channels]
                _ = target[(y * size.width * channels)...].update(fromContentsOf: line)
            }
        }
    }
}
