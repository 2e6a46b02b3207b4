/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_PICTURE_PICTURE_H
#define HSI_PICTURE_PICTURE_H

#include <hybridsched/io.h>

/* What both pictures, the Gantt chart and the trace, need. */

/**
 * The caller's picture in full; NULL means the defaults. HS_EINVAL: it, or an argument, makes no
 * sense, or failures, transfers or waits are not in order. HS_ESCHEDULE unless the workers of `s`,
 * and of what was predicted, are those of `in` and each entry's task is in it, and what is said of
 * transfers and waits.
 */
hs_status hsi_picture_begin(hs_picture *full, const hs_picture *picture, const hs_instance *in,
                            const hs_schedule *s);

/** The failure that an aborted entry is; NULL: it is none. O(log failures). */
const hs_picture_failure *hsi_picture_failure(const hs_picture *picture, unsigned worker,
                                              const hs_entry *entry);

/** How many of them are on the workers [from, to). */
size_t hsi_picture_failures(const hs_picture *picture, unsigned from, unsigned to);

/** "host", or "gpu3", in `name`. */
const char *hsi_node_name(uint32_t node, char name[16]);

/** Is there a title, and a bound that can be drawn? */
int hsi_picture_has_title(const hs_picture *picture);
int hsi_picture_has_bound(const hs_named_bound *bound);

#endif
