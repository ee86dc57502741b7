import Foundation
import Testing

@testable import Thaw

@Suite struct ComparisonTests {
    private static let photograph = Fixtures.path("photographs/cat.jpg")

    private static func network(_ name: String) throws -> Conversion {
        // This keeps every softmax from saturating.
        var options = Converter.Options()
        if !name.hasPrefix("preprocess") { options.preprocessing = .inception }
        return try #require(NetworkCase.all.first { $0.name == name }).conversion(options)
    }

    /// The model written to a file and read back.
    private static func written(_ conversion: Conversion) throws -> Conversion {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("m.mlmodel").path
        try conversion.model.write(toFile: path)
        return try Model.load(contentsOfFile: path)
    }

    private static let images = NetworkCase.all.filter { (try? $0.conversion().model.image) ?? nil != nil }

    @Test(arguments: images) func `a graph and its conversion agree`(_ network: NetworkCase) throws {
        let conversion = try network.conversion()
        let comparison = try Comparison(conversion, ComparisonTests.written(conversion))
        let report = try comparison.report(imagesAt: [ComparisonTests.photograph])
        #expect(report.agrees)
        #expect(report.firstDifference == nil)
        #expect(report.imageCount == 1 && report.labelsCompared == 1 && report.differingLabels.isEmpty)
        #expect(try #require(report.largest).difference.relative <= 1e-5)
    }

    /// Adds 10 to the first bias of every layer in turn: that layer must be reported, whatever comes after it.
    @Test(arguments: ["mobilenet_v1_unfolded", "resnet_nchw_transposed", "inception"])
    func `the first difference is the node that was modified`(_ name: String) throws {
        let conversion = try ComparisonTests.network(name)
        let written = try ComparisonTests.written(conversion)
        var tampered = 0
        for (index, node) in written.model.graph.nodes.enumerated() {
            guard let operation = node.operation.withFirstBiasRaised else { continue }
            var other = written
            other.model.graph.nodes[index].operation = operation
            let report = try Comparison(conversion, other).report(imagesAt: [ComparisonTests.photograph])
            // A Relu6 or a weight near 0 may hide it.
            guard !report.agrees else { continue }
            let firstDifference = try #require(report.firstDifference)
            // The nodes of a layer that is read as several have a numeric suffix.
            #expect(firstDifference.node == node.name || node.name.hasPrefix(firstDifference.node + "_"))
            #expect(firstDifference.operation == operation.kind)
            #expect(abs(firstDifference.difference.absolute - 10) < 1e-3)
            tampered += 1
        }
        #expect(tampered >= 5)
    }

    @Test func `the image input itself is reported if it is scaled differently`() throws {
        let conversion = try ComparisonTests.network("resnet")
        var other = conversion
        other.model.image?.scaling.bias[1] += 0.5
        let report = try Comparison(conversion, other).report(imagesAt: [ComparisonTests.photograph])
        #expect(!report.agrees)
        let firstDifference = try #require(report.firstDifference)
        #expect(firstDifference.node == "input" && firstDifference.operation == "image input")
        #expect(abs(firstDifference.difference.absolute - 0.5) < 1e-4)
    }

    /// The fault of a pass is in the model and in the converted graph, but not in the graph as it was read.
    @Test func `faults of passes are found`() throws {
        let conversion = try ComparisonTests.network("mobilenet_v1_unfolded")
        var wrong = conversion
        let index = try #require(wrong.model.graph.nodes.firstIndex { $0.operation.withFirstBiasRaised != nil })
        wrong.model.graph.nodes[index].operation =
            try #require(wrong.model.graph.nodes[index].operation.withFirstBiasRaised)
        let report = try Comparison(wrong, ComparisonTests.written(wrong)).report(
            imagesAt: [ComparisonTests.photograph])
        #expect(!report.agrees)
        #expect(report.firstDifference?.node == wrong.model.graph.nodes[index].name)
    }

    @Test(
        arguments: [
            ([0, 0.5], [0, 0.25], 0.25, 0.25), ([0, 4], [1, 4], 1, 0.25), ([-2, 2], [-2, 0], 2, 0.5),
            ([.nan, 1], [.nan, 1], 0, 0), ([.nan, 1], [0, 1], .infinity, .infinity),
            ([.infinity, 1], [.infinity, 1], 0, 0), ([.infinity, 1], [-.infinity, 1], .infinity, .infinity),
            ([1], [3], 2, 2), ([], [], 0, 0),
        ] as [([Float], [Float], Double, Double)])
    func `differences are relative to the expected range, and NaN is an infinite difference`(
        _ a: [Float], _ b: [Float], _ absolute: Double, _ relative: Double
    ) {
        let difference = Comparison.Difference(a, b)
        #expect(difference.absolute == absolute && difference.relative == relative)
    }

    @Test func `a differing top label counts if the tolerance does not explain it`() throws {
        var report = Comparison.Report(tolerance: 0.1)
        let none = Comparison.Difference([0], [0])
        report.add(.init(differences: [("y", none)], classes: (0, 0, true)), "a.jpg", nil)
        #expect(report.agrees && report.differingLabels.isEmpty)
        report.add(.init(differences: [("y", none)], classes: (0, 1, true)), "b.jpg", ["cat", "dog"])
        #expect(report.agrees && report.differingLabels.map(\.second) == ["dog"])
        report.add(.init(differences: [("y", none)], classes: (0, 1, false)), "c.jpg", nil)
        #expect(!report.agrees && report.labelsCompared == 3 && report.imageCount == 3)
        #expect(report.differingLabels.map(\.first) == ["cat", "0"])
    }

    @Test(
        arguments: [
            ("networks/mobilenet_v1_8bit/graph.pb", 2e-2), ("coreml/rgb_half.mlmodel", 2e-2),
            ("networks/mobilenet_v1_folded/graph.pb", 1e-4), ("coreml/rgb.mlmodel", 1e-4),
        ])
    func `weights of 16 bits or less raise the default tolerance`(_ file: String, _ tolerance: Double) throws {
        let conversion = try Model.load(contentsOfFile: Fixtures.path(file))
        #expect(try Comparison(conversion, conversion).tolerance == tolerance)
        #expect(try Comparison(conversion, conversion, tolerance: 0.5).tolerance == 0.5)
    }

    @Test func `a graph gets the preprocessing of the other model`() throws {
        let graph = try ComparisonTests.network("preprocess_per_channel_sub_div")
        let written = try ComparisonTests.written(graph)
        let declared = try #require(written.model.image)
        var options = Converter.Options()
        options.color = .bgr
        options.scale = [0.5]
        options.bias = [1, 2, 3]
        let other = try Converter(options).convert(contentsOfFile: Fixtures.path("networks/resnet/graph.pb"))
        let otherImage = try #require(other.model.image)
        // The other model does not declare any of its scaling as its own: all of it is preprocessing.
        let image = try #require(graph.withPreprocessing(of: otherImage)?.model.image)
        #expect(image.color == .bgr)
        #expect(image.scaling == otherImage.scaling)
        // This graph's own arithmetic replaces the part that the other model declares as its own.
        var owning = otherImage
        owning.lifted = PixelScaling(scale: [5, 5, 5], bias: [0, 0, 0])
        let outer = try #require(graph.withPreprocessing(of: owning)?.model.image).outerScaling
        #expect(outer.scale.allSatisfy { abs($0 - 0.1) < 1e-9 })
        #expect(zip(outer.bias, [0.2, 0.4, 0.6]).allSatisfy { abs($0 - $1) < 1e-9 })
        let again = graph.withPreprocessing(of: declared)?.model.image
        #expect(again == graph.model.image)
    }
}

extension Thaw.Operation {
    /// The layer with 10 added to its first bias, or nil if it has none.
    fileprivate var withFirstBiasRaised: (any Thaw.Operation)? {
        func raised(_ bias: Tensor?) -> Tensor? {
            guard var floats = bias?.floats else { return nil }
            floats[0] += 10
            return Tensor(floats, shape: [floats.count])
        }
        switch self {
        case var layer as Convolution:
            layer.bias = raised(layer.bias)
            return layer.bias == nil ? nil : layer
        case var layer as DepthwiseConvolution:
            layer.bias = raised(layer.bias)
            return layer.bias == nil ? nil : layer
        case var layer as Dense:
            layer.bias = raised(layer.bias)
            return layer.bias == nil ? nil : layer
        default: return nil
        }
    }
}
