/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_OUTDATED_H
#define HSI_EXEC_JOURNAL_OUTDATED_H

#include "exec/journal/journal.h"

/*
 * What is done in a graph stays done only if all that it comes after was done before it: else that
 * has been done again since, or is to be. line[task]: of its last record, 0: none. Sets
 * past->state to HSI_PAST_CHANGED. HS_ENOMEM. O(tasks + edges).
 */
hs_status hsi_journal_outdated(const hs_instance *in, const uint64_t *line,
                               const hsi_journal_past *past);

#endif
