// What float and quantized convolutions do alike with the tiles of a group, each with its own types of these names.

typealias Two<P: Tile> = Pair<P, P>
typealias Three<P: Tile> = Pair<Two<P>, P>
typealias Four<P: Tile> = Pair<Two<P>, Two<P>>
typealias Five<P: Tile> = Pair<Four<P>, P>
typealias Six<P: Tile> = Pair<Four<P>, Two<P>>
typealias Seven<P: Tile> = Pair<Four<P>, Three<P>>
typealias Eight<P: Tile> = Pair<Four<P>, Four<P>>

extension TilePosition {
    /// Skips a tile of as many pixels.
    @inline(__always) mutating func advance(pixels: Int) {
        first &+= pixels
        next.advance()
    }

    /// The bytes in the input from this tile to the next, or 0 after the last. Data that another core has written takes
    /// time to arrive, so it is prefetched one tile ahead.
    @inline(__always) func ahead(_ work: borrowing TileWork, pixels: Int) -> Int {
        let next = first &+ pixels
        return next == work.firstPixel &+ work.pixelCount ? 0 : Int(work.inputOffsets[next] &- work.inputOffsets[first])
    }
}

#if !MATRICES
    /// Computes consecutive tiles, and advances the position.
    /// - Parameter pixels: The pixels of each, at most as many as tiles of this many blocks support.
    @inline(__always)
    func computeTiles<P: Tile>(
        _: P.Type, _ work: borrowing TileWork, _ position: inout TilePosition, pixels: Int, count: Int
    ) {
        let longest = P.Sums.longestTile
        if pixels == 1 { return convolveTiles(P.self, work, &position, count: count) }
        if pixels == 2 { return convolveTiles(Two<P>.self, work, &position, count: count) }
        if longest >= 3, pixels == 3 { return convolveTiles(Three<P>.self, work, &position, count: count) }
        if longest >= 4, pixels == 4 { return convolveTiles(Four<P>.self, work, &position, count: count) }
        if longest >= 5, pixels == 5 { return convolveTiles(Five<P>.self, work, &position, count: count) }
        if longest >= 6, pixels == 6 { return convolveTiles(Six<P>.self, work, &position, count: count) }
        if longest >= 7, pixels == 7 { return convolveTiles(Seven<P>.self, work, &position, count: count) }
        if longest >= 8, pixels == 8 { return convolveTiles(Eight<P>.self, work, &position, count: count) }
        fatalError("unsupported tile size")
    }
#endif
