/// How far an output's pixels see: which part of the input image each of them is made of.
///
/// Along an axis, the output's pixel i is made of input pixels `step · i + first` to `step · i + last`. So a picture may be
/// worked on in tiles, where nothing looks at all of it; and where it has `multiple` pixels a side, all steps come out even.
struct Locality {
    struct Axis: Equatable {
        var step = Fraction(1)
        /// In pixels of the input, counted from the place that `step` leads to.
        var first = 0.0
        var last = 0.0
    }

    var rows: Axis
    var columns: Axis
    var multiple: Int
    /// The first node that looks at the whole picture, or at a pixel's place in it; nil where none does.
    var global: String?

    init(_ graph: Graph, input: Graph.Value, output: Graph.Value, form: ImageForm) {
        var tracing = Tracing(graph, input)
        for node in graph.nodes { tracing.follow(node) }
        let rank = graph[output].shape.rank
        let height = rank - 3 + (form.isChannelsFirst ? 1 : 0) + (rank == 2 ? 1 : 0)
        (multiple, global) = (tracing.multiple, tracing.global)
        guard let view = tracing.views[output], let rows = view.height, let columns = view.width,
            rows.axis == height, columns.axis == height + 1
        else {
            (rows, columns) = (Axis(), Axis())
            global = global ?? graph.producers[output]?.name ?? ""
            return
        }
        (self.rows, self.columns) = (rows.along, columns.along)
    }
}

/// A positive fraction in its lowest terms.
struct Fraction: Equatable {
    let numerator: Int
    let denominator: Int

    init(_ numerator: Int, _ denominator: Int = 1) {
        let divisor = greatestCommonDivisor(numerator, denominator)
        (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
    }

    var value: Double { Double(numerator) / Double(denominator) }

    static func * (a: Fraction, b: Fraction) -> Fraction {
        Fraction(a.numerator * b.numerator, a.denominator * b.denominator)
    }
}

func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
