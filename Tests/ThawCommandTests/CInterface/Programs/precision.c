// Runs a model in several precisions: precision MODEL PHOTO PRECISION…. Prints the probability of the top label, and that of
// the model's first output that is a dictionary, for each.
#include "check.h"

static float top(thaw_model *model, const char *photo, const char *precision) {
    thaw_classifier_options options = {.size = sizeof options, .precision = precision};
    thaw_classifier *classifier = NULL;
    OK(thaw_classifier_create(model, &options, &classifier, &error));
    thaw_image image = {.size = sizeof image, .path = photo};
    thaw_result *result = NULL;
    OK(thaw_classifier_run(classifier, &image, &result, &error));
    thaw_classification classification = {.size = sizeof classification};
    OK(thaw_result_classification(result, &classification, &error));
    float largest = 0;
    for (size_t i = 0; i < classification.count; i++) {
        if (classification.probabilities[i] > largest) largest = classification.probabilities[i];
    }
    thaw_result_free(result);
    thaw_classifier_free(classifier);
    return largest;
}

static double predicted(thaw_model *model, const char *photo, const char *precision) {
    OK(thaw_model_set_precision(model, precision, &error));
    thaw_image image = {.size = sizeof image, .path = photo};
    thaw_value input = {.size = sizeof input, .kind = THAW_VALUE_IMAGE, .image = &image};
    thaw_result *result = NULL;
    OK(thaw_model_predict(model, &input, 1, 1, &result, &error));
    double largest = 0;
    for (size_t i = 0; i < thaw_result_value_count(result); i++) {
        thaw_value value = {.size = sizeof value};
        OK(thaw_result_value(result, i, &value, &error));
        for (size_t entry = 0; value.kind == THAW_VALUE_DICTIONARY && entry < value.entry_count; entry++) {
            if (value.entries[entry].value > largest) largest = value.entries[entry].value;
        }
    }
    thaw_result_free(result);
    return largest;
}

int main(int count, char **arguments) {
    CHECK(count >= 3);
    thaw_model *model = NULL;
    OK(thaw_model_load(arguments[1], &model, &error));
    for (int i = 3; i < count; i++) {
        // The default has no name.
        const char *precision = strcmp(arguments[i], "-") ? arguments[i] : NULL;
        float probability = top(model, arguments[2], precision);
        printf("%s %.9g %.9g\n", arguments[i], probability, predicted(model, arguments[2], precision));
    }
    FAILS(THAW_FAILED, "invalidOption", thaw_model_set_precision(model, "half", &error));
    char *note;
    FAILS(THAW_FAILED, "invalidOption", thaw_precision_note("half", &note, &error));
    OK(thaw_precision_note(NULL, &note, &error));
    CHECK(note == NULL);
    OK(thaw_precision_note("int8", &note, &error));
    if (note) CHECK(strstr(note, "8-bit integers"));
    thaw_free(note);
    thaw_classifier_options options = {.size = sizeof options, .precision = "half"};
    thaw_classifier *classifier = NULL;
    FAILS(THAW_FAILED, "invalidOption", thaw_classifier_create(model, &options, &classifier, &error));
    thaw_model_free(model);
    return 0;
}
