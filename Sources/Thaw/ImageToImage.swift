/// Runs image-to-image networks: style transfer, super-resolution and the like.
///
///     let network = try ImageToImage(contentsOfFile: "style.mlmodel")
///     let painting = try network.apply(toImageAt: "photo.jpg").pixels
///     try painting.write(toFile: "painting.png")
///
/// A single-channel super-resolution network gets the luma of a color image; the chroma is upscaled with Pillow's
/// bicubic filter.
///
/// A model of a fixed size gets every image in that size. A graph that leaves height and width open takes each image in its
/// own size, rounded to a multiple of the factor by which the network downsamples. An instance is for one thread at a time.
public final class ImageToImage {
    /// How images are fitted and computed.
    public struct Options: Sendable {
        /// How an image is fitted to a fixed size.
        public var crop = Crop.fill
        /// How image files are decoded.
        public var decoding = DecodingOptions()
        /// Larger images are scaled down so that no side is longer than this.
        public var longestSide: Int?
        /// The side of the tiles that larger images are split into, in input pixels; nil processes images whole.
        public var tile: Int?
        /// The precision that the network is computed in.
        public var precision = Precision.float32
        /// The number of threads per image, at least 1.
        public var threads = 1
        /// The most bytes that an image may take.
        var memory = machineMemory / 10 * 9

        /// The whole image in its own size, on one thread.
        public init() {}

        /// - Throws: `Failure` if an option is invalid.
        fileprivate func check() throws {
            try crop.check()
            if let longestSide { try ImageSize(width: longestSide, height: longestSide).check() }
        }
    }

    /// The model; if sizes are open, at one of them.
    public let model: Model
    /// The result of the conversion, if the model was converted from a graph.
    public let conversion: Conversion?
    private let options: Options
    private let image: ImageInput
    /// The receptive field of output pixels.
    private let locality: Locality
    /// Creates the model in another size; nil if its size is fixed.
    private let resizer: (any ModelResizer)?
    /// The last network that ran: consecutive images often have the same size.
    private var network: SizedNetwork?

    /// A model whose input and output are images.
    /// - Throws: `Failure` if the input or the output is not an image, or if an option is invalid, or if tiles are requested but
    ///   cannot be used.
    public convenience init(_ model: Model, options: Options = Options()) throws {
        try requireThreads(options.threads)
        try self.init(model, nil, options, resizer: nil)
    }

    /// Reads a model, or converts a graph with `graphOptions`.
    /// - Throws: `Failure` naming the file and the problem, or if `options.threads` is less than 1.
    public convenience init(
        contentsOfFile path: String, graphOptions: Converter.Options = .init(), options: Options = Options()
    ) throws {
        try requireThreads(options.threads)
        var graphOptions = graphOptions
        graphOptions.imageOutput = true
        // If the size is open, any size reveals everything that does not depend on the image.
        graphOptions.openSize = ImageSize(width: 256, height: 256)
        let conversion = try Model.load(contentsOfFile: path, options: graphOptions)
        graphOptions = graphOptions.settled(by: conversion)
        var resizer: (any ModelResizer)?
        if let modelResizer = conversion.model.resizer {
            resizer = ImageOutputResizer(base: modelResizer, converter: Converter(graphOptions))
        } else if let source = conversion.openSource {
            let base = Converter.Resizer(source: source, labels: nil, options: graphOptions)
            resizer = NamingResizer(base: base, path: path)
        }
        do {
            let model = try Converter(graphOptions).withImageOutput(conversion.model)
            try self.init(model, conversion, options, resizer: resizer)
        } catch var failure as Failure {
            // The outputs of a Core ML model cannot be selected.
            if failure.code == .wrongShape, !conversion.isGraph { failure.hint = nil }
            throw failure.inFile(path)
        }
    }

    private init(
        _ model: Model, _ conversion: Conversion?, _ options: Options,
        resizer: (any ModelResizer)?
    ) throws {
        try options.check()
        let image = try model.onlyImage()
        guard let output = model.imageOutput else {
            throw Failure.noImageOutput(model.graph.outputs.map { ($0.name, model.graph[$0.value]) })
        }
        guard model.batchSize == 1 else { throw Failure.fixedBatch(image.name, model.batchSize) }
        (self.model, self.conversion, self.options, self.image, self.resizer) = (
            model, conversion, options, image, resizer
        )
        locality = Locality(
            model.graph, input: model.graph.inputs[0].value, output: model.graph.outputs[output.index].value,
            form: output.form)
        if let tile = options.tile {
            try checkTile(tile)
        } else if resizer == nil, options.longestSide != nil {
            throw Failure.sizeFixed(.longestSide, image.width, image.height)
        }
    }

    /// The output for one image.
    public struct Output: Sendable {
        /// The image that the network returns.
        public let pixels: Pixels
        /// A problem found in the image's file if it could still be read.
        public let warning: Note?
    }

    /// The output for the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image, or too large.
    public func apply(toImageAt path: String) throws -> Output {
        try naming(file: path) {
            let image = try DecodedImage(contentsOfFile: path, options: options.decoding)
            return Output(pixels: try apply(to: image.pixels), warning: image.warning)
        }
    }

    /// The output for an image in memory.
    /// - Throws: `Failure` if the image is too large for the memory.
    public func apply(to photo: Pixels) throws -> Pixels {
        let size = size(for: photo)
        guard photo.channels == 3, worksOnLuma else {
            let gray = image.color == .gray ? photo.converted(to: .gray) : photo
            let fitted = gray.fitted(width: size.width, height: size.height, crop: options.crop)
            return try result(of: fitted.converted(to: image.color), for: photo)
        }
        let planes = LumaAndChroma(photo.fitted(width: size.width, height: size.height, crop: options.crop))
        return planes.with(luma: try result(of: planes.luma, for: photo)).rgb
    }

    /// Whether color images keep their chroma, which is the case if the network upscales grayscale images.
    private var worksOnLuma: Bool {
        guard image.color == .gray, let form = model.imageOutput?.form, form.channels == 1 else { return false }
        return form.width > image.width && form.height > image.height
    }

    /// The network's output for an image that already has the right size and channels.
    /// - Parameter photo: The image that `fitted` was made from.
    private func result(of fitted: Pixels, for photo: Pixels) throws -> Pixels {
        let size = ImageSize(width: fitted.width, height: fitted.height)
        let tile = tileSize ?? size
        let window = ImageSize(width: min(size.width, tile.width), height: min(size.height, tile.height))
        let network = try network(for: window, of: photo)
        let columns = segments(of: size.width, window.width, network.form.width, locality.columns)
        let rows = segments(of: size.height, window.height, network.form.height, locality.rows)
        let (width, height) = (columns.last!.end, rows.last!.end)
        try checkMemory(for: width * height * network.form.channels + network.program.arenaBytes, photo)
        return try Pixels(width: width, height: height, channels: network.form.channels) { target in
            for row in rows {
                for column in columns {
                    try network.run(fitted.part(window, at: (column.start, row.start)))
                    network.copy(column, row, to: target, width: width)
                }
            }
        }
    }

    // MARK: Sizes

    /// The size at which the network processes an image.
    private func size(for photo: Pixels) -> ImageSize {
        let isFixed = resizer == nil && options.tile == nil
        if isFixed { return image.size }
        let scale = min(1, Double(options.longestSide ?? .max) / Double(max(photo.width, photo.height)))
        if image.sizes != .fixed, options.tile == nil {
            // The requested longest side also limits the range.
            let requested = ImageSize(
                width: max(1, Int((Double(photo.width) * scale).rounded())),
                height: max(1, Int((Double(photo.height) * scale).rounded())))
            return image.sizes.nearest(to: requested)!
        }
        let unit = locality.multiple
        func rounded(_ side: Int) -> Int {
            let exact = Double(side) * scale
            var count = max(1, Int((exact / Double(unit)).rounded()))
            if let limit = options.longestSide, count > 1, count * unit > limit { count -= 1 }
            return count * unit
        }
        let (width, height) = (rounded(photo.width), rounded(photo.height))
        // With tiles of a fixed size, the image must be at least as large as one.
        if resizer == nil { return ImageSize(width: max(width, image.width), height: max(height, image.height)) }
        return ImageSize(width: width, height: height)
    }

    /// The size of the tiles, if there are any.
    private var tileSize: ImageSize? {
        guard let tile = options.tile else { return nil }
        guard resizer != nil else { return image.size }
        let unit = locality.multiple
        let side = tile / unit * unit
        return ImageSize(width: side, height: side)
    }

    private func checkTile(_ tile: Int) throws {
        if let global = locality.global { throw Failure.cannotTile(global, isResizable: resizer != nil) }
        if resizer == nil, tile != image.width || tile != image.height {
            throw Failure.tileSizeFixed(image.width, image.height)
        }
        let margin = max(
            Tiles.margin(locality.columns, locality.multiple), Tiles.margin(locality.rows, locality.multiple))
        guard tile >= 2 * margin + locality.multiple else {
            throw Failure.tileTooSmall(tile, minimum: 2 * margin + locality.multiple)
        }
    }

    private func segments(of length: Int, _ window: Int, _ output: Int, _ axis: Reach) -> [Tiles.Segment] {
        guard window < length else { return [Tiles.Segment(start: 0, kept: 0..<output, target: 0)] }
        return Tiles.segments(of: length, window, output, axis, unit: locality.multiple)
    }

    // MARK: Running

    /// The network for a size; the last one is reused if it has that size.
    private func network(for size: ImageSize, of photo: Pixels) throws -> SizedNetwork {
        if let network, network.size == size { return network }
        network = nil
        let (model, program): (Model, Program)
        do {
            model = try resizer?.model(at: size) ?? self.model
            let (prepared, precision) = try model.prepared(for: options.precision)
            program = try Program(prepared.graphOfPixels(), precision: precision, threads: options.threads)
        } catch let failure as Failure where resizer != nil && failure.code == .limitExceeded {
            throw failure.forImage(photo.width, photo.height, canTile: canTile)
        }
        try checkMemory(for: program.arenaBytes, photo)
        let result = SizedNetwork(model, program, size, threads: options.threads)
        network = result
        return result
    }

    private var canTile: Bool { locality.global == nil }

    private func checkMemory(for byteCount: Int, _ photo: Pixels) throws {
        guard byteCount > options.memory else { return }
        throw Failure.notEnoughMemory(byteCount, options.memory).forImage(photo.width, photo.height, canTile: canTile)
    }
}

/// A program of one size with its memory, and the conversion of its output to pixels.
private final class SizedNetwork {
    let program: Program
    let size: ImageSize
    let form: ImageForm
    private let output: ImageOutput
    private let scaling: PixelScaling
    private let executor: Executor

    init(_ model: Model, _ program: Program, _ size: ImageSize, threads: Int) {
        (self.program, self.size) = (program, size)
        output = model.imageOutput!
        form = output.form
        scaling = model.image!.scaling
        executor = Executor(program, threads: threads)
    }

    func run(_ pixels: Pixels) throws {
        pixels.bytes.withUnsafeBufferPointer { executor.load(pixels: $0, scaling, forInputAt: 0) }
        try executor.run()
    }

    /// Copies the kept part of the output into an image that is `width` pixels wide, in RGB order.
    func copy(
        _ columns: Tiles.Segment, _ rows: Tiles.Segment, to target: UnsafeMutableBufferPointer<UInt8>, width: Int
    ) {
        let channels = form.channels
        executor.withOutput(at: output.index) { values in
            for (line, row) in rows.kept.enumerated() {
                let start = (row * form.width + columns.kept.lowerBound) * channels
                let kept = values[start..<start + columns.kept.count * channels]
                let to = target.baseAddress! + ((rows.target + line) * width + columns.target) * channels
                Pixels.round(UnsafeBufferPointer(rebasing: kept), output.color, to: to)
            }
        }
    }
}

extension Pixels {
    /// The part of this size that begins at `origin`; the image itself if that is all of it.
    fileprivate func part(_ size: ImageSize, at origin: (x: Int, y: Int)) -> Pixels {
        if size.width == width, size.height == height { return self }
        return Pixels(width: size.width, height: size.height, channels: channels) { target in
            for y in 0..<size.height {
                let from = ((origin.y + y) * width + origin.x) * channels
                let line = bytes[from..<from + size.width * channels]
                _ = target[(y * size.width * channels)...].update(fromContentsOf: line)
            }
        }
    }
}
