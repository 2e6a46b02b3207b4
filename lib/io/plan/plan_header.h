/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_PLAN_PLAN_HEADER_H
#define HSI_IO_PLAN_PLAN_HEADER_H

#include "core/builder.h"
#include "io/text/csv.h"

/*
 * The '#' lines of a plan besides its instance's workers and unit. A plan's own lines begin at the
 * last `# algorithm`: notes of the instance may have the same names, and come before. Therefore all
 * lines are kept until the last is read.
 */
struct hsi_plan_lines {
    hsi_vector lines;
    hsi_vector text;
};

/** Keep the '#' line last read. */
hs_status hsi_plan_lines_add(struct hsi_plan_lines *lines, struct hsi_csv *csv);

/** Pass the instance's notes to the builder, and the plan's own lines to *info. */
hs_status hsi_plan_lines_finish(const struct hsi_plan_lines *lines, struct hsi_csv *csv,
                                hs_builder *builder, hs_plan_info *info);

void hsi_plan_lines_close(struct hsi_plan_lines *lines);

#endif
