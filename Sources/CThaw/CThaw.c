#include <pthread.h>
#include <stdatomic.h>

#include "calls.h"
#include "thaw.h"

#define PROBLEM "the process was forked while the library was working in another thread"
#define REMEDY "fork while no call and no batch is active, or start processes without fork"

const char *const thaw_forked_code = "forked";
const char *const thaw_forked_message = PROBLEM "; " REMEDY;
const char *const thaw_forked_details =
    "{\"code\": \"forked\", \"message\": \"" PROBLEM "; " REMEDY "\", \"file\": null, \"location\": null, \"problem\": \"" PROBLEM
    "\", \"remedy\": \"" REMEDY "\", \"hint\": null, \"nodes\": [], \"names\": [], \"parts\": [\"" PROBLEM "; " REMEDY "\"]}";

static atomic_int calls;
static atomic_bool is_lost;

static void forked(void) {
    // A forking thread is not inside a call: all active calls belong to threads that do not exist in the child.
    if (atomic_exchange(&calls, 0) > 0) atomic_store(&is_lost, true);
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forked); }

bool thaw_enter_call(void) {
    atomic_fetch_add(&calls, 1);
    if (!atomic_load(&is_lost)) return true;
    atomic_fetch_sub(&calls, 1);
    return false;
}

void thaw_leave_call(void) { atomic_fetch_sub(&calls, 1); }
