extension Locality {
    /// Follows height and width of the image through a graph.
    struct Tracing {
        private let graph: Graph
        private let producers: [Graph.Value: Graph.Node]
        private(set) var views: [Graph.Value: View]
        private(set) var multiple = 1
        private(set) var global: String?

        init(_ graph: Graph, _ input: Graph.Value) {
            self.graph = graph
            producers = graph.producers
            views = [input: View(height: TracedAxis(axis: 1), width: TracedAxis(axis: 2))]
        }

        mutating func follow(_ node: Graph.Node) {
            let inputs = node.inputs.map { views[$0] ?? View() }
            if inputs.allSatisfy({ $0.height == nil && $0.width == nil }) { return }
            let outputs = local(node, inputs) ?? nonlocal(node)
            for (value, view) in zip(node.outputs, outputs) {
                views[value] = view
                for traced in [view.height, view.width].compactMap({ $0 }) {
                    let step = traced.along.step.numerator
                    multiple = multiple / greatestCommonDivisor(multiple, step) * step
                }
            }
        }

        /// The outputs of a node that depends on the whole image. If they are as large as the input, they may still be on its
        /// grid.
        private mutating func nonlocal(_ node: Graph.Node) -> [View] {
            global = global ?? node.name
            let input = graph[node.inputs[0]].shape
            return node.outputs.map { value in
                let output = graph[value].shape
                guard input.rank == output.rank, let view = views[node.inputs[0]] else { return View() }
                return view.mapped { traced in
                    // A single value for the whole axis has no position.
                    guard output[traced.axis] > 1 else { return nil }
                    let ratio = Fraction(input[traced.axis], output[traced.axis])
                    guard max(ratio.numerator, ratio.denominator) <= Locality.largestRatio else { return nil }
                    var traced = traced
                    traced.along.step = traced.along.step * ratio
                    return traced
                }
            }
        }

        /// - Returns: nil if a node depends on the whole image, or if its dependence is unknown.
        private mutating func local(_ node: Graph.Node, _ inputs: [View]) -> [View]? {
            let view = inputs[0]
            switch node.operation {
            case is Unary, is Cast, is FakeQuantize, is BatchNormalization: return [view]
            case let convolution as Convolution: return [under(convolution.window, view)]
            case let convolution as DepthwiseConvolution: return [under(convolution.window, view)]
            case let pooling as Pooling: return [under(pooling.window, view)]
            case let convolution as TransposedConvolution:
                return [
                    View(
                        height: view.height?.spread(under: convolution.window.height),
                        width: view.width?.spread(under: convolution.window.width))
                ]
            case let resize as Resize:
                guard let height = view.height, let width = view.width, let rows = height.resized(resize.rows),
                    let columns = width.resized(resize.columns)
                else { return nil }
                return [View(height: rows, width: columns)]
            case let pad as Pad: return [view.mapped { $0.moved(by: -pad.before[$0.axis]) }]
            case let softmax as Softmax: return view.holds(softmax.axis) ? nil : [view]
            case let split as Split: return view.holds(split.axis) ? nil : node.outputs.map { _ in view }
            case is Binary, is Select: return joined(node, inputs).map { [$0] }
            case let concatenation as Concatenation:
                return
                    (inputs.contains { $0.holds(concatenation.axis) }
                    ? bordered(node, concatenation.axis, inputs) : joined(node, inputs)).map { [$0] }
            case let transpose as Transpose:
                return [
                    view.mapped { traced in
                        var traced = traced
                        traced.axis = transpose.order.firstIndex(of: traced.axis)!
                        return traced
                    }
                ]
            case let slice as StridedSlice:
                guard [view.height, view.width].allSatisfy({ $0.map { slice.ranges[$0.axis].step > 0 } ?? true }) else {
                    // Part of a mirrored border: see `bordered`.
                    return [View()]
                }
                return [
                    view.mapped { traced in
                        var result = traced.moved(by: slice.ranges[traced.axis].start)
                        result.along.step = traced.along.step * Fraction(slice.ranges[traced.axis].step)
                        return result
                    }
                ]
            case let reduction as Reduction:
                if reduction.axes.contains(where: view.holds) { return nil }
                return [
                    view.mapped { traced in
                        var traced = traced
                        if !reduction.keepsAxes { traced.axis -= reduction.axes.filter { $0 < traced.axis }.count }
                        return traced
                    }
                ]
            case let reshape as Reshape:
                return regrouped(view, graph[node.inputs[0]].shape, reshape.shape).map { [$0] }
            default: return nil
            }
        }

        private func under(_ window: Window, _ view: View) -> View {
            View(height: view.height?.under(window.height), width: view.width?.under(window.width))
        }

        // MARK: Several inputs

        /// The inputs joined elementwise. An input with neither height nor width is the same everywhere.
        private func joined(_ node: Graph.Node, _ inputs: [View]) -> View? {
            let rank = graph[node.outputs[0]].shape.rank
            var result = View()
            for (value, view) in zip(node.inputs, inputs) {
                let shape = graph[value].shape
                let shift = rank - shape.rank
                for path in [\View.height, \View.width] {
                    guard var traced = view[keyPath: path] else { continue }
                    traced.axis += shift
                    guard let known = result[keyPath: path] else {
                        result[keyPath: path] = traced
                        continue
                    }
                    guard let joined = known.joined(traced) else { return nil }
                    result[keyPath: path] = joined
                }
            }
            // A tensor with a value per position is not the same for every tile.
            var others = zip(node.inputs, inputs).filter { $1.height == nil && $1.width == nil }.map {
                graph[$0.0].shape
            }
            if let constant = (node.operation as? Binary)?.constant { others.append(constant.shape) }
            guard !(node.operation is Concatenation) || others.isEmpty else { return nil }
            for traced in [result.height, result.width].compactMap({ $0 }) {
                guard others.allSatisfy({ $0.padded(to: rank)[traced.axis] == 1 }) else { return nil }
            }
            return result
        }

        /// A tensor between borders made of its own outermost pixels, mirrored or repeated.
        private func bordered(_ node: Graph.Node, _ axis: Int, _ inputs: [View]) -> View? {
            let lengths = node.inputs.map { graph[$0].shape[axis] }
            guard let middle = lengths.indices.max(by: { lengths[$0] < lengths[$1] }) else { return nil }
            for (index, value) in node.inputs.enumerated() where index != middle {
                guard let producer = producers[value], let slice = producer.operation as? StridedSlice,
                    producer.inputs == [node.inputs[middle]]
                else { return nil }
                let range = slice.ranges[axis]
                let ends = [range.start, range.start + (range.count - 1) * range.step]
                let reach = range.count + 1
                let isAtItsSide = index < middle ? ends.max()! < reach : ends.min()! >= lengths[middle] - reach
                guard isAtItsSide else { return nil }
            }
            return inputs[middle].mapped { traced in
                traced.axis == axis ? traced.moved(by: -lengths[..<middle].reduce(0, +)) : traced
            }
        }

        // MARK: Reshapes

        /// Height and width after a reshape: unchanged, split into blocks, or merged from blocks.
        private func regrouped(_ view: View, _ from: Shape, _ to: Shape) -> View? {
            var result = View()
            for (old, new) in groups(from, to) {
                let long = (from: old.filter { from[$0] != 1 }, to: new.filter { to[$0] != 1 })
                for path in [\View.height, \View.width] {
                    guard let traced = view[keyPath: path], old.contains(traced.axis) else { continue }
                    guard let outer = long.to.first, long.from.first == traced.axis else { return nil }
                    switch (long.from.count, long.to.count) {
                    case (1, 1):
                        result[keyPath: path] = traced
                        result[keyPath: path]!.axis = outer
                    case (_, 1):
                        guard !long.from.dropFirst().contains(where: view.holds) else { return nil }
                        result[keyPath: path] = traced.spread(to[outer] / from[traced.axis], to: outer)
                    case (1, _): result[keyPath: path] = traced.gathered(from[traced.axis] / to[outer], to: outer)
                    default: return nil
                    }
                }
            }
            return result
        }

        /// The axes of two shapes in groups of equal element counts.
        private func groups(_ from: Shape, _ to: Shape) -> [(Range<Int>, Range<Int>)] {
            var result: [(Range<Int>, Range<Int>)] = []
            var (i, j) = (0, 0)
            while i < from.rank || j < to.rank {
                let start = (i, j)
                var (left, right) = (1, 1)
                if i < from.rank { (left, i) = (from[i], i + 1) }
                if j < to.rank { (right, j) = (to[j], j + 1) }
                while left != right {
                    if left < right {
                        guard i < from.rank else { return [] }
                        (left, i) = (left * from[i], i + 1)
                    } else {
                        guard j < to.rank else { return [] }
                        (right, j) = (right * to[j], j + 1)
                    }
                }
                result.append((start.0..<i, start.1..<j))
            }
            return result
        }
    }
}
