/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_BLOCKED_H
#define HSI_EXEC_RUN_BLOCKED_H

#include "exec/run/results.h"

/* After the run: what was not run since something that it comes after has failed. HS_ENOMEM.
 * O(tasks + edges) if anything has failed in a graph. */
hs_status hsi_blocked_find(hsi_results *results, const hsi_work *work);

#endif
