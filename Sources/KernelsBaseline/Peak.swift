import Kernels

// Those that multiply matrices have their own.
#if !MATRICES
    extension Table {
        /// Only multiplies and adds, `rounds` times. Returns the number of floating-point operations.
        ///
        /// Six or 18 independent accumulators: enough to hide the latency of an addition, few enough to stay in registers.
        /// (With twelve, `vdpbf16ps` reaches only 92% of its peak on Zen 5.)
        public static func peak(_ rounds: Int) -> Int {
            var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero)
            #if AVX512
                var (more, most) = (sums, sums)
            #endif
            let a = Vector(repeating: Float(rounds) * 1e-9)
            let b = Vector(repeating: 0.5)
            for _ in 0..<rounds {
                sums.0 = addProducts(sums.0, a, b)
                sums.1 = addProducts(sums.1, a, b)
                sums.2 = addProducts(sums.2, a, b)
                sums.3 = addProducts(sums.3, a, b)
                sums.4 = addProducts(sums.4, a, b)
                sums.5 = addProducts(sums.5, a, b)
                #if AVX512
                    more.0 = addProducts(more.0, a, b)
                    more.1 = addProducts(more.1, a, b)
                    more.2 = addProducts(more.2, a, b)
                    more.3 = addProducts(more.3, a, b)
                    more.4 = addProducts(more.4, a, b)
                    more.5 = addProducts(more.5, a, b)
                    most.0 = addProducts(most.0, a, b)
                    most.1 = addProducts(most.1, a, b)
                    most.2 = addProducts(most.2, a, b)
                    most.3 = addProducts(most.3, a, b)
                    most.4 = addProducts(most.4, a, b)
                    most.5 = addProducts(most.5, a, b)
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
    }
#endif
