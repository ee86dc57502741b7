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

/// What Swift knows as SIMD16<Int32> and SIMD64<UInt8>: four quarters of four words, or of 16 bytes.
typedef int32_t thaw_word16 __attribute__((ext_vector_type(16)));
typedef uint8_t thaw_byte64 __attribute__((ext_vector_type(64)));

/// Of each word the bits from `shift` on, held to 0…255. (Written in Swift, the optimiser takes vectors apart for it.)
__attribute__((always_inline)) static inline thaw_word16 thaw_clamped_bytes(thaw_word16 words, int32_t shift) {
    thaw_word16 whole = words >> shift;
    return __builtin_elementwise_min(__builtin_elementwise_max(whole, (thaw_word16)0), (thaw_word16)255);
}

/// Of each quarter the first 12 bytes, three to a word.
__attribute__((always_inline)) static inline thaw_word16 thaw_words_of_threes(thaw_byte64 bytes) {
    return (thaw_word16)__builtin_shufflevector(
        bytes, (thaw_byte64)0,
        0, 1, 2, 64, 3, 4, 5, 64, 6, 7, 8, 64, 9, 10, 11, 64,
        16, 17, 18, 64, 19, 20, 21, 64, 22, 23, 24, 64, 25, 26, 27, 64,
        32, 33, 34, 64, 35, 36, 37, 64, 38, 39, 40, 64, 41, 42, 43, 64,
        48, 49, 50, 64, 51, 52, 53, 64, 54, 55, 56, 64, 57, 58, 59, 64);
}

/// The reverse: of each word three bytes, in the first 12 of its quarter.
__attribute__((always_inline)) static inline thaw_byte64 thaw_threes_of_words(thaw_word16 words) {
    thaw_byte64 bytes = (thaw_byte64)words;
    return __builtin_shufflevector(
        bytes, bytes,
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
        16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30, -1, -1, -1, -1,
        32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45, 46, -1, -1, -1, -1,
        48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62, -1, -1, -1, -1);
}

/// In each quarter the first, or last, two words of `a` and `b` in turn.
__attribute__((always_inline)) static inline thaw_word16 thaw_zip_low(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_zip_high(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
}
/// In each quarter the first, or last, half of `a` and then that of `b`.
__attribute__((always_inline)) static inline thaw_word16 thaw_join_low(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_join_high(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}

#pragma clang assume_nonnull end

#endif
