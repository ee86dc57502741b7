#ifndef THAW_PNG_ERRORS_H
#define THAW_PNG_ERRORS_H

#include <png.h>
#include <setjmp.h>
#include <string.h>

// The buffer for the message of a failure. It is the first member of what libpng calls the error pointer.
struct message {
    char *text;
    size_t size;
};

static void on_error(png_structp png, png_const_charp text) {
    struct message *message = png_get_error_ptr(png);
    strncpy(message->text, text, message->size - 1);
    message->text[message->size - 1] = 0;
    png_longjmp(png, 1);
}

#endif
