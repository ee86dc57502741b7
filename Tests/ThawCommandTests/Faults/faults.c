// Faults for a program under test, by LD_PRELOAD. Calls that change files are counted, and at one of them something happens:
//
//   FAULT_AT=N    the count at which it happens
//   FAULT=kill    the process is killed before the call
//   FAULT=2, 15   the signal of this number arrives before the call
//   FAULT=error   the call fails: writing for want of space, others because the device does not work
//   FAULT_MARK=FILE is made when it happens
//   NO_EXCHANGE=1 the file system cannot exchange names, nor rename exclusively
//   TRUNCATE=FILE this file is truncated as soon as it is mapped
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Whether this call is to fail.
static bool fails(void) {
    static atomic_int count;
    const char *at = getenv("FAULT_AT"), *fault = getenv("FAULT");
    if (!at || !fault || atomic_fetch_add(&count, 1) + 1 != atoi(at)) return false;
    const char *mark = getenv("FAULT_MARK");
    if (mark) close((int)REAL(syscall)(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
    if (strcmp(fault, "error") == 0) return true;
    kill(getpid(), strcmp(fault, "kill") == 0 ? SIGKILL : atoi(fault));
    return false;
}

#define FAIL(code) \
    if (fails()) { \
        errno = code; \
        return -1; \
    }

static int open_file(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    if (flags & O_CREAT) FAIL(EIO)
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_file(REAL(open64), path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (file > STDERR_FILENO) FAIL(ENOSPC)
    return REAL(write)(file, bytes, count);
}

int mkdir(const char *path, mode_t mode) {
    FAIL(ENOSPC)
    return REAL(mkdir)(path, mode);
}

int fsync(int file) {
    FAIL(EIO)
    return REAL(fsync)(file);
}

int fchmod(int file, mode_t mode) {
    FAIL(EIO)
    return REAL(fchmod)(file, mode);
}

int rename(const char *from, const char *to) {
    FAIL(EIO)
    return REAL(rename)(from, to);
}

int renameat(int folder, const char *from, int other, const char *to) {
    FAIL(EIO)
    return REAL(renameat)(folder, from, other, to);
}

int link(const char *from, const char *to) {
    FAIL(EIO)
    return REAL(link)(from, to);
}

// Removing does not fail: what cannot be removed stays, of course.
static void pass(void) {
    const char *fault = getenv("FAULT");
    if (fault && strcmp(fault, "error") != 0) fails();
}

int unlink(const char *path) {
    pass();
    return REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    pass();
    return REAL(unlinkat)(folder, path, flags);
}

int rmdir(const char *path) {
    pass();
    return REAL(rmdir)(path);
}

long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long values[6];
    for (int index = 0; index < 6; index++) values[index] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_renameat2) {
        FAIL(EIO)
        if (getenv("NO_EXCHANGE")) {
            errno = EINVAL;
            return -1;
        }
    }
    return REAL(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

static void *map(void *(*real)(void *, size_t, int, int, int, off_t), void *start, size_t size, int access, int flags,
    int file, off_t offset) {
    void *result = real(start, size, access, flags, file, offset);
    const char *name = getenv("TRUNCATE");
    struct stat own, named;
    if (name && file >= 0 && fstat(file, &own) == 0 && stat(name, &named) == 0 && own.st_ino == named.st_ino
        && truncate(name, 0) != 0) {
        abort();
    }
    return result;
}

void *mmap(void *start, size_t size, int access, int flags, int file, off_t offset) {
    return map(REAL(mmap), start, size, access, flags, file, offset);
}

void *mmap64(void *start, size_t size, int access, int flags, int file, off64_t offset) {
    return map(REAL(mmap64), start, size, access, flags, file, offset);
}
