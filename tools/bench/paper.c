/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/paper.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/compare/compare.h"
#include "bench/page/page.h"
#include "common/checked_memory.h"
#include "common/latex.h"
#include "common/message.h"
#include "common/output.h"
#include "common/pdf/pdf.h"

/* Append letters and digits; a dash for each sequence of other characters, but not at the end. */
static void append_plain(char *name, size_t size, const char *text)
{
    size_t length = strlen(name);
    bool   gap = length > 0;

    for (; *text && length + 2 < size; text++) {
        if (!isascii((unsigned char)*text) || !isalnum((unsigned char)*text)) {
            gap = length > 0;
            continue;
        }
        if (gap)
            name[length++] = '-';
        gap = false;
        name[length++] = *text;
    }
    name[length] = '\0';
}

/* Open FOLDER/NAME.ENDING; return NULL after a message, with paper->code set. */
static output *open_file(bench_paper *paper, const char *name, const char *ending, char **path)
{
    size_t  room = strlen(paper->folder) + strlen(name) + strlen(ending) + 3;
    output *file = NULL;

    *path = checked_calloc(room, 1);
    snprintf(*path, room, "%s/%s.%s", paper->folder, name, ending);
    paper->code = output_open(*path, &file);
    if (!paper->code && !output_stream(file)) {
        paper->code = output_close(file, HS_ENOMEM);
        file = NULL;
    }
    return paper->code ? NULL : file;
}

static void close_file(bench_paper *paper, output *file, char *path)
{
    if (file)
        paper->code = output_close(file, fflush(output_stream(file)) == 0 ? HS_OK : HS_EIO);
    free(path);
}

/* Write the plot as an SVG text; the caller frees it. */
static char *plot_as_svg(const plot_spec *plot)
{
    char  *text = NULL;
    size_t length = 0;
    FILE  *stream = checked_memory_stream(&text, &length);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", stream);
    plot_write(stream, plot);
    fclose(stream);
    return text;
}

void bench_paper_figure(bench_paper *paper, const char *what, const plot_spec *plot)
{
    plot_spec untitled = *plot;
    char      name[96], *svg, *path;
    output   *file;

    if (paper->code)
        return;
    snprintf(name, sizeof name, "%02u", ++paper->figures);
    append_plain(name, sizeof name, what);
    append_plain(name, sizeof name, plot->title);
    untitled.title = NULL;
    svg = plot_as_svg(&untitled);
    file = open_file(paper, name, "svg", &path);
    if (file)
        fputs(svg, output_stream(file));
    close_file(paper, file, path);
    if (paper->code == EXIT_OK) {
        file = open_file(paper, name, "pdf", &path);
        if (file && !pdf_write(output_stream(file), svg))
            abort(); /* an element that plots do not have */
        close_file(paper, file, path);
    }
    free(svg);
}

static void latex_rows(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                       const bench_group *group, FILE *out)
{
    summary *s = bench_summary(c, cases, rows, BENCH_RATIO, group);

    for (size_t a = 0; a < c->algorithm_count; a++) {
        summary_row row;

        summary_statistics(s, a, &row);
        if (row.count == 0)
            continue;
        latex_text(out, row.name);
        fprintf(out, " & %zu", row.count);
        for (size_t i = 0; i < 4; i++) {
            fputs(" & ", out);
            latex_number(out, ((double[]){row.low, row.median, row.high, row.worst})[i], 3);
        }
        fprintf(out, " & %.1f & %.2f \\\\\n", 100 * row.wins, row.rank);
    }
    summary_free(s);
}

void bench_summary_latex(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                         FILE *out)
{
    bench_groups groups = bench_groups_of(c);

    fputs("% makespan / bound; needs \\usepackage{booktabs}\n"
          "\\begin{tabular}{lrrrrrrr}\n\\toprule\nalgorithm & instances & 2.5\\,\\% & median & "
          "97.5\\,\\% & worst & best in, \\% & mean rank \\\\\n\\midrule\n",
          out);
    latex_rows(c, cases, rows, &(bench_group){.label = NULL}, out);
    for (size_t i = 0; i < groups.count; i++) {
        fputs("\\addlinespace\n\\multicolumn{8}{l}{", out);
        latex_text(out, groups.of[i].label);
        fputs("} \\\\\n", out);
        latex_rows(c, cases, rows, &groups.of[i], out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
    bench_groups_free(&groups);
}

static void summary_as_csv(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                           FILE *out)
{
    summary *s = bench_summary(c, cases, rows, BENCH_RATIO, &(bench_group){.label = NULL});

    summary_csv(s, out);
    summary_free(s);
}

typedef void write_table(const bench_campaign *c, const bench_case *cases, const bench_rows *rows,
                         FILE *out);

static void put_tables(bench_paper *paper, const bench_campaign *c, const bench_case *cases,
                       const bench_rows *rows)
{
    static const struct {
        const char  *name, *ending;
        bool         compares;
        write_table *write;
    } tables[] = {{"summary", "tex", false, bench_summary_latex},
                  {"summary", "csv", false, summary_as_csv},
                  {"comparison", "tex", true, compare_latex},
                  {"comparison", "csv", true, compare_csv}};

    for (size_t i = 0; i < sizeof tables / sizeof *tables && !paper->code; i++) {
        char   *path;
        output *file;

        if (tables[i].compares && c->baseline == BENCH_NO_BASELINE)
            continue;
        file = open_file(paper, tables[i].name, tables[i].ending, &path);
        if (file)
            tables[i].write(c, cases, rows, output_stream(file));
        close_file(paper, file, path);
    }
}

int bench_paper_write(const char *folder, const bench_campaign *c, const bench_case *cases,
                      const bench_rows *rows)
{
    bench_paper paper = {.folder = folder};
    bench_page  page = {.c = c, .cases = cases, .rows = rows, .paper = &paper};
    hs_status   status;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        message("cannot make the folder '%s': %s", folder, strerror(errno));
        return EXIT_USAGE;
    }
    status = bench_page_plots(&page);
    if (status != HS_OK && !paper.code)
        paper.code = message_status(status, folder);
    put_tables(&paper, c, cases, rows);
    return paper.code;
}
