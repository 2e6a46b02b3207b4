/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_GUARD_H
#define HSI_EXEC_BACKEND_COMMAND_GUARD_H

#include <stddef.h>
#include <sys/types.h>

/* The guard's side of process.h. */

enum { HSI_GUARD_CHILDREN = 1024 };

/* The guard's data, allocated before the fork, since the guard may not allocate. */
typedef struct hsi_guard {
    char **variables;
    size_t task; /* index of HSCHED_TASK */
    double grace;
    double memory;  /* bytes for each process of a command; 0: no limit */
    char  *strings; /* room for the strings of an order */
    size_t room;
    int    socket, ends;
    pid_t  leader;                         /* the shell */
    pid_t  child[HSI_GUARD_CHILDREN];      /* children of the guard, except the shell */
    pid_t  terminated[HSI_GUARD_CHILDREN]; /* process ids outside the command's group that received
                                              SIGTERM */
    int    terminated_count; /* entries of terminated[] */
} hsi_guard;

/* Run the guard in a process that the keeper has forked, with all signals blocked. */
_Noreturn void hsi_guard_main(hsi_guard *guard);

#endif
