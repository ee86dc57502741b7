// The few facts about the machine that Swift cannot ask for by itself: which vector instructions it has, sleeping and
// waking on a word of memory, atomic arithmetic on one, exchanging the names of two files, and what Swift's vectors do lane
// by lane only.
#ifndef THAW_CMACHINE_H
#define THAW_CMACHINE_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Whether processor and operating system offer AVX2 and FMA.
bool thaw_has_avx2(void);
/// Whether processor and operating system offer AVX-512 F, VL, BW and DQ.
bool thaw_has_avx512(void);

/// Sleeps until `thaw_wake` is called on `word`, unless it no longer holds `expected`. May return early.
void thaw_wait(int32_t *word, int32_t expected);
/// Wakes all that sleep on `word`.
void thaw_wake(int32_t *word);

/// Whether a signal is ignored, as whoever started this process may have asked for.
bool thaw_is_ignored(int signal);

/// Lets two files or folders change their names at once; 0 where that went well, else `errno` says why not.
int thaw_exchange_names(const char *a, const char *b);

static inline int32_t thaw_load(const int32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void thaw_store(int32_t *word, int32_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }
/// Adds `change`, and gives what was there before.
static inline int32_t thaw_add(int32_t *word, int32_t change) {
    return __atomic_fetch_add(word, change, __ATOMIC_SEQ_CST);
}
static inline int64_t thaw_load64(const int64_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void thaw_store64(int64_t *word, int64_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }
/// Puts `value` in place of `expected`, or tells that something else is there.
static inline bool thaw_exchange64(int64_t *word, int64_t expected, int64_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/// Asks for the cache line at `address`, which need not exist: for now, and for later (not into the smallest cache).
static inline void thaw_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
static inline void thaw_prefetch_later(const void *address) { __builtin_prefetch(address, 0, 2); }
/// Asks for the cache line as its only owner, to be written. (Older processors do nothing here.)
static inline void thaw_prefetch_write(const void *address) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

/// The same address, of which the compiler no longer knows where it comes from. In an inner loop over many pixels this
/// keeps it from turning each pixel's offset into a pointer of its own, anew before every run of the loop.
static inline const float *thaw_opaque(const float *address) {
    __asm__("" : "+r"(address));
    return address;
}

/// Tells the processor that this is a loop that waits.
static inline void thaw_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// What Swift knows as SIMD16<Float>.
typedef float thaw_float16 __attribute__((ext_vector_type(16)));

/// `sum + a · b` without rounding in between. Swift's `addingProduct` says the same of each lane, of which the optimiser
/// must make one instruction again: the kernels take it half as long this way.
__attribute__((always_inline)) static inline thaw_float16 thaw_multiply_add(
    thaw_float16 sum, thaw_float16 a, thaw_float16 b) {
    return __builtin_elementwise_fma(a, b, sum);
}

/// The larger, or smaller, of each pair; a lane of `x` that is not a number stays so.
__attribute__((always_inline)) static inline thaw_float16 thaw_maximum(thaw_float16 x, thaw_float16 bound) {
    return x < bound ? bound : x;
}
__attribute__((always_inline)) static inline thaw_float16 thaw_minimum(thaw_float16 x, thaw_float16 bound) {
    return x > bound ? bound : x;
}

#pragma clang assume_nonnull end

#endif
