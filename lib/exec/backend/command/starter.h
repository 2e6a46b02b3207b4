/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_COMMAND_STARTER_H
#define HSI_EXEC_BACKEND_COMMAND_STARTER_H

#include <sys/types.h>

#include <hybridsched/backend.h>

/*
 * Starts guards (process.h), in a process of its own, the keeper.
 *
 * To fork a program costs by the memory that it has, and is done with care where there are
 * threads. So the keeper is forked from it, once and early, and forks the guards, each when it is
 * first needed: a few hundred microseconds for the one that does, whatever the number of workers.
 * What a guard that is killed leaves becomes the keeper's child, and is killed by it.
 */
typedef struct hsi_starter hsi_starter;

/* The environment of commands is that of now, and so is their folder; for at most `workers`
 * guards. HS_ENOMEM, HS_ERESOURCE. */
hs_status hsi_starter_open(const hs_backend_options *options, unsigned workers, hsi_starter **out,
                           char why[HS_WHY]);

/* Return CUDA_VISIBLE_DEVICES in the environment of commands; NULL: not set. */
const char *hsi_starter_visible_devices(const hsi_starter *starter);

/* After all guards. NULL is fine. */
void hsi_starter_close(hsi_starter *starter);

/* A guard that adds these strings to the environment of its commands, each with its NUL. 0, or
 * -1 and `why`. Any thread may ask. A keeper that was killed is replaced first. */
int hsi_starter_guard(hsi_starter *starter, const char *settings, size_t length, pid_t *pid,
                      int *socket, char why[HS_WHY]);

#endif
