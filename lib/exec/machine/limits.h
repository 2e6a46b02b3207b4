/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_LIMITS_H
#define HSI_EXEC_MACHINE_LIMITS_H

/* What the system and the control groups of this process (v2, and v1 where they are
 * mounted in the usual place) let it have. */

/* Processors' worth of time; 0: no limit. */
double hsi_limit_cpus(void);

/* Bytes of memory; 0: not known. */
double hsi_limit_memory(void);

#endif
