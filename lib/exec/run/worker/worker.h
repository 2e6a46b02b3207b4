/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WORKER_H
#define HSI_EXEC_RUN_WORKER_H

#include "exec/run/run.h"

/* Create the array exec->worker, with the data of all modules for each worker. After a failure
 * hsi_workers_free() frees what was made. HS_ENOMEM, or HS_ERESOURCE with *error. */
hs_status hsi_workers_create(hs_exec *exec, hs_error *error);
void      hsi_workers_free(hs_exec *exec); /* a handle without workers is allowed */

/* Before a run: reset the workers, without threads. */
void hsi_workers_reset(hs_exec *exec);

/*
 * Start the thread of each worker, with all signals blocked except those of faults. Return the
 * number of threads started; if it is less than the number of workers, the run is broken off. Each
 * thread opens its backends, waits at the gate, and runs tasks until the dispatcher lets it leave.
 */
unsigned hsi_workers_start(hs_exec *exec);

/* Wait for the end of the first `started` threads. */
void hsi_workers_join(hs_exec *exec, unsigned started);

#endif
