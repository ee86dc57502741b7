extension ArrayShapes {
    /// The shapes in the description of an array.
    init(_ type: Message, of name: String) throws {
        let defaultShape: [Int] = type.shape
        if type.has("enumeratedShapes") {
            let shapes = [defaultShape] + (type["enumeratedShapes"].shapes as [Message]).map { $0.shape as [Int] }
            let all = shapes.filter { !$0.isEmpty }.unique
            guard all.allSatisfy({ shape in shape.allSatisfy { $0 > 0 } }) else {
                throw Failure.arrayShapes(name, "\(all)")
            }
            self = all.count > 1 ? .enumerated(all) : .fixed
        } else if type.has("shapeRange") {
            let ranges = try (type["shapeRange"].sizeRanges as [Message]).map { range in
                let (lower, above): (Int, Int) = (Swift.max(1, range.lowerBound), range.upperBound)
                // A negative upper bound means unbounded.
                let upper = above < 0 ? Int.max : above
                guard lower <= upper else { throw Failure.arrayShapes(name, "\(lower) to \(above)") }
                return lower...upper
            }
            self = ranges.contains { $0.count > 1 } ? .ranges(ranges) : .fixed
        } else {
            self = .fixed
        }
    }
}

extension ArrayInput {
    /// The flexibility in the description of an input; nil if it is not an array, or has none.
    init?(_ feature: Message) throws {
        let type: Message = feature["type"]
        guard type.choice == "multiArrayType" else { return nil }
        let array: Message = type["multiArrayType"]
        let shapes = try ArrayShapes(array, of: feature.name)
        var defaultValue: Double?
        if type.isOptional as Bool {
            let fields = ["doubleDefaultValue", "floatDefaultValue"].filter { array.has($0) }
            // Core ML fills arrays without a default with zeros.
            defaultValue = fields.first.map { array[$0] } ?? 0
            if array.has("intDefaultValue") { defaultValue = Double(array.intDefaultValue as Int) }
        }
        guard shapes != .fixed || defaultValue != nil else { return nil }
        self.init(shapes: shapes, defaultValue: defaultValue)
    }

    /// The flexibility of all inputs of a description, by name.
    static func all(in description: Message) throws -> [String: ArrayInput] {
        var arrays: [String: ArrayInput] = [:]
        for feature in description.input as [Message] { arrays[feature.name] = try ArrayInput(feature) }
        return arrays
    }
}

extension Failure {
    static func arrayShapes(_ name: String, _ problem: String) -> Failure {
        Failure(.invalidModel, location: name, "the shapes of the array are invalid: \(problem)")
    }
}
