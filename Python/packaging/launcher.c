// The command `thaw` of the Python package: it finds the package's library beside itself, and runs the command in it.
//
// A wheel's scripts are installed in PREFIX/bin, and its library in PREFIX/lib/pythonX.Y/site-packages/thaw. One wheel is
// for every version of Python, so the version's folder is searched.
#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where pip puts packages, seen from the folder of its scripts: in an environment, of a distribution, and with --target.
static const char *const patterns[] = {
    "/../lib/python3*/site-packages/thaw/libthaw.so",
    "/../lib64/python3*/site-packages/thaw/libthaw.so",
    "/../lib/python3*/dist-packages/thaw/libthaw.so",
    "/../local/lib/python3*/dist-packages/thaw/libthaw.so",
    "/../thaw/libthaw.so",
};

int main(int count, char **arguments) {
    char own[PATH_MAX], pattern[PATH_MAX + 64], path[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) {
        perror("thaw: /proc/self/exe");
        return 2;
    }
    own[length] = 0;
    const char *folder = dirname(own);
    // With several versions of Python side by side, the package that was installed last belongs to this command.
    time_t newest = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        snprintf(pattern, sizeof pattern, "%s%s", folder, patterns[i]);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t index = 0; index < found.gl_pathc; index++) {
            struct stat status;
            if (stat(found.gl_pathv[index], &status) != 0 || (*path && status.st_ctime <= newest)) continue;
            if (strlen(found.gl_pathv[index]) >= sizeof path) continue;
            newest = status.st_ctime;
            strcpy(path, found.gl_pathv[index]);
        }
        globfree(&found);
    }
    if (!*path) {
        fprintf(stderr, "thaw: the package thaw-coreml is not installed beside %s\n", folder);
        return 2;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*command)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "thaw_main") : NULL;
    if (!command) {
        fprintf(stderr, "thaw: %s\n", dlerror());
        return 2;
    }
    return command(count, arguments);
}
