// Products of AMX tiles: 16 rows of 64 bytes, which are 16 words of four bytes. A word is four integers or two bfloat16
// values, and a product of words is the sum of the products of their values.
#ifndef THAW_TILE_PRODUCTS_H
#define THAW_TILE_PRODUCTS_H

#include "CMachine.h"

#if defined(__AMX_INT8__) || defined(__AMX_BF16__)
#pragma clang assume_nonnull begin

// (The numbers of tiles must be literals.)
#if defined(__AMX_INT8__)
/// Adds the products of unsigned bytes and signed ones.
#define THAW_ADD_TILES __builtin_ia32_tdpbusd
#else
#define THAW_ADD_TILES __builtin_ia32_tdpbf16ps
#endif

/// Rows of pixels times columns of channels: at most two tiles of 16 each way.
typedef struct {
    /// For each step, `row_tiles` · 16 rows of a tile: 16 words of each pixel.
    const void *rows;
    /// For each word of a pixel, a word for each of `column_tiles` · 16 channels.
    const void *weights;
    int64_t steps;
    /// A word for each channel.
    const void *bias;
    /// For each pixel, a word for each channel: the bias plus the products.
    void *sums;
} thaw_tile_work;

/// Prepares this thread's tiles, which become zeros.
static inline void thaw_configure_tiles(void) {
    struct { uint8_t palette, start_row, reserved[14]; uint16_t row_bytes[16]; uint8_t rows[16]; } shape = {.palette = 1};
    for (int tile = 0; tile < 8; tile++) {
        shape.row_bytes[tile] = 64;
        shape.rows[tile] = 16;
    }
    __builtin_ia32_tile_loadconfig(&shape);
}

static inline void thaw_release_tiles(void) { __builtin_ia32_tilerelease(); }

// Tiles 0 to 3 are sums, 4 and 5 pixels, 6 and 7 weights.
#define THAW_DEFINE_TILE_PRODUCT(name, row_tiles, column_tiles) \
    static inline void name(thaw_tile_work work) { \
        const char *bias = work.bias, *rows = work.rows, *weights = work.weights; \
        char *sums = work.sums; \
        int64_t stride = (column_tiles) * 64; \
        /* Every row of the sums starts with the bias. */ \
        __builtin_ia32_tileloadd64(0, bias, 0); \
        if (column_tiles > 1) __builtin_ia32_tileloadd64(1, bias + 64, 0); \
        if (row_tiles > 1) __builtin_ia32_tileloadd64(2, bias, 0); \
        if (row_tiles > 1 && column_tiles > 1) __builtin_ia32_tileloadd64(3, bias + 64, 0); \
        for (int64_t step = 0; step < work.steps; step++) { \
            __builtin_ia32_tileloadd64(4, rows, 64); \
            __builtin_ia32_tileloadd64(6, weights, stride); \
            THAW_ADD_TILES(0, 4, 6); \
            if (column_tiles > 1) { \
                __builtin_ia32_tileloadd64(7, weights + 64, stride); \
                THAW_ADD_TILES(1, 4, 7); \
            } \
            if (row_tiles > 1) { \
                __builtin_ia32_tileloadd64(5, rows + 1024, 64); \
                THAW_ADD_TILES(2, 5, 6); \
            } \
            if (row_tiles > 1 && column_tiles > 1) THAW_ADD_TILES(3, 5, 7); \
            rows += (row_tiles) * 1024; \
            weights += (column_tiles) * 1024; \
        } \
        __builtin_ia32_tilestored64(0, sums, stride); \
        if (column_tiles > 1) __builtin_ia32_tilestored64(1, sums + 64, stride); \
        if (row_tiles > 1) __builtin_ia32_tilestored64(2, sums + 16 * stride, stride); \
        if (row_tiles > 1 && column_tiles > 1) __builtin_ia32_tilestored64(3, sums + 16 * stride + 64, stride); \
    }
THAW_DEFINE_TILE_PRODUCT(thaw_multiply_tiles_1_1, 1, 1)
THAW_DEFINE_TILE_PRODUCT(thaw_multiply_tiles_1_2, 1, 2)
THAW_DEFINE_TILE_PRODUCT(thaw_multiply_tiles_2_1, 2, 1)
THAW_DEFINE_TILE_PRODUCT(thaw_multiply_tiles_2_2, 2, 2)
#undef THAW_DEFINE_TILE_PRODUCT

/// Only multiplies and adds, four products at a time.
static inline void thaw_repeat_tile_products(int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        THAW_ADD_TILES(0, 4, 6);
        THAW_ADD_TILES(1, 4, 7);
        THAW_ADD_TILES(2, 5, 6);
        THAW_ADD_TILES(3, 5, 7);
    }
}
#undef THAW_ADD_TILES

#pragma clang assume_nonnull end
#endif

#endif
