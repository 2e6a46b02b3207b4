/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_PROCESS_H
#define HSI_EXEC_BACKEND_COMMAND_PROCESS_H

#include <hybridsched/backend.h>

#include "exec/backend/command/environment.h"

/*
 * Shell commands, one at a time, and nothing left behind when one is over.
 *
 * A guard, a process forked once, starts them. It is a session of its own and the
 * subreaper of all that descends from it: whatever a command starts, in whatever
 * group or session, whether its parent lives or not, becomes the guard's child at
 * last, and belongs to the one command that runs. The guard ends when the program
 * does, however that ends, and kills what it started first.
 */
typedef struct hsi_process hsi_process;

#define HSI_PROCESS_COMMAND 131072 /* bytes of a command with its NUL: what Linux takes */

typedef struct hsi_process_request {
    const char *command;
    const char *task;
    uint32_t    attempt;
    int         output; /* file descriptor: what becomes its stdout and stderr */
} hsi_process_request;

typedef struct hsi_process_end {
    int cancelled; /* it was told to end before it did */
    int signal;    /* that killed it; 0: it ended itself ... */
    int status;    /* ... with this */
    int undead;    /* something of it is left that may not be killed */
} hsi_process_end;

/*
 * A guard of commands in `environment`, which must outlive it, on core `os_cpu` (-1:
 * any), with `grace` seconds from SIGTERM to SIGKILL. HS_ENOMEM, HS_ERESOURCE.
 */
hs_status hsi_process_open(const hsi_environment *environment, int os_cpu, double grace,
                           hsi_process **out, char why[HS_WHY]);

/* Kills what runs, and waits until it is gone. */
void hsi_process_close(hsi_process *process);

/* Start a command. 0, or -1 and `why`. A guard that was killed is replaced first. */
int hsi_process_begin(hsi_process *process, const hsi_process_request *request, char why[HS_WHY]);

/* Becomes readable when the command has ended. */
int hsi_process_fd(const hsi_process *process);

/* SIGTERM to its group; after the grace, SIGKILL to all of it. */
void hsi_process_cancel(hsi_process *process);

/* Wait for the end; then nothing of it runs any more. -1 and `why`: the guard was killed. */
int hsi_process_finish(hsi_process *process, hsi_process_end *end, char why[HS_WHY]);

#endif
