// libpng reports errors by longjmp, which must not cross Swift frames. This shim keeps the jump within C.
#ifndef THAW_CCODECS_H
#define THAW_CCODECS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes a PNG into rows of 8-bit samples. Palettes and small bit depths are expanded, 16-bit samples are truncated to
/// the upper 8 bits, and gamma and profiles are ignored. Gray images take one byte per pixel, all others three. If alpha is
/// wanted it takes one more byte, which comes last; the file must have alpha then.
/// `width`, `height` and `channels` are what the caller read from the header and allocated memory for. It is an error if
/// the file turns out to be different. Returns 0 on success, 1 on an error with libpng's text in `message`, or 2 if the
/// error is after the last row. `wrong_checksum` is set if a chunk's checksum is wrong, which by itself is not an error.
int thaw_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int channels, uint8_t *pixels,
    int *wrong_checksum, char *message, size_t message_size);

/// Decompresses zlib data into `target`. Returns the length of the result, or 0 if the data is corrupt or the result is
/// longer than `capacity`.
size_t thaw_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity);

/// The checksum of a PNG chunk's name and content, the CRC-32 of ISO 3309.
uint32_t thaw_checksum(const uint8_t *bytes, size_t count);

/// Writes the next bytes of a file. Any result but 0 ends the writing.
typedef int (*thaw_writer)(void *context, const uint8_t *bytes, size_t count);

/// Encodes rows of 8-bit samples, one or three per pixel, as a PNG. Returns 0 on success, or 1 on an error with libpng's
/// text in `message`.
int thaw_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int channels, thaw_writer write, void *context,
    char *message, size_t message_size);

#endif
