/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_PAGE_PAGE_H
#define TOOLS_BENCH_PAGE_PAGE_H

#include "bench/bench.h"

/* The page of a campaign: what its parts share. */
typedef struct bench_page {
    FILE                 *out;
    const bench_campaign *c;
    const bench_case     *cases;
    const bench_rows     *rows;
} bench_page;

/** All plots that the campaign asks for (plots.c). */
hs_status bench_page_plots(const bench_page *p);

/** What the algorithms did in all, and in families (tables.c). */
void bench_page_tables(const bench_page *p);

#endif
