/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_LIMITS_H
#define HSI_EXEC_MACHINE_LIMITS_H

/* Limits of the system and of the control groups (v1 and v2) of this process; the smallest limit of
 * its own group and the groups above counts. */

/* Return the limit in processors; 0: no limit. */
double hsi_cpu_limit(void);

/* Return bytes of memory; 0: not known. */
double hsi_memory_limit(void);

/* Return the bytes of address space that this process may still map (ulimit -v); INFINITY: no
 * limit. */
double hsi_address_space_limit(void);

/* Limits of control groups alone, 0: no limit. `own` is the file that lists the process's groups,
 * `mounted` the folder of the group file systems. */
typedef struct hsi_groups {
    const char *own, *mounted;
} hsi_groups;

double hsi_groups_cpu_limit(const hsi_groups *at);
double hsi_groups_memory_limit(const hsi_groups *at);

#endif
