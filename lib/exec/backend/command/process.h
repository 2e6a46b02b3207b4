/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_PROCESS_H
#define HSI_EXEC_BACKEND_COMMAND_PROCESS_H

#include <hybridsched/backend.h>

#include "exec/backend/command/starter.h"
#include "exec/machine/core_time.h"

/*
 * Shell commands, one at a time, and nothing left behind when one is over.
 *
 * A guard, a process that is started with the first of them, starts them. It is a session of its
 * own and the subreaper of all that descends from it: whatever a command starts, in whatever
 * group or session, whether its parent lives or not, becomes the guard's child at
 * last, and belongs to the one command that runs. The guard ends when the program
 * does, however that ends, and kills what it started first. If the guard itself is killed, the
 * shell dies with it, and who had forked it (starter.h) kills the rest.
 *
 * A command is over when nothing of it runs any more. What its shell leaves has `grace` seconds
 * to end by itself, for it may have work to do still, as `gzip` at the end of a pipe has; then it
 * gets SIGTERM and after as long again SIGKILL.
 */
typedef struct hsi_process hsi_process;

#define HSI_PROCESS_COMMAND 131072 /* bytes of a command with its NUL: what Linux takes */

typedef struct hsi_process_request {
    const char *command;
    const char *task;
    uint32_t    attempt;
    int         output[2]; /* file descriptors: what becomes its stdout and stderr */
} hsi_process_request;

typedef struct hsi_process_end {
    int cancelled; /* it was told to end before it did */
    int signal;    /* that killed it; 0: it ended itself ... */
    int status;    /* ... with this */
    int left;      /* when its shell was over, something it had left did not end by itself */
    int undead;    /* something of it is left that may not be killed */

    hsi_core_time core; /* used by all processes; waited by the shell or its replacement */
} hsi_process_end;

/*
 * For commands on a worker's cores that find these strings of `length` bytes in their
 * environment. Nothing is started yet. HS_ENOMEM.
 */
hs_status hsi_process_open(hsi_starter *starter, const char *settings, size_t length,
                           const hs_backend_worker_info *worker, hsi_process **out);

/* Kills what runs, and waits until it is gone. */
void hsi_process_close(hsi_process *process);

/* Start a command. 0, or -1 and `why`. A guard that is not there or was killed is started first. */
int hsi_process_begin(hsi_process *process, const hsi_process_request *request, char why[HS_WHY]);

/* Becomes readable when the command has ended. */
int hsi_process_fd(const hsi_process *process);

/* SIGTERM to its group, and to what of other groups is left without a parent; after the grace,
 * SIGKILL to all of it. */
void hsi_process_cancel(hsi_process *process);

/* Wait for the end; then nothing of it runs any more. -1 and `why`: the guard was killed. */
int hsi_process_finish(hsi_process *process, hsi_process_end *end, char why[HS_WHY]);

#endif
