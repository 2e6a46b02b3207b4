/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_IDLE_H
#define HSI_CORE_IDLE_H

#include <hybridsched/schedule.h>

/*
 * Number of ready tasks over time, as a step function. A task is ready from the end of its last
 * predecessor, or of an aborted attempt, until it starts. The count is ready[..][i] from time[i] to
 * time[i + 1]; time[0] is 0.
 */
enum { HSI_READY_ANY = 2, HSI_READY_KINDS };

typedef struct hsi_ready_counts {
    size_t    count;
    double   *time;
    uint32_t *ready[HSI_READY_KINDS]; /* ready tasks, by hs_type able to run them; HSI_READY_ANY:
                                         all */
    double   *without[2]; /* per hs_type: total time before time[i] during which no task was
                             ready */
} hsi_ready_counts;

/*
 * Compute the numbers of ready tasks over the time of a schedule. HS_ENOMEM. Call
 * hsi_ready_counts_close() even after a failure. O(edges + entries log entries).
 */
hs_status hsi_ready_counts_open(hsi_ready_counts *backlog, const hs_instance *in,
                                const hs_schedule *s);
void      hsi_ready_counts_close(hsi_ready_counts *backlog);

/* Return the last step that begins at or before `time`. */
size_t hsi_ready_counts_step_at(const hsi_ready_counts *backlog, double time);

#endif
