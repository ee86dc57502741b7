// Products of matrices. A vector of 16 bytes holds two rows of eight bytes, which are eight integers or four bfloat16 values:
// those of two pixels, or the weights of two channels. Their product is four sums: both channels of the first pixel, then both
// of the second.
#ifndef THAW_MATRIX_PRODUCTS_H
#define THAW_MATRIX_PRODUCTS_H

#include "CMachine.h"

#if defined(__ARM_FEATURE_MATMUL_INT8) || defined(__ARM_FEATURE_BF16)
#pragma clang assume_nonnull begin

/// The eight bytes at each address.
__attribute__((always_inline)) static inline thaw_word4 thaw_two_rows(const void *first, const void *second) {
    return (thaw_word4)vcombine_u8(vld1_u8(first), vld1_u8(second));
}
/// The four bytes at each address, each followed by zeros.
__attribute__((always_inline)) static inline thaw_word4 thaw_two_half_rows(
    const void *first, const void *second) {
    typedef uint32_t word __attribute__((aligned(1)));
    return (thaw_word4)vcombine_u8(vcreate_u8(*(const word *)first), vcreate_u8(*(const word *)second));
}

/// Adds the products of two pixels and eight channels. (With the compiler's own functions, sums would move from register to
/// register: it would order the instructions such that more values than registers are needed.)
#define THAW_DEFINE_MATRIX_PRODUCT(name, instruction, rows_type) \
    __attribute__((always_inline)) static inline thaw_word16 name( \
        thaw_word16 sum, thaw_word4 rows, thaw_word16 weights) { \
        thaw_word4 w = sum.lo.lo, x = sum.lo.hi, y = sum.hi.lo, z = sum.hi.hi; \
        __asm__ volatile(instruction " %0.4s, %1" rows_type ", %2" rows_type : "+w"(w) : "w"(rows), "w"(weights.lo.lo)); \
        __asm__ volatile(instruction " %0.4s, %1" rows_type ", %2" rows_type : "+w"(x) : "w"(rows), "w"(weights.lo.hi)); \
        __asm__ volatile(instruction " %0.4s, %1" rows_type ", %2" rows_type : "+w"(y) : "w"(rows), "w"(weights.hi.lo)); \
        __asm__ volatile(instruction " %0.4s, %1" rows_type ", %2" rows_type : "+w"(z) : "w"(rows), "w"(weights.hi.hi)); \
        return THAW_JOIN_QUARTERS(w, x, y, z); \
    }
#if defined(__ARM_FEATURE_MATMUL_INT8)
THAW_DEFINE_MATRIX_PRODUCT(thaw_multiply_integers, "usmmla", ".16b")
#endif
#if defined(__ARM_FEATURE_BF16)
/// The sums are the bits of floats.
THAW_DEFINE_MATRIX_PRODUCT(thaw_multiply_bfloat16, "bfmmla", ".8h")

/// The floats with these bits.
__attribute__((always_inline)) static inline thaw_float16 thaw_floats_of_bits(thaw_word16 bits) { return (thaw_float16)bits; }
#endif
#undef THAW_DEFINE_MATRIX_PRODUCT

/// Returns the same address. The compiler does not move loads from it ahead of the preceding products.
__attribute__((always_inline)) static inline const void *thaw_after_products(const void *address) {
    __asm__ volatile("" : "+r"(address));
    return address;
}

/// The first, or last, eight words, each followed by a zero: the halves of rows, completed.
__attribute__((always_inline)) static inline thaw_word16 thaw_first_rows(thaw_word16 words) {
    return __builtin_shufflevector(
        words, (thaw_word16)0, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_last_rows(thaw_word16 words) {
    return __builtin_shufflevector(
        words, (thaw_word16)0, 8, 16, 9, 17, 10, 18, 11, 19, 12, 20, 13, 21, 14, 22, 15, 23);
}

/// The first, or last, eight channels of a pixel as the sums of two equal pixels.
__attribute__((always_inline)) static inline thaw_word16 thaw_first_sums(thaw_word16 channels) {
    return __builtin_shufflevector(channels, channels, 0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_last_sums(thaw_word16 channels) {
    return __builtin_shufflevector(
        channels, channels, 8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15);
}
/// The channels of the first, or second, pixel from both vectors of sums.
__attribute__((always_inline)) static inline thaw_word16 thaw_first_pixel(thaw_word16 first, thaw_word16 last) {
    return __builtin_shufflevector(first, last, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29);
}
__attribute__((always_inline)) static inline thaw_word16 thaw_second_pixel(thaw_word16 first, thaw_word16 last) {
    return __builtin_shufflevector(first, last, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
}

#pragma clang assume_nonnull end
#endif

#endif
