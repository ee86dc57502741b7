// Runs a model on raw values: run MODEL THREADS [NAME TYPE SHAPE FILE]…, where - is no name and SHAPE is 2,3,4
#include "check.h"

static const struct {
    const char *name;
    int type;
} types[] = {
    {"float32", THAW_FLOAT32}, {"float16", THAW_FLOAT16}, {"float64", THAW_FLOAT64}, {"int32", THAW_INT32},
    {"int64", THAW_INT64}, {"uint8", THAW_UINT8}, {"bool", THAW_BOOL}, {"none", 99},
};

int main(int count, char **arguments) {
    CHECK(count >= 3 && (count - 3) % 4 == 0);
    thaw_model *model = NULL;
    OK(thaw_model_load(arguments[1], &model, &error));
    thaw_tensor inputs[4];
    int64_t shapes[4][8];
    size_t input_count = (size_t)(count - 3) / 4;
    CHECK(input_count <= 4);
    for (size_t i = 0; i < input_count; i++) {
        char **words = arguments + 3 + 4 * i;
        inputs[i] = (thaw_tensor){.size = sizeof(thaw_tensor), .name = strcmp(words[0], "-") ? words[0] : NULL};
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (strcmp(types[t].name, words[1]) == 0) inputs[i].type = types[t].type;
        }
        for (char *size = strtok(words[2], ","); size; size = strtok(NULL, ",")) {
            shapes[i][inputs[i].rank++] = atoll(size);
        }
        inputs[i].shape = shapes[i];
        inputs[i].data = contents(words[3], &inputs[i].byte_count);
    }
    thaw_result *result = NULL;
    thaw_error *error = NULL;
    int status = thaw_model_run(model, inputs, input_count, atoi(arguments[2]), &result, &error);
    if (status != THAW_OK) {
        CHECK(result == NULL);
        printf("%d %s\n", status, thaw_error_code(error));
        thaw_error_free(error);
    } else {
        size_t outputs = thaw_result_output_count(result);
        thaw_tensor tensor = {.size = sizeof tensor};
        for (size_t i = 0; i < outputs; i++) {
            OK(thaw_result_output(result, i, &tensor, &error));
            printf("%s %d", tensor.name, tensor.type);
            for (int axis = 0; axis < tensor.rank; axis++) printf(axis ? ",%lld" : " %lld", (long long)tensor.shape[axis]);
            putchar(' ');
            for (size_t byte = 0; byte < tensor.byte_count; byte++) printf("%02x", ((const uint8_t *)tensor.data)[byte]);
            putchar('\n');
        }
        FAILS(THAW_INVALID_ARGUMENT, "invalidArgument", thaw_result_output(result, outputs, &tensor, &error));
        thaw_result_free(result);
    }
    for (size_t i = 0; i < input_count; i++) free((void *)inputs[i].data);
    thaw_model_free(model);
    return 0;
}
