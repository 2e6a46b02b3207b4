/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PICTURE_H
#define HSI_IO_PICTURE_H

#include <hybridsched/io.h>

/* What both pictures, the Gantt chart and the trace, need. */

/** The caller's picture in full; NULL means the defaults. HS_EINVAL: it makes no sense. */
hs_status hsi_picture_resolve(hs_picture *full, const hs_picture *picture);

/** HS_ESCHEDULE unless the workers are those of `in` and each entry's task is in it. */
hs_status hsi_picture_check(const hs_instance *in, const hs_schedule *s);

/** Is there a title, and a bound that can be drawn? */
int hsi_picture_has_title(const hs_picture *picture);
int hsi_picture_has_bound(const hs_picture *picture);

#endif
