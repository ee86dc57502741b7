/// The limits for unrolling a loop whose condition is known in each iteration: the number of iterations, and of nodes.
enum Unrolling {
    static let mostRounds = 256
    static let mostNodes = 1 << 13
}
