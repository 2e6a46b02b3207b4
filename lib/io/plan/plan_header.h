/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_PLAN_HEADER_H
#define HSI_IO_PLAN_PLAN_HEADER_H

#include "core/builder.h"
#include "io/text/csv.h"

/*
 * The '#' lines of a plan file except the workers and the unit of its instance. The plan's own
 * lines begin at the last `# algorithm`; notes of the instance precede them and may have the same
 * keys. Therefore all lines are stored until the last is read.
 */
struct hsi_plan_header {
    hsi_vector lines;
    hsi_vector text;
};

/** Store the '#' line last read from `csv`. HS_ENOMEM. */
hs_status hsi_plan_header_add(struct hsi_plan_header *header, struct hsi_csv *csv);

/** Pass the instance's notes to the builder, and the plan's own lines to *info. */
hs_status hsi_plan_header_finish(const struct hsi_plan_header *header, struct hsi_csv *csv,
                                 hs_builder *builder, hs_plan_info *info);

void hsi_plan_header_close(struct hsi_plan_header *header);

#endif
