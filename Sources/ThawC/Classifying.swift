import CThaw
import Thaw
import ThawCommand

/// The object of a classifier handle.
final class CClassifier: Sendable {
    let classifier: Classifier
    let background: RGBColor?

    init(_ model: CModel, _ pointer: UnsafePointer<thaw_classifier_options>?) throws {
        let given = try options(pointer, "options")
        let images = try ImageOptions(given)
        background = images.background
        let network =
            switch model.content {
            case .network(let document): document.model
            case .pipeline(let document): try document.pipeline.imageClassifier().model
            }
        classifier = try Classifier(
            network, crop: images.crop, resize: images.resize, decoding: images.decoding,
            isFast: given.map { $0.is_fast != 0 } ?? false, precision: images.precision, threads: images.threads)
    }
}

@_cdecl("thaw_classifier_create")
public func createClassifier(
    _ model: OpaquePointer?, _ options: UnsafePointer<thaw_classifier_options>?, _ classifier: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    classifier?.pointee = nil
    return call(error) {
        let classifier = try required(classifier, "classifier")
        classifier.pointee = Handles.shared.add(try CClassifier(object(model, "model"), options))
    }
}

@_cdecl("thaw_classifier_free")
public func freeClassifier(_ classifier: OpaquePointer?) { release(classifier, as: CClassifier.self) }

@_cdecl("thaw_classifier_run")
public func runClassifier(
    _ classifier: OpaquePointer?, _ image: UnsafePointer<thaw_image>?, _ result: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let classifier: CClassifier = try object(classifier, "classifier")
        let found = try imageFile(image, background: classifier.background)
        let classification = try classifier.classifier.classify(found)
        result.pointee = Handles.shared.add(CResult(found.path, .success(classification)))
    }
}
