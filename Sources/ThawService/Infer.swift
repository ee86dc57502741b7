import Thaw

extension Service {
    /// Runs a model as the protocol asks.
    func infer(_ exchange: Exchange, _ model: ServedModel) throws -> Response {
        exchange.model = model.name
        let body = try decodedBody(of: exchange)
        let request = try InferRequest(body, headerLength: exchange.request?["inference-header-content-length"])
        let plan = try InferPlan(request, model, settings)
        let results =
            switch model.runner {
            case .network(let executors): try run(plan, executors, exchange)
            case .pipeline(let pipeline): try run(plan, pipeline, exchange)
            }
        // The client is no longer waiting for the response.
        guard let results else { return .clientClosed }
        metrics.countImages(plan.items)
        return InferResponse(model: model, id: request.id, items: plan.items, outputs: plan.outputs, values: results)
            .response
    }

    /// The outputs of a network; nil if the client is gone.
    private func run(_ plan: InferPlan, _ executors: Executors, _ exchange: Exchange) throws -> [OutputValues]? {
        var results = plan.outputs.map { OutputValues(bytes: [], shape: Array($0.port.shape.dropFirst())) }
        for item in 0..<plan.items {
            if item > 0, Connections.isGone(exchange.connection) { return nil }
            let start = Moment.now
            let contents = try plan.inputs.compactMap { try $0?.item(item, exchange) }
            let decoded = Moment.now
            try queue.withThreads { threads in
                try executors.run(threads: threads) { executor in
                    for (index, content) in contents.enumerated() { content.load(into: executor, input: index) }
                } _: { executor in
                    for (index, output) in plan.outputs.enumerated() {
                        executor.output(at: output.index).withUnsafeBytes {
                            results[index].bytes.append(contentsOf: $0)
                        }
                    }
                }
            }
            exchange.timings.decoding = (exchange.timings.decoding ?? 0) + decoded.seconds(since: start)
            exchange.timings.computing = (exchange.timings.computing ?? 0) + Moment.seconds(since: decoded)
        }
        return results
    }

    /// The outputs of a pipeline; nil if the client is gone.
    private func run(_ plan: InferPlan, _ pipeline: Pipeline, _ exchange: Exchange) throws -> [OutputValues]? {
        var results = plan.outputs.map { _ in OutputValues(bytes: [], shape: nil) }
        for item in 0..<plan.items {
            if item > 0, Connections.isGone(exchange.connection) { return nil }
            let start = Moment.now
            let row = try plan.row(item, exchange)
            let decoded = Moment.now
            let values = try queue.withThreads { _ in try pipeline.run(row) }
            for (index, output) in plan.outputs.enumerated() {
                try results[index].append(values[output.index].value, output)
            }
            exchange.timings.decoding = (exchange.timings.decoding ?? 0) + decoded.seconds(since: start)
            exchange.timings.computing = (exchange.timings.computing ?? 0) + Moment.seconds(since: decoded)
            let bytes = results.reduce(0) { $0 + $1.bytes.count }
            guard bytes <= settings.maxBody else {
                throw ErrorResponse.outputsTooLarge(bytes / (item + 1) * plan.items)
            }
        }
        return results
    }
}
