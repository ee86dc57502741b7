/// How the blocks of a convolution's output channels are grouped. A group's channels share packed weights and are
/// computed together, so every input value that is read serves all of them.
///
/// Groups are as wide as the kernels support, or one block narrower if that leaves no block by itself. The last
/// remaining blocks form one group. So a group's width depends only on how many blocks remain from its first one on,
/// wherever a kernel begins.
public struct BlockGroups: Sendable {
    /// The width of the widest group.
    public let widest: Int
    /// The blocks of each group, in order.
    public let ranges: [Range<Int>]

    /// - Parameter maximumWidth: The most blocks that the kernels compute together.
    public init(blocks: Int, maximumWidth: Int) {
        var ranges: [Range<Int>] = []
        var first = 0
        while first < blocks {
            let width = BlockGroups.width(remaining: blocks - first, maximum: maximumWidth)
            ranges.append(first..<first + width)
            first += width
        }
        self.ranges = ranges
        widest = ranges.map(\.count).max() ?? 0
    }

    /// The width of the group that begins when this many blocks remain.
    @inline(__always)
    public static func width(remaining: Int, maximum: Int) -> Int {
        remaining <= maximum ? remaining : remaining % maximum == 0 || maximum < 3 ? maximum : maximum - 1
    }
}
