/// The images and annotated objects of a file in COCO format: the `instances` files of its data sets, and exports of
/// annotation programs.
public struct COCOAnnotations: Sendable {
    /// An image of a data set.
    public struct Image: Sendable, Equatable {
        /// Its identifier, which annotations refer to.
        public let id: Int
        /// The name of its file, relative to a folder of images.
        public let fileName: String
    }

    /// A category of objects.
    public struct Category: Sendable, Equatable {
        /// Its identifier, which annotations refer to.
        public let id: Int
        /// Its name, which is compared with a detector's labels.
        public let name: String
    }

    /// The images, in the order of their identifiers.
    public let images: [Image]
    /// The categories, in the order of their identifiers.
    public let categories: [Category]
    /// The objects in each image, by its identifier.
    private let objects: [Int: [DetectionEvaluation.Truth]]

    /// Reads annotations in COCO's format.
    /// - Throws: `Failure` naming the file and the entry that is wrong.
    public init(contentsOfFile path: String) throws {
        let file = try MappedFile(path: path)
        self = try naming(file: path) { try file.withBytes { try COCOAnnotations(JSON($0)) } }
    }

    init(_ json: JSON) throws {
        images = try json.entries("images") { entry in
            let name = try entry.text("file_name")
            // The system would end the name at the NUL.
            guard !name.isEmpty, !name.utf8.contains(0) else { throw Failure.annotationField("file_name", "a file") }
            return Image(id: try entry.integer("id"), fileName: name)
        }.sorted(on: \.id)
        categories = try json.entries("categories") { entry in
            Category(id: try entry.integer("id"), name: try entry.text("name"))
        }.sorted(on: \.id)
        if let duplicate = images.map(\.id).repeated { throw Failure.duplicateAnnotation("images", duplicate) }
        if let duplicate = categories.map(\.id).repeated { throw Failure.duplicateAnnotation("categories", duplicate) }
        guard !images.isEmpty else { throw Failure.annotationsEmpty() }
        let known = Set(images.map(\.id))
        let indices = Dictionary(uniqueKeysWithValues: categories.enumerated().map { ($1.id, $0) })
        var objects: [Int: [DetectionEvaluation.Truth]] = [:]
        let found = try json.entries("annotations") { entry -> (image: Int, object: DetectionEvaluation.Truth) in
            let (image, category) = (try entry.integer("image_id"), try entry.integer("category_id"))
            guard known.contains(image) else { throw Failure.annotationReference("image", image) }
            guard let index = indices[category] else { throw Failure.annotationReference("category", category) }
            let box = try entry.box()
            let area = entry["area"] == nil ? box.width * box.height : try entry.number("area")
            let isCrowd = entry["iscrowd"].map { $0 == .number(1) || $0 == .bool(true) } ?? false
            return (image, DetectionEvaluation.Truth(category: index, box: box, area: area, isCrowd: isCrowd))
        }
        for (image, object) in found { objects[image, default: []].append(object) }
        self.objects = objects
    }

    /// The annotated objects in an image.
    public func objects(in image: Image) -> [DetectionEvaluation.Truth] { objects[image.id] ?? [] }

    /// For each label of a detector, the index of the category with the same name; nil if there is none.
    /// - Throws: `Failure` for a category that has objects but no label.
    public func categories(of labels: [String]) throws -> [Int?] {
        let labelIndex = LabelIndex(labels, classCount: labels.count)
        let used = Set(objects.values.flatMap { $0.map(\.category) })
        var indices = [Int?](repeating: nil, count: labels.count)
        var unknown: [(name: String, location: String)] = []
        for (index, category) in categories.enumerated() {
            if let label = labelIndex.index(of: category.name) {
                indices[label] = index
            } else if used.contains(index) {
                unknown.append((category.name, ""))
            }
        }
        if !unknown.isEmpty { throw Failure.unknownLabels(unknown, labelIndex) }
        return indices
    }
}

extension JSON {
    /// The values that `read` returns for the elements of an array.
    fileprivate func entries<Value>(_ key: String, _ read: (JSON) throws -> Value) throws -> [Value] {
        guard case .array(let elements)? = self[key] else { throw Failure.annotationsWithout(key) }
        return try elements.enumerated().map { index, element in
            try naming(location: "\(key)[\(index)]") { try read(element) }
        }
    }

    fileprivate func text(_ key: String) throws -> String {
        guard let text = self[key]?.string else { throw Failure.annotationField(key, "text") }
        return text
    }

    fileprivate func number(_ key: String) throws -> Double {
        guard case .number(let number)? = self[key] else { throw Failure.annotationField(key, "a number") }
        return number
    }

    fileprivate func integer(_ key: String) throws -> Int {
        guard let integer = Int(exactly: try number(key)) else { throw Failure.annotationField(key, "an integer") }
        return integer
    }

    fileprivate func box() throws -> Detection.Box {
        guard case .array(let elements)? = self["bbox"], elements.count == 4 else {
            throw Failure.annotationField("bbox", "x, y, width and height")
        }
        let values = try elements.map { element in
            guard case .number(let value) = element else {
                throw Failure.annotationField("bbox", "x, y, width and height")
            }
            return value
        }
        return Detection.Box(x: values[0], y: values[1], width: values[2], height: values[3])
    }
}

extension [Int] {
    /// The first number that appears again; the numbers are sorted.
    fileprivate var repeated: Int? { zip(self, dropFirst()).first { $0 == $1 }?.0 }
}
