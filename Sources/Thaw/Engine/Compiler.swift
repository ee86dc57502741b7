import Kernels

/// Turns a graph into the steps of a program.
///
/// Values become places in buffers, nodes become steps, and where a value is needed in a layout that its producer does
/// not write, a step that converts it follows the producer.
struct Compiler {
    private struct Key: Hashable {
        var value: Graph.Value
        var kind: LayoutKind
    }

    /// In floats, borders and filling included. Offsets are 32-bit numbers.
    static let largestArray = 1 << 29

    let graph: Graph
    let kernels: KernelTable
    let layouts: LayoutAssignment
    private(set) var constants = ConstantPool()
    private(set) var steps: [Step] = []
    /// Bytes of each buffer.
    private(set) var slots: [Int] = []
    private var places: [Key: Place] = [:]

    /// - Throws: `Failure` when an array is larger than offsets can reach.
    init(_ graph: Graph, kernels: KernelTable) throws {
        self.graph = graph
        self.kernels = kernels
        let nodes = fuse(graph)
        layouts = LayoutAssignment(graph, nodes)
        for port in graph.inputs {
            try makePlaces(port.value)
            convert(port.value, name: port.name)
        }
        for node in nodes {
            if let alias = alias(node) {
                places[Key(value: node.outputs[0], kind: alias.kind)] = alias
                try makePlaces(node.outputs[0])
            } else {
                for output in node.outputs { try makePlaces(output) }
                add(node)
            }
            for output in node.outputs { convert(output, name: node.name) }
        }
    }

    /// The place of a value in the layout that its producer writes.
    func native(_ value: Graph.Value) -> Place { place(value, layouts.native[value]!) }

    func place(_ value: Graph.Value, _ kind: LayoutKind) -> Place { places[Key(value: value, kind: kind)]! }

    mutating func add(_ step: Step) { steps.append(step) }

    mutating func withConstants<Result>(_ body: (inout ConstantPool) -> Result) -> Result { body(&constants) }

    /// Buffers for all layouts of a value that have none yet.
    private mutating func makePlaces(_ value: Graph.Value) throws {
        for (kind, halo) in layouts.demands[value]!.sorted(by: { $0.key.order < $1.key.order }) {
            let key = Key(value: value, kind: kind)
            guard places[key] == nil else { continue }
            let place = Place(graph[value], slot: slots.count, kind: kind, halo: kind == .plain ? Halo() : halo)
            guard place.floatCount <= Compiler.largestArray else { throw Failure.arrayTooLarge(graph[value]) }
            let size = kind == .plain ? graph[value].element.size : 4
            // A vector that starts at the last float may reach past it.
            slots.append(place.floatCount * size + 64)
            places[key] = place
        }
    }

    /// The place of a node's output where that is memory which is there already.
    private func alias(_ node: PlannedNode) -> Place? {
        switch node.form {
        case .reshape:
            return Place(graph[node.outputs[0]], slot: place(node.inputs[0], .plain).slot, kind: .plain)
        case .border(let height, let width) where layouts.native[node.outputs[0]] == .blocked:
            return place(node.inputs[0], .blocked).takingIn(
                Halo(top: height.before, bottom: height.after, left: width.before, right: width.after))
        default: return nil
        }
    }

    private mutating func add(_ node: PlannedNode) {
        let output = node.outputs[0]
        switch node.form {
        case .convolution(let filters, let bias, let window):
            addConvolution(node, filters: filters, bias: bias, window: window)
        case .depthwise(let filters, let bias, let window):
            addDepthwise(node, filters: filters, bias: bias, window: window)
        case .dense(let matrix, let bias): addDense(node, matrix: matrix, bias: bias)
        case .pooling(let kind, let window, let countsPadding):
            addPooling(node, kind, window: window, countsPadding: countsPadding)
        case .pixelSum(let factor): addPixelSum(node, factor: factor)
        case .unary(let function): addUnary(node, function)
        case .binary(let function): addBinary(node, function)
        case .binaryConstant(let function, let operand, let constantFirst):
            addBinary(node, function, operand: operand, constantFirst: constantFirst)
        case .scale(let factor, let offset): addScale(node, factor: factor, offset: offset)
        case .softmax: addSoftmax(node)
        case .concatenation(let axis):
            layouts.native[output] == .blocked ? addBlockedConcatenation(node) : addConcatenation(node, axis: axis)
        case .reshape, .border, nil: addReference(node)
        }
    }
}

extension LayoutKind {
    /// For an order that is the same in every process.
    fileprivate var order: Int {
        switch self {
        case .plain: 0
        case .rows: 1
        case .blocked: 2
        }
    }
}
