/// How the blocks of a convolution's output channels are grouped. A group's channels share packed weights, and are computed
/// at once: a number that is read then serves them all.
///
/// Groups are as wide as the kernels can, or one less where that leaves no block alone; where fewer blocks are left, they are
/// one group. So a group's width follows from how many blocks come from its first on, wherever a kernel begins.
public struct BlockGroups: Sendable {
    /// The width of the widest.
    public let widest: Int
    /// The blocks of each group, in order.
    public let ranges: [Range<Int>]

    /// - Parameter maximumWidth: The most blocks that the kernels compute at once.
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

    /// The width of the group that begins where so many blocks are left.
    @inline(__always)
    public static func width(remaining: Int, maximum: Int) -> Int {
        remaining <= maximum ? remaining : remaining % maximum == 0 || maximum < 3 ? maximum : maximum - 1
    }
}
