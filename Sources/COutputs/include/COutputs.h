// State for the signal handlers of a program that uses this library: they remove unfinished outputs, and name a mapped file
// that was truncated. The library only keeps the lists; it is up to a program, such as `thaw`, to install the handlers. All
// functions that handlers call are async-signal-safe.
#ifndef THAW_COUTPUTS_H
#define THAW_COUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Surround every change to the names of outputs, and to the lists below. A signal that arrives in between is handled
/// afterwards. May be nested.
void thaw_outputs_enter(void);
void thaw_outputs_leave(void);

/// Adds the path of an unfinished output to the list. Returns its position, or -1 if the list is full or the path is relative
/// and the current folder unknown.
int thaw_unfinished_add(const char *path, bool is_folder);
void thaw_unfinished_remove(int position);

/// A handler of signals that removes the unfinished outputs, and ends the program by the same signal.
void thaw_end_by_signal(int signal);

/// Adds a mapped file to another list. Returns its position, or -1 if that is full.
int thaw_mapped_add(const void *start, size_t count, const char *path);
void thaw_mapped_remove(int position);

/// Lets an access to a part of a mapped file that no longer exists end the program with a message and this exit code.
void thaw_watch_mapped_files(int exit_code);

/// Renames without replacing anything. Returns 0 on success; otherwise `errno` gives the reason.
int thaw_rename_exclusively(const char *from, const char *to);

#pragma clang assume_nonnull end

#endif
