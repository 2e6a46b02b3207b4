/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BENCH_PAPER_H
#define TOOLS_BENCH_PAPER_H

#include "bench/bench.h"

/* The folder of --paper: each plot as SVG and PDF, and the tables as LaTeX and CSV. */
typedef struct bench_paper {
    const char *folder;
    unsigned    figures; /* number of figures so far */
    int         code;    /* exit code of the first failure; later figures are not written */
} bench_paper;

/** Write all figures and tables. Return 0, or an exit code after a message. */
int bench_paper_write(const char *folder, const bench_campaign *c, const bench_case *cases,
                      const bench_rows *rows);

/** Write a figure, without its title, under a name made of its number, `what` and the title. */
void bench_paper_figure(bench_paper *paper, const char *what, const plot_spec *plot);

/** Write the summary over all instances and of each group as LaTeX tables. */
void bench_summary_latex(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                         FILE *out);

#endif
