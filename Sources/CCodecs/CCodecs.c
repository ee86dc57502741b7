#include "CCodecs.h"

#include <zlib.h>

#include "PNGErrors.h"

// The rest of the file.
struct source {
    struct message message;
    const uint8_t *bytes;
    size_t count;
    int *wrong_checksum;
};

static void read_bytes(png_structp png, png_bytep to, size_t count) {
    struct source *source = png_get_io_ptr(png);
    if (count > source->count) png_error(png, "the data is truncated");
    memcpy(to, source->bytes, count);
    source->bytes += count;
    source->count -= count;
}

static void on_warning(png_structp png, png_const_charp text) {
    struct source *source = png_get_error_ptr(png);
    if (strstr(text, "CRC")) *source->wrong_checksum = 1;
}

int thaw_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int channels, uint8_t *pixels,
    int *wrong_checksum, char *message, size_t message_size) {
    struct source source = {{message, message_size}, bytes, count, wrong_checksum};
    *wrong_checksum = 0;
    strncpy(message, "out of memory", message_size);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
    if (!png) return 1;
    png_infop info = png_create_info_struct(png);
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return 1;
    }
    // Errors after the last row do not affect the pixels.
    volatile int has_pixels = 0;
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return has_pixels ? 2 : 1;
    }
    // The caller has checked the size.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_read_fn(png, &source, read_bytes);
    // Chunks that do not affect the pixels, such as profiles and text, are skipped: only length and checksum are checked.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    // The caller reports a wrong checksum. The data is used nevertheless.
    png_set_crc_action(png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
    png_read_info(png, info);

    png_set_strip_16(png);
    png_set_packing(png);
    if (channels % 2 == 1)
        png_set_strip_alpha(png);
    else
        png_set_tRNS_to_alpha(png);
    png_byte type = png_get_color_type(png, info);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
    // The caller may count on transparent colors whose chunk was discarded as corrupt.
    if (channels % 2 == 0 && !(type & PNG_COLOR_MASK_ALPHA) && !png_get_valid(png, info, PNG_INFO_tRNS))
        png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);

    size_t row = (size_t)width * channels;
    if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height
        || png_get_rowbytes(png, info) != row)
        png_error(png, "the header is inconsistent");
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < height; y++) png_read_row(png, pixels + y * row, NULL);
    has_pixels = 1;
    png_read_end(png, info);
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
}

size_t thaw_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity) {
    uLongf length = capacity;
    return uncompress(target, &length, bytes, count) == Z_OK ? length : 0;
}

uint32_t thaw_checksum(const uint8_t *bytes, size_t count) { return crc32_z(0, bytes, count); }
