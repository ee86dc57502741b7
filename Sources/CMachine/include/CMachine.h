// The few things that Swift cannot express: detecting vector instructions, sleeping and waking on a word of memory, atomic
// arithmetic, starting a thread on another core, exchanging the names of two files, and a few vector operations that Swift
// compiles lane by lane.
#ifndef THAW_CMACHINE_H
#define THAW_CMACHINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

/// Joins four vectors of four lanes, the result of a function for each quarter of a vector.
#define THAW_JOIN_QUARTERS(w, x, y, z) \
    __builtin_shufflevector( \
        __builtin_shufflevector(w, x, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(y, z, 0, 1, 2, 3, 4, 5, 6, 7), \
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#if defined(__ARM_NEON)
#define THAW_EACH_QUARTER(function) THAW_JOIN_QUARTERS(function(lo.lo), function(lo.hi), function(hi.lo), function(hi.hi))
#endif

// Functions of vectors are inlined, so it does not matter how the processor's extensions change their calling conventions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

#pragma clang assume_nonnull begin

/// Whether the processor and the operating system support AVX2 and FMA.
bool thaw_has_avx2(void);
/// Whether the processor and the operating system support AVX-512 F, VL, BW and DQ.
bool thaw_has_avx512(void);
/// Whether they support VNNI, which multiplies and adds bytes: AVX-VNNI in 256-bit registers, AVX512_VNNI in 512-bit
/// ones.
bool thaw_has_avx2_vnni(void);
bool thaw_has_avx512_vnni(void);
/// Whether they support AVX512-VBMI, which permutes bytes.
bool thaw_has_avx512_vbmi(void);
/// Whether they support AVX512_BF16.
bool thaw_has_avx512_bf16(void);
/// Whether the processor executes 512-bit instructions in two halves, so that AVX-512 multiplies and adds no faster
/// than AVX2.
bool thaw_has_avx512_in_halves(void);
/// Whether the processor multiplies tiles of bytes (AMX-INT8), or of bfloat16 values (AMX-BF16), and the operating system saves
/// them. The first call asks it to.
bool thaw_has_amx_int8(void);
bool thaw_has_amx_bf16(void);
/// Whether the processor multiplies and adds signed bytes (arm64's dotprod).
bool thaw_has_dotprod(void);
/// Whether it multiplies unsigned by signed bytes, and matrices of them (arm64's i8mm).
bool thaw_has_i8mm(void);
/// Whether it multiplies matrices of bfloat16 values (arm64's bf16).
bool thaw_has_bf16(void);

/// Sleeps until `thaw_wake` is called on `word`, unless it no longer holds `expected`. May return early.
void thaw_wait(int32_t *word, int32_t expected);
/// Wakes all threads that sleep on `word`.
void thaw_wake(int32_t *word);

/// Starts a thread, on another core than the caller's if the system lets it choose, that calls `body` with `context`. It may
/// move to any of the caller's cores later. Returns false if no thread can be started.
bool thaw_start_thread(pthread_t *thread, void *_Nullable (*_Nonnull body)(void *_Nullable), void *context);

/// Whether a signal is ignored, which the parent process may have requested.
bool thaw_is_ignored(int signal);

/// Exchanges the names of two files or folders atomically. Returns 0 on success; otherwise `errno` gives the reason.
int thaw_exchange_names(const char *a, const char *b);

/// The number of processors that the process may run on; 0 if it is unknown.
int32_t thaw_affinity_count(void);

/// How many forks lie between the start of the program and this process: a thread that was started at another count does
/// not exist in this process.
int32_t thaw_fork_count(void);

static inline int32_t thaw_load(const int32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void thaw_store(int32_t *word, int32_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }
/// Adds `change` and returns the previous value.
static inline int32_t thaw_add(int32_t *word, int32_t change) {
    return __atomic_fetch_add(word, change, __ATOMIC_SEQ_CST);
}
static inline int64_t thaw_load64(const int64_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static inline void thaw_store64(int64_t *word, int64_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }
/// Replaces `expected` by `value`, or returns false if the word holds something else.
static inline bool thaw_exchange64(int64_t *word, int64_t expected, int64_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/// Prefetches the cache line at `address`, which may be invalid: for now, or for later (not into the smallest cache).
static inline void thaw_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }
static inline void thaw_prefetch_later(const void *address) { __builtin_prefetch(address, 0, 2); }
/// Prefetches the cache line exclusively, for writing. (Older processors do nothing here.)
static inline void thaw_prefetch_write(const void *address) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

/// Returns the same address, but hides its origin from the compiler. In an inner loop over many pixels, this keeps the
/// compiler from computing a separate pointer from each pixel's offset before every run of the loop.
static inline const void *thaw_opaque(const void *address) {
    __asm__("" : "+r"(address));
    return address;
}

/// Tells the processor that this is a spin loop.
static inline void thaw_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Imported into Swift as SIMD16<Float> and SIMD16<Int32>.
typedef float thaw_float16 __attribute__((ext_vector_type(16)));
typedef int32_t thaw_word16 __attribute__((ext_vector_type(16)));

// Swift computes vectors of floats lane by lane, and the optimizer must turn that back into one instruction. With these functions
// instead, the kernels compile in two thirds to four fifths of the time.
__attribute__((always_inline)) static inline thaw_float16 thaw_sum(thaw_float16 a, thaw_float16 b) { return a + b; }
__attribute__((always_inline)) static inline thaw_float16 thaw_difference(thaw_float16 a, thaw_float16 b) { return a - b; }
__attribute__((always_inline)) static inline thaw_float16 thaw_product(thaw_float16 a, thaw_float16 b) { return a * b; }
__attribute__((always_inline)) static inline thaw_float16 thaw_quotient(thaw_float16 a, thaw_float16 b) { return a / b; }
__attribute__((always_inline)) static inline thaw_float16 thaw_negative(thaw_float16 x) { return -x; }

/// Selects `a` where the mask is −1, `b` where it is 0.
__attribute__((always_inline)) static inline thaw_float16 thaw_select(thaw_word16 mask, thaw_float16 a, thaw_float16 b) {
    return mask ? a : b;
}

/// `sum + a · b` without intermediate rounding, like Swift's `addingProduct`.
__attribute__((always_inline)) static inline thaw_float16 thaw_multiply_add(
    thaw_float16 sum, thaw_float16 a, thaw_float16 b) {
    return __builtin_elementwise_fma(a, b, sum);
}

/// The larger, or smaller, of each pair. A NaN lane of `x` stays NaN.
__attribute__((always_inline)) static inline thaw_float16 thaw_maximum(thaw_float16 x, thaw_float16 bound) {
    return x < bound ? bound : x;
}
__attribute__((always_inline)) static inline thaw_float16 thaw_minimum(thaw_float16 x, thaw_float16 bound) {
    return x > bound ? bound : x;
}

#if defined(__AVX512F__)
/// The nearest half-precision values, ties to even.
__attribute__((always_inline)) static inline thaw_float16 thaw_nearest_half(thaw_float16 x) {
    typedef float floats __attribute__((vector_size(64)));
    typedef short halves __attribute__((vector_size(32)));
    halves rounded = (halves)__builtin_ia32_vcvtps2ph512_mask((floats)x, 0, (halves){}, 0xFFFF);
    return (thaw_float16)__builtin_ia32_vcvtph2ps512_mask(rounded, (floats){}, 0xFFFF, 4);
}
#endif

/// The sum, and the largest, of all lanes: first of the halves, then of their halves, and so on.
#define THAW_FOLD(combine) \
    typedef float float8 __attribute__((ext_vector_type(8))); \
    typedef float float4 __attribute__((ext_vector_type(4))); \
    float8 halves = combine(x.lo, x.hi); \
    float4 quarters = combine(halves.lo, halves.hi); \
    return combine(combine(quarters.x, quarters.z), combine(quarters.y, quarters.w))
#define THAW_SUM(a, b) ((a) + (b))
#define THAW_LARGER(a, b) ((a) < (b) ? (b) : (a))
__attribute__((always_inline)) static inline float thaw_total(thaw_float16 x) { THAW_FOLD(THAW_SUM); }
__attribute__((always_inline)) static inline float thaw_largest(thaw_float16 x) { THAW_FOLD(THAW_LARGER); }

#if defined(__AVX512F__)
/// Loads or stores the first lanes only. The others are zeros, or remain unchanged in memory.
__attribute__((always_inline)) static inline thaw_float16 thaw_load_first(const float *address, long count) {
    typedef float floats __attribute__((vector_size(64)));
    return (thaw_float16)__builtin_ia32_loadups512_mask(
        address, (floats){0}, (unsigned short)((1u << count) - 1));
}
__attribute__((always_inline)) static inline void thaw_store_first(float *address, thaw_float16 x, long count) {
    typedef float floats __attribute__((vector_size(64)));
    __builtin_ia32_storeups512_mask(address, (floats)x, (unsigned short)((1u << count) - 1));
}
#elif defined(__AVX2__)
typedef int thaw_mask8 __attribute__((vector_size(32)));
typedef float thaw_half8 __attribute__((vector_size(32)));

/// All bits of the lanes before `count`, which may be negative.
__attribute__((always_inline)) static inline thaw_mask8 thaw_first8(long count) {
    int end = (int)count;
    return (thaw_mask8){0, 1, 2, 3, 4, 5, 6, 7} < (thaw_mask8){end, end, end, end, end, end, end, end};
}
__attribute__((always_inline)) static inline thaw_float16 thaw_load_first(const float *address, long count) {
    thaw_float16 x;
    x.lo = __builtin_ia32_maskloadps256((const thaw_half8 *)address, thaw_first8(count));
    x.hi = __builtin_ia32_maskloadps256((const thaw_half8 *)(address + 8), thaw_first8(count - 8));
    return x;
}
__attribute__((always_inline)) static inline void thaw_store_first(float *address, thaw_float16 x, long count) {
    __builtin_ia32_maskstoreps256((thaw_half8 *)address, thaw_first8(count), (thaw_half8)x.lo);
    __builtin_ia32_maskstoreps256((thaw_half8 *)(address + 8), thaw_first8(count - 8), (thaw_half8)x.hi);
}
#endif

#if defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16)
/// Imported into Swift as SIMD16<UInt16> and SIMD16<UInt32>: values of bfloat16, alone and in pairs.
typedef uint16_t thaw_bfloat16_16 __attribute__((ext_vector_type(16)));
typedef uint32_t thaw_bfloat16_pair16 __attribute__((ext_vector_type(16)));

/// Adds to each lane of `sum` the two products of its pairs.
__attribute__((always_inline)) static inline thaw_float16 thaw_add_products_bfloat16(
    thaw_float16 sum, thaw_float16 pairs, thaw_float16 weights) {
#if defined(__AVX512BF16__)
    typedef float floats __attribute__((vector_size(64)));
    typedef __bf16 values __attribute__((vector_size(64)));
    return (thaw_float16)__builtin_ia32_dpbf16ps_512((floats)sum, (values)pairs, (values)weights);
#else
    typedef float float4 __attribute__((ext_vector_type(4)));
#define THAW_ADD(part) \
    (float4)vbfdotq_f32((float32x4_t)sum.part, (bfloat16x8_t)pairs.part, (bfloat16x8_t)weights.part)
    return THAW_EACH_QUARTER(THAW_ADD);
#undef THAW_ADD
#endif
}

/// The nearest values, ties to even.
__attribute__((always_inline)) static inline thaw_bfloat16_16 thaw_round_bfloat16(thaw_float16 x) {
#if defined(__AVX512BF16__)
    typedef float floats __attribute__((vector_size(64)));
    typedef __bf16 values __attribute__((vector_size(32)));
    return (thaw_bfloat16_16)__builtin_ia32_cvtneps2bf16_512_mask((floats)x, (values){}, 0xFFFF);
#else
    typedef uint16_t value8 __attribute__((ext_vector_type(8)));
    value8 low = (value8)vcvtq_high_bf16_f32(vcvtq_low_bf16_f32((float32x4_t)x.lo.lo), (float32x4_t)x.lo.hi);
    value8 high = (value8)vcvtq_high_bf16_f32(vcvtq_low_bf16_f32((float32x4_t)x.hi.lo), (float32x4_t)x.hi.hi);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

__attribute__((always_inline)) static inline thaw_float16 thaw_widen_bfloat16(thaw_bfloat16_16 x) {
    return (thaw_float16)(__builtin_convertvector(x, thaw_bfloat16_pair16) << 16);
}

/// Pairs of a value of `a` and one of `b`.
__attribute__((always_inline)) static inline thaw_float16 thaw_pairs(thaw_bfloat16_16 a, thaw_bfloat16_16 b) {
    return (thaw_float16)(__builtin_convertvector(a, thaw_bfloat16_pair16)
        | __builtin_convertvector(b, thaw_bfloat16_pair16) << 16);
}

#if defined(__AVX512F__)
/// The pairs of a pixel's 16 values and those of the next pixel.
__attribute__((always_inline)) static inline thaw_float16 thaw_pairs_of_pixels(const void *address) {
    typedef uint16_t values __attribute__((ext_vector_type(32), aligned(2)));
    values x = *(const values *)address;
    return (thaw_float16)__builtin_shufflevector(
        x, x, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
        15, 31);
}

/// x / (1 + 2ᵗ), t = `factor` · x, with a relative error below 2⁻¹²: more digits than a bfloat16 has. 2ᵗ = 2ⁿ · 2ʳ, |r| ≤ ½.
__attribute__((always_inline)) static inline thaw_float16 thaw_coarse_swish(thaw_float16 x, thaw_float16 factor) {
    typedef float floats __attribute__((vector_size(64)));
    thaw_float16 t = thaw_minimum(thaw_maximum(x * factor, (thaw_float16)-126.0f), (thaw_float16)126.0f);
    floats n = __builtin_ia32_rndscaleps_mask((floats)t, 0, (floats){}, 0xFFFF, 4);
    thaw_float16 r = t - (thaw_float16)n;
    // A fit of 2ʳ with the least relative error, 8e-5.
    thaw_float16 y = thaw_multiply_add((thaw_float16)0.24261118f, (thaw_float16)0.05517166f, r);
    y = thaw_multiply_add((thaw_float16)0.69326099f, y, r);
    y = thaw_multiply_add((thaw_float16)0.99992807f, y, r);
    thaw_float16 power = (thaw_float16)__builtin_ia32_scalefps512_mask((floats)y, n, (floats){}, 0xFFFF, 4);
    return x * (thaw_float16)__builtin_ia32_rcp14ps512_mask((floats)(power + 1.0f), (floats){}, 0xFFFF);
}
#endif

/// Sets the halves of pairs that begin at this bit, which were zero.
__attribute__((always_inline)) static inline thaw_bfloat16_pair16 thaw_set_halves(
    thaw_bfloat16_pair16 pairs, thaw_bfloat16_16 values, uint32_t bit) {
    return pairs | __builtin_convertvector(values, thaw_bfloat16_pair16) << bit;
}

/// Multiplies the first value of each pair by `a`, the second by `b`.
__attribute__((always_inline)) static inline thaw_bfloat16_pair16 thaw_scale_pairs_bfloat16(
    thaw_bfloat16_pair16 pairs, thaw_float16 a, thaw_float16 b) {
    thaw_bfloat16_16 first = thaw_round_bfloat16((thaw_float16)(pairs << 16) * a);
    thaw_bfloat16_16 second = thaw_round_bfloat16((thaw_float16)(pairs & 0xFFFF0000) * b);
    return (thaw_bfloat16_pair16)thaw_pairs(first, second);
}
#endif

/// `thaw_multiply_add`, `thaw_maximum` and `thaw_minimum` for SIMD4<Float>.
typedef float thaw_float4 __attribute__((ext_vector_type(4)));
__attribute__((always_inline)) static inline thaw_float4 thaw_multiply_add4(
    thaw_float4 sum, thaw_float4 a, thaw_float4 b) {
    return __builtin_elementwise_fma(a, b, sum);
}
__attribute__((always_inline)) static inline thaw_float4 thaw_maximum4(thaw_float4 x, thaw_float4 bound) {
    return x < bound ? bound : x;
}
__attribute__((always_inline)) static inline thaw_float4 thaw_minimum4(thaw_float4 x, thaw_float4 bound) {
    return x > bound ? bound : x;
}
#if defined(__aarch64__)
/// (In Swift, some compilers call `sqrtf` for each lane.)
__attribute__((always_inline)) static inline thaw_float4 thaw_square_root4(thaw_float4 x) {
    thaw_float4 y;
    __asm__("fsqrt %0.4s, %1.4s" : "=w"(y) : "w"(x));
    return y;
}
#endif
#if defined(__ARM_FEATURE_BF16)
/// Imported into Swift as SIMD4<UInt16>: a quarter of the values.
typedef uint16_t thaw_bfloat16_4 __attribute__((ext_vector_type(4)));
__attribute__((always_inline)) static inline thaw_bfloat16_4 thaw_round_bfloat16_4(thaw_float4 x) {
    return (thaw_bfloat16_4)vcvt_bf16_f32((float32x4_t)x);
}
__attribute__((always_inline)) static inline thaw_float4 thaw_widen_bfloat16_4(thaw_bfloat16_4 x) {
    typedef uint32_t pair4 __attribute__((ext_vector_type(4)));
    return (thaw_float4)(__builtin_convertvector(x, pair4) << 16);
}
#endif

typedef uint8_t thaw_byte32 __attribute__((ext_vector_type(32)));
/// Imported into Swift as SIMD64<UInt8>: four quarters of 16 bytes.
typedef uint8_t thaw_byte64 __attribute__((ext_vector_type(64)));
/// A quarter of the words: SIMD4<Int32>.
typedef int32_t thaw_word4 __attribute__((ext_vector_type(4)));
/// Half of the words: an AVX2 register.
typedef int32_t thaw_word8 __attribute__((ext_vector_type(8)));

__attribute__((always_inline)) static inline thaw_word16 thaw_joined_halves(thaw_word8 low, thaw_word8 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Shifts each word right by `shift` and clamps it to 0…255. (In Swift, the optimizer takes vectors apart for this.)
__attribute__((always_inline)) static inline thaw_word16 thaw_clamped_bytes(thaw_word16 words, int32_t shift) {
    thaw_word16 whole = words >> shift;
    return __builtin_elementwise_min(__builtin_elementwise_max(whole, (thaw_word16)0), (thaw_word16)255);
}

/// Spreads the first 12 bytes of each quarter, three to a word.
__attribute__((always_inline)) static inline thaw_word16 thaw_words_of_threes(thaw_byte64 bytes) {
    return (thaw_word16)__builtin_shufflevector(
        bytes, (thaw_byte64)0,
        0, 1, 2, 64, 3, 4, 5, 64, 6, 7, 8, 64, 9, 10, 11, 64,
        16, 17, 18, 64, 19, 20, 21, 64, 22, 23, 24, 64, 25, 26, 27, 64,
        32, 33, 34, 64, 35, 36, 37, 64, 38, 39, 40, 64, 41, 42, 43, 64,
        48, 49, 50, 64, 51, 52, 53, 64, 54, 55, 56, 64, 57, 58, 59, 64);
}

/// The reverse: packs three bytes of each word into the first 12 bytes of its quarter.
__attribute__((always_inline)) static inline thaw_byte64 thaw_threes_of_words(thaw_word16 words) {
    thaw_byte64 bytes = (thaw_byte64)words;
    return __builtin_shufflevector(
        bytes, bytes,
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
        16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30, -1, -1, -1, -1,
        32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45, 46, -1, -1, -1, -1,
        48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62, -1, -1, -1, -1);
}

/// In each quarter, interleaves the first, or last, two words of `a` and `b`.
__attribute__((always_inline)) static inline thaw_word16 thaw_zip_low(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_zip_high(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
}
/// In each quarter, the first, or last, half of `a` followed by that of `b`.
__attribute__((always_inline)) static inline thaw_word16 thaw_join_low(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_join_high(thaw_word16 a, thaw_word16 b) {
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}

/// Imported into Swift as SIMD16<UInt8>.
typedef uint8_t thaw_byte16 __attribute__((ext_vector_type(16)));
typedef int16_t thaw_short16 __attribute__((ext_vector_type(16)));

/// Stores the first `count` bytes, at most 15. A call of `memcpy` would make the caller save all of its vectors, even
/// where it is not reached.
__attribute__((always_inline)) static inline void thaw_store_first_bytes(void *memory, thaw_byte16 bytes, intptr_t count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    typedef char values __attribute__((vector_size(16)));
    __builtin_ia32_storedquqi128_mask(memory, (values)bytes, (unsigned short)((1u << count) - 1));
#else
    typedef uint64_t __attribute__((ext_vector_type(2))) halves;
    typedef struct { uint64_t value; } __attribute__((packed, may_alias)) eight;
    typedef struct { uint32_t value; } __attribute__((packed, may_alias)) four;
    typedef struct { uint16_t value; } __attribute__((packed, may_alias)) two;
    uint8_t *next = memory;
    uint64_t rest = ((halves)bytes)[0];
    if (count & 8) ((eight *)next)->value = rest, next += 8, rest = ((halves)bytes)[1];
    if (count & 4) ((four *)next)->value = (uint32_t)rest, next += 4, rest >>= 32;
    if (count & 2) ((two *)next)->value = (uint16_t)rest, next += 2, rest >>= 16;
    if (count & 1) *next = (uint8_t)rest;
#endif
}

/// The 16 bytes of a quarter. (In Swift, halves of vectors are made lane by lane.)
__attribute__((always_inline)) static inline thaw_byte16 thaw_quarter(thaw_byte64 bytes, int index) {
    switch (index) {
    case 0: return bytes.lo.lo;
    case 1: return bytes.lo.hi;
    case 2: return bytes.hi.lo;
    default: return bytes.hi.hi;
    }
}

/// The 32 bytes of a half.
__attribute__((always_inline)) static inline thaw_byte32 thaw_half(thaw_byte64 bytes, int index) {
    return index == 0 ? bytes.lo : bytes.hi;
}

/// Conversions between vectors, which Swift does lane by lane or in separate functions.
__attribute__((always_inline)) static inline thaw_word16 thaw_words(thaw_byte16 bytes) {
    return __builtin_convertvector(bytes, thaw_word16);
}
__attribute__((always_inline)) static inline thaw_float16 thaw_floats(thaw_word16 words) {
    return __builtin_convertvector(words, thaw_float16);
}
/// The low byte of each word.
__attribute__((always_inline)) static inline thaw_byte16 thaw_low_bytes(thaw_word16 words) {
    return __builtin_convertvector(words, thaw_byte16);
}

__attribute__((always_inline)) static inline thaw_byte16 thaw_larger_bytes(thaw_byte16 a, thaw_byte16 b) {
    return __builtin_elementwise_max(a, b);
}
__attribute__((always_inline)) static inline thaw_byte64 thaw_larger_bytes64(thaw_byte64 a, thaw_byte64 b) {
    return __builtin_elementwise_max(a, b);
}

/// The nearest integers, ties to even, as words and as floats. (Between 2^23 and 2^24, floats are integers.) A negative
/// number that is rounded to zero may become −0.
__attribute__((always_inline)) static inline thaw_word16 thaw_rounded_words(thaw_float16 x) {
    return (thaw_word16)(x + 12582912.0f) - 0x4B400000;
}
__attribute__((always_inline)) static inline thaw_float16 thaw_rounded(thaw_float16 x) {
#if defined(__AVX512F__)
    typedef float floats __attribute__((vector_size(64)));
    return (thaw_float16)__builtin_ia32_rndscaleps_mask((floats)x, 8, (floats)x, 0xFFFF, 4);
#elif defined(__AVX2__)
    typedef float floats __attribute__((vector_size(32)));
    thaw_word8 low = (thaw_word8)__builtin_ia32_roundps256((floats)x.lo, 8);
    thaw_word8 high = (thaw_word8)__builtin_ia32_roundps256((floats)x.hi, 8);
    return (thaw_float16)thaw_joined_halves(low, high);
#else
    return (x + 12582912.0f) - 12582912.0f;
#endif
}

#if defined(__AVX512BW__)
/// Word j of each quarter becomes word i of quarter j, where i is the quarter it was in. (The compiler would take a shuffle
/// that it recognizes apart into several.)
__attribute__((always_inline)) static inline thaw_word16 thaw_transposed_quarters(thaw_word16 words) {
    typedef int vector __attribute__((vector_size(64)));
    vector order = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    __asm__("" : "+v"(order));
    return (thaw_word16)__builtin_ia32_permvarsi512((vector)words, order);
}

/// Imported into Swift as SIMD32<Int16>.
typedef int16_t thaw_short32 __attribute__((ext_vector_type(32)));

/// Two vectors of floats, rounded to the nearest integers, ties to even, and clamped to 16 bits, in quarters of four from each.
/// Floats that are too large for a word, and NaN, become the lowest integer.
__attribute__((always_inline)) static inline thaw_short32 thaw_rounded_shorts(thaw_float16 a, thaw_float16 b) {
    typedef float floats __attribute__((vector_size(64)));
    typedef int words __attribute__((vector_size(64)));
    words first = (words)__builtin_ia32_cvtps2dq512_mask((floats)a, (words){}, 0xFFFF, 4);
    words second = (words)__builtin_ia32_cvtps2dq512_mask((floats)b, (words){}, 0xFFFF, 4);
    return (thaw_short32)__builtin_ia32_packssdw512(first, second);
}

/// The 16-bit integers of four vectors, clamped to bytes, in the order of the vectors.
__attribute__((always_inline)) static inline thaw_byte64 thaw_ordered_bytes(thaw_short32 ab, thaw_short32 cd) {
    typedef short halves __attribute__((vector_size(64)));
    return (thaw_byte64)thaw_transposed_quarters(
        (thaw_word16)__builtin_ia32_packuswb512((halves)ab, (halves)cd));
}

/// Four vectors of floats as 64 bytes in the order of the vectors: rounded to the nearest integers, ties to even, plus the
/// zero point, and clamped to the bytes `low` to `high`. `upper` is the largest float that is not clamped; a NaN becomes `low`.
__attribute__((always_inline)) static inline thaw_byte64 thaw_rounded_bytes(
    thaw_float16 a, thaw_float16 b, thaw_float16 c, thaw_float16 d, thaw_float16 upper, int16_t zero, uint8_t low,
    uint8_t high) {
    thaw_short32 ab = thaw_rounded_shorts(thaw_minimum(a, upper), thaw_minimum(b, upper));
    thaw_short32 cd = thaw_rounded_shorts(thaw_minimum(c, upper), thaw_minimum(d, upper));
    thaw_short32 offset = (thaw_short32)zero;
    thaw_byte64 bytes = thaw_ordered_bytes(
        __builtin_elementwise_add_sat(ab, offset), __builtin_elementwise_add_sat(cd, offset));
    return __builtin_elementwise_min(__builtin_elementwise_max(bytes, (thaw_byte64)low), (thaw_byte64)high);
}

/// The same, if all values are below 2^31, the zero point is 0, and any byte may result: packing clamps words.
__attribute__((always_inline)) static inline thaw_byte64 thaw_saturated_bytes(
    thaw_float16 a, thaw_float16 b, thaw_float16 c, thaw_float16 d) {
    return thaw_ordered_bytes(thaw_rounded_shorts(a, b), thaw_rounded_shorts(c, d));
}

/// The bytes of four pixels, of 16 channels each, as a word for each channel: byte i of a word is from pixel i.
__attribute__((always_inline)) static inline thaw_word16 thaw_transposed_pixels(thaw_byte64 pixels) {
    typedef char bytes __attribute__((vector_size(64)));
    bytes order = {
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
        0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    return (thaw_word16)__builtin_ia32_pshufb512((bytes)thaw_transposed_quarters((thaw_word16)pixels), order);
}
#endif

#if defined(__AVX2__) && !defined(__AVX512BW__)
/// Words clamped to 16 bits: four of the first vector, four of the second, and so on.
__attribute__((always_inline)) static inline thaw_short16 thaw_saturated_shorts(thaw_word8 a, thaw_word8 b) {
    typedef int words __attribute__((vector_size(32)));
    return (thaw_short16)__builtin_ia32_packssdw256((words)a, (words)b);
}
/// Such integers clamped to bytes, in the order of the vectors.
__attribute__((always_inline)) static inline thaw_byte16 thaw_ordered_bytes(thaw_short16 shorts) {
    typedef short halves __attribute__((vector_size(16)));
    thaw_word4 quads = (thaw_word4)__builtin_ia32_packuswb128((halves)shorts.lo, (halves)shorts.hi);
    return (thaw_byte16)__builtin_shufflevector(quads, quads, 0, 2, 1, 3);
}

/// Floats rounded to the nearest integers, ties to even, as words. Floats that are too large, and NaN, become the lowest.
#define THAW_NEAREST(half) (thaw_word8) __builtin_ia32_cvtps2dq256((floats)(half))
/// The same as `thaw_rounded_bytes` with AVX-512, for one vector.
__attribute__((always_inline)) static inline thaw_byte16 thaw_rounded_bytes(
    thaw_float16 x, thaw_float16 upper, int16_t zero, uint8_t low, uint8_t high) {
    typedef float floats __attribute__((vector_size(32)));
    thaw_float16 bounded = thaw_minimum(x, upper);
    thaw_short16 shorts = thaw_saturated_shorts(THAW_NEAREST(bounded.lo), THAW_NEAREST(bounded.hi));
    thaw_byte16 bytes = thaw_ordered_bytes(__builtin_elementwise_add_sat(shorts, (thaw_short16)zero));
    return __builtin_elementwise_min(__builtin_elementwise_max(bytes, (thaw_byte16)low), (thaw_byte16)high);
}
__attribute__((always_inline)) static inline thaw_byte16 thaw_saturated_bytes(thaw_float16 x) {
    typedef float floats __attribute__((vector_size(32)));
    return thaw_ordered_bytes(thaw_saturated_shorts(THAW_NEAREST(x.lo), THAW_NEAREST(x.hi)));
}
#undef THAW_NEAREST
#endif

/// `a · b + c · d`, each product and the sum rounded.
__attribute__((always_inline)) static inline thaw_float16 thaw_sum_of_products(
    thaw_float16 a, thaw_float16 b, thaw_float16 c, thaw_float16 d) {
#pragma clang fp contract(off)
    thaw_float16 first = a * b;
    thaw_float16 second = c * d;
    return first + second;
}

/// Adds to each word of `sum` the product of the low, and of the high, halves of the words, as signed 16-bit integers. The
/// sum's origin is hidden from the compiler, which would otherwise add products first and run out of registers.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_pairs(
    thaw_word16 sum, thaw_word16 a, thaw_word16 b) {
// In assembly, as LLVM replaces half of the intrinsics by a multiplication and an addition, which take longer.
#if defined(__AVX512VNNI__)
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#elif defined(__AVXVNNI__)
    thaw_word8 low = sum.lo;
    thaw_word8 high = sum.hi;
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(low) : "x"((thaw_word8)a.lo), "x"((thaw_word8)b.lo));
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(high) : "x"((thaw_word8)a.hi), "x"((thaw_word8)b.hi));
    return thaw_joined_halves(low, high);
#elif defined(__AVX512BW__)
    typedef short halves __attribute__((vector_size(64)));
    sum += (thaw_word16)__builtin_ia32_pmaddwd512((halves)a, (halves)b);
    __asm__("" : "+v"(sum));
    return sum;
#elif defined(__AVX2__)
    typedef short halves __attribute__((vector_size(32)));
    thaw_word8 low = sum.lo + (thaw_word8)__builtin_ia32_pmaddwd256((halves)a.lo, (halves)b.lo);
    thaw_word8 high = sum.hi + (thaw_word8)__builtin_ia32_pmaddwd256((halves)a.hi, (halves)b.hi);
    __asm__("" : "+x"(low), "+x"(high));
    return thaw_joined_halves(low, high);
#elif defined(__SSE2__)
    typedef short halves __attribute__((vector_size(16)));
    thaw_word4 w = (thaw_word4)__builtin_ia32_pmaddwd128((halves)a.lo.lo, (halves)b.lo.lo);
    thaw_word4 x = (thaw_word4)__builtin_ia32_pmaddwd128((halves)a.lo.hi, (halves)b.lo.hi);
    thaw_word4 y = (thaw_word4)__builtin_ia32_pmaddwd128((halves)a.hi.lo, (halves)b.hi.lo);
    thaw_word4 z = (thaw_word4)__builtin_ia32_pmaddwd128((halves)a.hi.hi, (halves)b.hi.hi);
    return sum + THAW_JOIN_QUARTERS(w, x, y, z);
#else
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

typedef int8_t thaw_signed_byte16 __attribute__((ext_vector_type(16)));

/// Unsigned, or signed, bytes as 16-bit integers.
__attribute__((always_inline)) static inline thaw_short16 thaw_shorts(thaw_byte16 bytes) {
    return __builtin_convertvector(bytes, thaw_short16);
}
__attribute__((always_inline)) static inline thaw_short16 thaw_signed_shorts(thaw_signed_byte16 bytes) {
    return __builtin_convertvector(bytes, thaw_short16);
}

/// Words as `thaw_add_pairs` multiplies them.
__attribute__((always_inline)) static inline thaw_word16 thaw_joined(thaw_short16 low, thaw_short16 high) {
    return (__builtin_convertvector(low, thaw_word16) & 0xffff) | __builtin_convertvector(high, thaw_word16) << 16;
}

/// The first, or last, two bytes of each word, unsigned, as two halves. All words are equal.
__attribute__((always_inline)) static inline thaw_word16 thaw_first_pairs(thaw_word16 words) {
    return (words & 0xff) | (words & 0xff00) << 8;
}
__attribute__((always_inline)) static inline thaw_word16 thaw_last_pairs(thaw_word16 words) {
    return (words >> 16 & 0xff) | (words >> 8 & 0xff0000);
}

/// Adds to each word of `sum` the products of its four bytes in `bytes`, unsigned, and in `weights`, signed. With arm64's
/// dotprod, both are signed.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_quads(
    thaw_word16 sum, thaw_word16 bytes, thaw_word16 weights) {
#if defined(__AVX512VNNI__)
    typedef int words __attribute__((vector_size(64)));
    return (thaw_word16)__builtin_ia32_vpdpbusd512((words)sum, (words)bytes, (words)weights);
#elif defined(__AVXVNNI__)
    typedef int words __attribute__((vector_size(32)));
    thaw_word8 low = (thaw_word8)__builtin_ia32_vpdpbusd256((words)sum.lo, (words)bytes.lo, (words)weights.lo);
    thaw_word8 high = (thaw_word8)__builtin_ia32_vpdpbusd256((words)sum.hi, (words)bytes.hi, (words)weights.hi);
    return thaw_joined_halves(low, high);
#elif defined(__ARM_FEATURE_MATMUL_INT8)
#define THAW_ADD(part) (thaw_word4)vusdotq_s32((int32x4_t)sum.part, (uint8x16_t)bytes.part, (int8x16_t)weights.part)
    return THAW_EACH_QUARTER(THAW_ADD);
#undef THAW_ADD
#elif defined(__ARM_FEATURE_DOTPROD)
#define THAW_ADD(part) (thaw_word4)vdotq_s32((int32x4_t)sum.part, (int8x16_t)weights.part, (int8x16_t)bytes.part)
    return THAW_EACH_QUARTER(THAW_ADD);
#undef THAW_ADD
#else
    for (int i = 0; i < 4; i++) {
        sum += (bytes >> 8 * i & 0xff) * (weights << (24 - 8 * i) >> 24);
    }
    return sum;
#endif
}

#pragma clang assume_nonnull end

#include "ComplementedProducts.h"
#include "MatrixProducts.h"
#include "TableLookups.h"
#include "TileProducts.h"

#pragma clang diagnostic pop

#endif
