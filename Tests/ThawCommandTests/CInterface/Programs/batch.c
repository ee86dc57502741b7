// Batches: batch GRAPH LABELS FOLDER DAMAGED PHOTO
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static thaw_result *next(thaw_batch *batch) {
    thaw_result *result = NULL;
    OK(thaw_batch_next(batch, -1, &result, &error));
    return result;
}

static thaw_classification seen(thaw_result *result) {
    thaw_classification classification = {.size = sizeof classification};
    OK(thaw_result_classification(result, &classification, &error));
    return classification;
}

/// The files of a folder come in order, with the values that single calls return.
static void of_paths(thaw_classifier *classifier, const char *folder, const char *damaged) {
    const char *paths[] = {folder, damaged, "missing.jpg"};
    for (int threads = 1; threads <= 4; threads++) {
        thaw_batch_options options = {
            .size = sizeof options, .paths = paths, .path_count = 3, .threads = threads, .window = threads == 3 ? 1 : 0};
        thaw_batch *batch = NULL;
        OK(thaw_batch_create(classifier, &options, &batch, &error));
        CHECK((int)thaw_batch_window(batch) == (threads == 3 ? 1 : 16 * threads));
        thaw_image image = {.size = sizeof image, .path = "x"};
        FAILS(THAW_INVALID_ARGUMENT, "invalidArgument", thaw_batch_add(batch, &image, &error));
        size_t count = 0, failures = 0;
        thaw_result *result;
        while ((result = next(batch))) {
            thaw_classification one = seen(result);
            CHECK(one.index == count++);
            size_t index, found;
            OK(thaw_result_top(result, 1, &index, &found, &error));
            if (one.error) {
                failures++;
                CHECK(one.probabilities == NULL && one.count == 0 && found == 0);
                if (threads == 1) printf("%s\t%s\n", one.path, thaw_error_code(one.error));
            } else {
                thaw_image again = {.size = sizeof again, .path = one.path};
                thaw_result *single = NULL;
                OK(thaw_classifier_run(classifier, &again, &single, &error));
                thaw_classification other = seen(single);
                CHECK(one.count == other.count && found == 1 && one.warning == NULL);
                CHECK(memcmp(one.probabilities, other.probabilities, one.count * sizeof(float)) == 0);
                if (threads == 1) printf("%s\t%zu\t%.9g\n", one.path, index, one.probabilities[index]);
                thaw_result_free(single);
            }
            thaw_result_free(result);
        }
        CHECK(failures == 2);
        // The end stays the end.
        CHECK(next(batch) == NULL);
        thaw_batch_free(batch);
    }
}

/// Images that are added one by one: content and pixels, more of them than the window.
static void of_images(thaw_classifier *classifier, const char *photo) {
    thaw_batch *batch = NULL;
    thaw_batch_options options = {.size = sizeof options, .threads = 2, .window = 4};
    OK(thaw_batch_create(classifier, &options, &batch, &error));
    CHECK(next(batch) == NULL);
    size_t size, taken = 0;
    void *bytes = contents(photo, &size);
    uint8_t pixels[4 * 5 * 4];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 50; i++) {
            char name[16];
            snprintf(name, sizeof name, "image %d", i);
            thaw_image image = {.size = sizeof image, .path = i % 3 ? name : NULL};
            if (i % 2) {
                image.bytes = bytes;
                image.byte_count = size;
            } else {
                memset(pixels, i, sizeof pixels);
                image.pixels = pixels;
                image.width = 4;
                image.height = 5;
                image.channels = i % 4 ? 3 : 4;
            }
            OK(thaw_batch_add(batch, &image, &error));
        }
        for (int i = 0; i < 50; i++) {
            thaw_result *result = next(batch);
            thaw_classification one = seen(result);
            CHECK(one.error == NULL && one.index == taken++);
            CHECK((one.path == NULL) == (i % 3 == 0));
            thaw_result_free(result);
        }
        CHECK(next(batch) == NULL);
    }
    // A truncated image is an error without a name.
    thaw_image image = {.size = sizeof image, .bytes = "none", .byte_count = 4};
    OK(thaw_batch_add(batch, &image, &error));
    thaw_result *result = next(batch);
    CHECK(seen(result).error != NULL && seen(result).path == NULL);
    thaw_result_free(result);
    free(bytes);
    thaw_batch_free(batch);
}

static void *cancel_soon(void *batch) {
    usleep(20000);
    thaw_batch_cancel(batch);
    return NULL;
}

static void canceled(thaw_classifier *classifier, const char *photo) {
    thaw_batch_options options = {.size = sizeof options, .threads = 1};
    thaw_batch *batch = NULL;
    OK(thaw_batch_create(classifier, &options, &batch, &error));
    thaw_image image = {.size = sizeof image, .path = photo};
    for (int i = 0; i < 3000; i++) OK(thaw_batch_add(batch, &image, &error));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, batch) == 0);
    int status;
    thaw_result *result = NULL;
    thaw_error *error = NULL;
    size_t count = 0;
    while ((status = thaw_batch_next(batch, -1, &result, &error)) == THAW_OK && result) {
        thaw_result_free(result);
        count++;
    }
    CHECK(status == THAW_CANCELED && strcmp(thaw_error_code(error), "canceled") == 0 && count < 3000);
    thaw_error_free(error);
    FAILS(THAW_CANCELED, "canceled", thaw_batch_add(batch, &image, &error));
    pthread_join(thread, NULL);
    thaw_batch_free(batch);
}

static void timed_out(thaw_classifier *classifier, const char *photo) {
    thaw_batch_options options = {.size = sizeof options, .threads = 1};
    thaw_batch *batch = NULL;
    OK(thaw_batch_create(classifier, &options, &batch, &error));
    thaw_image image = {.size = sizeof image, .path = photo};
    OK(thaw_batch_add(batch, &image, &error));
    thaw_result *result = NULL;
    thaw_error *error = (thaw_error *)1;
    int status;
    while ((status = thaw_batch_next(batch, 0, &result, &error)) == THAW_TIMED_OUT) {
        CHECK(result == NULL && error == NULL);
        usleep(1000);
    }
    CHECK(status == THAW_OK && result != NULL);
    thaw_result_free(result);
    // Freed with images that nobody takes.
    for (int i = 0; i < 30; i++) OK(thaw_batch_add(batch, &image, &error));
    thaw_batch_free(batch);
}

int main(int count, char **arguments) {
    CHECK(count == 6);
    thaw_model *model = converted(arguments[1], arguments[2]);
    thaw_classifier *classifier = classifier_of(model);
    of_paths(classifier, arguments[3], arguments[4]);
    of_images(classifier, arguments[5]);
    canceled(classifier, arguments[5]);
    timed_out(classifier, arguments[5]);
    thaw_classifier_free(classifier);
    thaw_model_free(model);
    return 0;
}
