// Lookups in tables of 256 bytes.
#ifndef THAW_TABLE_LOOKUPS_H
#define THAW_TABLE_LOOKUPS_H

#include "CMachine.h"

#pragma clang assume_nonnull begin

#if defined(__AVX512BW__)
typedef uint16_t thaw_half32 __attribute__((ext_vector_type(32)));

/// The bytes of a table of 256, in four vectors, at 32 indices. An instruction selects from 64 pairs of bytes, by 6 bits of an
/// index. Bit 0 selects one of the pair, bit 7 one of the halves of the table.
__attribute__((always_inline)) static inline thaw_half32 thaw_table_bytes(
    thaw_byte64 first, thaw_byte64 second, thaw_byte64 third, thaw_byte64 fourth, thaw_half32 indices) {
    typedef short halves __attribute__((vector_size(64)));
    halves pairs = (halves)(indices >> 1);
    thaw_half32 low = (thaw_half32)__builtin_ia32_vpermi2varhi512((halves)first, pairs, (halves)second);
    thaw_half32 high = (thaw_half32)__builtin_ia32_vpermi2varhi512((halves)third, pairs, (halves)fourth);
    thaw_half32 pair = indices > 0x7f ? high : low;
    return pair >> ((indices & 1) << 3) & 0xff;
}

/// Replaces each byte of some rows by that of a table of 256. The processor must have AVX512-VBMI.
__attribute__((noinline, target("avx512f,avx512bw,avx512vbmi"))) static inline void thaw_look_up(
    const uint8_t *table, const uint8_t *bytes, int64_t byte_stride, uint8_t *output, int64_t output_stride,
    int64_t width, int64_t rows) {
    typedef char vector __attribute__((vector_size(64)));
    typedef thaw_byte64 unaligned __attribute__((aligned(1)));
    const unaligned *quarters = (const unaligned *)table;
    vector first = (vector)quarters[0], second = (vector)quarters[1];
    vector third = (vector)quarters[2], fourth = (vector)quarters[3];
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < width; i += 64) {
            uint64_t mask = width - i < 64 ? (1ull << (width - i)) - 1 : ~0ull;
            vector indices = __builtin_ia32_loaddquqi512_mask((const vector *)(bytes + i), (vector){}, mask);
            thaw_byte64 low = (thaw_byte64)__builtin_ia32_vpermi2varqi512(first, indices, second);
            thaw_byte64 high = (thaw_byte64)__builtin_ia32_vpermi2varqi512(third, indices, fourth);
            thaw_byte64 found = (thaw_byte64)indices > 0x7f ? high : low;
            __builtin_ia32_storedquqi512_mask((vector *)(output + i), (vector)found, mask);
        }
        bytes += byte_stride;
        output += output_stride;
    }
}

/// Replaces each byte by that of a table of 256, which is in four vectors.
__attribute__((always_inline)) static inline thaw_byte64 thaw_looked_up(
    thaw_byte64 first, thaw_byte64 second, thaw_byte64 third, thaw_byte64 fourth, thaw_byte64 bytes) {
    thaw_half32 both = (thaw_half32)bytes;
    return (thaw_byte64)(
        thaw_table_bytes(first, second, third, fourth, both & 0xff)
        | thaw_table_bytes(first, second, third, fourth, both >> 8) << 8);
}
#endif

#if defined(__AVX2__) && !defined(__AVX512BW__)
/// Replaces bytes by those of a table of 256: so many vectors. An instruction selects from 16 bytes by the low 4 bits of an
/// index, and 0 if the index is negative. Each half of the table is eight rows, and 16 is subtracted from all indices after
/// each, so that an index selects from its row and those before it. Rows therefore hold the differences (exclusive or) from
/// the row before.
__attribute__((always_inline)) static inline void thaw_look_up_vectors(
    const void *differences, const uint8_t *bytes, uint8_t *output, int count) {
    typedef int8_t vector __attribute__((vector_size(32), aligned(1)));
    typedef int8_t half __attribute__((vector_size(16), aligned(1)));
    typedef char chars __attribute__((vector_size(32)));
    vector indices[4], found[4];
#pragma clang loop unroll(full)
    for (int i = 0; i < count; i++) {
        indices[i] = ((const vector *)bytes)[i];
        found[i] = (vector){};
    }
#pragma clang loop unroll(full)
    for (int row = 0; row < 16; row++) {
        half one = ((const half *)differences)[row];
        chars both = (chars)__builtin_shufflevector(
            one, one, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#pragma clang loop unroll(full)
        for (int i = 0; i < count; i++) {
            found[i] ^= (vector)__builtin_ia32_pshufb256(both, (chars)indices[i]);
            indices[i] = row == 7
                ? ((const vector *)bytes)[i] ^ (int8_t)-128 : __builtin_elementwise_sub_sat(indices[i], (vector){} + 16);
            // Hidden from the compiler, which would otherwise subtract multiples of 16 and run out of registers.
            __asm__("" : "+x"(indices[i]));
        }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < count; i++) ((vector *)output)[i] = found[i];
}

/// Replaces each byte of some rows by that of a table of 256.
__attribute__((noinline)) static inline void thaw_look_up(
    const uint8_t *table, const uint8_t *bytes, int64_t byte_stride, uint8_t *output, int64_t output_stride,
    int64_t width, int64_t rows) {
    typedef uint8_t half __attribute__((vector_size(16), aligned(1)));
    half differences[16];
    for (int i = 0; i < 16; i++) {
        const half *entries = (const half *)table + i;
        differences[i] = i % 8 ? entries[0] ^ entries[-1] : entries[0];
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t i = 0;
        for (; i + 128 <= width; i += 128) thaw_look_up_vectors(differences, bytes + i, output + i, 4);
        for (; i + 32 <= width; i += 32) thaw_look_up_vectors(differences, bytes + i, output + i, 1);
        for (; i < width; i++) output[i] = table[bytes[i]];
        bytes += byte_stride;
        output += output_stride;
    }
}
#elif defined(__ARM_NEON)
/// Replaces each byte of some rows by that of a table of 256. An instruction selects from a quarter of it, and leaves bytes
/// alone whose index is outside.
__attribute__((noinline)) static inline void thaw_look_up(
    const uint8_t *table, const uint8_t *bytes, int64_t byte_stride, uint8_t *output, int64_t output_stride,
    int64_t width, int64_t rows) {
    uint8x16x4_t first = vld1q_u8_x4(table), second = vld1q_u8_x4(table + 64);
    uint8x16x4_t third = vld1q_u8_x4(table + 128), fourth = vld1q_u8_x4(table + 192);
    for (int64_t row = 0; row < rows; row++) {
        int64_t i = 0;
        for (; i + 16 <= width; i += 16) {
            uint8x16_t indices = vld1q_u8(bytes + i);
            uint8x16_t found = vqtbl4q_u8(first, indices);
            found = vqtbx4q_u8(found, second, indices - 64);
            found = vqtbx4q_u8(found, third, indices - 128);
            vst1q_u8(output + i, vqtbx4q_u8(found, fourth, indices - 192));
        }
        for (; i < width; i++) output[i] = table[bytes[i]];
        bytes += byte_stride;
        output += output_stride;
    }
}
#endif

#pragma clang assume_nonnull end
#endif
