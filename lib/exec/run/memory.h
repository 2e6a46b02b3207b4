/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_RUN_MEMORY_H
#define HSI_EXEC_RUN_MEMORY_H

#include "exec/run/bodies.h"

/* Is there memory for what all CPU workers may have at once? HS_ERESOURCE: no. */
hs_status hsi_memory_check(const hsi_bodies *bodies, const hsi_work *work, char why[HS_WHY]);

#endif
