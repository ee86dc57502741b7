// Counts the calls and batches that are active, so that the child of a fork knows whether it may use the library. Other
// threads do not survive a fork: in the child, their work stays half done, and their locks stay locked.
// This header is not installed.
#ifndef THAW_CALLS_H
#define THAW_CALLS_H

#include <stdbool.h>

/// Begins a call. False in the child of a fork that happened during a call: the library cannot be used.
bool thaw_enter_call(void);

/// Ends a call that `thaw_enter_call` began.
void thaw_leave_call(void);

// The texts of the error in such a process, where nothing may be allocated or locked.
extern const char *const thaw_forked_code, *const thaw_forked_message, *const thaw_forked_details;

#endif
