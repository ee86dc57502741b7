import Thaw

extension Service {
    /// Requests for more labels than this are refused.
    private static let maximumLabels = 10_000

    /// Classifies one image, or the images of a form.
    func classify(_ exchange: Exchange) throws -> Response {
        let request = exchange.request!
        let options = try ClassifyOptions(
            request.query, models, background: settings.decoding.background, limit: Service.maximumLabels)
        exchange.model = options.model.name
        let body = try decodedBody(of: exchange)
        guard !body.isEmpty else { throw ErrorResponse.noBody() }
        let work = ImageWork(settings, options.image, crop: options.crop ?? settings.crop)
        guard let boundary = try Multipart.boundary(in: request["content-type"]) else {
            let result = try classify(body, exchange, options, work)
            return Response(type: "application/json", text: result.line(image: nil, top: options.top))
        }
        let parts = try Multipart.parts(of: body, boundary: boundary).filter { $0.fileName != nil }
        if parts.count == 1 {
            let result = try classify(parts[0].content, exchange, options, work)
            return Response(type: "application/json", text: result.line(image: parts[0].fileName, top: options.top))
        }
        guard !parts.isEmpty else { throw ErrorResponse.badRequest("the form has no file") }
        guard parts.count <= InferPlan.maximumItems else { throw ErrorResponse.batchTooLarge(InferPlan.maximumItems) }
        var lines = ""
        for part in parts {
            guard lines.utf8.count <= 4 * settings.maxBody else {
                throw ErrorResponse.outputsTooLarge(lines.utf8.count)
            }
            // The client is no longer waiting for the response.
            if !lines.isEmpty, Connections.isGone(exchange.connection) { return .clientClosed }
            do {
                lines += try classify(part.content, named: part.fileName, exchange, options, work).line(
                    image: part.fileName, top: options.top)
            } catch let failure as Failure {
                metrics.count(failure.code)
                let error = ErrorResponse(failure)
                lines +=
                    "{\"image\": \(quotedInJSON(part.fileName ?? "")), \"error\": \(quotedInJSON(error.message)), "
                    + "\"code\": \(quotedInJSON(failure.code.rawValue))}\n"
            }
        }
        return Response(type: "application/x-ndjson", text: lines)
    }

    /// - Parameter name: The name of the image in warnings, if there are several.
    private func classify(
        _ bytes: ArraySlice<UInt8>, named name: String? = nil, _ exchange: Exchange, _ options: ClassifyOptions,
        _ work: ImageWork
    ) throws -> ClassifiedImage {
        let start = Moment.now
        let (pixels, warning) = try work.pixels(decoding: bytes)
        exchange.warn(warning, of: name)
        let decoded = Moment.now
        exchange.timings.decoding = (exchange.timings.decoding ?? 0) + decoded.seconds(since: start)
        let model = options.model
        let probabilities = try queue.withThreads { threads in
            switch model.runner {
            case .network(let executors):
                try executors.run(
                    threads: threads,
                    { executor in
                        pixels.bytes.withUnsafeBufferPointer {
                            executor.load(pixels: $0, work.image.scaling, forInputAt: 0)
                        }
                    }, { executor in executor.withOutput(at: 0) { Array($0.prefix(model.classCount)) } })
            case .pipeline(let pipeline):
                try pipeline.probabilities(pipeline.run([model.inputs[0].name: .image(pixels.reordered(work.image))]))
                    ?? []
            }
        }
        exchange.timings.computing = (exchange.timings.computing ?? 0) + Moment.seconds(since: decoded)
        metrics.countImages(1)
        return ClassifiedImage(warning: warning, probabilities: probabilities, labels: model.labels)
    }
}

/// The query of a request to classify.
private struct ClassifyOptions {
    let model: ServedModel
    let image: ImageInput
    let top: Int
    let crop: Crop?

    init(_ query: [String: String], _ models: ModelStore, background: RGBColor?, limit: Int) throws {
        if let unknown = query.keys.sorted().first(where: { !["model", "top", "crop"].contains($0) }) {
            throw ErrorResponse.unknownParameter(unknown)
        }
        if let name = query["model"] {
            model = try models.model(name)
        } else {
            // With one classifier, there is nothing to choose.
            let classifiers = models.all.filter { $0.classifiedImage != nil }
            guard let only = classifiers.first else { throw ErrorResponse.noClassifier() }
            guard classifiers.count == 1 else { throw ErrorResponse.missingModel(classifiers.map(\.name)) }
            model = only
        }
        guard let image = model.classifiedImage else {
            throw ErrorResponse(
                400, .unsupportedModel, "'\(model.name)' does not classify single images", remedy: "use infer")
        }
        self.image = image
        let text = query["top"] ?? "5"
        guard let top = Int(text), 1...limit ~= top else {
            throw ErrorResponse.badParameter("top", text, expected: "an integer from 1 to \(limit)")
        }
        self.top = top
        crop = try query["crop"].map {
            guard let crop = Crop($0, background: background ?? .black) else {
                throw ErrorResponse.badParameter("crop", $0, expected: "fill, center, center:F or fit")
            }
            return crop
        }
    }
}

/// The result for an image.
private struct ClassifiedImage {
    let warning: Note?
    let probabilities: [Float]
    let labels: [String]?

    /// The same line as `thaw classify --format json` prints.
    func line(image: String?, top count: Int) -> String {
        let predictions = Classification.topIndices(of: probabilities, count: count).map { index in
            let probability = probabilities[index]
            return "{\"label\": \(quotedInJSON(labels?[index] ?? "\(index)")), \"index\": \(index), "
                + "\"probability\": \(probability.isFinite ? probability.description : "null")}"
        }
        let warning = warning.map { "\"warning\": \(quotedInJSON($0.description)), " } ?? ""
        return
            "{\"image\": \(image.map(quotedInJSON) ?? "null"), \(warning)"
            + "\"predictions\": [\(predictions.joined(separator: ", "))]}\n"
    }
}
