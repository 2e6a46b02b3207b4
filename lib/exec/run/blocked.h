/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BLOCKED_H
#define HSI_EXEC_RUN_BLOCKED_H

#include "exec/run/results.h"

/*
 * After the run, find the tasks that were not run because a predecessor failed, and fill
 * results->blocker. Return HS_OK or HS_ENOMEM. O(tasks + edges) if a task of a graph failed, else
 * O(1).
 */
hs_status hsi_blocked_find(hsi_results *results, const hsi_work *work);

#endif
