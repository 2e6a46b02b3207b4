/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_SIMILAR_ROWS_H
#define TOOLS_EXEC_SIMILAR_ROWS_H

#include <hybridsched/instance.h>

/** Sums over the finished attempts at the tasks of a row, indexed by hs_type. */
typedef struct row_times {
    double sum[2];      /* sum of the measured times */
    size_t count[2];    /* number of finished attempts */
    double error[2];    /* sum of |time - estimate| of finished attempts */
    size_t emulated[2]; /* finished attempts of emulated workers, whose times are not measured */
    double alike[2];    /* mean over rows of equal kernel or program; 0: no measured time */
} row_times;

/**
 * Set `alike` of each row of `in` without attempts on a type to the mean time of the attempts there
 * of rows with the same kernel, which includes the kernel's size. For a row without a kernel, use
 * rows without a kernel whose commands start with the same program; but not if their estimates were
 * right to a quarter, because then the row's own estimate may be right too. O(n log n); HS_ENOMEM.
 */
hs_status rows_alike(const hs_instance *in, row_times *rows);

#endif
