import CThaw
import Foundation
import ThawC

@testable import Thaw

/// The C functions as C code calls them. (The library exports them; its module does not.)
@_silgen_name("thaw_model_load_bytes") private func loadBytes(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ weights: UnsafeRawPointer?, _ weightCount: Int,
    _ model: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32
@_silgen_name("thaw_model_free") private func freeModel(_ model: OpaquePointer?)
@_silgen_name("thaw_error_message") private func message(_ error: OpaquePointer?) -> UnsafePointer<CChar>?
@_silgen_name("thaw_error_details") private func details(_ error: OpaquePointer?) -> UnsafePointer<CChar>?
@_silgen_name("thaw_error_free") private func freeError(_ error: OpaquePointer?)
@_silgen_name("thaw_model_describe") private func describe(
    _ model: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32
@_silgen_name("thaw_free") private func freeMemory(_ memory: UnsafeMutableRawPointer?)
@_silgen_name("thaw_result_free") private func freeResult(_ result: OpaquePointer?)
@_silgen_name("thaw_result_output_count") private func outputCount(_ result: OpaquePointer?) -> Int
@_silgen_name("thaw_classifier_free") private func freeClassifier(_ classifier: OpaquePointer?)
@_silgen_name("thaw_batch_free") private func freeBatch(_ batch: OpaquePointer?)
@_silgen_name("thaw_batch_cancel") private func cancelBatch(_ batch: OpaquePointer?)
@_silgen_name("thaw_batch_window") private func window(_ batch: OpaquePointer?) -> Int

extension FuzzTarget {
    /// A sequence of calls: a byte for the function, and one for the handle that it gets, which may be of another type, freed
    /// or made up.
    static let cInterface = FuzzTarget(
        name: "cInterface",
        seeds: { [[0, 0, 1, 0, 2, 0, 1, 0, 2, 0], [0, 0, 0, 1, 1, 0, 2, 1, 3, 0, 4, 1, 5, 0, 6, 0, 7, 0, 8, 0]] },
        run: { input in
            var handles: [OpaquePointer?] = []
            func handle(_ byte: UInt8) -> OpaquePointer? {
                if byte < 200, !handles.isEmpty { return handles[Int(byte) % handles.count] }
                return OpaquePointer(bitPattern: Int(byte) << (byte & 31))
            }
            func report(_ error: OpaquePointer?) {
                guard let error else { return }
                precondition(message(error).map { strlen($0) } ?? 0 > 0)
                handles.append(error)
            }
            for call in stride(from: 0, to: min(input.count, 400) - 1, by: 2) {
                let (function, which) = (input[call], input[call + 1])
                var error: OpaquePointer?
                switch function % 12 {
                case 0:
                    var model: OpaquePointer?
                    let bytes = which % 2 == 0 ? smallModel : Array(smallModel.prefix(Int(which)))
                    switch which {
                    case 255: _ = loadBytes(bytes, bytes.count, nil, 0, nil, &error)
                    case 254: _ = loadBytes(bytes, bytes.count, nil, 0, &model, nil)
                    case 253: _ = loadBytes(nil, Int(which), nil, 0, &model, &error)
                    default: _ = loadBytes(bytes, bytes.count, bytes, min(bytes.count, Int(which)), &model, &error)
                    }
                    if let model { handles.append(model) }
                case 1:
                    var json: UnsafeMutablePointer<CChar>?
                    _ = describe(handle(which), &json, &error)
                    freeMemory(json)
                case 2: freeModel(handle(which))
                case 3: freeResult(handle(which))
                case 4: freeClassifier(handle(which))
                case 5: freeBatch(handle(which))
                case 6: cancelBatch(handle(which))
                case 7: _ = window(handle(which))
                case 8: _ = outputCount(handle(which))
                case 9: freeError(handle(which))
                case 10: _ = message(handle(which))
                default: _ = details(handle(which))
                }
                report(error)
            }
            for handle in handles {
                freeModel(handle)
                freeError(handle)
            }
        })

    private static let smallModel: [UInt8] =
        (try? [UInt8](Data(contentsOf: fixtures.appendingPathComponent("coreml/array_exact.mlmodel")))) ?? []
}
