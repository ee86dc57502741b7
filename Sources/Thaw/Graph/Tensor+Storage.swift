extension Tensor {
    /// The immutable memory of a tensor, along with the object that keeps it valid; or a view of another storage in a
    /// different element order, which is copied only when the bytes are requested.
    final class Storage: @unchecked Sendable {
        let byteCount: Int
        private let isArranged: Bool
        private let owner: AnyObject?
        // In an arranged storage, `lock` guards these.
        private var memory: UnsafeRawBufferPointer?
        private var arrangement: Arrangement?

        fileprivate struct Arrangement {
            var source: Storage
            var plan: TranspositionPlan
            var elementSize: Int
        }

        /// A view of memory that `owner` keeps alive.
        init(viewing bytes: UnsafeRawBufferPointer, of owner: AnyObject) {
            (memory, byteCount, isArranged) = (bytes, bytes.count, false)
            self.owner = owner
        }

        /// Memory owned by this storage, initialized once by `fill`.
        init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
            (memory, self.byteCount, isArranged, owner) = (UnsafeRawBufferPointer(bytes), byteCount, false, nil)
            try fill(bytes)
        }

        /// The joined memory of views of the same owner in which each begins where the previous one ends; nil for any
        /// others.
        init?(adjoining views: [Storage]) {
            guard let first = views.first, let owner = first.owner, let start = first.memory?.baseAddress else {
                return nil
            }
            var end = start
            for view in views {
                guard view.owner === owner, view.memory?.baseAddress == end else { return nil }
                end += view.byteCount
            }
            memory = UnsafeRawBufferPointer(start: start, count: end - start)
            (byteCount, isArranged) = (end - start, false)
            self.owner = owner
        }

        /// The elements of another storage in a different order.
        init(_ source: Storage, _ plan: TranspositionPlan, elementSize: Int) {
            precondition(!source.isArranged, "the source of an arrangement must be in memory")
            arrangement = Arrangement(source: source, plan: plan, elementSize: elementSize)
            (byteCount, isArranged, owner) = (source.byteCount, true, nil)
        }

        deinit { if owner == nil { memory?.deallocate() } }

        /// Whether the elements are in memory of their own, not in that of a file or of another storage.
        var isComputed: Bool { owner == nil && !isArranged }

        /// The bytes in element order.
        var bytes: UnsafeRawBufferPointer {
            guard isArranged else { return memory! }
            return Self.lock.withLock {
                if let arrangement {
                    memory = arrangement.made
                    self.arrangement = nil
                }
                return memory!
            }
        }

        /// The memory that contains the elements, and the plan to read them in order; the plan is nil if they are
        /// already in order.
        var arranged: (source: Storage, plan: TranspositionPlan?) {
            guard isArranged else { return (self, nil) }
            if let arrangement = Self.lock.withLock({ arrangement }) { return (arrangement.source, arrangement.plan) }
            return (inOrder, nil)
        }

        /// The elements, in order, in memory.
        var inOrder: Storage { isArranged ? Storage(viewing: bytes, of: self) : self }

        /// Hints that these bytes, or all, will not be needed soon, so that pages of a mapped file can be released.
        /// - Parameter minimumFileSize: Pages of smaller files stay in memory.
        func release(_ range: Range<Int>? = nil, minimumFileSize: Int = 0) {
            let source = arranged.source
            guard let file = source.owner as? MappedFile, file.bytes.count >= minimumFileSize,
                let memory = source.memory
            else { return }
            file.release(UnsafeRawBufferPointer(rebasing: memory[range ?? 0..<memory.count]))
        }

        /// One lock for all storages: tensors are rarely rearranged.
        private static let lock = Lock()
    }
}

extension Tensor.Storage.Arrangement {
    /// A copy in order. Pages of a mapped file are released along the way.
    fileprivate var made: UnsafeRawBufferPointer {
        let out = UnsafeMutableRawBufferPointer.allocate(byteCount: source.byteCount, alignment: 64)
        var offset = 0
        plan.pieces(of: source.bytes, elementSize: elementSize, limit: Tensor.pieceSize) { piece in
            UnsafeMutableRawBufferPointer(rebasing: out[offset..<offset + piece.count]).copyMemory(from: piece)
            offset += piece.count
            // The next piece comes from other rows.
            if plan.keepsRows { source.release() }
        }
        source.release()
        return UnsafeRawBufferPointer(out)
    }
}
