extension FakeQuantize: MILOperation {
    /// The reference's steps one by one, in float32 always: a number beside it would fall to another level.
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let all = { (number: (Levels) -> Float) in
            MILArgument.constant(
                Tensor(channels.map(number), shape: channels.count == 1 ? [] : [channels.count]))
        }
        let inverse = { (levels: Levels) in levels.step == 0 ? 0 : 1 / levels.step }
        block.inFloat32(node) { node, block in
            let above = block.part("maximum", node, "above", ["x": .value(node.input), "y": all(\.low)])
            let held = block.part("minimum", node, "held", ["x": .value(above), "y": all(\.high)])
            let distance = block.part("sub", node, "distance", ["x": .value(held), "y": all(\.low)])
            let places = block.part("mul", node, "places", ["x": .value(distance), "y": all(inverse)])
            let zero = block.part(
                "sub", node, "codes",
                ["x": .value(places), "y": all { (0.5 - $0.low * inverse($0)).rounded(.down) }])
            let half = block.part("add", node, "half", ["x": .value(zero), "y": .number(0.5)])
            let codes = block.part("floor", node, "whole", ["x": .value(half)])
            block.add("mul", node, ["x": .value(codes), "y": all(\.step)])
        }
    }
}
