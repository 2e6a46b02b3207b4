/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_PAGE_PAGE_H
#define TOOLS_BENCH_PAGE_PAGE_H

#include "bench/bench.h"

/* The page of a campaign: data shared by its parts. */
typedef struct bench_page {
    FILE                 *out;
    const bench_campaign *c;
    const bench_case     *cases;
    const bench_rows     *rows;
    struct bench_paper   *paper; /* where the plots go instead of to `out`; NULL: to `out` */
} bench_page;

/** Write all plots of the campaign (plots.c). */
hs_status bench_page_plots(const bench_page *p);

/** Write a plot. */
hs_status bench_page_put(const bench_page *p, const bench_plot *plot, const plot_spec *drawn);

/** Write the performance profile of a family, or of all instances that the plot shows (NULL). */
hs_status bench_page_performance(const bench_page *p, const bench_plot *plot,
                                 const bench_family *family, const char *title);

/** Write the comparisons with the baseline, if there is one (comparison.c). */
void bench_page_comparisons(const bench_page *p);

/** Write tables of the algorithms over all instances and by family (tables.c). */
void bench_page_tables(const bench_page *p);

#endif
