import Thaw

/// The response to a request to run a model.
struct InferResponse {
    let model: ServedModel
    let id: String?
    let items: Int
    let outputs: [InferPlan.Output]
    let values: [OutputValues]

    var response: Response {
        var binary: [UInt8] = []
        var json = JSONText()
        json.object { json in
            json.member("model_name", model.name)
            json.member("model_version", "1")
            if let id { json.member("id", id) }
            json.key("outputs")
            json.array { json in
                for (output, values) in zip(outputs, values) {
                    json.object { add(output, values, to: &$0, &binary) }
                }
            }
        }
        guard outputs.contains(where: \.isBinary) else { return Response(json: json) }
        return Response(
            type: "application/octet-stream",
            headers: [("Inference-Header-Content-Length", "\(json.bytes.count)")], body: json.bytes + binary)
    }

    private func add(
        _ output: InferPlan.Output, _ values: OutputValues, to json: inout JSONText, _ binary: inout [UInt8]
    ) {
        let bytes = values.bytes
        let shape = [items] + (values.shape ?? [])
        json.member("name", output.port.name)
        if let count = output.classes, output.port.type != .bytes {
            let classes = self.classes(output, bytes, count)
            json.member("datatype", DataType.bytes.rawValue)
            json.member("shape", [items, classes.count / items])
            guard output.isBinary else { return json.member("data", classes) }
            let start = binary.count
            for text in classes { binary.append(string: text) }
            return addSize(binary.count - start, to: &json)
        }
        json.member("datatype", output.port.type.rawValue)
        json.member("shape", model.isBatched ? shape : output.port.shape)
        guard output.isBinary else {
            json.key("data")
            json.array { json in InferResponse.add(bytes, of: output.port.type, to: &json) }
            return
        }
        binary += bytes
        addSize(bytes.count, to: &json)
    }

    private func addSize(_ count: Int, to json: inout JSONText) {
        json.key("parameters")
        json.object { $0.member("binary_data_size", count) }
    }

    /// The elements of an output as JSON.
    static func add(_ bytes: [UInt8], of type: DataType, to json: inout JSONText) {
        bytes.withUnsafeBytes { bytes in
            if type == .bytes {
                for text in bytes.strings { json.string(text) }
                return
            }
            for index in 0..<bytes.count / (type.size ?? 1) {
                switch type {
                case .float32: json.number(bytes.loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
                case .int64: json.number(Int(bytes.loadUnaligned(fromByteOffset: 8 * index, as: Int64.self)))
                case .uint64: json.raw("\(bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))")
                case .bool: json.bool(bytes[index] != 0)
                case .float16, .float64: json.number(type.value(at: index, of: bytes))
                default: json.raw("\(Int64(type.value(at: index, of: bytes)))")
                }
            }
        }
    }

    /// The best classes of each item: `value:index`, and `:label` if there are labels.
    private func classes(_ output: InferPlan.Output, _ bytes: [UInt8], _ count: Int) -> [String] {
        let size = output.port.type.size ?? 1
        let perItem = bytes.count / size / items
        let labels = output.index == 0 && model.labels?.count == perItem ? model.labels : nil
        return bytes.withUnsafeBytes { bytes in
            (0..<items).flatMap { item in
                let values = (0..<perItem).map { Float(output.port.type.value(at: item * perItem + $0, of: bytes)) }
                return Classification.topIndices(of: values, count: min(count, perItem)).map { index in
                    "\(values[index]):\(index)" + (labels.map { ":\($0[index])" } ?? "")
                }
            }
        }
    }
}

/// The values of an output for all items.
struct OutputValues {
    /// The elements, little-endian. Each string is preceded by its length in 4 bytes.
    var bytes: [UInt8]
    /// The shape for each item; nil before the first.
    var shape: [Int]?
}
