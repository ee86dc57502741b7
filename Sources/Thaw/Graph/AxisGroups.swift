/// The axes of a shape in groups of neighbors that can be merged into one axis each.
struct AxisGroups: RandomAccessCollection {
    struct Group {
        let axes: Range<Int>
        /// The last of them with more than one element, or any if there is none.
        let leader: Int
    }

    private var groups: [Group] = []

    var startIndex: Int { groups.startIndex }
    var endIndex: Int { groups.endIndex }
    subscript(index: Int) -> Group { groups[index] }

    /// - Parameter belong: Whether an axis merges with the one before it. An axis of one element merges with any.
    init(_ shape: Shape, _ belong: (Int, Int) -> Bool) {
        for axis in shape.indices {
            guard let last = groups.last else {
                groups.append(Group(axes: axis..<axis + 1, leader: axis))
                continue
            }
            if shape[axis] == 1 || shape[last.leader] == 1 || belong(last.leader, axis) {
                groups[groups.count - 1] = Group(
                    axes: last.axes.lowerBound..<axis + 1, leader: shape[axis] == 1 ? last.leader : axis)
            } else {
                groups.append(Group(axes: axis..<axis + 1, leader: axis))
            }
        }
    }

    /// Three groups: the axes before one that stays separate, that axis, and the axes after it.
    init(_ shape: Shape, apart axis: Int) {
        groups = [0..<axis, axis..<axis + 1, axis + 1..<shape.rank].filter { !$0.isEmpty }
            .map { axes in Group(axes: axes, leader: axes.last { shape[$0] != 1 } ?? axes.lowerBound) }
    }

    /// Groups for tensors of the same rank that are broadcast to a shape.
    init(_ shape: Shape, broadcasting others: [Shape]) {
        self.init(shape) { a, b in others.allSatisfy { ($0[a] == shape[a]) == ($0[b] == shape[b]) } }
    }

    /// A shape with the axes of each group merged.
    func merged(_ shape: Shape) -> Shape { Shape(groups.map { $0.axes.reduce(1) { $0 * shape[$1] } }) }
}
