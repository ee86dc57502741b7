import Foundation
import Testing

@testable import Thaw

/// A small network in the fixtures, frozen in one of the usual ways.
struct NetworkCase: CustomTestStringConvertible, Sendable {
    let name: String
    let input: String
    let output: String
    let size: ImageSize?
    let inputs: [String]

    static let all = Fixtures.table("networks/networks.tsv").map { row in
        let size = row[3].split(separator: "x").compactMap { Int($0) }
        return NetworkCase(
            name: row[0], input: row[1], output: row[2],
            size: size.count == 2 ? ImageSize(width: size[0], height: size[1]) : nil,
            inputs: row[4].split(separator: ",").map(String.init))
    }

    var testDescription: String { name }
    var graph: String { Fixtures.path("networks/\(name)/graph.pb") }

    func conversion(_ options: Converter.Options = Converter.Options()) throws -> Conversion {
        var options = options
        options.size = size
        let labels = Fixtures.path("networks/\(name)/labels.txt")
        let hasLabels = FileManager.default.fileExists(atPath: labels)
        return try Converter(options).convert(
            contentsOfFile: graph, labels: hasLabels ? Labels(contentsOfFile: labels) : nil)
    }

    /// The input arrays and TensorFlow's outputs.
    func references() throws -> [(input: Tensor, output: Tensor)] {
        try inputs.enumerated().map { index, path in
            (
                try Tensor(contentsOfNumPyFile: Fixtures.path("networks/\(path)")),
                try Tensor(contentsOfNumPyFile: Fixtures.path("networks/\(name)/output\(index).npy"))
            )
        }
    }
}

@Suite struct NetworkTests {
    /// Inputs and outputs are found without options.
    @Test(arguments: NetworkCase.all) func `a network gives TensorFlow's outputs`(_ network: NetworkCase) throws {
        let model = try network.conversion().model
        for (input, output) in try network.references() {
            let fed = model.image?.lifted.map { input.scaled($0) } ?? input
            #expect(difference(model.graph.output(for: model.graph.channelsLast(fed)), output) <= referenceTolerance)
        }
    }
}

extension Tensor {
    /// The array after the arithmetic that was lifted out of the graph.
    func scaled(_ scaling: PixelScaling) -> Tensor {
        let channels = scaling.scale.count
        return Tensor(
            floats.enumerated().map { Float(Double($1) * scaling.scale[$0 % channels] + scaling.bias[$0 % channels]) },
            shape: shape)
    }
}
