#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The support vectors of a machine, with their kernel.
private struct SupportVectors: Sendable {
    private let vectors: [[Double]]
    private let kernel: @Sendable ([Double], [Double]) -> Double
    let widths: ClosedRange<Int>

    var count: Int { vectors.count }

    init(_ parameters: Message) throws {
        kernel = try Self.kernel(parameters["kernel"])
        if parameters.has("denseSupportVectors") {
            vectors = (parameters.denseSupportVectors.vectors as [Message]).map { $0.values }
            let width = vectors.first?.count ?? 0
            if let other = vectors.first(where: { $0.count != width }) {
                throw Failure.parameterCount("values of a support vector", other.count, width)
            }
            widths = width...width
        } else {
            let messages: [Message] = parameters.sparseSupportVectors.vectors
            let nodes = messages.map { $0.nodes as [Message] }
            let indices = nodes.joined().map { $0.index as Int }
            // Each vector is copied to dense form.
            let width = indices.max() ?? 0
            guard indices.allSatisfy({ $0 > 0 }), width * nodes.count < 1 << 27
            else { throw Failure.supportVectorIndices() }
            vectors = nodes.map { nodes in
                var vector = [Double](repeating: 0, count: width)
                for node in nodes { vector[(node.index as Int) - 1] = node.value }
                return vector
            }
            widths = width...Int.max
        }
        guard !vectors.isEmpty, widths.lowerBound > 0 else { throw Failure.parameterCount("support vectors", 0, 1) }
    }

    private static func kernel(_ message: Message) throws -> @Sendable ([Double], [Double]) -> Double {
        switch message.choice {
        case "linearKernel": return dotProduct
        case "rbfKernel":
            let gamma: Double = message.rbfKernel.gamma
            return { a, b in
                // A sparse machine's vectors may be shorter: they end in zeros.
                let common = zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
                return exp(-gamma * b.dropFirst(a.count).reduce(common) { $0 + $1 * $1 })
            }
        case "polyKernel":
            let kernel: Message = message["polyKernel"]
            let (gamma, c, degree): (Double, Double, Int) = (kernel.gamma, kernel.c, kernel.degree)
            return { pow(gamma * dotProduct($0, $1) + c, Double(degree)) }
        case "sigmoidKernel":
            let kernel: Message = message["sigmoidKernel"]
            let (gamma, c): (Double, Double) = (kernel.gamma, kernel.c)
            return { tanh(gamma * dotProduct($0, $1) + c) }
        case let other: throw Failure.unknownChoice("kernel", other ?? "none")
        }
    }

    func callAsFunction(_ vector: [Double]) -> [Double] { vectors.map { kernel($0, vector) } }
}

/// A support vector machine that predicts a number.
struct SupportVectorRegressor: VectorRegressor {
    private let vectors: SupportVectors
    private let coefficients: [Double]
    private let rho: Double

    init(_ source: StageSource) throws {
        vectors = try SupportVectors(source.parameters)
        coefficients = source.parameters.coefficients.alpha
        rho = source.parameters.rho
        guard coefficients.count == vectors.count else {
            throw Failure.parameterCount("coefficients", coefficients.count, vectors.count)
        }
    }

    var widths: ClosedRange<Int> { vectors.widths }
    var outputCount: Int { 1 }

    func values(_ vector: [Double]) -> [Double] { [dotProduct(coefficients, vectors(vector)) - rho] }
}

/// A support vector machine that predicts classes: each pair of classes votes for one of the two.
/// Source: C.-C. Chang and C.-J. Lin, LIBSVM: a library for support vector machines, sections 4 and 8.
struct SupportVectorClassifier: VectorClassifier {
    private let vectors: SupportVectors
    /// The support vectors of each class.
    private let ranges: [Range<Int>]
    /// For each class but one, the coefficients of all support vectors. Row k has the coefficients of a class's vectors
    /// against the k-th of the other classes.
    private let coefficients: [[Double]]
    private let rho: [Double]
    /// The parameters of the sigmoid that converts each pair's decision to a probability.
    private let sigmoids: [(a: Double, b: Double)]

    init(_ source: StageSource) throws {
        let parameters = source.parameters
        vectors = try SupportVectors(parameters)
        let counts: [Int] = parameters.numberOfSupportVectorsPerClass
        guard counts.count > 1 else { throw Failure.parameterCount("classes with support vectors", counts.count, 2) }
        guard counts.allSatisfy({ $0 >= 0 }), counts.reduce(0, +) == vectors.count else {
            throw Failure.parameterCount("support vectors of all classes", counts.reduce(0, &+), vectors.count)
        }
        var start = 0
        ranges = counts.map { count in
            defer { start += count }
            return start..<start + count
        }
        coefficients = (parameters.coefficients as [Message]).map { $0.alpha }
        guard coefficients.count == counts.count - 1 else {
            throw Failure.parameterCount("rows of coefficients", coefficients.count, counts.count - 1)
        }
        for row in coefficients where row.count != vectors.count {
            throw Failure.parameterCount("coefficients", row.count, vectors.count)
        }
        let pairs = counts.count * (counts.count - 1) / 2
        rho = parameters.rho
        guard rho.count == pairs else { throw Failure.parameterCount("values of rho", rho.count, pairs) }
        let (a, b): ([Double], [Double]) = (parameters.probA, parameters.probB)
        guard a.count == b.count, a.isEmpty || a.count == pairs else {
            throw Failure.parameterCount("sigmoids", a.count == pairs ? b.count : a.count, pairs)
        }
        sigmoids = Array(zip(a, b)).map { (a: $0, b: $1) }
    }

    var widths: ClosedRange<Int> { vectors.widths }
    var classCount: Int { ranges.count }
    var hasProbabilities: Bool { !sigmoids.isEmpty }

    func scores(_ vector: [Double]) -> ClassScores {
        let values = vectors(vector)
        var votes = [Int](repeating: 0, count: classCount)
        var probabilities = [[Double]](repeating: Array(repeating: 0, count: classCount), count: classCount)
        var pair = 0
        for first in 0..<classCount {
            for second in first + 1..<classCount {
                var decision = -rho[pair]
                for index in ranges[first] { decision += coefficients[second - 1][index] * values[index] }
                for index in ranges[second] { decision += coefficients[first][index] * values[index] }
                votes[decision > 0 ? first : second] += 1
                if hasProbabilities {
                    let sigmoid = logistic(-(sigmoids[pair].a * decision + sigmoids[pair].b))
                    let probability = min(max(sigmoid, 1e-7), 1 - 1e-7)
                    (probabilities[first][second], probabilities[second][first]) = (probability, 1 - probability)
                }
                pair += 1
            }
        }
        return ClassScores(
            top: votes.highest, probabilities: hasProbabilities ? Self.coupled(probabilities) : nil)
    }

    /// The probabilities of classes that agree best with those of all pairs.
    ///
    /// The iteration, including its early end, is LIBSVM's, so that the values are the same. Source: T.-F. Wu, C.-J.
    /// Lin, R. C. Weng, Probability estimates for multi-class classification by pairwise coupling, algorithm 2.
    static func coupled(_ pairs: [[Double]]) -> [Double] {
        let count = pairs.count
        if count == 2 { return [pairs[0][1], pairs[1][0]] }
        let matrix = (0..<count).map { row in
            (0..<count).map { column in
                guard row == column else { return -pairs[column][row] * pairs[row][column] }
                return (0..<count).reduce(0) { $1 == row ? $0 : $0 + pairs[$1][row] * pairs[$1][row] }
            }
        }
        var probabilities = [Double](repeating: 1 / Double(count), count: count)
        for _ in 0..<max(100, count) {
            var products = matrix.map { dotProduct($0, probabilities) }
            var form = dotProduct(probabilities, products)
            if products.allSatisfy({ abs($0 - form) < 0.005 / Double(count) }) { break }
            for row in 0..<count {
                let change = (form - products[row]) / matrix[row][row]
                probabilities[row] += change
                let scale = 1 + change
                form = (form + change * (change * matrix[row][row] + 2 * products[row])) / (scale * scale)
                for column in 0..<count {
                    products[column] = (products[column] + change * matrix[row][column]) / scale
                    probabilities[column] /= scale
                }
            }
        }
        return probabilities
    }
}
