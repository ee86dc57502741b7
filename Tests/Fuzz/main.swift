import Foundation

// One program with a target for each reader of what strangers send. `make fuzz` runs all targets; the target's name is in
// THAW_FUZZ_TARGET, and the arguments are libFuzzer's: a folder of inputs, -max_total_time=60, or an input to run again.

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

let environment = ProcessInfo.processInfo.environment
let names = FuzzTarget.all.map(\.name)

guard let name = environment["THAW_FUZZ_TARGET"] else {
    print(names.joined(separator: "\n"))
    exit(0)
}
guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    print("there is no target '\(name)': \(names.joined(separator: ", "))")
    exit(2)
}
if let folder = environment["THAW_FUZZ_SEEDS"] {
    // Writes the target's first inputs.
    for (index, seed) in target.seeds().enumerated() {
        try Data(seed).write(to: URL(fileURLWithPath: folder + "/seed-\(index)"))
    }
    exit(0)
}
FuzzTarget.current = target
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
    runDriver(&count, &arguments) { bytes, count in
        do { try FuzzTarget.current?.run(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {
            fatalError("\(error)")
        }
        return 0
    })
