// Every function with null pointers, invalid handles and wrong sizes: invalid GRAPH LABELS PHOTO
#include "check.h"

static void null_pointers(thaw_model *model, thaw_classifier *classifier, thaw_batch *batch, thaw_result *result) {
    thaw_model *other = (thaw_model *)1;
    char *json = (char *)1;
    size_t count;
    const char *const *labels;
    thaw_buffer buffer;
    // Without an error, too.
    CHECK(thaw_model_load(NULL, &other, NULL) == THAW_INVALID_ARGUMENT);
    CHECK(other == NULL);
    IS_NULL(thaw_model_load(NULL, &other, &error));
    IS_NULL(thaw_model_load("x", NULL, &error));
    IS_NULL(thaw_model_load_function(NULL, "main", &other, &error));
    IS_NULL(thaw_model_load_function("x", NULL, NULL, &error));
    IS_NULL(thaw_model_load_bytes(NULL, 4, NULL, 0, &other, &error));
    IS_NULL(thaw_model_load_function_bytes(NULL, 4, NULL, 0, "main", &other, &error));
    IS_NULL(thaw_model_load_bytes("x", 1, NULL, 4, &other, &error));
    IS_NULL(thaw_model_load_bytes("x", 1, NULL, 0, NULL, &error));
    IS_NULL(thaw_convert(NULL, NULL, &other, &error));
    IS_NULL(thaw_convert("x", NULL, NULL, &error));
    IS_NULL(thaw_convert_bytes(NULL, 4, NULL, 0, NULL, &other, &error));
    IS_NULL(thaw_convert_bytes("x", 1, NULL, 2, NULL, &other, &error));
    IS_NULL(thaw_convert_bytes("x", 1, NULL, 0, NULL, NULL, &error));
    IS_NULL(thaw_model_describe(NULL, &json, &error));
    CHECK(json == NULL);
    IS_NULL(thaw_model_describe(model, NULL, &error));
    IS_NULL(thaw_inspect(NULL, NULL, &json, &error));
    IS_NULL(thaw_inspect("x", NULL, NULL, &error));
    IS_NULL(thaw_model_labels(NULL, &labels, &count, &error));
    CHECK(labels == NULL && count == 0);
    IS_NULL(thaw_model_labels(model, NULL, &count, &error));
    IS_NULL(thaw_model_labels(model, &labels, NULL, &error));
    IS_NULL(thaw_model_set_metadata(NULL, "author", NULL, "x", &error));
    IS_NULL(thaw_model_set_metadata(model, NULL, NULL, "x", &error));
    IS_NULL(thaw_model_set_metadata(model, "userDefined", NULL, "x", &error));
    IS_NULL(thaw_model_set_precision(NULL, "int8", &error));
    IS_NULL(thaw_model_save(NULL, "x.mlmodel", NULL, NULL, &error));
    IS_NULL(thaw_model_save(model, NULL, NULL, NULL, &error));
    IS_NULL(thaw_model_serialize(NULL, NULL, &buffer, &buffer, &error));
    IS_NULL(thaw_model_serialize(model, NULL, NULL, &buffer, &error));
    IS_NULL(thaw_model_compress(NULL, NULL, &other, NULL, &error));
    IS_NULL(thaw_model_compress(model, NULL, NULL, NULL, &error));
    thaw_result *output = (thaw_result *)1;
    thaw_value value = {.size = sizeof value, .kind = THAW_VALUE_STRING};
    IS_NULL(thaw_model_predict(NULL, NULL, 0, 1, &output, &error));
    CHECK(output == NULL);
    IS_NULL(thaw_model_predict(model, NULL, 1, 1, &output, &error));
    IS_NULL(thaw_model_predict(model, NULL, 0, 1, NULL, &error));
    for (value.kind = -1; value.kind < 9; value.kind++) {
        // Without the member that the kind requires; 5 is an empty dictionary.
        if ((value.kind < 1 || value.kind > 2) && value.kind != THAW_VALUE_DICTIONARY) {
            IS_NULL(thaw_model_predict(model, &value, 1, 1, &output, &error));
        }
    }
    value.kind = THAW_VALUE_DICTIONARY;
    value.entry_count = 1;
    IS_NULL(thaw_model_predict(model, &value, 1, 1, &output, &error));
    IS_NULL(thaw_result_value(NULL, 0, &value, &error));
    IS_NULL(thaw_result_value(result, 0, NULL, &error));
    CHECK(thaw_result_value_count(NULL) == 0 && thaw_result_value_count(result) == 0);
    thaw_state *state = (thaw_state *)1;
    IS_NULL(thaw_state_create(NULL, &state, &error));
    CHECK(state == NULL);
    IS_NULL(thaw_state_create(model, NULL, &error));
    FAILS(THAW_FAILED, "unsupportedModel", thaw_state_create(model, &state, &error));
    IS_NULL(thaw_state_run(NULL, NULL, 0, 1, &output, &error));
    IS_NULL(thaw_state_read(NULL, "a", &output, &error));
    IS_NULL(thaw_state_write(NULL, NULL, &error));
    thaw_state_free(NULL);
    thaw_detector *detector = (thaw_detector *)1;
    IS_NULL(thaw_detector_create(NULL, NULL, &detector, &error));
    CHECK(detector == NULL);
    IS_NULL(thaw_detector_create(model, NULL, NULL, &error));
    FAILS(THAW_FAILED, "unsupportedModel", thaw_detector_create(model, NULL, &detector, &error));
    thaw_detection detection = {.size = sizeof detection};
    IS_NULL(thaw_result_detection(NULL, &detection, &error));
    IS_NULL(thaw_result_detection(result, NULL, &error));
    FAILS(THAW_FAILED, "wrongKind", thaw_result_detection(result, &detection, &error));
    thaw_detector_free(NULL);
    output = (thaw_result *)1;
    IS_NULL(thaw_model_run(NULL, NULL, 0, 1, &output, &error));
    CHECK(output == NULL);
    IS_NULL(thaw_model_run(model, NULL, 1, 1, &output, &error));
    IS_NULL(thaw_model_run(model, NULL, 0, 1, NULL, &error));
    thaw_classifier *classes;
    IS_NULL(thaw_classifier_create(NULL, NULL, &classes, &error));
    IS_NULL(thaw_classifier_create(model, NULL, NULL, &error));
    thaw_image image = {.size = sizeof image, .path = "x"};
    IS_NULL(thaw_detector_run(NULL, &image, &output, &error));
    thaw_batch *detections;
    IS_NULL(thaw_detector_batch_create(NULL, NULL, &detections, &error));
    IS_NULL(thaw_classifier_run(NULL, &image, &output, &error));
    IS_NULL(thaw_classifier_run(classifier, NULL, &output, &error));
    IS_NULL(thaw_classifier_run(classifier, &image, NULL, &error));
    image.path = NULL;
    IS_NULL(thaw_classifier_run(classifier, &image, &output, &error));
    thaw_classification classification = {.size = sizeof classification};
    IS_NULL(thaw_result_classification(NULL, &classification, &error));
    IS_NULL(thaw_result_classification(result, NULL, &error));
    size_t indices[2];
    IS_NULL(thaw_result_top(NULL, 2, indices, &count, &error));
    IS_NULL(thaw_result_top(result, 2, NULL, &count, &error));
    IS_NULL(thaw_result_top(result, 2, indices, NULL, &error));
    CHECK(thaw_result_output_count(NULL) == 0);
    thaw_tensor tensor = {.size = sizeof tensor};
    IS_NULL(thaw_result_output(NULL, 0, &tensor, &error));
    IS_NULL(thaw_result_output(result, 0, NULL, &error));
    thaw_batch *batches;
    IS_NULL(thaw_batch_create(NULL, NULL, &batches, &error));
    IS_NULL(thaw_batch_create(classifier, NULL, NULL, &error));
    IS_NULL(thaw_batch_add(NULL, &image, &error));
    IS_NULL(thaw_batch_add(batch, NULL, &error));
    CHECK(thaw_batch_window(NULL) == 0);
    IS_NULL(thaw_batch_next(NULL, -1, &output, &error));
    IS_NULL(thaw_batch_next(batch, -1, NULL, &error));
    int exit_status = 0;
    const char *words[] = {NULL};
    IS_NULL(thaw_command(1, NULL, &exit_status, &error));
    CHECK(exit_status == 2);
    IS_NULL(thaw_command(1, words, &exit_status, &error));
    IS_NULL(thaw_command(-1, words, &exit_status, &error));
    IS_NULL(thaw_command(0, NULL, NULL, &error));
    thaw_batch_cancel(NULL);
    thaw_batch_free(NULL);
    thaw_classifier_free(NULL);
    thaw_result_free(NULL);
    thaw_model_free(NULL);
    thaw_error_free(NULL);
    thaw_free(NULL);
    CHECK(thaw_error_code(NULL) == NULL && thaw_error_message(NULL) == NULL && thaw_error_details(NULL) == NULL);
}

/// All functions that take a handle, with one that is not valid.
static void invalid_handle(void *handle, thaw_classifier *classifier, thaw_batch *batch) {
    char *json;
    size_t count, indices[1];
    const char *const *labels;
    thaw_buffer bytes, weights;
    thaw_model *model;
    thaw_result *result;
    thaw_classifier *classes;
    thaw_batch *batches;
    thaw_image image = {.size = sizeof image, .path = "x"};
    thaw_classification classification = {.size = sizeof classification};
    thaw_tensor tensor = {.size = sizeof tensor};
    IS_INVALID(thaw_model_describe(handle, &json, &error));
    IS_INVALID(thaw_model_labels(handle, &labels, &count, &error));
    IS_INVALID(thaw_model_set_metadata(handle, "author", NULL, "x", &error));
    IS_INVALID(thaw_model_set_precision(handle, "int8", &error));
    IS_INVALID(thaw_model_save(handle, "x.mlmodel", NULL, NULL, &error));
    IS_INVALID(thaw_model_serialize(handle, NULL, &bytes, &weights, &error));
    IS_INVALID(thaw_model_compress(handle, NULL, &model, NULL, &error));
    IS_INVALID(thaw_model_run(handle, NULL, 0, 1, &result, &error));
    IS_INVALID(thaw_model_predict(handle, NULL, 0, 1, &result, &error));
    thaw_state *state;
    IS_INVALID(thaw_state_create(handle, &state, &error));
    IS_INVALID(thaw_state_run(handle, NULL, 0, 1, &result, &error));
    thaw_state_free(handle);
    thaw_detector *detector;
    IS_INVALID(thaw_detector_create(handle, NULL, &detector, &error));
    IS_INVALID(thaw_detector_run(handle, &image, &result, &error));
    IS_INVALID(thaw_detector_batch_create(handle, NULL, &batches, &error));
    thaw_detection detection = {.size = sizeof detection};
    IS_INVALID(thaw_result_detection(handle, &detection, &error));
    thaw_value value = {.size = sizeof value};
    IS_INVALID(thaw_result_value(handle, 0, &value, &error));
    CHECK(thaw_result_value_count(handle) == 0);
    thaw_detector_free(handle);
    IS_INVALID(thaw_classifier_create(handle, NULL, &classes, &error));
    if (handle != (void *)classifier) {
        IS_INVALID(thaw_classifier_run(handle, &image, &result, &error));
        IS_INVALID(thaw_batch_create(handle, NULL, &batches, &error));
        thaw_classifier_free(handle);
    }
    IS_INVALID(thaw_result_classification(handle, &classification, &error));
    IS_INVALID(thaw_result_top(handle, 1, indices, &count, &error));
    IS_INVALID(thaw_result_output(handle, 0, &tensor, &error));
    CHECK(thaw_result_output_count(handle) == 0);
    if (handle != (void *)batch) {
        IS_INVALID(thaw_batch_add(handle, &image, &error));
        IS_INVALID(thaw_batch_next(handle, -1, &result, &error));
        CHECK(thaw_batch_window(handle) == 0);
        thaw_batch_cancel(handle);
        thaw_batch_free(handle);
    }
    CHECK(thaw_error_code(handle) == NULL && thaw_error_message(handle) == NULL);
    thaw_model_free(handle);
    thaw_result_free(handle);
    thaw_error_free(handle);
}

static void wrong_sizes(thaw_model *model, thaw_classifier *classifier, thaw_result *result, size_t size) {
    thaw_model *other;
    thaw_result *output;
    thaw_convert_options convert = {.size = size};
    IS_NULL(thaw_convert("x", &convert, &other, &error));
    thaw_input_options input = {.size = size};
    convert = (thaw_convert_options){.size = sizeof convert, .inputs = &input, .input_count = 1};
    IS_NULL(thaw_convert("x", &convert, &other, &error));
    thaw_tensor tensor = {.size = size};
    IS_NULL(thaw_convert_bytes("x", 1, &tensor, 1, NULL, &other, &error));
    IS_NULL(thaw_model_run(model, &tensor, 1, 1, &output, &error));
    IS_NULL(thaw_result_output(result, 0, &tensor, &error));
    thaw_value value = {.size = size};
    IS_NULL(thaw_model_predict(model, &value, 1, 1, &output, &error));
    IS_NULL(thaw_result_value(result, 0, &value, &error));
    value = (thaw_value){.size = sizeof value, .kind = THAW_VALUE_ARRAY, .array = &tensor};
    IS_NULL(thaw_model_predict(model, &value, 1, 1, &output, &error));
    thaw_detector_options detecting = {.size = size};
    thaw_detector *detector;
    IS_NULL(thaw_detector_create(model, &detecting, &detector, &error));
    thaw_detection detection = {.size = size};
    IS_NULL(thaw_result_detection(result, &detection, &error));
    thaw_save_options save = {.size = size};
    thaw_buffer bytes, weights;
    IS_NULL(thaw_model_save(model, "x.mlmodel", &save, NULL, &error));
    IS_NULL(thaw_model_serialize(model, &save, &bytes, &weights, &error));
    CHECK(bytes.data == NULL && bytes.count == 0 && weights.data == NULL);
    IS_NULL(thaw_model_compress(model, &save, &other, NULL, &error));
    thaw_classifier_options classifying = {.size = size};
    thaw_classifier *classes;
    IS_NULL(thaw_classifier_create(model, &classifying, &classes, &error));
    thaw_image image = {.size = size, .path = "x"};
    IS_NULL(thaw_classifier_run(classifier, &image, &output, &error));
    thaw_batch_options batch = {.size = size};
    thaw_batch *batches;
    IS_NULL(thaw_batch_create(classifier, &batch, &batches, &error));
    thaw_classification classification = {.size = size};
    IS_NULL(thaw_result_classification(result, &classification, &error));
}

/// Messages name what is at fault, and numbers of type size_t have no sign.
static void messages(thaw_model *model, thaw_classifier *classifier, thaw_result *result) {
    thaw_model *other;
    thaw_result *output;
    size_t indices[1], found;
    thaw_tensor tensor = {.size = sizeof tensor};
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "there is no output 18446744073709551615;",
         thaw_result_output(result, SIZE_MAX, &tensor, &error));
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "count is 18446744073709551615;",
         thaw_result_top(result, SIZE_MAX, indices, &found, &error));
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "has the size 18446744073709551615;",
         thaw_convert("x", &(thaw_convert_options){.size = SIZE_MAX}, &other, &error));
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "count is -1;", thaw_command(-1, NULL, &(int){0}, &error));
    const uint8_t pixels[4] = {0};
    thaw_image image = {.size = sizeof image, .pixels = pixels, .width = 1, .height = 1, .channels = 3};
    image.row_stride = SIZE_MAX;
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "row_stride is 18446744073709551615;",
         thaw_classifier_run(classifier, &image, &output, &error));
    image.row_stride = 0;
    image.width = -5;
    SAYS(THAW_FAILED, "invalidOption", "an image of -5×1 pixels is invalid; sides are from 1 to",
         thaw_classifier_run(classifier, &image, &output, &error));
    image.width = 1;
    image.channels = 2;
    SAYS(THAW_FAILED, "invalidOption", "an image with 2 channels is invalid; channels are 1, 3 or 4",
         thaw_classifier_run(classifier, &image, &output, &error));
    image = (thaw_image){.size = sizeof image, .bytes = "text", .byte_count = 4};
    SAYS(THAW_FAILED, "unknownFormat", "the data is not an image;",
         thaw_classifier_run(classifier, &image, &output, &error));
    SAYS(THAW_FAILED, "wrongKind", "the model is a text file; expected a Core ML model",
         thaw_model_load_bytes("text", 4, NULL, 0, &other, &error));
    SAYS(THAW_FAILED, "wrongKind", "the graph is a text file;",
         thaw_convert_bytes("text", 4, NULL, 0, NULL, &other, &error));
    SAYS(THAW_FAILED, "invalidOption", "key cannot be combined with the field 'author'",
         thaw_model_set_metadata(model, "author", "key", "x", &error));
    thaw_convert_options options = {.size = sizeof options, .image_output = 5};
    SAYS(THAW_INVALID_ARGUMENT, "invalidArgument", "options.image_output is 5; expected an integer from -1 to 1",
         thaw_convert("x", &options, &other, &error));
    const char *labels[] = {"a"};
    const int64_t integers[] = {1};
    options = (thaw_convert_options){.size = sizeof options, .labels = labels, .label_count = 1,
                                     .integer_labels = integers, .integer_label_count = 1};
    SAYS(THAW_FAILED, "invalidOption", "labels cannot be combined with integer_labels",
         thaw_convert("x", &options, &other, &error));
    options.labels = NULL;
    options.label_count = 0;
    options.label_file = "x";
    SAYS(THAW_FAILED, "invalidOption", "integer_labels cannot be combined with label_file",
         thaw_convert("x", &options, &other, &error));
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    thaw_model *model = converted(arguments[1], arguments[2]);
    thaw_classifier *classifier = classifier_of(model);
    thaw_batch *batch = NULL;
    OK(thaw_batch_create(classifier, NULL, &batch, &error));
    thaw_image image = {.size = sizeof image, .path = arguments[3]};
    thaw_result *result = NULL;
    OK(thaw_classifier_run(classifier, &image, &result, &error));

    null_pointers(model, classifier, batch, result);
    messages(model, classifier, result);
    for (size_t size = 0; size < 1000; size = size * 2 + 1) wrong_sizes(model, classifier, result, size);
    wrong_sizes(model, classifier, result, (size_t)-1);

    // Handles of another type, foreign pointers, and one that was freed.
    invalid_handle(classifier, classifier, batch);
    invalid_handle(batch, classifier, batch);
    int number = 0;
    invalid_handle(&number, classifier, batch);
    invalid_handle((void *)1, classifier, batch);
    invalid_handle((void *)(uintptr_t)-8, classifier, batch);
    thaw_result_free(result);
    invalid_handle(result, classifier, batch);
    thaw_model_free(model);
    thaw_model_free(model);
    invalid_handle(model, classifier, batch);

    // What was made of the model lives on.
    OK(thaw_classifier_run(classifier, &image, &result, &error));
    thaw_result_free(result);
    thaw_batch_free(batch);
    thaw_batch_free(batch);
    thaw_classifier_free(classifier);
    puts("done");
    return 0;
}
