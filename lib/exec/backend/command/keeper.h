/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_KEEPER_H
#define HSI_EXEC_BACKEND_COMMAND_KEEPER_H

#include "exec/backend/command/environment.h"
#include "exec/backend/command/guard.h"

/* The keeper's side of starter.h. */

/* The keeper's data, allocated before the fork, since the keeper may not allocate. */
typedef struct hsi_keeper {
    hsi_guard guard;                          /* initial data of each guard */
    size_t    worker_variables; /* index in the environment of the first variable of the worker */
    char      settings[HSI_ENVIRONMENT_ROOM]; /* settings of the next guard */
    int       socket, ends;
    bool      orphans; /* a guard was killed: its command's processes may have become children of
                          the keeper */
    int       room;    /* length of the two arrays */
    int       count;
    pid_t    *guard_pid; /* guards that live */
    pid_t    *child;
} hsi_keeper;

/* Run the keeper in the forked process, with all signals blocked. */
_Noreturn void hsi_keeper_main(hsi_keeper *keeper);

#endif
