// libFuzzer calls this function, by its name, to change an input.

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int

/// Changes a message as the systematic damage does, or a text or the bytes of a field as libFuzzer does; anything else as bytes.
@_cdecl("LLVMFuzzerCustomMutator")
func mutateInput(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    let prefix = 2
    var random = Random(seed: seed)
    guard FuzzTarget.current?.isMessage == true, count > prefix, random.below(8) > 0,
        var tree = WireTree(Array(UnsafeBufferPointer(start: bytes + prefix, count: count - prefix))[...])
    else { return mutate(bytes, count, limit) }
    for _ in 0...random.below(4) {
        let paths = tree.paths
        guard !paths.isEmpty else { break }
        let path = paths[random.below(paths.count)]
        let value = tree.value(at: path[...])
        switch (random.below(4), value) {
        case (0, .text(let text)), (0, .bytes(let text)):
            let changed = mutated(text, random)
            tree.change(path[...]) { $0.fields[$1].value = .bytes(changed) }
        case (0, .varint(let number)):
            let changed = mutated(withUnsafeBytes(of: number) { Array($0) }, random)
            let other = changed.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            tree.change(path[...]) { $0.fields[$1].value = .varint(random.seed % 2 == 0 ? other & 0xFF : other) }
        case (1, _):
            // A field from elsewhere.
            let other = tree.value(at: paths[random.below(paths.count)][...])
            tree.change(path[...]) { message, index in
                message.fields.insert(.init(number: message.fields[index].number, value: other), at: index)
                if random.seed % 3 == 0 { message.fields.remove(at: index + 1) }
            }
        default:
            let changes = WireTree.Change.all(for: value)
            if !changes.isEmpty {
                let (change, texts) = (changes[random.below(changes.count)], tree.texts)
                tree.change(path[...]) { change.apply(to: &$0, $1, texts: texts) }
            }
        }
    }
    let result = tree.bytes
    guard result.count <= limit - prefix else { return mutate(bytes, count, limit) }
    for (index, byte) in result.enumerated() { bytes[prefix + index] = byte }
    return prefix + result.count
}

private func mutated(_ bytes: [UInt8], _ random: Random) -> [UInt8] {
    var copy = bytes + [UInt8](repeating: 0, count: 16)
    let limit = copy.count
    let count = copy.withUnsafeMutableBufferPointer { mutate($0.baseAddress!, bytes.count, limit) }
    return Array(copy.prefix(count))
}

struct Random {
    var seed: UInt32

    mutating func below(_ limit: Int) -> Int {
        seed = seed &* 1_664_525 &+ 1_013_904_223
        return Int(seed >> 8) % limit
    }
}
