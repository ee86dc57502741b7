// Products of bytes, some of them complemented, and of 16-bit integers, with AVX2.
#ifndef THAW_COMPLEMENTED_PRODUCTS_H
#define THAW_COMPLEMENTED_PRODUCTS_H

#include "CMachine.h"

#pragma clang assume_nonnull begin

#if defined(__AVX2__) && !defined(__AVX512F__) && !defined(__AVXVNNI__)
#define THAW_ADD(half, complements, weights)                                                                               \
    do {                                                                                                                   \
        thaw_word8 products;                                                                                               \
        __asm__("vpxor %3, %2, %1\n\tvpmaddubsw %4, %1, %1\n\tvpmaddwd %5, %1, %1\n\tvpaddd %1, %0, %0"                   \
                : "+x"(half), "=&x"(products)                                                                              \
                : "x"((thaw_word8)bytes.lo), complements, "m"(weights), "x"((thaw_word8)0x10001));                         \
    } while (0)

/// Adds to each word of `sum` the products of its four bytes of `bytes`, unsigned, some of them complemented, and of the
/// weights, signed. No sum of two adjacent products may exceed 16 bits.
/// - Parameter complements: A vector of bytes that are 255 where a byte is complemented and 0 elsewhere.
///
/// In assembly, like the function below, so that both are read from memory: the registers hold sums.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_quads_at(
    thaw_word16 sum, thaw_word16 bytes, const void *weights, const void *complements) {
    const thaw_word8 *weight = (const thaw_word8 *)weights, *complement = (const thaw_word8 *)complements;
    thaw_word8 low = sum.lo, high = sum.hi;
    THAW_ADD(low, "m"(complement[0]), weight[0]);
    THAW_ADD(high, "m"(complement[1]), weight[1]);
    return thaw_joined_halves(low, high);
}

/// The same with the first half of the complements in a register.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_first_quads_at(
    thaw_word16 sum, thaw_word16 bytes, const void *weights, const void *complements, thaw_word8 first) {
    const thaw_word8 *weight = (const thaw_word8 *)weights, *complement = (const thaw_word8 *)complements;
    thaw_word8 low = sum.lo, high = sum.hi;
    THAW_ADD(low, "x"(first), weight[0]);
    THAW_ADD(high, "m"(complement[1]), weight[1]);
    return thaw_joined_halves(low, high);
}
#undef THAW_ADD

/// Negates weights of a quad, in place, so that no sum of two adjacent products exceeds 16 bits: 255 times 128 does not. It is
/// the second of the two, or the first if the second is -128, whose negative is not a byte.
/// Traps if both are -128.
/// - Parameter complements: Receives 255 for each negated weight and 0 for the others.
/// - Returns: `sum` plus 255 times the weights that were negated.
__attribute__((always_inline)) static inline thaw_word16 thaw_complement(
    void *weights, void *complements, thaw_word16 sum) {
    typedef int8_t signed_bytes __attribute__((vector_size(32), aligned(1)));
    typedef char bytes __attribute__((vector_size(32)));
    typedef int16_t shorts __attribute__((vector_size(32), aligned(1)));
    thaw_word8 halves[2] = {sum.lo, sum.hi};
    for (int half = 0; half < 2; half++) {
        signed_bytes *weight = (signed_bytes *)weights + half;
        shorts pairs = (shorts)__builtin_ia32_pmaddubsw256((bytes){} + 1, (bytes)*weight);
        shorts second = ((shorts)(*weight == -128) >> 8) ^ (int16_t)0xFF00;
        shorts negated = (__builtin_elementwise_abs(pairs) > 128) & second;
        shorts constants = (shorts)__builtin_ia32_pmaddubsw256((bytes)negated, (bytes)*weight);
        halves[half] += (thaw_word8)__builtin_ia32_pmaddwd256(constants, (shorts){} + 1);
        *weight = (*weight ^ (signed_bytes)negated) - (signed_bytes)negated;
        if (__builtin_reduce_or((*weight == -128) & (signed_bytes)negated)) __builtin_trap();
        ((shorts *)complements)[half] = negated;
    }
    return thaw_joined_halves(halves[0], halves[1]);
}

/// Expands the bits of each byte, the highest first, to eight vectors of bytes that are 255 or 0.
__attribute__((always_inline)) static inline void thaw_expand_bits(const void *bits, void *vectors, intptr_t stride) {
    typedef int8_t bytes __attribute__((vector_size(32), aligned(1)));
    for (int half = 0; half < 2; half++) {
        bytes remaining = ((const bytes *)bits)[half];
        for (int bit = 0; bit < 8; bit++) {
            *(bytes *)((char *)vectors + bit * stride + half * 32) = remaining < 0;
            remaining += remaining;
        }
    }
}

#define THAW_ADD(half, weights)                                                                                            \
    do {                                                                                                                   \
        thaw_word8 products;                                                                                               \
        __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"                                                                 \
                : "+x"(half), "=&x"(products)                                                                              \
                : "x"((thaw_word8)pair.lo), weights);                                                                      \
    } while (0)

/// `thaw_add_pairs` of words that are all equal and a vector in memory.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_pairs_at(
    thaw_word16 sum, thaw_word16 pair, const void *weights) {
    const thaw_word8 *weight = (const thaw_word8 *)weights;
    thaw_word8 low = sum.lo, high = sum.hi;
    THAW_ADD(low, "m"(weight[0]));
    THAW_ADD(high, "m"(weight[1]));
    return thaw_joined_halves(low, high);
}

/// The same with the first half of the vector in a register.
__attribute__((always_inline)) static inline thaw_word16 thaw_add_first_pairs_at(
    thaw_word16 sum, thaw_word16 pair, const void *weights, thaw_word8 first) {
    const thaw_word8 *weight = (const thaw_word8 *)weights;
    thaw_word8 low = sum.lo, high = sum.hi;
    THAW_ADD(low, "x"(first));
    THAW_ADD(high, "m"(weight[1]));
    return thaw_joined_halves(low, high);
}
#undef THAW_ADD
#endif

#pragma clang assume_nonnull end
#endif
