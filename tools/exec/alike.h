/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_ALIKE_H
#define TOOLS_EXEC_ALIKE_H

#include <hybridsched/instance.h>

/** Times of a row's tasks, by hs_type. */
typedef struct row_times {
    double sum[2];    /* of attempts that were done */
    size_t count[2];  /* of these */
    double error[2];  /* sum of how far each was from the estimate */
    size_t played[2]; /* likewise, by emulated workers: these times are no measurements */
    double alike[2];  /* mean over rows of equal kernel or program; 0: no measured time */
} row_times;

/**
 * Fill `alike` of each row of `in` that has no attempts on a type: the mean of the attempts there
 * of the rows with the same kernel, which includes its size. Of a row without a kernel: of those
 * without one whose commands start with the same program, unless their estimates were right to a
 * quarter, so that its own may be right, too. O(n log n); HS_ENOMEM.
 */
hs_status rows_alike(const hs_instance *in, row_times *rows);

#endif
