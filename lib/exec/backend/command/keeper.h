/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_KEEPER_H
#define HSI_EXEC_BACKEND_COMMAND_KEEPER_H

#include "exec/backend/command/environment.h"
#include "exec/backend/command/guard.h"

/* The keeper's side of starter.h. */

/* All that it works with, made before it is forked: it may not allocate. */
typedef struct hsi_keeper {
    hsi_guard guard;                          /* as each begins */
    size_t    lasting;                        /* index in its variables of what a worker sets */
    char      settings[HSI_ENVIRONMENT_ROOM]; /* of the guard that is about to begin */
    int       socket, ends;
    int       orphans; /* a guard was killed: what it ran may have come to be a child here */
    int       room;    /* of these */
    int       count;
    pid_t    *guard_pid; /* those that live */
    pid_t    *child;
} hsi_keeper;

/* In the forked process, all signals blocked. */
_Noreturn void hsi_keeper_main(hsi_keeper *keeper);

#endif
