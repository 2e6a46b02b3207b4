/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_KERNEL_MEMORY_H
#define HSI_EXEC_RUN_KERNEL_MEMORY_H

#include "exec/run/bodies.h"

/* Check that the kernels of all CPU workers fit into memory at once. Return HS_OK, HS_ERESOURCE
 * with the reason in *error, or HS_ENOMEM. */
hs_status hsi_memory_check(const hsi_bodies *bodies, const hsi_work *work, hs_error *error);

#endif
