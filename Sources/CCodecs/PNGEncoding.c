#include "CCodecs.h"

#include "PNGErrors.h"

// The destination of the bytes.
struct target {
    struct message message;
    thaw_writer write;
    void *context;
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    struct target *target = png_get_io_ptr(png);
    if (target->write(target->context, bytes, count)) png_error(png, "cannot write");
}

static void flush_bytes(png_structp png) { (void)png; }

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

int thaw_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int channels, thaw_writer write, void *context,
    char *message, size_t message_size) {
    struct target target = {{message, message_size}, write, context};
    strncpy(message, "out of memory", message_size);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, on_error, on_warning);
    if (!png) return 1;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 1;
    }
    // libpng's default limit on width and height is meant for reading.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(png, &target, write_bytes, flush_bytes);
    png_set_IHDR(
        png, info, width, height, 8, channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * width * channels);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return 0;
}
