// Objects in single images, and in batches: detect MODEL PHOTO DAMAGED
#include "check.h"

static thaw_detection seen(thaw_result *result) {
    thaw_detection detection = {.size = sizeof detection};
    OK(thaw_result_detection(result, &detection, &error));
    return detection;
}

static void print(const thaw_detection *detection) {
    printf("%dx%d\n", detection->width, detection->height);
    for (size_t i = 0; i < detection->count; i++) {
        const thaw_object *object = &detection->objects[i];
        printf("%s\t%zu\t%.9g\t%.17g\t%.17g\t%.17g\t%.17g\n", object->label, object->index, object->confidence, object->x,
               object->y, object->width, object->height);
    }
}

static void in_batches(thaw_detector *detector, const char *photo, const char *damaged, const thaw_detection *expected) {
    const char *paths[] = {photo, damaged, "missing.png", photo};
    thaw_batch_options options = {.size = sizeof options, .paths = paths, .path_count = 4, .threads = 2};
    thaw_batch *batch = NULL;
    OK(thaw_detector_batch_create(detector, &options, &batch, &error));
    CHECK(thaw_batch_window(batch) == 32);
    size_t index = 0;
    for (;; index++) {
        thaw_result *result = NULL;
        OK(thaw_batch_next(batch, -1, &result, &error));
        if (!result) break;
        thaw_detection one = seen(result);
        CHECK(one.index == index);
        CHECK((one.error != NULL) == (index == 1 || index == 2));
        if (one.error) {
            CHECK(one.objects == NULL && one.count == 0 && one.width == 0);
            printf("%s\n", thaw_error_code(one.error));
        } else {
            CHECK(one.count == expected->count && one.width == expected->width && strcmp(one.path, photo) == 0);
            for (size_t i = 0; i < one.count; i++) CHECK(one.objects[i].x == expected->objects[i].x);
        }
        thaw_classification classification = {.size = sizeof classification};
        FAILS(THAW_FAILED, "wrongKind", thaw_result_classification(result, &classification, &error));
        thaw_result_free(result);
    }
    CHECK(index == 4);
    thaw_batch_free(batch);

    // One by one.
    batch = NULL;
    OK(thaw_detector_batch_create(detector, NULL, &batch, &error));
    thaw_image image = {.size = sizeof image, .path = photo};
    for (int i = 0; i < 5; i++) OK(thaw_batch_add(batch, &image, &error));
    for (int i = 0; i < 5; i++) {
        thaw_result *result = NULL;
        OK(thaw_batch_next(batch, -1, &result, &error));
        CHECK(seen(result).count == expected->count);
        thaw_result_free(result);
    }
    thaw_batch_cancel(batch);
    FAILS(THAW_CANCELED, "canceled", thaw_batch_add(batch, &image, &error));
    thaw_batch_free(batch);
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    thaw_model *model = NULL;
    OK(thaw_model_load(arguments[1], &model, &error));
    double confidence = 0.2, iou = 2;
    thaw_detector_options options = {.size = sizeof options, .crop = "fit", .background = "#727272", .iou = &iou};
    thaw_detector *detector = (thaw_detector *)1;
    FAILS(THAW_FAILED, "invalidOption", thaw_detector_create(model, &options, &detector, &error));
    CHECK(detector == NULL);
    iou = 0.6;
    confidence = -1;
    options.confidence = &confidence;
    FAILS(THAW_FAILED, "invalidOption", thaw_detector_create(model, &options, &detector, &error));
    confidence = 0.2;
    OK(thaw_detector_create(model, &options, &detector, &error));
    // A detector keeps what it needs.
    thaw_model_free(model);
    thaw_image image = {.size = sizeof image, .path = arguments[2]};
    thaw_result *result = NULL;
    OK(thaw_detector_run(detector, &image, &result, &error));
    thaw_detection detection = seen(result);
    CHECK(detection.index == 0 && detection.error == NULL && detection.warning == NULL);
    print(&detection);
    in_batches(detector, arguments[2], arguments[3], &detection);
    thaw_classification classification = {.size = sizeof classification};
    FAILS(THAW_FAILED, "wrongKind", thaw_result_classification(result, &classification, &error));
    thaw_result_free(result);
    result = (thaw_result *)1;
    image.path = arguments[3];
    FAILS(THAW_FAILED, "unknownFormat", thaw_detector_run(detector, &image, &result, &error));
    CHECK(result == NULL);
    thaw_detector_free(detector);
    thaw_detector_free(detector);
    IS_INVALID(thaw_detector_run(detector, &image, &result, &error));
    return 0;
}
