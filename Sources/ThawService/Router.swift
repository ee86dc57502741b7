import Thaw

extension Service {
    /// Answers a request whose body is complete.
    func respond(to exchange: Exchange) throws -> Response {
        switch exchange.route {
        case .page: return Page.response
        case .server: return Service.metadata
        case .live: return Service.flag("live", true)
        case .ready:
            return isStopping ? ErrorResponse.stopping().response : Service.flag("ready", true)
        case .model(let name): return Response(json: try models.model(name).description)
        case .modelReady(let name):
            let model = try models.model(name)
            if isStopping { throw ErrorResponse.stopping() }
            var json = JSONText()
            json.object { json in
                json.member("name", model.name)
                json.member("ready", true)
            }
            return Response(json: json)
        case .infer(let name): return try infer(exchange, models.model(name))
        case .classify: return try classify(exchange)
        case .models: return list
        case .details(let name): return Response(json: try models.model(name).fullDescription)
        case .drawing(let name): return try models.model(name).drawingResponse()
        case .metrics: return Response(type: Metrics.contentType, text: metrics.text(queue, connections, models))
        case .openAPI: return Response(type: "application/json", text: OpenAPI.text)
        case .unknownVersion(let version): throw ErrorResponse.noSuchVersion(version)
        case .unknown: throw ErrorResponse.noSuchPath("/" + (exchange.request?.path.joined(separator: "/") ?? ""))
        }
    }

    /// The metadata of the server, with the extensions of the protocol that it supports.
    private static let metadata: Response = {
        var json = JSONText()
        json.object { json in
            json.member("name", "thaw")
            json.member("version", thawVersion)
            json.member("extensions", ["binary_tensor_data", "classification"])
        }
        return Response(json: json)
    }()

    private static func flag(_ name: String, _ value: Bool) -> Response {
        var json = JSONText()
        json.object { $0.member(name, value) }
        return Response(json: json)
    }

    private var list: Response {
        var json = JSONText()
        json.object { json in
            json.member("version", thawVersion)
            json.key("models")
            json.array { json in
                for model in models.all { json.object { model.addSummary(to: &$0) } }
            }
        }
        return Response(json: json)
    }
}
