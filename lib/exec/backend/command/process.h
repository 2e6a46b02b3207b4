/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_PROCESS_H
#define HSI_EXEC_BACKEND_COMMAND_PROCESS_H

#include <hybridsched/backend.h>

#include "exec/backend/command/starter.h"
#include "exec/machine/core_time.h"

/*
 * Run shell commands, one at a time, and leave no process of a command behind.
 *
 * The commands are started by a guard, a process that starts with the first command. The guard has
 * a session of its own and is the subreaper of all its descendants: every process of a command, in
 * any group or session, with or without a living parent, becomes the guard's child in the end and
 * belongs to the one command that runs. The guard ends when the program ends in any way, and kills
 * its command first. If the guard itself is killed, the shell dies with it, and its parent, the
 * keeper (starter.h), kills the rest.
 *
 * A command is over when none of its processes runs. Processes that outlive the shell have `grace`
 * seconds to end by themselves, since they may still work, as `gzip` at the end of a pipe does;
 * then they get SIGTERM, and after `grace` seconds more SIGKILL.
 */
typedef struct hsi_process hsi_process;

#define HSI_PROCESS_COMMAND 131072 /* bytes of a command with its NUL: the limit of Linux */

typedef struct hsi_process_request {
    const char *command;
    const char *task;
    uint32_t    attempt;
    int         output[2]; /* descriptors for stdout and stderr of the command */
} hsi_process_request;

typedef struct hsi_process_end {
    bool cancelled; /* cancelled before its end */
    int signal;    /* signal that killed the shell; 0: none */
    int status;    /* exit status of the shell, if no signal killed it */
    bool left;      /* a process outlived the shell and did not end by itself */
    bool undead;    /* a process is left that may not be killed */

    hsi_core_time core; /* used by all processes; waited by the shell or its replacement */
} hsi_process_end;

/* Create a runner of commands on a worker's cores, with the strings `variables` of `length` bytes
 * in their environment. No process is started yet. HS_ENOMEM. */
hs_status hsi_process_open(hsi_starter *starter, const char *variables, size_t length,
                           const hs_backend_worker_info *worker, hsi_process **out);

/* Kill the running command, wait until it is gone, and free the runner. */
void hsi_process_close(hsi_process *process);

/* Start a command, after the guard if that is missing or was killed. Return 0, or -1 with `why`. */
int hsi_process_start_command(hsi_process *process, const hsi_process_request *request,
                              char why[HS_WHY]);

/* Return the descriptor that becomes readable when the command has ended. */
int hsi_process_fd(const hsi_process *process);

/* Send SIGTERM to the command's group, and to orphans of other groups; after the grace time SIGKILL
 * to all its processes. */
void hsi_process_cancel(hsi_process *process);

/* Wait until no process of the command runs. Return 0, or -1 with `why`: the guard was killed. */
int hsi_process_wait_for_end(hsi_process *process, hsi_process_end *end, char why[HS_WHY]);

#endif
