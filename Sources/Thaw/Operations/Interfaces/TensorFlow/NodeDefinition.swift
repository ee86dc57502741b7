/// A node as defined in a TensorFlow graph, with unresolved names and attributes.
public struct NodeDefinition: Sendable {
    /// The name of the node, which is unique in its graph or function.
    public var name: String
    /// The TensorFlow operation: "Conv2D".
    public var op: String { didSet { traits = .of(op) } }
    /// The traits of the operation, which searches ask for often.
    private(set) var traits: TensorFlowTraits
    /// `node`, `node:2` for an output other than the first, `^node` for a control input.
    public var inputs: [String]
    /// The attributes, by name: `dtype`, `strides`.
    public var attributes: [String: Attribute]

    /// A node as in a GraphDef.
    public init(name: String, op: String, inputs: [String] = [], attributes: [String: Attribute] = [:]) {
        self.name = name
        self.op = op
        traits = .of(op)
        self.inputs = inputs
        self.attributes = attributes
    }
}

extension NodeDefinition {
    /// The value of a node's attribute.
    public enum Attribute: Sendable {
        case int(Int)
        case float(Float)
        case bool(Bool)
        case string(String)
        case type(DataType)
        /// Sizes, −1 if unknown; nil if the rank is also unknown.
        case shape([Int]?)
        case tensor(Tensor)
        /// Values of a list, or the elements of a string tensor.
        case list([Attribute])
        case function(String)
    }

    /// TensorFlow's element types with their raw values (tensorflow/core/framework/types.proto).
    public enum DataType: Int, Sendable {
        case float = 1
        case double, int32, uint8, int16, int8, string, complex64, int64, bool
        case qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, resource, variant, uint32,
            uint64

        /// The corresponding element type, or nil if tensors do not support it.
        public var element: ElementType? {
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
            case .string, .complex64, .complex128, .resource, .variant: nil
            }
        }
    }
}

typealias Attribute = NodeDefinition.Attribute
typealias DataType = NodeDefinition.DataType
