/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_PICTURE_H
#define HSI_PICTURE_PICTURE_H

#include <hybridsched/io.h>

#include "core/memory_name.h"

/* Functions shared by Gantt charts and traces. */

/** Return whether the row's time on a type is a guess. */
static inline bool hsi_is_guessed(const hs_task *row, hs_type type)
{
    return (unsigned)row->guess >> type & 1;
}

/**
 * Copy the caller's picture to `full`, with defaults for NULL, and check all arguments. HS_EINVAL:
 * invalid values, or unsorted failures, transfers or waits. HS_ESCHEDULE: the workers of `s` or of
 * the prediction are not those of `in`, or an entry, failure, transfer or wait refers to an unknown
 * task, worker, node or time. On failure *error (may be NULL) is filled.
 */
hs_status hsi_picture_begin(hs_picture *full, const hs_picture *picture, const hs_instance *in,
                            const hs_schedule *s, hs_error *error);

/** Return the failure of an aborted entry; NULL: it did not fail. O(log failures). */
const hs_picture_failure *hsi_picture_failure(const hs_picture *picture, unsigned worker,
                                              const hs_entry *entry);

/** Return the number of failures on the workers [from, to). */
size_t hsi_picture_count_failures(const hs_picture *picture, unsigned from, unsigned to);

/**
 * Return whether the picture has a title; whether the bound has a name and a value that can be
 * drawn.
 */
bool hsi_picture_has_title(const hs_picture *picture);
bool hsi_picture_has_bound(const hs_named_bound *bound);

#endif
