/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_WINDOW_H
#define HSI_EXEC_RUN_WINDOW_H

#include "exec/run/run.h"

/*
 * The window of a worker: the tasks that it runs next, by the plan or by a decision of the policy,
 * whose inputs can be prefetched. Only runs with data that GPUs and CPUs share prefetch.
 */

/* Create the window of a worker; the worker owns it. HS_OK or HS_ENOMEM. */
hs_status hsi_window_create(hsi_worker *worker);
void      hsi_window_reset(hsi_worker *worker); /* before a run */
void      hsi_window_free(hsi_worker *worker);  /* a worker without window is allowed */

/*
 * Prepare the segments of a GPU worker's part of the plan, if the settings ask for CUDA graphs.
 * Call in the worker's thread, with the backends open, before the start. HS_OK, HS_ENOMEM, or a
 * status of the backend with *error.
 */
hs_status hsi_window_make_segments(hsi_worker *worker, hs_error *error);

/* Announce to the owner of shared data that the worker starts `task`, and which tasks follow in the
 * plan. Call in the worker's thread before an attempt. */
void hsi_window_announce_start(hsi_worker *worker, uint32_t task);

/* Set the task whose inputs a GPU worker prefetches; HS_NONE: none. Hold the lock of the run, so
 * that the task cannot start meanwhile. Call this only if GPUs share data. */
void hsi_window_prefetch(hsi_worker *worker, uint32_t task);

#endif
