// Runs a model on values of any kind: predict MODEL [NAME KIND VALUE]…, where - is no name
//
// A VALUE is 3, 0.5, text, 2,2:1,2,3,4 (shape and elements), a=1,b=2 (or #1=1 for integer keys), or an image file.
#include "check.h"

enum { most = 64 };

static void parse(thaw_value *value, const char *kind, char *word) {
    static thaw_tensor tensors[8];
    static int64_t shapes[8][8];
    static double elements[8][4096];
    static thaw_entry entries[8][most];
    static thaw_image images[8];
    static int used = 0;
    int slot = used++;
    CHECK(slot < 8);
    if (strcmp(kind, "integer") == 0) {
        value->kind = THAW_VALUE_INTEGER;
        value->integer = atoll(word);
    } else if (strcmp(kind, "number") == 0) {
        value->kind = THAW_VALUE_NUMBER;
        value->number = atof(word);
    } else if (strcmp(kind, "string") == 0) {
        value->kind = THAW_VALUE_STRING;
        value->string = word;
    } else if (strcmp(kind, "array") == 0) {
        thaw_tensor *tensor = &tensors[slot];
        *tensor = (thaw_tensor){.size = sizeof *tensor, .type = THAW_FLOAT64, .shape = shapes[slot], .data = elements[slot]};
        char *rest = strchr(word, ':');
        CHECK(rest != NULL);
        *rest++ = 0;
        for (char *size = strtok(word, ","); size; size = strtok(NULL, ",")) shapes[slot][tensor->rank++] = atoll(size);
        for (char *number = strtok(rest, ","); number; number = strtok(NULL, ",")) {
            elements[slot][tensor->byte_count / sizeof(double)] = atof(number);
            tensor->byte_count += sizeof(double);
        }
        value->kind = THAW_VALUE_ARRAY;
        value->array = tensor;
    } else if (strcmp(kind, "dictionary") == 0) {
        value->kind = THAW_VALUE_DICTIONARY;
        value->entries = entries[slot];
        for (char *entry = strtok(word, ","); entry; entry = strtok(NULL, ",")) {
            char *number = strrchr(entry, '=');
            CHECK(number != NULL && value->entry_count < most);
            *number++ = 0;
            thaw_entry *target = &entries[slot][value->entry_count++];
            *target = (thaw_entry){.value = atof(number)};
            if (*entry == '#') target->integer = atoll(entry + 1);
            else target->string = entry;
        }
    } else if (strcmp(kind, "image") == 0) {
        images[slot] = (thaw_image){.size = sizeof(thaw_image), .path = word};
        value->kind = THAW_VALUE_IMAGE;
        value->image = &images[slot];
    } else {
        value->kind = 99;
    }
}

static void print_elements(const thaw_tensor *tensor) {
    int64_t count = 1;
    for (int axis = 0; axis < tensor->rank; axis++) {
        printf(axis ? ",%lld" : " %lld", (long long)tensor->shape[axis]);
        count *= tensor->shape[axis];
    }
    for (int64_t i = 0; i < count; i++) {
        switch (tensor->type) {
        case THAW_FLOAT32: printf(" %.17g", ((const float *)tensor->data)[i]); break;
        case THAW_FLOAT64: printf(" %.17g", ((const double *)tensor->data)[i]); break;
        case THAW_INT32: printf(" %d", ((const int32_t *)tensor->data)[i]); break;
        default: CHECK(!"another type");
        }
    }
}

static void print(const thaw_value *value) {
    printf("%s ", value->name);
    switch (value->kind) {
    case THAW_VALUE_INTEGER: printf("integer %lld", (long long)value->integer); break;
    case THAW_VALUE_NUMBER: printf("number %.17g", value->number); break;
    case THAW_VALUE_STRING: printf("string %s", value->string); break;
    case THAW_VALUE_ARRAY:
        printf("array %d", value->array->type);
        print_elements(value->array);
        break;
    case THAW_VALUE_DICTIONARY:
        printf("dictionary");
        for (size_t i = 0; i < value->entry_count; i++) {
            const thaw_entry *entry = &value->entries[i];
            if (entry->string) printf(" %s=%.17g", entry->string, entry->value);
            else printf(" #%lld=%.17g", (long long)entry->integer, entry->value);
        }
        break;
    case THAW_VALUE_IMAGE: {
        const thaw_image *image = value->image;
        printf("image %dx%dx%d", image->width, image->height, image->channels);
        for (int i = 0; i < image->width * image->height * image->channels; i++) printf(" %d", image->pixels[i]);
        break;
    }
    default: CHECK(!"another kind");
    }
    putchar('\n');
}

int main(int count, char **arguments) {
    CHECK(count >= 2 && (count - 2) % 3 == 0 && count <= 2 + 3 * 8);
    thaw_model *model = NULL;
    OK(thaw_model_load(arguments[1], &model, &error));
    thaw_value inputs[8];
    size_t input_count = (size_t)(count - 2) / 3;
    for (size_t i = 0; i < input_count; i++) {
        char **words = arguments + 2 + 3 * i;
        inputs[i] = (thaw_value){.size = sizeof(thaw_value), .name = strcmp(words[0], "-") ? words[0] : NULL};
        parse(&inputs[i], words[1], words[2]);
    }
    thaw_result *result = NULL;
    thaw_error *error = NULL;
    for (int threads = 0; threads < 3; threads++) {
        int status = thaw_model_predict(model, inputs, input_count, threads, &result, &error);
        if (status != THAW_OK) {
            CHECK(result == NULL);
            printf("%d %s\n", status, thaw_error_code(error));
            thaw_error_free(error);
            break;
        }
        size_t outputs = thaw_result_value_count(result);
        CHECK(outputs > 0 && thaw_result_output_count(result) == 0);
        thaw_value value = {.size = sizeof value};
        for (size_t i = 0; i < outputs; i++) {
            OK(thaw_result_value(result, i, &value, &error));
            CHECK(value.size == sizeof value);
            if (threads == 0) print(&value);
        }
        FAILS(THAW_INVALID_ARGUMENT, "invalidArgument", thaw_result_value(result, outputs, &value, &error));
        thaw_result_free(result);
    }
    thaw_model_free(model);
    return 0;
}
