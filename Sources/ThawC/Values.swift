import CThaw
import Thaw

/// An output of `thaw_model_predict`, with the memory that the structure of the header points to.
final class CValue: @unchecked Sendable {
    private(set) var record = thaw_value()
    private var texts: [CText] = []
    private var tensor: Tensor?
    private var releases: [() -> Void] = []

    private init(_ name: String) { record.name = text(name) }

    deinit { for release in releases { release() } }

    /// - Parameter element: The type of an array's elements.
    convenience init(_ name: String, _ value: FeatureValue, element: ElementType = .float64) {
        self.init(name)
        switch value {
        case .integer(let number):
            (record.kind, record.integer) = (Int32(THAW_VALUE_INTEGER), Int64(number))
        case .number(let number): (record.kind, record.number) = (Int32(THAW_VALUE_NUMBER), number)
        case .string(let string): (record.kind, record.string) = (Int32(THAW_VALUE_STRING), text(string))
        case .multiArray(let numbers, let shape):
            set(Tensor(shape: Tensor.Shape(shape), element: element) { numbers[$0] })
        case .dictionary(let entries): set(entries)
        case .image(let pixels): set(pixels)
        }
    }

    private convenience init(_ name: String, _ tensor: Tensor, isImage: Bool) {
        self.init(name)
        guard isImage, tensor.element == .uint8 else {
            set(tensor)
            return
        }
        let sizes = tensor.shape.dimensions
        set(
            Pixels(
                width: sizes[1], height: sizes[0], channels: sizes.count == 3 ? sizes[2] : 1, bytes: Array(tensor.bytes)
            ))
    }

    /// The outputs of a network, with the label of a classifier.
    static func all(
        _ outputs: [ModelRunner.Output], of runner: ModelRunner, _ classifier: ClassifierConfiguration?
    ) throws -> [CValue] {
        func tensor(_ feature: ModelFeature) -> Tensor? { outputs.first { $0.name == feature.name }?.tensor }
        let keys = classifier?.labels.map { label in
            classifier?.hasIntegerLabels == true ? FeatureKey.integer(Int(label) ?? 0) : .string(label)
        }
        let probabilities = runner.probabilities.flatMap(tensor)?.floats
        return runner.outputs.compactMap { feature in
            switch feature.kind {
            case .label:
                guard let keys, let probabilities,
                    let top = Classification.topIndices(of: probabilities, count: 1).first
                else { return nil }
                return CValue(feature.name, FeatureValue(keys[top]))
            case .probabilities:
                guard let keys, let probabilities else { return nil }
                return CValue(
                    feature.name, .dictionary(zip(keys, probabilities).map { (key: $0, value: Double($1)) }))
            case .image: return tensor(feature).map { CValue(feature.name, $0, isImage: true) }
            case .multiArray: return tensor(feature).map { CValue(feature.name, $0, isImage: false) }
            }
        }
    }

    private func text(_ string: String) -> UnsafePointer<CChar> {
        let text = CText(string)
        texts.append(text)
        return text.pointer
    }

    /// Memory with a copy of these elements, which lives as long as this object.
    private func memory<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        memory.initialize(from: elements, count: elements.count)
        releases.append { memory.deallocate() }
        return UnsafePointer(memory)
    }

    private func set(_ tensor: Tensor) {
        self.tensor = tensor
        var array = thaw_tensor()
        array.size = MemoryLayout<thaw_tensor>.stride
        array.name = record.name
        array.data = tensor.bytes.baseAddress
        array.byte_count = tensor.bytes.count
        array.type = tensor.element.number
        array.rank = Int32(tensor.shape.rank)
        array.shape = memory(tensor.shape.dimensions.map { Int64($0) })
        (record.kind, record.array) = (Int32(THAW_VALUE_ARRAY), memory([array]))
    }

    private func set(_ entries: [(key: FeatureKey, value: Double)]) {
        record.kind = Int32(THAW_VALUE_DICTIONARY)
        record.entry_count = entries.count
        record.entries = memory(
            entries.map { entry in
                switch entry.key {
                case .integer(let number): thaw_entry(string: nil, integer: Int64(number), value: entry.value)
                case .string(let string): thaw_entry(string: text(string), integer: 0, value: entry.value)
                }
            })
    }

    private func set(_ pixels: Pixels) {
        var image = thaw_image()
        image.size = MemoryLayout<thaw_image>.stride
        image.pixels = memory(pixels.bytes)
        (image.width, image.height) = (Int32(pixels.width), Int32(pixels.height))
        image.channels = Int32(pixels.channels)
        (record.kind, record.image) = (Int32(THAW_VALUE_IMAGE), memory([image]))
    }
}
