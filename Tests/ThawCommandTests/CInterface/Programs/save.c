// Converts, writes, compresses and reads again: save GRAPH LABELS FOLDER; prints descriptions as JSON lines
#include "check.h"

static const char *folder;

static char *in_folder(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void print_description(thaw_model *model) {
    char *json = NULL;
    OK(thaw_model_describe(model, &json, &error));
    puts(json);
    thaw_free(json);
}

static void print_report(char *report) {
    puts(report);
    thaw_free(report);
}

/// The same model through files and through memory.
static void written(thaw_model *model, const char *name, const char *kind) {
    thaw_save_options options = {.size = sizeof options, .kind = kind};
    char *report = NULL;
    OK(thaw_model_save(model, in_folder(name), &options, &report, &error));
    print_report(report);
    options.keeps_existing = 1;
    FAILS(THAW_FAILED, "fileExists", thaw_model_save(model, in_folder(name), &options, NULL, &error));
    thaw_error *kept = NULL;
    CHECK(thaw_model_save(model, in_folder(name), &options, NULL, &kept) == THAW_FAILED);
    CHECK(strstr(thaw_error_message(kept), "; it may not be replaced (keeps_existing)") != NULL);
    CHECK(strstr(thaw_error_details(kept), "{\"option\": \"may_replace\"}") != NULL);
    thaw_error_free(kept);
    thaw_model *read = NULL;
    OK(thaw_model_load(in_folder(name), &read, &error));
    print_description(read);

    thaw_buffer bytes, weights, again, weights_again;
    OK(thaw_model_serialize(model, &options, &bytes, &weights, &error));
    CHECK((weights.data != NULL) == (strcmp(kind, "mlProgram") == 0));
    thaw_model *decoded = NULL;
    OK(thaw_model_load_bytes(bytes.data, bytes.count, weights.data, weights.count, &decoded, &error));
    OK(thaw_model_serialize(decoded, NULL, &again, &weights_again, &error));
    CHECK(again.count == bytes.count && memcmp(again.data, bytes.data, bytes.count) == 0);
    CHECK(weights_again.count == weights.count);
    if (weights.data) {
        CHECK(memcmp(weights_again.data, weights.data, weights.count) == 0);
        thaw_model *without = NULL;
        FAILS(THAW_FAILED, "incomplete", thaw_model_load_bytes(bytes.data, bytes.count, NULL, 0, &without, &error));
        FAILS(THAW_FAILED, "damaged",
              thaw_model_load_bytes(bytes.data, bytes.count, weights.data, weights.count / 2, &without, &error));
    } else {
        thaw_model *with = NULL;
        SAYS(THAW_FAILED, "invalidOption", "weights are given for a model without ML Programs",
             thaw_model_load_bytes(bytes.data, bytes.count, "weights", 7, &with, &error));
        CHECK(with == NULL);
    }
    thaw_free(bytes.data);
    thaw_free(weights.data);
    thaw_free(again.data);
    thaw_free(weights_again.data);

    // Compressed weights stay compressed when only metadata change.
    thaw_save_options compression = {.size = sizeof compression, .weights = "palette6", .minimum_count = 256};
    thaw_model *compressed = NULL;
    report = NULL;
    OK(thaw_model_compress(decoded, &compression, &compressed, &report, &error));
    print_report(report);
    OK(thaw_model_set_metadata(compressed, "versionString", NULL, "2", &error));
    OK(thaw_model_save(compressed, in_folder(kind[0] == 'm' ? "small.mlpackage" : "small.mlmodel"), NULL, &report, &error));
    print_report(report);
    thaw_model *none = NULL;
    FAILS(THAW_FAILED, "cannotCompress", thaw_model_compress(compressed, &compression, &none, NULL, &error));
    thaw_model_free(compressed);
    thaw_model_free(decoded);
    thaw_model_free(read);
}

int main(int count, char **arguments) {
    CHECK(count == 4);
    folder = arguments[3];
    thaw_pair renaming = {"probabilities", "odds"};
    double scale = 0.5, bias[] = {-1, -2, -3};
    thaw_input_options input = {.size = sizeof input, .color = "bgr", .scale = &scale, .scale_count = 1,
                                .bias = bias, .bias_count = 3};
    thaw_convert_options options = {.size = sizeof options, .inputs = &input, .input_count = 1,
                                    .label_file = arguments[2], .class_label = "kind",
                                    .probabilities = "probabilities", .renamings = &renaming, .renaming_count = 1};
    thaw_model *model = NULL;
    OK(thaw_convert(arguments[1], &options, &model, &error));
    OK(thaw_model_set_metadata(model, "author", NULL, "A. Author \"quoted\"", &error));
    OK(thaw_model_set_metadata(model, "license", NULL, "none", &error));
    OK(thaw_model_set_metadata(model, "license", NULL, NULL, &error));
    OK(thaw_model_set_metadata(model, "userDefined", "key", "value", &error));
    OK(thaw_model_set_metadata(model, "feature", "odds", "How likely", &error));
    FAILS(THAW_FAILED, "noSuchFeature", thaw_model_set_metadata(model, "feature", "none", "x", &error));
    FAILS(THAW_FAILED, "invalidOption", thaw_model_set_metadata(model, "none", NULL, "x", &error));
    print_description(model);
    written(model, "m.mlmodel", "neuralNetwork");
    written(model, "m.mlpackage", "mlProgram");

    // The same from memory, with labels as integers, and then as strings.
    size_t size;
    void *graph = contents(arguments[1], &size);
    int64_t integers[] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
    const char *strings[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    for (int round = 0; round < 2; round++) {
        thaw_convert_options labeled = {.size = sizeof labeled};
        if (round) {
            labeled.labels = strings;
            labeled.label_count = 10;
        } else {
            labeled.integer_labels = integers;
            labeled.integer_label_count = 10;
        }
        thaw_model *other = NULL;
        OK(thaw_convert_bytes(graph, size, NULL, 0, &labeled, &other, &error));
        const char *const *labels;
        size_t labels_count;
        OK(thaw_model_labels(other, &labels, &labels_count, &error));
        CHECK(labels_count == 10 && strcmp(labels[9], round ? "j" : "19") == 0);
        print_description(other);
        thaw_model_free(other);
    }
    thaw_model *other = NULL;
    FAILS(THAW_FAILED, "damaged", thaw_convert_bytes(graph, size / 2, NULL, 0, NULL, &other, &error));
    FAILS(THAW_FAILED, "wrongKind", thaw_convert_bytes("text", 4, NULL, 0, NULL, &other, &error));
    FAILS(THAW_FAILED, "wrongKind", thaw_model_load_bytes(graph, size, NULL, 0, &other, &error));
    FAILS(THAW_FAILED, "damaged", thaw_model_load_bytes(NULL, 0, NULL, 0, &other, &error));
    free(graph);

    // Options that are refused.
    options.image_output_name = "probabilities";
    FAILS(THAW_FAILED, "unsupportedModel", thaw_convert(arguments[1], &options, &other, &error));
    options.image_output = -1;
    FAILS(THAW_FAILED, "invalidOption", thaw_convert(arguments[1], &options, &other, &error));
    options.image_output = 0;
    options.image_output_name = NULL;
    thaw_convert_options image = {.size = sizeof image, .image_output_name = "nothing"};
    FAILS(THAW_FAILED, "noSuchFeature", thaw_convert(arguments[1], &image, &other, &error));
    image.image_output_name = "probabilities";
    FAILS(THAW_FAILED, "wrongShape", thaw_convert(arguments[1], &image, &other, &error));
    thaw_save_options wrong = {.size = sizeof wrong, .kind = "mlProgram"};
    FAILS(THAW_FAILED, "invalidOption", thaw_model_save(model, in_folder("n.mlmodel"), &wrong, NULL, &error));
    FAILS(THAW_FAILED, "unknownFormat", thaw_model_save(model, in_folder("n.pb"), NULL, NULL, &error));
    wrong = (thaw_save_options){.size = sizeof wrong, .target = "iOS99"};
    FAILS(THAW_FAILED, "invalidOption", thaw_model_save(model, in_folder("n.mlmodel"), &wrong, NULL, &error));
    wrong.target = "iOS14";
    FAILS(THAW_FAILED, "unsupportedTarget", thaw_model_save(model, in_folder("n.mlpackage"), &wrong, NULL, &error));
    thaw_buffer bytes, weights;
    FAILS(THAW_FAILED, "invalidOption", thaw_model_serialize(model, NULL, &bytes, &weights, &error));
    options.preprocessing = "inception";
    FAILS(THAW_FAILED, "invalidOption", thaw_convert(arguments[1], &options, &other, &error));
    options.preprocessing = "other";
    FAILS(THAW_FAILED, "invalidOption", thaw_convert(arguments[1], &options, &other, &error));
    options.preprocessing = NULL;
    options.labels = strings;
    options.label_count = 10;
    FAILS(THAW_FAILED, "invalidOption", thaw_convert(arguments[1], &options, &other, &error));
    options.label_file = NULL;
    options.label_count = 9;
    FAILS(THAW_FAILED, "wrongLabels", thaw_convert(arguments[1], &options, &other, &error));
    input.width = -1;
    FAILS(THAW_FAILED, "invalidOption", thaw_convert(arguments[1], &options, &other, &error));
    const char *latin = "\xFC";
    options.input = latin;
    FAILS(THAW_INVALID_ARGUMENT, "invalidArgument", thaw_convert(arguments[1], &options, &other, &error));

    char *json = NULL;
    OK(thaw_inspect(arguments[1], NULL, &json, &error));
    print_report(json);
    thaw_model_free(model);
    return 0;
}
