/// The receptive field of an output's pixels.
///
/// Along an axis, the output's pixel i depends on input pixels `step · i + first` to `step · i + last`. An image can be
/// processed in tiles if no node depends on all of it. If its sides are multiples of `multiple`, all strides divide evenly.
struct Locality {
    var rows: Reach
    var columns: Reach
    var multiple: Int
    /// The first node that depends on the whole image, or on a pixel's position in it; nil if there is none.
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
            (rows, columns) = (Reach(), Reach())
            global = global ?? graph.producers[output]?.name ?? ""
            return
        }
        (self.rows, self.columns) = (rows.along, columns.along)
    }
}
