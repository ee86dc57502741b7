/// A TensorFlow graph as its file describes it: nodes by name, with their inputs and attributes, not yet understood.
///
/// Nothing here refers to the file's encoding; large constants are views of the mapped file.
struct GraphDefinition: Sendable {
    /// In the file's order, which need not be topological.
    var nodes: [NodeDefinition]
    /// Names of the functions that the graph carries with it.
    var functions: [String] = []
}

/// One node: what it computes (`op`), and from what.
struct NodeDefinition: Sendable {
    var name: String
    /// The operation's name, such as `Conv2D`.
    var op: String
    /// Names of the nodes read, as in the file: `name`, `name:1` for an output other than the first, `^name` for one
    /// that must only have run before.
    var inputs: [String] = []
    var attributes: [String: Attribute] = [:]
}

/// The value of an attribute.
enum Attribute: Sendable {
    case int(Int)
    case float(Float)
    case bool(Bool)
    case string(String)
    case type(DataType)
    case shape(PartialShape)
    case tensor(Tensor)
    /// A tensor of strings, row after row.
    case strings([[UInt8]], shape: Shape)
    /// A tensor of a type that Thaw does not compute with (complex numbers, resources, variants).
    case foreign(DataType)
    indirect case list(List)
    /// The name of a function.
    case function(String)
    /// The name of an attribute of the surrounding function.
    case placeholder(String)

    /// A list. The file does not say of what kind an empty one is; all the arrays are empty then.
    struct List: Sendable {
        var ints: [Int] = []
        var floats: [Float] = []
        var bools: [Bool] = []
        var strings: [String] = []
        var types: [DataType] = []
        var shapes: [PartialShape] = []
        var tensors: [Attribute] = []
        var functions: [String] = []
    }
}

/// A shape of which not everything need be known: nil when not even the rank is, -1 for an unknown size.
typealias PartialShape = [Int]?

/// TensorFlow's element types, with TensorFlow's numbers.
enum DataType: Int, Sendable {
    case invalid, float, double, int32, uint8, int16, int8, string, complex64, int64, bool
    case qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, resource, variant, uint32, uint64

    /// The type with this number; references (numbers from 101) are what they refer to.
    init(number: Int) {
        self = DataType(rawValue: number > 100 ? number - 100 : number) ?? .invalid
    }

    /// The elements' type in a `Tensor`; quantised numbers are plain integers there. Nil where there is none.
    var element: ElementType? {
        switch self {
        case .float: .float32
        case .double: .float64
        case .half: .float16
        case .bfloat16: .bfloat16
        case .int8, .qint8: .int8
        case .uint8, .quint8: .uint8
        case .int16, .qint16: .int16
        case .uint16, .quint16: .uint16
        case .int32, .qint32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .bool: .bool
        case .invalid, .string, .complex64, .complex128, .resource, .variant: nil
        }
    }
}

extension DataType: CustomStringConvertible {
    /// As TensorFlow writes it: `DT_FLOAT`.
    var description: String { "DT_" + Self.names[rawValue] }

    private static let names = [
        "INVALID", "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL",
        "QINT8", "QUINT8", "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE",
        "VARIANT", "UINT32", "UINT64",
    ]
}
