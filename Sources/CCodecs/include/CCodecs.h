// libpng reports errors by longjmp, which must not cross Swift's frames. This shim keeps the jump on C's side.
#ifndef THAW_CCODECS_H
#define THAW_CCODECS_H

#include <stddef.h>
#include <stdint.h>

/// Decodes a PNG into rows of 8-bit samples: palettes and small depths expanded, 16 bits cut to the upper 8, gamma and
/// profiles ignored. Gray pictures take one byte a pixel, all others three; one more where alpha is wanted, which then
/// comes last and which the file must have.
/// `width`, `height` and `channels` are what the caller read from the header and made room for; a file that turns out
/// otherwise is an error. Returns 0, 1 with libpng's word for what is wrong in `message`, or 2 where that is behind the last
/// row. `wrong_checksum` is set where a chunk's checksum is wrong, which alone is no error.
int thaw_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int channels, uint8_t *pixels,
    int *wrong_checksum, char *message, size_t message_size);

/// Decompresses zlib data into `target`. Returns the length of the result, or 0 if the data is damaged or the result is
/// longer than `capacity`.
size_t thaw_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t capacity);

/// The checksum of a PNG chunk's name and content, the CRC-32 of ISO 3309.
uint32_t thaw_checksum(const uint8_t *bytes, size_t count);

/// Takes the next bytes of a file; anything but 0 ends the writing.
typedef int (*thaw_writer)(void *context, const uint8_t *bytes, size_t count);

/// Encodes rows of 8-bit samples, one or three a pixel, as a PNG. Returns 0, or 1 with libpng's word for what is wrong in
/// `message`.
int thaw_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int channels, thaw_writer write, void *context,
    char *message, size_t message_size);

#endif
