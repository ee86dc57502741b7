extension Locality {
    /// Traces the height and width of the image through a graph.
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
                let isKnown = [view.height, view.width].compactMap { $0?.along.step }.allSatisfy { include($0) }
                if !isKnown { global = global ?? node.name }
                views[value] = isKnown ? view : View()
            }
        }

        /// Makes `multiple` a multiple of a step as well.
        /// - Returns: Whether both are so small that products of such numbers do not overflow. No image has more pixels.
        private mutating func include(_ step: Fraction) -> Bool {
            let largest = 1 << 24
            guard max(step.numerator, step.denominator) <= largest else { return false }
            let common = multiple / greatestCommonDivisor(multiple, step.numerator) * step.numerator
            guard common <= largest else { return false }
            multiple = common
            return true
        }

        /// The outputs of a node that depends on the whole image. If they are as large as the input, they may still be
        /// on its grid.
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
                    guard max(ratio.numerator, ratio.denominator) <= FilterWeights.largestRatio else { return nil }
                    var traced = traced
                    traced.along.step = traced.along.step * ratio
                    return traced
                }
            }
        }

        /// - Returns: nil if the node depends on the whole image, or differs from pixel to pixel.
        private mutating func local(_ node: Graph.Node, _ inputs: [View]) -> [View]? {
            if let concatenation = node.operation as? Concatenation,
                inputs.contains(where: { $0.holds(concatenation.axis) })
            {
                return bordered(node, concatenation.axis, inputs).map { [$0] }
            }
            let types = node.inputs.map { graph[$0] }
            var result = View()
            for (index, view) in inputs.enumerated() {
                for path in [\View.height, \View.width] {
                    guard let line = view[keyPath: path] else { continue }
                    switch node.operation.use(ofAxis: line.axis, of: index, types) {
                    case .local(let axis, let reach):
                        let seen = line.seen(through: reach, on: axis)
                        guard let known = result[keyPath: path] else {
                            result[keyPath: path] = seen
                            continue
                        }
                        guard let joined = known.joined(seen) else { return nil }
                        result[keyPath: path] = joined
                    // Part of a mirrored border: see `bordered`.
                    case .reversed: return [View()]
                    case .regrouped: return regrouped(view, types[0].shape, graph[node.outputs[0]].shape).map { [$0] }
                    case .weighted, .rearranged, .combined: return nil
                    }
                }
            }
            // A value that varies along an axis of the image without depending on the image differs from tile to tile.
            for (index, view) in inputs.enumerated() where view.height == nil && view.width == nil {
                for axis in types[index].shape.indices where types[index].shape[axis] != 1 {
                    switch node.operation.use(ofAxis: axis, of: index, types) {
                    case .local(let target, _), .weighted(let target), .reversed(let target):
                        if result.holds(target) { return nil }
                    default: break
                    }
                }
            }
            return node.outputs.map { _ in result }
        }

        // MARK: Several inputs

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
                traced.axis == axis
                    ? traced.seen(through: Reach(movedBy: -lengths[..<middle].reduce(0, +)), on: axis) : traced
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
