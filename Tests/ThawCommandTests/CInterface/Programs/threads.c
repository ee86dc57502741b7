// Many threads with one model: threads GRAPH LABELS PHOTO
#include <pthread.h>

#include "check.h"

enum { THREADS = 8, ROUNDS = 125 };

static thaw_model *model;
static thaw_classifier *classifier;
static const char *photo;
static const float *expected;
static size_t classes;

static void same(thaw_result *result, const float *values) {
    thaw_classification one = {.size = sizeof one};
    OK(thaw_result_classification(result, &one, &error));
    CHECK(one.count == classes && memcmp(one.probabilities, values, classes * sizeof(float)) == 0);
    thaw_result_free(result);
}

static float *run_values;
static uint8_t pixels[32 * 32 * 3];
static const int64_t shape[] = {32, 32, 3};

static thaw_result *run(int threads) {
    thaw_tensor input = {.size = sizeof input, .data = pixels, .byte_count = sizeof pixels, .type = THAW_UINT8,
                         .rank = 3, .shape = shape};
    thaw_result *result = NULL;
    OK(thaw_model_run(model, &input, 1, threads, &result, &error));
    return result;
}

static void *work(void *argument) {
    long number = (long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        thaw_image image = {.size = sizeof image, .path = photo};
        thaw_result *result = NULL;
        OK(thaw_classifier_run(classifier, &image, &result, &error));
        same(result, expected);
        same(run(1 + (number + i) % 3), run_values);
        char text[16];
        snprintf(text, sizeof text, "%ld", number);
        OK(thaw_model_set_metadata(model, "author", NULL, text, &error));
        char *json = NULL;
        OK(thaw_model_describe(model, &json, &error));
        CHECK(strstr(json, "\"author\": \"") != NULL);
        thaw_free(json);
        thaw_model *missing = NULL;
        FAILS(THAW_FAILED, "noSuchFile", thaw_model_load("missing.mlmodel", &missing, &error));
    }
    return NULL;
}

/// Uses a classifier until it is freed elsewhere.
static void *use(void *classifier) {
    for (;;) {
        thaw_image image = {.size = sizeof image, .path = photo};
        thaw_result *result = NULL;
        int status = thaw_classifier_run(classifier, &image, &result, NULL);
        if (status == THAW_INVALID_ARGUMENT) return NULL;
        CHECK(status == THAW_OK);
        same(result, expected);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    model = converted(arguments[1], arguments[2]);
    classifier = classifier_of(model);
    photo = arguments[3];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 7);
    thaw_image image = {.size = sizeof image, .path = photo};
    thaw_result *first = NULL;
    OK(thaw_classifier_run(classifier, &image, &first, &error));
    thaw_classification one = {.size = sizeof one};
    OK(thaw_result_classification(first, &one, &error));
    expected = one.probabilities;
    classes = one.count;
    thaw_result *other = run(1);
    thaw_classification values = {.size = sizeof values};
    OK(thaw_result_classification(other, &values, &error));
    run_values = (float *)values.probabilities;

    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);

    thaw_classifier *short_lived = classifier_of(model);
    for (long i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, use, short_lived) == 0);
    thaw_classifier_free(short_lived);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);

    thaw_result_free(first);
    thaw_result_free(other);
    thaw_classifier_free(classifier);
    thaw_model_free(model);
    puts("done");
    return 0;
}
