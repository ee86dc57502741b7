import Thaw

extension Service {
    /// Runs a model as the protocol asks.
    func infer(_ exchange: Exchange, _ model: ServedModel) throws -> Response {
        exchange.model = model.name
        let body = try decodedBody(of: exchange)
        let request = try InferRequest(body, headerLength: exchange.request?["inference-header-content-length"])
        let plan = try InferPlan(request, model, settings)
        var results = plan.outputs.map { _ in [UInt8]() }
        var first = 0
        while first < plan.items {
            // The client is no longer waiting for the response.
            if first > 0, Connections.isGone(exchange.connection) { return Response(status: 499) }
            let start = Moment.now
            let tensors = try plan.inputs.map { try $0.group(at: first, model.group) }
            let decoded = Moment.now
            queue.withThreads { threads in
                model.run(threads: threads) { executor in
                    for (index, tensor) in tensors.enumerated() { tensor.load(into: executor, input: index) }
                } _: { executor in
                    for (index, output) in plan.outputs.enumerated() {
                        let values = executor.output(output.index)
                        let size = values.bytes.count / model.group * min(model.group, plan.items - first)
                        results[index].append(
                            contentsOf: values.bytes.prefix(model.isBatched ? size : values.bytes.count))
                    }
                }
            }
            exchange.timings.decoding = (exchange.timings.decoding ?? 0) + decoded.seconds(since: start)
            exchange.timings.computing = (exchange.timings.computing ?? 0) + Moment.seconds(since: decoded)
            first += model.isBatched ? model.group : plan.items
        }
        metrics.countImages(plan.items)
        return InferResponse(model: model, id: request.id, items: plan.items, outputs: plan.outputs, values: results)
            .response
    }
}
