/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the tables of the page. */
#include <math.h>
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

/* "1.002–1.15", of that family, or of all. */
static void put_published(const bench_page *p, const bench_family *family, const char *algorithm)
{
    fputs("<td class=\"theirs\">", p->out);
    for (size_t i = 0; i < p->c->published_count; i++) {
        const bench_published *of = &p->c->published[i];
        int ours = family ? of->label && strcmp(of->label, family->label) == 0 : !of->label;

        if (!ours || strcmp(of->algorithm, algorithm) != 0)
            continue;
        fprintf(p->out, of->low < of->high ? "%.4g\xe2\x80\x93%.4g " : "%.4g ", of->low, of->high);
    }
    fputs("</td>", p->out);
}

static void put_row(const bench_page *p, const bench_family *family, const summary_row *r)
{
    fputs("<tr><td class=\"name\">", p->out);
    html_text(p->out, r->name);
    fputs("</td>", p->out);
    put_number(p->out, r->low, 4);
    put_number(p->out, r->median, 4);
    put_number(p->out, r->high, 4);
    put_number(p->out, r->worst, 4);
    if (p->c->published_count > 0)
        put_published(p, family, r->name);
    put_number(p->out, 100 * r->wins, 1);
    put_number(p->out, 100 * r->behind, 2);
    put_number(p->out, r->rank, 2);
    fputs("</tr>\n", p->out);
}

static void put_table(const bench_page *p, const bench_family *family)
{
    summary    *s = bench_summary(p->c, p->cases, p->rows, BENCH_RATIO, family, NAN);
    summary_row row;

    fputs("<h2>", p->out);
    html_text(p->out, family ? family->label : "All instances");
    fprintf(p->out,
            ": makespan / bound</h2>\n<div class=\"card\"><table>\n<thead><tr>"
            "<th class=\"name\">%zu instance%s</th><th>2.5 %%</th><th>median</th><th>97.5 %%</th>"
            "<th>worst</th>%s<th>best in, %%</th><th>behind the best by, %%</th>"
            "<th>mean rank</th></tr></thead>\n<tbody>\n",
            summary_instances(s), plural(summary_instances(s)),
            p->c->published_count > 0 ? "<th class=\"theirs\">published</th>" : "");
    for (size_t a = 0; a < p->c->algorithm_count; a++) {
        summary_of(s, a, &row);
        if (row.count > 0)
            put_row(p, family, &row);
    }
    fputs("</tbody>\n</table></div>\n", p->out);
    summary_free(s);
}

void bench_page_tables(const bench_page *p)
{
    put_table(p, NULL);
    for (size_t i = 0; i < p->c->family_count && p->c->family_count > 1; i++)
        put_table(p, &p->c->families[i]);
}
