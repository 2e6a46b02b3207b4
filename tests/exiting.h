/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EXITING_H
#define TESTS_EXITING_H

#include <stdio.h>

/*
 * Return true if a thread or process has ended or is about to end. Linux lists a thread in /proc
 * for a moment after another thread has joined it, and a process for a moment after a signal has
 * killed it. `folder` is its folder in /proc.
 */
static inline bool is_exiting(const char *folder)
{
    enum { PF_EXITING = 0x4, PF_SIGNALED = 0x400 }; /* flags in the file stat, see proc(5) */
    char     path[320];
    FILE    *file;
    unsigned flags;
    int      found;

    snprintf(path, sizeof path, "%s/stat", folder);
    file = fopen(path, "re");
    if (!file)
        return true;
    found = fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %u", &flags);
    fclose(file);
    return found != 1 || (flags & (PF_EXITING | PF_SIGNALED)) != 0;
}

#endif
