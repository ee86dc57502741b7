/// The weights of a Core ML model in one form of storage: "float16", "8-bit linear", "6-bit palette".
package struct StoredWeights: Sendable, Equatable {
    package var form: String
    /// The number of weights.
    package var count: Int
    /// Their size in the file, including scales and palettes.
    package var bytes: Int

    /// The weights of a model by storage type, those with the most bytes first.
    static func all(in model: Message) -> [StoredWeights] {
        var tally = Tally()
        switch model.choice {
        case "neuralNetwork"?, "neuralNetworkClassifier"?:
            for layer in model[model.choice!].layers as [Message] { tally.add(layer: layer) }
        case "mlProgram"?: tally.add(program: model["mlProgram"])
        default: break
        }
        return tally.weights
    }

    /// The weights summed by storage type, the largest first.
    static func summed(_ weights: some Sequence<StoredWeights>) -> [StoredWeights] {
        var sums: [String: StoredWeights] = [:]
        for weight in weights {
            sums[weight.form, default: StoredWeights(form: weight.form, count: 0, bytes: 0)].count += weight.count
            sums[weight.form]!.bytes += weight.bytes
        }
        return sums.values.sorted { ($1.bytes, $0.form) < ($0.bytes, $1.form) }
    }
}

/// Collects weights.
private struct Tally {
    private var found: [StoredWeights] = []

    var weights: [StoredWeights] { StoredWeights.summed(found) }

    // MARK: Neural networks

    mutating func add(layer: Message) {
        guard let kind = layer.choice else { return }
        let parameters: Message = layer[kind]
        add(parameters, count: Self.weightCount(kind, parameters))
    }

    /// The number of weights according to a layer's fields; packed values do not determine it exactly.
    private static func weightCount(_ kind: String, _ parameters: Message) -> Int? {
        let factors: [Int]
        switch kind {
        case "convolution":
            let sizes: [Int] = parameters.kernelSize
            // The default kernel of a convolution is 3×3.
            let area = sizes.isEmpty ? [3, 3] : sizes
            // The weights of a transposed convolution have input and output channels swapped.
            let groups = Swift.max(1, parameters.nGroups as Int)
            let isDeconvolution: Bool = parameters.isDeconvolution
            let outputs: Int = parameters.outputChannels
            factors = [parameters.kernelChannels, isDeconvolution ? outputs / groups : outputs] + area
        case "innerProduct": factors = [parameters.inputChannels, parameters.outputChannels]
        default: return nil
        }
        return Shape(factors).checkedCount
    }

    private mutating func add(_ message: Message, count: Int?) {
        if message.messageType == .weights { return add(weights: message, count: count) }
        for field in message.setFields {
            guard case .messages(let messages)? = message.entry(at: message.messageType.index(of: field)) else {
                continue
            }
            for inner in messages { add(inner, count: field == "weights" ? count : nil) }
        }
    }

    private mutating func add(weights: Message, count: Int?) {
        func bytes(_ field: String) -> Int { (weights[field] as ByteView).count }
        if bytes("floatValue") > 0 { note("float32", bytes("floatValue") / 4, bytes("floatValue")) }
        if bytes("float16Value") > 0 { note("float16", bytes("float16Value") / 2, bytes("float16Value")) }
        if bytes("int8RawValue") > 0 { note("8-bit linear", bytes("int8RawValue"), bytes("int8RawValue")) }
        let stored = bytes("rawValue")
        guard stored > 0 else { return }
        let quantization: Message = weights["quantization"]
        let bits = Swift.max(1, quantization.numberOfBits as Int)
        let isPalette = quantization.has("lookupTableQuantization")
        let linear: Message = quantization["linearQuantization"]
        let parameterBytes =
            isPalette
            ? (quantization.lookupTableQuantization.floatValue as ByteView).count
            : (linear["scale"] as ByteView).count + (linear["bias"] as ByteView).count
        note("\(bits)-bit " + (isPalette ? "palette" : "linear"), count ?? stored * 8 / bits, stored + parameterBytes)
    }

    private mutating func note(_ form: String, _ count: Int, _ bytes: Int) {
        found.append(StoredWeights(form: form, count: count, bytes: bytes))
    }

    // MARK: ML Programs

    mutating func add(program: Message) {
        for function in program.functions as [Message] {
            if let body = function["value"].body { add(operations: body.operations) }
        }
    }

    /// An operation that decompresses constants counts instead of those constants.
    private mutating func add(operations: [Message]) {
        var open: [String: StoredWeights] = [:]
        var order: [String] = []
        for operation in operations {
            let kind: String = operation.type
            guard kind == "const" || kind.hasPrefix("constexpr_"), let output = (operation.outputs as [Message]).first
            else { continue }
            let name: String = output.name
            var parts: [String: StoredWeights] = [:]
            for entry in (operation.attributes as [Message]) where entry.key as String != "name" {
                parts[entry.key] = Self.stored(entry["value"])
            }
            for entry in operation.inputs as [Message] {
                for binding in entry.value.arguments as [Message] {
                    let other: String = binding.name
                    parts[entry.key] =
                        binding.has("value") ? Self.stored(binding["value"]) : open.removeValue(forKey: other)
                }
            }
            if kind == "const" {
                // A scalar is a parameter of an operation, not a weight.
                open[name] = Self.type(output["type"])?.isArray == true ? parts["val"] : nil
            } else {
                let count = Self.type(output["type"])?.count ?? 0
                let bytes = parts.values.reduce(0) { $0 + $1.bytes }
                open[name] = StoredWeights(form: Self.form(kind, parts), count: count, bytes: bytes)
            }
            order.append(name)
        }
        found += order.compactMap { open[$0] }
    }

    private static func form(_ kind: String, _ parts: [String: StoredWeights]) -> String {
        switch kind {
        case "constexpr_affine_dequantize", "constexpr_blockwise_shift_scale":
            let quantized = parts["quantized_data"] ?? parts["data"]
            // Palette indices may also have a scale per channel.
            if let quantized, quantized.form.hasSuffix("palette") { return quantized.form }
            return "\(quantized.map { $0.bytes * 8 / Swift.max(1, $0.count) } ?? 8)-bit linear"
        case "constexpr_lut_to_dense":
            // If indices are bytes, the size of the lookup table determines the number of bits.
            guard let indices = parts["indices"], let table = parts["lut"] else { return "palette" }
            let bits =
                indices.form.hasPrefix("uint") && indices.form != "uint8"
                ? indices.bytes * 8 / Swift.max(1, indices.count) : table.count.trailingZeroBitCount
            return "\(bits)-bit palette"
        case "constexpr_sparse_to_dense": return "pruned \(parts["nonzero_data"]?.form ?? "")"
        default: return parts.values.first?.form ?? kind
        }
    }

    /// The element type and size of a tensor that may be a weight; nil for strings, Booleans and integers.
    private static func type(_ type: Message) -> (element: MILElement, count: Int, isArray: Bool)? {
        let tensor: Message = type["tensorType"]
        let sizes = (tensor.dimensions as [Message]).map { $0.constant.size as Int }
        guard let element = MILElement(tensor.dataType), element.kind != .int32, element.kind != .uint32,
            let count = Shape(sizes).checkedCount
        else { return nil }
        return (element, count, !sizes.isEmpty)
    }

    /// The storage of a value.
    private static func stored(_ value: Message) -> StoredWeights? {
        guard let (element, count, _) = type(value["type"]) else { return nil }
        return StoredWeights(form: element.name.lowercased(), count: count, bytes: element.kind.byteCount(count))
    }
}
