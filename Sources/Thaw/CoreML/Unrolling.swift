/// The limits for unrolling a loop whose condition is known in each iteration: the number of iterations, and of nodes.
enum Unrolling {
    static let maximumRounds = 256
    static let maximumNodes = 1 << 13
}
