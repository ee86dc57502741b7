import Kernels

// Those that multiply matrices have their own.
#if !MATRICES
    extension Table {
        /// Only multiplies and adds, `rounds` times. Returns the number of floating-point operations.
        ///
        /// Six or 18 independent accumulators: enough to hide the latency of an addition, few enough to stay in registers.
        /// (With twelve, `vdpbf16ps` reaches only 92% of its peak on Zen 5.)
        public static func peak(_ rounds: Int) -> Int {
            var sums: Accumulators = (.zero, .zero, .zero, .zero, .zero, .zero)
            #if AVX512
                var (more, most) = (sums, sums)
            #endif
            let a = Vector(repeating: Float(rounds) * 1e-9)
            let b = Vector(repeating: 0.5)
            for _ in 0..<rounds {
                add(a, b, to: &sums)
                #if AVX512
                    add(a, b, to: &more)
                    add(a, b, to: &most)
                #endif
            }
            var all = sums.0 + sums.1 + sums.2 + sums.3 + sums.4 + sums.5
            var accumulators = 6
            #if AVX512
                all += more.0 + more.1 + more.2 + more.3 + more.4 + more.5
                all += most.0 + most.1 + most.2 + most.3 + most.4 + most.5
                accumulators = 18
            #endif
            // The accumulators must be used, or nothing would be computed.
            return total(all) == -1 ? 0 : 2 * valuesPerWord * blockWidth * accumulators * rounds
        }

        private typealias Accumulators = (Vector, Vector, Vector, Vector, Vector, Vector)

        @inline(__always)
        private static func add(_ a: Vector, _ b: Vector, to sums: inout Accumulators) {
            sums.0 = addProducts(sums.0, a, b)
            sums.1 = addProducts(sums.1, a, b)
            sums.2 = addProducts(sums.2, a, b)
            sums.3 = addProducts(sums.3, a, b)
            sums.4 = addProducts(sums.4, a, b)
            sums.5 = addProducts(sums.5, a, b)
        }
    }
#endif
