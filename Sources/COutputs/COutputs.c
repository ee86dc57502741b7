#define _GNU_SOURCE
#include "COutputs.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How many calls are between enter and leave, in all threads; or `ENDING` if a handler is removing the outputs.
static atomic_int changes;
static atomic_int deferred;
enum { ENDING = -1 };

// A program that is ending starts no more outputs.
static void wait_for_end(void) {
    for (;;) pause();
}

void thaw_outputs_enter(void) {
    int count = atomic_load(&changes);
    do {
        if (count == ENDING) wait_for_end();
    } while (!atomic_compare_exchange_weak(&changes, &count, count + 1));
}

void thaw_outputs_leave(void) {
    if (atomic_fetch_sub(&changes, 1) != 1) return;
    const int signal = atomic_exchange(&deferred, 0);
    if (signal) raise(signal);
}

// MARK: Unfinished outputs

// 'd' for a folder or 'f' for a file, followed by the path. Only changed between enter and leave.
static char *_Atomic unfinished[256];
enum { CAPACITY = sizeof unfinished / sizeof *unfinished };

int thaw_unfinished_add(const char *path, bool is_folder) {
    // The program may change its current folder.
    const bool is_relative = *path != '/';
    char folder[PATH_MAX] = "";
    if (is_relative && !getcwd(folder, sizeof folder)) return -1;
    const size_t size = strlen(folder) + strlen(path) + 3;
    char *entry = malloc(size);
    if (!entry) return -1;
    snprintf(entry, size, "%c%s%s%s", is_folder ? 'd' : 'f', folder, is_relative ? "/" : "", path);
    for (int position = 0; position < CAPACITY; position++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&unfinished[position], &none, entry)) return position;
    }
    free(entry);
    return -1;
}

void thaw_unfinished_remove(int position) {
    if (position >= 0) free(atomic_exchange(&unfinished[position], NULL));
}

static void remove_unfinished(void) {
    for (int position = 0; position < CAPACITY; position++) {
        const char *entry = atomic_load(&unfinished[position]);
        if (entry && *entry == 'f') unlink(entry + 1);
    }
    // Nested folders: as long as one is removed, another may have become empty.
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int position = 0; position < CAPACITY; position++) {
            const char *entry = atomic_load(&unfinished[position]);
            if (entry && *entry == 'd' && rmdir(entry + 1) == 0) is_changed = true;
        }
    }
}

static void end_by(int signal) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal);
    // A signal without a handler does not end the first process of a container.
    _exit(128 + signal);
}

void thaw_end_by_signal(int signal) {
    const int code = errno;
    int count = 0;
    if (!atomic_compare_exchange_strong(&changes, &count, ENDING)) {
        if (count == ENDING) return;
        atomic_store(&deferred, signal);
        // The last change may have ended before it could see the signal.
        if (atomic_load(&changes) == 0 && atomic_exchange(&deferred, 0)) thaw_end_by_signal(signal);
        errno = code;
        return;
    }
    remove_unfinished();
    end_by(signal);
}

// MARK: Mapped files

struct mapped {
    _Atomic uintptr_t start;
    size_t count;
    char *path;
};
// An entry belongs to the thread that has set its start from 0 to 1.
static struct mapped mapped[64];
enum { FREE = 0, TAKEN = 1, MAPPED_CAPACITY = sizeof mapped / sizeof *mapped };
static int status_of_bus_error;

int thaw_mapped_add(const void *start, size_t count, const char *path) {
    char *copy = strdup(path);
    if (!copy) return -1;
    for (int position = 0; position < MAPPED_CAPACITY; position++) {
        uintptr_t none = FREE;
        if (!atomic_compare_exchange_strong(&mapped[position].start, &none, TAKEN)) continue;
        mapped[position].count = count;
        mapped[position].path = copy;
        atomic_store(&mapped[position].start, (uintptr_t)start);
        return position;
    }
    free(copy);
    return -1;
}

void thaw_mapped_remove(int position) {
    if (position < 0) return;
    atomic_store(&mapped[position].start, TAKEN);
    free(mapped[position].path);
    atomic_store(&mapped[position].start, FREE);
}

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void end_by_bus_error(int signal, siginfo_t *info, void *context) {
    (void)context;
    const uintptr_t address = (uintptr_t)info->si_addr;
    for (int position = 0; position < MAPPED_CAPACITY; position++) {
        const uintptr_t start = atomic_load(&mapped[position].start);
        if (start <= TAKEN || address < start || address - start >= mapped[position].count) continue;
        // Other threads finish what they are doing to the names of outputs.
        for (int count = 0; !atomic_compare_exchange_strong(&changes, &count, ENDING); count = 0) {
            if (count == ENDING) wait_for_end();
            usleep(1000);
        }
        remove_unfinished();
        say("thaw: ");
        // A name may contain terminal control sequences.
        for (const char *byte = mapped[position].path; *byte; byte++) {
            const char text[2] = {isatty(STDERR_FILENO) && ((unsigned char)*byte < ' ' || *byte == 0x7f) ? '?' : *byte, 0};
            say(text);
        }
        say(": was truncated, or could not be read, while it was in use; replace a file by renaming a complete one\n");
        _exit(status_of_bus_error);
    }
    end_by(signal);
}

void thaw_watch_mapped_files(int exit_code) {
    status_of_bus_error = exit_code;
    struct sigaction action = {.sa_sigaction = end_by_bus_error, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

// MARK: Names

#if defined(__linux__)
#include <sys/syscall.h>

int thaw_rename_exclusively(const char *from, const char *to) {
    // By system call number: not every C library has a function for it. 1 is RENAME_NOREPLACE.
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
}
#else
int thaw_rename_exclusively(const char *from, const char *to) { return renamex_np(from, to, RENAME_EXCL); }
#endif
