/// A loop whose condition is known in each round is unrolled if it has at most this many rounds and nodes.
enum Unrolling {
    static let mostRounds = 256
    static let mostNodes = 1 << 13
}
