/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: comparisons with a baseline as text, CSV and LaTeX. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/compare.h"
#include "common/escape.h"
#include "common/latex.h"
#include "common/message.h"

static const bench_group all_instances = {.label = "all"};

static const char *baseline_name(const bench_campaign *c)
{
    return c->algorithms[c->baseline].name;
}

/* Return the width of a column of names. */
static int name_width(const bench_campaign *c)
{
    size_t width = strlen("algorithm");

    for (size_t a = 0; a < c->algorithm_count; a++)
        if (strlen(c->algorithms[a].name) > width)
            width = strlen(c->algorithms[a].name);
    return (int)width;
}

/* Write a number in `width` columns, or a dash. */
static void put_number(FILE *out, const char *format, int width, double value)
{
    if (isnan(value))
        fprintf(out, " %*s", width, "-");
    else
        fprintf(out, format, value);
}

static void put_interval(FILE *out, const interval *of)
{
    put_number(out, " %8.4f", 8, of->mean);
    put_number(out, " %8.4f", 8, of->low);
    put_number(out, " %8.4f", 8, of->high);
}

/*
 * Write the rows of a group with its label, but not the baseline's; or with a NULL label all rows,
 * with their means.
 */
static void put_rows(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                     const bench_group *group, const char *label, FILE *out)
{
    size_t      count;
    comparison *row = compare_group(c, cases, rows, group, &count);

    for (size_t i = 0; i < count; i++) {
        if (label && compare_is_baseline(c, &row[i]))
            continue;
        fprintf(out, "  %-*s %5zu", name_width(c), row[i].algorithm, row[i].quotient.count);
        if (!label)
            put_interval(out, &row[i].mean);
        put_interval(out, &row[i].quotient);
        fprintf(out, " %5zu %5zu %6zu", row[i].wins.less, row[i].wins.equal, row[i].wins.more);
        put_number(out, " %8.2g", 8, row[i].p);
        put_number(out, " %8.2g", 8, row[i].adjusted);
        if (label)
            fprintf(out, "  %s", SHOWN(label));
        putc('\n', out);
    }
    free(row);
}

void compare_text(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                  FILE *out)
{
    bench_groups groups = bench_groups_of(c);
    int          width = name_width(c);

    fprintf(out,
            "\nmakespan / bound, and makespan / makespan of %s: geometric means with 95%% "
            "intervals\n  %-*s %5s %8s %8s %8s %8s %8s %8s %5s %5s %6s %8s %8s\n",
            baseline_name(c), width, "algorithm", "pairs", "/ bound", "from", "to", "/ base",
            "from", "to", "less", "equal", "more", "p", "Holm");
    put_rows(c, cases, rows, &all_instances, NULL, out);
    if (groups.count > 0)
        fprintf(out, "\nmakespan / makespan of %s of each kind of instances\n"
                     "  %-*s %5s %8s %8s %8s %5s %5s %6s %8s %8s  %s\n",
                baseline_name(c), width, "algorithm", "pairs", "/ base", "from", "to", "less",
                "equal", "more", "p", "Holm", "kind");
    for (size_t i = 0; i < groups.count; i++)
        put_rows(c, cases, rows, &groups.of[i], groups.of[i].label, out);
    bench_groups_free(&groups);
}

static void csv_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void csv_number(FILE *out, double value)
{
    char text[32] = "";

    if (!isnan(value))
        hs_format_double(value, text);
    fprintf(out, ",%s", text);
}

static void csv_interval(FILE *out, const interval *of)
{
    csv_number(out, of->mean);
    csv_number(out, of->low);
    csv_number(out, of->high);
}

static void csv_rows(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                     const bench_group *group, FILE *out)
{
    size_t      count;
    comparison *row = compare_group(c, cases, rows, group, &count);

    for (size_t i = 0; i < count; i++) {
        csv_text(out, group->label);
        fprintf(out, ",%s,%s,%zu", row[i].algorithm, baseline_name(c), row[i].mean.count);
        csv_interval(out, &row[i].mean);
        fprintf(out, ",%zu", row[i].quotient.count);
        csv_interval(out, &row[i].quotient);
        fprintf(out, ",%zu,%zu,%zu", row[i].wins.less, row[i].wins.equal, row[i].wins.more);
        csv_number(out, row[i].p);
        csv_number(out, row[i].adjusted);
        putc('\n', out);
    }
    free(row);
}

void compare_csv(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                 FILE *out)
{
    bench_groups groups = bench_groups_of(c);

    fputs("group,algorithm,baseline,instances,mean_ratio,mean_ratio_low,mean_ratio_high,pairs,"
          "mean_quotient,mean_quotient_low,mean_quotient_high,less,equal,more,p,p_holm\n",
          out);
    csv_rows(c, cases, rows, &all_instances, out);
    for (size_t i = 0; i < groups.count; i++)
        csv_rows(c, cases, rows, &groups.of[i], out);
    bench_groups_free(&groups);
}

static void latex_interval(FILE *out, const interval *of)
{
    fputs(" & ", out);
    latex_number(out, of->mean, 3);
    fputs(" & ", out);
    if (isnan(of->low)) {
        fputs("--", out);
        return;
    }
    putc('[', out);
    latex_number(out, of->low, 3);
    fputs(", ", out);
    latex_number(out, of->high, 3);
    putc(']', out);
}

static void latex_rows(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       const bench_group *group, bool with_mean, FILE *out)
{
    size_t      count;
    comparison *row = compare_group(c, cases, rows, group, &count);

    for (size_t i = 0; i < count; i++) {
        if (!with_mean && compare_is_baseline(c, &row[i]))
            continue;
        latex_text(out, row[i].algorithm);
        fprintf(out, " & %zu", row[i].quotient.count);
        if (with_mean)
            latex_interval(out, &row[i].mean);
        latex_interval(out, &row[i].quotient);
        fprintf(out, " & %zu & %zu & %zu & ", row[i].wins.less, row[i].wins.equal,
                row[i].wins.more);
        latex_p(out, row[i].adjusted);
        fputs(" \\\\\n", out);
    }
    free(row);
}

static void latex_head(const bench_campaign *c, bool with_mean, FILE *out)
{
    fprintf(out, "\\begin{tabular}{lr%srrrrrr}\n\\toprule\nalgorithm & pairs",
            with_mean ? "rr" : "");
    if (with_mean)
        fputs(" & / bound & 95\\,\\% interval", out);
    fputs(" & / ", out);
    latex_text(out, baseline_name(c));
    fputs(" & 95\\,\\% interval & less & equal & more & $p$ (Holm) \\\\\n\\midrule\n", out);
}

void compare_latex(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                   FILE *out)
{
    bench_groups groups = bench_groups_of(c);

    fputs("% geometric means of the makespans; needs \\usepackage{booktabs}\n", out);
    latex_head(c, true, out);
    latex_rows(c, cases, rows, &all_instances, true, out);
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    if (groups.count > 0)
        fputs("\n", out);
    if (groups.count > 0)
        latex_head(c, false, out);
    for (size_t i = 0; i < groups.count; i++) {
        fprintf(out, "%s\\multicolumn{8}{l}{", i > 0 ? "\\addlinespace\n" : "");
        latex_text(out, groups.of[i].label);
        fputs("} \\\\\n", out);
        latex_rows(c, cases, rows, &groups.of[i], false, out);
    }
    if (groups.count > 0)
        fputs("\\bottomrule\n\\end{tabular}\n", out);
    bench_groups_free(&groups);
}
