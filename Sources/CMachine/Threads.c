#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include "CMachine.h"

#if defined(__linux__)

struct start {
    void *(*run)(void *);
    void *context;
    cpu_set_t allowed;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    sched_setaffinity(0, sizeof start.allowed, &start.allowed);
    return start.run(start.context);
}

// Linux may queue a new thread on its creator's core although another core is idle. There it waits for the next tick, up to
// 4 ms. So the thread starts on another core. After that, it may run on all cores of its creator.
static bool start_elsewhere(pthread_t *thread, void *(*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (!start) return false;
    start->run = body;
    start->context = context;
    int core = sched_getcpu();
    bool started = false;
    pthread_attr_t attributes;
    if (core >= 0 && sched_getaffinity(0, sizeof start->allowed, &start->allowed) == 0
        && CPU_COUNT(&start->allowed) > 1 && pthread_attr_init(&attributes) == 0) {
        cpu_set_t others = start->allowed;
        CPU_CLR(core, &others);
        started = pthread_attr_setaffinity_np(&attributes, sizeof others, &others) == 0
            && pthread_create(thread, &attributes, run, start) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (!started) free(start);
    return started;
}

#else

static bool start_elsewhere(pthread_t *thread, void *(*body)(void *), void *context) { return false; }

#endif

bool thaw_start_thread(pthread_t *thread, void *(*body)(void *), void *context) {
    return start_elsewhere(thread, body, context) || pthread_create(thread, NULL, body, context) == 0;
}
