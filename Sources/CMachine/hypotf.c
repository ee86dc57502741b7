// Of all that the Swift runtime takes from glibc, only `hypotf` has a version newer than 2.34. Nothing here calls it, but the
// static runtime refers to it. With this definition, Thaw runs on systems with glibc 2.34.
#if defined(__linux__)
#include <math.h>

__attribute__((visibility("hidden"))) float hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    // In double, squares of floats neither overflow nor vanish.
    return (float)sqrt((double)x * x + (double)y * y);
}
#endif
