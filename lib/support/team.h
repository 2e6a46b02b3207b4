/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_TEAM_H
#define HSI_SUPPORT_TEAM_H

/**
 * Call `work` in `count` threads at once, the caller's as number 0; return when all have
 * returned. Numbers whose threads cannot begin are left out, so the work must be for
 * whoever comes. Signals stay with the threads there were before.
 */
void hsi_team_run(unsigned count, void (*work)(void *data, unsigned number), void *data);

#endif
