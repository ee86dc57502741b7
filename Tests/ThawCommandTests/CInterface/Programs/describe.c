// Prints the description of a model: describe MODEL
#include "check.h"

int main(int count, char **arguments) {
    CHECK(count == 2);
    thaw_model *model = NULL;
    OK(thaw_model_load(arguments[1], &model, &error));
    char *json = NULL;
    OK(thaw_model_describe(model, &json, &error));
    puts(json);
    thaw_free(json);
    thaw_model_free(model);
    return 0;
}
