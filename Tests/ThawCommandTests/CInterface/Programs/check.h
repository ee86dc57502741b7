// Checks for the programs that test the C interface.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thaw.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

/// A call that must succeed. It passes `&error`.
#define OK(call) \
    do { \
        thaw_error *error = (thaw_error *)&error; \
        int status_ = (call); \
        if (status_ != THAW_OK) { \
            fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, status_, thaw_error_message(error)); \
            exit(1); \
        } \
        CHECK(error == NULL); \
    } while (0)

/// A call that must fail with this status and this code. It passes `&error`.
#define FAILS(expected, expected_code, call) SAYS(expected, expected_code, "", call)

/// A call that must fail, and whose message contains this text.
#define SAYS(expected, expected_code, text, call) \
    do { \
        thaw_error *error = NULL; \
        int status_ = (call); \
        const char *code_ = thaw_error_code(error); \
        if (status_ != (expected) || code_ == NULL || strcmp(code_, expected_code) != 0 || \
            strstr(thaw_error_message(error), text) == NULL) { \
            fprintf(stderr, "%s:%d: %s: %d %s %s\n", __FILE__, __LINE__, #call, status_, code_ ? code_ : "NULL", \
                    error ? thaw_error_message(error) : ""); \
            exit(1); \
        } \
        CHECK(strlen(thaw_error_message(error)) > 0); \
        thaw_error_free(error); \
    } while (0)

#define IS_NULL(call) FAILS(THAW_INVALID_ARGUMENT, "invalidArgument", call)
#define IS_INVALID(call) FAILS(THAW_INVALID_ARGUMENT, "invalidHandle", call)

/// The content of a file.
static inline void *contents(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    *count = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*count + 1);
    CHECK(fread(bytes, 1, *count, file) == *count);
    fclose(file);
    return bytes;
}

/// A classifier of the graph with labels.
static inline thaw_model *converted(const char *graph, const char *labels) {
    thaw_convert_options options = {.size = sizeof options, .label_file = labels};
    thaw_model *model = NULL;
    OK(thaw_convert(graph, &options, &model, &error));
    CHECK(model != NULL);
    return model;
}

static inline thaw_classifier *classifier_of(thaw_model *model) {
    thaw_classifier *classifier = NULL;
    OK(thaw_classifier_create(model, NULL, &classifier, &error));
    return classifier;
}

#endif
