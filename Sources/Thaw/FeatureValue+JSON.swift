extension FeatureType {
    /// How a value of this type is written.
    var example: String {
        switch self {
        case .integer: "3"
        case .number: "0.5"
        case .string: "\"red\""
        case .multiArray: "[0.5, 1, 2]"
        case .dictionary(let hasIntegerKeys): hasIntegerKeys ? "{\"0\": 0.5}" : "{\"red\": 1}"
        case .image: "photo.jpg"
        }
    }

    /// A value in JSON: a number, a string, an array of numbers, or an object of numbers. null is a missing number. A
    /// string does not need quotes.
    /// - Throws: `Failure` if it has another type, or is not JSON.
    public func value(json text: String) throws -> FeatureValue {
        if self == .string, !text.hasPrefix("\"") { return .string(text) }
        guard let json = try? Array(text.utf8).withUnsafeBytes({ try JSON($0) }) else {
            throw Failure.notJSON(text, self)
        }
        return try value(json)
    }

    /// The rows of an array that is a single value or has one axis more than the type.
    /// - Throws: `Failure` if its shape does not fit.
    package func rows(_ values: [Double], shape: [Int]) throws -> [FeatureValue] {
        var rowShape: [Int] = []
        if case .multiArray(let fixed) = self { rowShape = fixed ?? Array(shape.dropFirst(shape.count > 1 ? 1 : 0)) }
        guard shape.count == rowShape.count + 1, Array(shape.dropFirst()) == rowShape else {
            let value = FeatureValue.multiArray(values, shape: shape)
            return [rowShape.isEmpty && values.count == 1 ? try self.value(values) : try checked(value)]
        }
        let size = rowShape.reduce(1, *)
        return try (0..<shape[0]).map { try value(Array(values[$0 * size..<($0 + 1) * size])) }
    }

    func value(_ json: JSON) throws -> FeatureValue {
        switch (self, json) {
        case (.string, .string(let text)): return .string(text)
        case (.integer, .number), (.number, .number), (.number, .null): return try value([json.missingOrNumber!])
        case (.multiArray, .array):
            var shape: [Int] = []
            var values: [Double] = []
            try json.flatten(0, &shape, &values)
            return try checked(.multiArray(values, shape: shape))
        case (.dictionary(let hasIntegerKeys), .object(let members)):
            return .dictionary(
                try members.map { member in
                    let key = hasIntegerKeys ? Int(member.key).map { FeatureKey.integer($0) } : .string(member.key)
                    guard let key, let number = member.value.missingOrNumber else {
                        throw Failure.otherJSON(json, self)
                    }
                    return (key, number)
                })
        default: throw Failure.otherJSON(json, self)
        }
    }
}

extension Pipeline {
    /// The rows of a file with an object of inputs on each line, with the numbers of their lines.
    /// - Throws: `Failure` naming the file and the line.
    package func rows(inFile path: String) throws -> [(line: Int, inputs: [String: FeatureValue])] {
        let file = try MappedFile(path: path)
        return try naming(file: path) { try file.withBytes { try rows(jsonLines: $0) } }
    }

    private func rows(
        jsonLines text: UnsafeRawBufferPointer
    ) throws -> [(line: Int, inputs: [String: FeatureValue])] {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var rows: [(line: Int, inputs: [String: FeatureValue])] = []
        // Blank lines have no row, but they count.
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            if text.allSatisfy(\.isWhitespace) { continue }
            do {
                rows.append((index + 1, try row(json: text)))
            } catch let failure as Failure {
                throw failure.inLine(index + 1)
            }
        }
        return rows
    }

    /// A row of inputs: an object of their values by their names.
    /// - Throws: `Failure` if it is not an object, or has unknown inputs.
    func row(json text: String) throws -> [String: FeatureValue] {
        let json = try Array(text.utf8).withUnsafeBytes { try JSON($0) }
        guard case .object(let members) = json else { throw Failure.rowNotObject() }
        var row: [String: FeatureValue] = [:]
        for (name, member) in members {
            let input = try input(named: name)
            row[name] = try naming(location: "input '\(name)'") { try input.type.value(member) }
        }
        return row
    }
}

extension Failure {
    /// The same failure with the number of a line before its location.
    package func inLine(_ line: Int) -> Failure {
        var copy = self
        copy.location = ["line \(line)", location].compactMap { $0 }.joined(separator: ", ")
        return copy
    }
}

extension JSON {
    /// A number, or NaN for null; nil for other values.
    fileprivate var missingOrNumber: Double? {
        switch self {
        case .number(let number): number
        case .null: .nan
        default: nil
        }
    }

    /// Appends the numbers of nested arrays, and sets the sizes of the axes.
    fileprivate func flatten(_ depth: Int, _ shape: inout [Int], _ values: inout [Double]) throws {
        guard case .array(let elements) = self else {
            guard let number = missingOrNumber, depth == shape.count else { throw Failure.raggedArray() }
            values.append(number)
            return
        }
        if depth == shape.count, values.isEmpty { shape.append(elements.count) }
        guard depth < shape.count, shape[depth] == elements.count else { throw Failure.raggedArray() }
        for element in elements { try element.flatten(depth + 1, &shape, &values) }
    }
}

extension FeatureValue {
    /// The value in JSON. A dictionary keeps its order; NaN is null.
    package var json: JSON {
        switch self {
        case .integer(let number): JSON(number)
        case .number(let number): JSON(floating: number)
        case .string(let text): JSON(text)
        case .multiArray(let values, let shape): Self.json(values[...], shape[...])
        case .dictionary(let entries):
            .object(entries.map { (key: $0.key.description, value: JSON(floating: $0.value)) })
        case .image(let pixels): JSON("\(pixels.width)×\(pixels.height)")
        }
    }

    private static func json(_ values: ArraySlice<Double>, _ shape: ArraySlice<Int>) -> JSON {
        guard let count = shape.first else { return JSON(floating: values.first) }
        let size = shape.dropFirst().reduce(1, *)
        return .array(
            (0..<count).map { row in
                let start = values.startIndex + row * size
                return json(values[start..<start + size], shape.dropFirst())
            })
    }
}
