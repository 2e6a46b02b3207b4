/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_OUTDATED_H
#define HSI_EXEC_JOURNAL_OUTDATED_H

#include "exec/journal/journal.h"

/*
 * Set past->state to HSI_PAST_CHANGED for tasks of a graph that were done before a predecessor was
 * done: the predecessor has been done again since, or is to be run. line[task]: line of the task's
 * last record; 0: none. Return HS_OK or HS_ENOMEM. O(tasks + edges).
 */
hs_status hsi_journal_mark_outdated(const hs_instance *in, const uint64_t *line,
                                    const hsi_journal_past *past);

#endif
