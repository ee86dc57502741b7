extension Tensor {
    /// The memory of an array, which never changes, with whatever keeps it valid; or the memory of another one and a plan of
    /// the order in which its elements follow each other, until somebody asks for the bytes.
    final class Storage: @unchecked Sendable {
        let byteCount: Int
        private let isArranged: Bool
        private let owner: AnyObject?
        // What an arranged storage has of these is guarded by `lock`.
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

        /// Memory of its own, filled once by `fill`.
        init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
            (memory, self.byteCount, isArranged, owner) = (UnsafeRawBufferPointer(bytes), byteCount, false, nil)
            try fill(bytes)
        }

        /// The memory of several views of one thing of which each begins where the one before ends; nil of any others.
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

        /// The elements of a memory in another order.
        init(_ source: Storage, _ plan: TranspositionPlan, elementSize: Int) {
            precondition(!source.isArranged, "what is put in order must lie in memory")
            arrangement = Arrangement(source: source, plan: plan, elementSize: elementSize)
            (byteCount, isArranged, owner) = (source.byteCount, true, nil)
        }

        deinit { if owner == nil { memory?.deallocate() } }

        /// The bytes in order.
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

        /// Where the elements stand in memory, and how to read them in order; nil for the plan where they are in order.
        var arranged: (source: Storage, plan: TranspositionPlan?) {
            guard isArranged else { return (self, nil) }
            if let arrangement = Self.lock.withLock({ arrangement }) { return (arrangement.source, arrangement.plan) }
            return (inOrder, nil)
        }

        /// The elements in order, in memory.
        var inOrder: Storage { isArranged ? Storage(viewing: bytes, of: self) : self }

        /// Says that these of the bytes, or all, will not be needed soon: pages of a mapped file take no memory then.
        func release(_ range: Range<Int>? = nil) {
            let source = arranged.source
            guard let file = source.owner as? MappedFile, let memory = source.memory else { return }
            file.release(UnsafeRawBufferPointer(rebasing: memory[range ?? 0..<memory.count]))
        }

        /// One for all: arrays are seldom put in order.
        private static let lock = Lock()
    }
}

extension Tensor.Storage.Arrangement {
    /// A copy in order. Pages of a mapped file are let go of on the way.
    fileprivate var made: UnsafeRawBufferPointer {
        let out = UnsafeMutableRawBufferPointer.allocate(byteCount: source.byteCount, alignment: 64)
        var place = 0
        plan.pieces(of: source.bytes, elementSize: elementSize, most: Tensor.pieceSize) { piece in
            UnsafeMutableRawBufferPointer(rebasing: out[place..<place + piece.count]).copyMemory(from: piece)
            place += piece.count
            // The next piece is made of other rows.
            if plan.keepsRows { source.release() }
        }
        source.release()
        return UnsafeRawBufferPointer(out)
    }
}
