/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_CORE_TIME_H
#define HSI_EXEC_MACHINE_CORE_TIME_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Processor time, and the time in which a thread could have run but its core ran something else:
 * the kernel's run-queue delay. Sleep and waits for input or output are in neither.
 */
typedef struct hsi_core_time {
    double used, waited; /* seconds; `waited` is NaN if not known */
} hsi_core_time;

/* Return the times of the calling thread since its start. */
hsi_core_time hsi_core_time_now(void);

/**
 * Return the nanoseconds that the main thread of a process has waited for a core, also of a process
 * that has ended and is not yet reaped; -1: the kernel does not tell. Safe in a signal handler.
 */
int64_t hsi_core_wait_ns(pid_t pid);

/**
 * Return the seconds in which cores of a group of processes ran foreign processes: the group's
 * wait, but at most the time of `cores` cores in `wall` seconds that the group did not use. (A
 * group with more processes than cores waits for itself, too.)
 */
double hsi_core_wait_for_others(hsi_core_time time, double wall, unsigned cores);

#endif
