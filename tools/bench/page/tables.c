/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the tables of the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/page/page.h"
#include "common/escape.h"

static void put_number(FILE *out, double value, int decimals)
{
    if (isnan(value))
        fputs("<td>\xe2\x80\x93</td>", out);
    else
        fprintf(out, "<td>%.*f</td>", decimals, value);
}

/* Write the published range, e.g. "1.002–1.15", for the family or for all instances. */
static void put_published(const bench_page *p, const bench_family *family, const char *algorithm,
                          bench_measure measure)
{
    fputs("<td class=\"theirs\">", p->out);
    for (size_t i = 0; i < p->c->published_count; i++) {
        const bench_published *of = &p->c->published[i];
        bool ours = family ? of->label && strcmp(of->label, family->label) == 0 : !of->label;

        if (!ours || of->measure != measure || strcmp(of->algorithm, algorithm) != 0)
            continue;
        fprintf(p->out, of->low < of->high ? "%.4g\xe2\x80\x93%.4g " : "%.4g ", of->low, of->high);
    }
    fputs("</td>", p->out);
}

static void put_row(const bench_page *p, const bench_family *family, const summary_row *r,
                    bench_measure measure)
{
    fputs("<tr><td class=\"name\">", p->out);
    html_text(p->out, r->name);
    fputs("</td>", p->out);
    put_number(p->out, r->low, 4);
    put_number(p->out, r->median, 4);
    put_number(p->out, r->high, 4);
    put_number(p->out, r->worst, 4);
    if (p->c->published_count > 0)
        put_published(p, family, r->name, measure);
    put_number(p->out, 100 * r->wins, 1);
    put_number(p->out, 100 * r->behind, 2);
    put_number(p->out, r->rank, 2);
    fputs("</tr>\n", p->out);
}

static void put_table(const bench_page *p, const bench_family *family, bench_measure measure)
{
    summary    *s = bench_summary(p->c, p->cases, p->rows, measure,
                                        &(bench_group){.family = family});
    size_t      compared = summary_compared_instances(s);
    char        all[32] = "";
    summary_row row;

    if (compared < summary_instances(s))
        snprintf(all, sizeof all, " of %zu", summary_instances(s));
    fputs("<h2>", p->out);
    html_text(p->out, family ? family->label : "All instances");
    fprintf(p->out,
            ": %s</h2>\n<div class=\"card\"><table>\n<thead><tr>"
            "<th class=\"name\">%zu instance%s%s</th><th>2.5 %%</th><th>median</th><th>97.5 %%</th>"
            "<th>worst</th>%s<th>best in, %%</th><th>behind the best by, %%</th>"
            "<th>mean rank</th></tr></thead>\n<tbody>\n",
            bench_measure_title(measure), compared, plural(compared), all,
            p->c->published_count > 0 ? "<th class=\"theirs\">published</th>" : "");
    for (size_t a = 0; a < p->c->algorithm_count; a++) {
        summary_statistics(s, a, &row);
        if (row.count > 0)
            put_row(p, family, &row, measure);
    }
    fputs("</tbody>\n</table></div>\n", p->out);
    summary_free(s);
}

/*
 * Return the index of the first size to which an exponent is fitted. With more than four sizes the
 * last three count, where the growth is closest to the documented cost.
 */
static size_t first_fitted(size_t sizes)
{
    return sizes > 4 ? sizes - 3 : 0;
}

/* Return the least-squares slope of log seconds over log size. NaN: too few points. */
static double fitted_exponent(const bench_page *p, const bench_family *family, size_t algorithm)
{
    size_t  sizes, points = 0;
    double *size = bench_sizes(p->cases, p->rows->cases, family, &sizes);
    double  sx = 0, sy = 0, sxx = 0, sxy = 0, n;

    for (size_t i = first_fitted(sizes); i < sizes; i++) {
        size_t  count;
        double *value = bench_values(p->cases, p->rows, BENCH_SECONDS, family, size[i], algorithm,
                                     &count);

        for (size_t k = 0; k < count; k++)
            if (value[k] > 0 && size[i] > 0) {
                double x = log(size[i]), y = log(value[k]);

                sx += x;
                sy += y;
                sxx += x * x;
                sxy += x * y;
                points++;
            }
        free(value);
    }
    free(size);
    n = (double)points;
    return n * sxx - sx * sx > 1e-9 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

/* Write the growth of seconds beside the documented cost of each algorithm. */
static void put_growth(const bench_page *p, const bench_family *family)
{
    size_t sizes, fitted;

    free(bench_sizes(p->cases, p->rows->cases, family, &sizes));
    fitted = sizes - first_fitted(sizes);
    fputs("<h2>", p->out);
    html_text(p->out, family->label);
    fprintf(p->out,
            ": exponent of the growth of seconds with the size, fitted to its %s%zu size%s</h2>\n"
            "<div class=\"card\"><table>\n<thead><tr><th class=\"name\">algorithm</th>"
            "<th>exponent</th><th class=\"name\">documented cost</th></tr></thead>\n<tbody>\n",
            fitted < sizes ? "last " : "", fitted, plural(fitted));
    for (size_t a = 0; a < p->c->algorithm_count; a++) {
        const bench_algorithm *alg = &p->c->algorithms[a];

        fputs("<tr><td class=\"name\">", p->out);
        html_text(p->out, alg->name);
        fputs("</td>", p->out);
        put_number(p->out, fitted_exponent(p, family, a), 2);
        fputs("<td class=\"name\">", p->out);
        html_text(p->out, alg->algorithm ? hs_algorithm_cost(alg->algorithm) : "");
        fputs("</td></tr>\n", p->out);
    }
    fputs("</tbody>\n</table></div>\n", p->out);
}

/* Write the growth for plots of seconds over sizes with both axes logarithmic. */
static void put_growths(const bench_page *p)
{
    for (size_t i = 0; i < p->c->plot_count; i++)
        if (p->c->plots[i].measure == BENCH_SECONDS && p->c->plots[i].kind == PLOT_LINES &&
            p->c->plots[i].log_x && p->c->plots[i].log_y)
            for (size_t f = 0; f < p->c->family_count; f++)
                put_growth(p, &p->c->families[f]);
}

void bench_page_tables(const bench_page *p)
{
    put_growths(p);
    put_table(p, NULL, BENCH_RATIO);
    for (size_t i = 0; i < p->c->family_count && p->c->family_count > 1; i++)
        put_table(p, &p->c->families[i], BENCH_RATIO);
    for (size_t i = 0; i < p->c->family_count && bench_has_errors(p->c); i++)
        put_table(p, &p->c->families[i], BENCH_ERROR);
}
