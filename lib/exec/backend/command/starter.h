/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_STARTER_H
#define HSI_EXEC_BACKEND_COMMAND_STARTER_H

#include <sys/types.h>

#include <hybridsched/backend.h>

/*
 * Start guards (process.h) from a process of its own, the keeper.
 *
 * A fork of the program costs time in proportion to its memory, and needs care with threads. So the
 * keeper is forked from the program once and early, and forks each guard when it is first needed: a
 * few hundred microseconds for that worker, independent of the number of workers. Processes that a
 * killed guard leaves become the keeper's children, and the keeper kills them.
 */
typedef struct hsi_starter hsi_starter;

/* Fork the keeper, for at most `workers` guards. Commands get the present environment and working
 * folder. HS_ENOMEM, HS_ERESOURCE. */
hs_status hsi_starter_open(const hs_backend_options *options, unsigned workers, hsi_starter **out,
                           hs_error *error);

/* Return CUDA_VISIBLE_DEVICES in the environment of commands; NULL: not set. */
const char *hsi_starter_visible_devices(const hsi_starter *starter);

/* Stop the keeper, after all guards are closed. NULL is allowed. */
void hsi_starter_close(hsi_starter *starter);

/*
 * Start a guard that adds `variables`, strings of `length` bytes, to the environment of its
 * commands. A keeper that was killed is replaced first. Return 0, or -1 with `why`. Callable from
 * any thread.
 */
int hsi_starter_start_guard(hsi_starter *starter, const char *variables, size_t length, pid_t *pid,
                            int *socket, char why[HS_WHY]);

#endif
