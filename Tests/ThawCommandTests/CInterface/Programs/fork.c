// A model after a fork: fork GRAPH LABELS PHOTO idle|busy|batch
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static thaw_model *model;
static thaw_classifier *classifier;
static const char *photo;
static volatile int stop;

static int classify(thaw_error **error) {
    thaw_image image = {.size = sizeof image, .path = photo};
    thaw_result *result = NULL;
    int status = thaw_classifier_run(classifier, &image, &result, error);
    thaw_result_free(result);
    return status;
}

static int run(int threads) {
    static uint8_t pixels[32 * 32 * 3];
    int64_t shape[] = {32, 32, 3};
    thaw_tensor input = {.size = sizeof input, .data = pixels, .byte_count = sizeof pixels, .type = THAW_UINT8,
                         .rank = 3, .shape = shape};
    thaw_result *result = NULL;
    int status = thaw_model_run(model, &input, 1, threads, &result, NULL);
    thaw_result_free(result);
    return status;
}

static void *keep_busy(void *unused) {
    (void)unused;
    while (!stop) CHECK(classify(NULL) == THAW_OK && run(2) == THAW_OK);
    return NULL;
}

/// What the child does; its exit status is that of its calls.
static int child(void) {
    thaw_error *error = NULL;
    int status = classify(&error);
    if (status == THAW_FORKED) {
        CHECK(strcmp(thaw_error_code(error), "forked") == 0 && thaw_error_message(error) != NULL);
        const char *details = thaw_error_details(error);
        CHECK(strstr(details, "\"location\": null") != NULL && strstr(details, "\"parts\": [\"") != NULL);
        thaw_model *other = NULL;
        CHECK(thaw_model_load("x", &other, NULL) == THAW_FORKED && other == NULL);
    } else {
        CHECK(run(1) == status && run(2) == status && run(3) == status);
        // Batches start threads of their own.
        thaw_batch_options options = {.size = sizeof options, .paths = &photo, .path_count = 1, .threads = 2};
        thaw_batch *batch = NULL;
        OK(thaw_batch_create(classifier, &options, &batch, &error));
        thaw_result *result = NULL;
        OK(thaw_batch_next(batch, 5000, &result, &error));
        CHECK(result != NULL);
        thaw_result_free(result);
        thaw_batch_free(batch);
    }
    thaw_error_free(error);
    thaw_classifier_free(classifier);
    thaw_model_free(model);
    return status;
}

int main(int count, char **arguments) {
    CHECK(count == 5);
    model = converted(arguments[1], arguments[2]);
    classifier = classifier_of(model);
    photo = arguments[3];
    int is_busy = strcmp(arguments[4], "busy") == 0;
    // Threads exist before the fork.
    CHECK(classify(NULL) == THAW_OK && run(3) == THAW_OK);
    pthread_t thread;
    thaw_batch *batch = NULL;
    if (is_busy) CHECK(pthread_create(&thread, NULL, keep_busy, NULL) == 0);
    if (strcmp(arguments[4], "batch") == 0) OK(thaw_batch_create(classifier, NULL, &batch, &error));
    int statuses[8] = {0};
    for (int i = 0; i < (is_busy ? 30 : 3); i++) {
        if (is_busy) usleep(3000);
        pid_t process = fork();
        CHECK(process >= 0);
        if (process == 0) {
            // The fork must not hang. A machine under load is slow.
            alarm(20);
            _exit(child());
        }
        int status;
        CHECK(waitpid(process, &status, 0) == process);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) < 8);
        statuses[WEXITSTATUS(status)]++;
    }
    stop = 1;
    if (is_busy) pthread_join(thread, NULL);
    // The parent is as before.
    CHECK(classify(NULL) == THAW_OK && run(3) == THAW_OK);
    thaw_batch_free(batch);
    thaw_classifier_free(classifier);
    thaw_model_free(model);
    printf("ok %d, forked %d\n", statuses[THAW_OK], statuses[THAW_FORKED]);
    return 0;
}
