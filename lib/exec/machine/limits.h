/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_LIMITS_H
#define HSI_EXEC_MACHINE_LIMITS_H

/* What the system and the control groups of this process (v2, and v1) let it have: the least of
 * what its own group and those above it say. */

/* Processors' worth of time; 0: no limit. */
double hsi_limit_cpus(void);

/* Bytes of memory; 0: not known. */
double hsi_limit_memory(void);

/* Bytes of address space that this process may map further (ulimit -v); INFINITY: no limit. */
double hsi_limit_address_space(void);

/* The groups alone, 0: no limit; where the kernel says which they are, and where they are. */
typedef struct hsi_groups {
    const char *own, *mounted;
} hsi_groups;

double hsi_groups_cpus(const hsi_groups *at);
double hsi_groups_memory(const hsi_groups *at);

#endif
