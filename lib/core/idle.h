/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_IDLE_H
#define HSI_CORE_IDLE_H

#include <hybridsched/schedule.h>

/*
 * How many tasks were ready and did not run, over time: from the end of the last that it comes
 * after, or of an attempt that was aborted, a task is ready until it starts. Steps: from time[i] to
 * time[i + 1] it is ready[..][i], and time[0] is 0.
 */
enum { HSI_READY_ANY = 2, HSI_READY_KINDS };

typedef struct hsi_backlog {
    size_t    count;
    double   *time;
    uint32_t *ready[HSI_READY_KINDS]; /* that a worker of that hs_type could run; all */
    double   *without[2]; /* by hs_type: the time before time[i] in which there was none */
} hsi_backlog;

/* HS_ENOMEM. Close it whatever comes of this. O(edges + entries log entries). */
hs_status hsi_backlog_open(hsi_backlog *backlog, const hs_instance *in, const hs_schedule *s);
void      hsi_backlog_close(hsi_backlog *backlog);

/* The last step that begins at `time` or before. */
size_t hsi_backlog_at(const hsi_backlog *backlog, double time);

#endif
