/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: runs campaigns of many instances, built-in or from a file. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/compare/compare.h"
#include "bench/paper.h"
#include "common/files.h"
#include "common/help.h"
#include "common/input.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/nearest_word.h"
#include "common/options.h"
#include "common/output.h"
#include "common/scratch.h"

typedef struct command_line {
    const char *rows, *page, *algorithms, *sizes;
    const char *profile, *baseline, *paper;
    const char *file; /* file of the campaign; NULL: the campaign is built in */
    unsigned    threads;
    uint64_t    seed, seeds, iterations;
    double      time_limit;
    int         format;
} command_line;

/* Return word `index` that completes the operand; NULL past the last. */
static const char *operand_word(size_t index)
{
    static const char *const commands[] = {"list", "show", "run"};

    if (index < sizeof commands / sizeof *commands)
        return commands[index];
    return bench_library_name(index - sizeof commands / sizeof *commands);
}

static const char *algorithm_word(size_t index)
{
    return index < hs_algorithm_count() ? hs_algorithm_name(hs_algorithm_at(index)) : NULL;
}

static const option_spec option_table[] = {
    {'j',
     "threads",
     "N",
     {OPTION_WHOLE(threads, 1, 1024)},
     "run N instances at a time (default: the number of processors); N changes no row, except "
     "seconds and results of a time limit"},
    {'o',
     "output",
     "FILE",
     {OPTION_FILE(rows)},
     "append rows to this CSV file, and skip rows that the file has already (default: "
     "CAMPAIGN.csv)"},
    {0, "page", "FILE", {OPTION_FILE(page)}, "write the page to FILE (default: CAMPAIGN.html)"},
    {'a',
     "algorithm",
     "NAME[,NAME...]",
     {OPTION_LIST(algorithm_word, algorithms)},
     "algorithms to run instead of the campaign's: NAME or NAME:RANK, with an optional prefix "
     "steal/, live/, first/ or another of hsched-bench(1)"},
    {0,
     "sizes",
     "A,B,...",
     {OPTION_TEXT(sizes)},
     "sizes to run instead of the campaign's"},
    {'n',
     "seeds",
     "N",
     {OPTION_WHOLE(seeds, 1, UINT32_MAX)},
     "number of instances of each random kind"},
    {'s', "seed", "SEED", {OPTION_WHOLE(seed, 0, UINT32_MAX)}, "first seed of these instances"},
    {'t',
     "time-limit",
     "TIME",
     {OPTION_TIME(time_limit, 1e-3, 1e9)},
     "best, exact: time limit per instance, instead of a number of iterations"},
    {0,
     "iterations",
     "N",
     {OPTION_WHOLE(iterations, 1, OPTION_ANY)},
     "best: number of iterations, which gives the same rows everywhere"},
    {'b',
     "baseline",
     "NAME",
     {OPTION_LIST(algorithm_word, baseline)},
     "compare the makespans of all algorithms with those of this one"},
    {0,
     "profile",
     "FILE[,FILE]",
     {OPTION_TEXT(profile)},
     "predict times of this profile that are held out, or those of the second profile"},
    {0,
     "paper",
     "FOLDER",
     {OPTION_FILE(paper)},
     "write each plot as SVG and PDF, and the tables as LaTeX and CSV, to this folder"},
    {0,
     "format",
     "text|csv|json|latex",
     {OPTION_WORD(NULL, format)},
     "how to print the summary (default: text)"},
    {0}};

static void print_campaigns(FILE *out, const void *line)
{
    const char *name;

    (void)line;
    fputs("Campaigns:\n", out);
    for (size_t i = 0; (name = bench_library_name(i)); i++) {
        bench_campaign c;
        int            used = fprintf(out, "  %s", name);

        bench_campaign_read(&c, name, name, bench_library_text(name));
        help_wrap(out, c.title, used, 16);
        if (c.source)
            help_wrap(out, c.source, 0, 18);
        bench_campaign_free(&c);
    }
}

static const tool_spec tool = {
    .name = "hsched-bench",
    .operands = "CAMPAIGN | run FILE | show CAMPAIGN | list",
    .summary = "Run a campaign of many instances with many algorithms. Write the rows to a CSV "
               "file, a summary to standard output, and plots beside the published results to "
               "an HTML page. A stopped campaign resumes from its CSV file.",
    .options = option_table,
    .word = operand_word,
    .epilogue = print_campaigns,
};

/* Read a whole file into a NUL-terminated string. Return NULL after a message. */
static char *read_file(const char *path)
{
    enum { MOST = 1 << 20 };
    char   *text = checked_calloc(MOST + 1, 1);
    input   in;
    ssize_t got = 1;
    size_t  length = 0;

    if (input_open(path, &in) != EXIT_OK)
        return free(text), NULL;
    while (length < MOST && (got = read(in.fd, text + length, MOST - length)) > 0)
        length += (size_t)got;
    if (got < 0 || length == MOST || strlen(text) != length) {
        message("cannot read '%s': %s", path, got < 0 ? strerror(errno) : "it is no campaign");
        free(text);
        text = NULL;
    }
    input_close(&in);
    return text;
}

/* Derive the campaign's name from its path: "FOLDER/mine.txt" gives "mine". */
static void name_of(const char *path, char name[BENCH_NAME])
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

    snprintf(name, BENCH_NAME, "%s", is_dash(path) ? "campaign" : base);
    if (strrchr(name, '.') && strrchr(name, '.') != name)
        *strrchr(name, '.') = '\0';
    if (strpbrk(name, "\",\n"))
        usage_error("'%s': the name of a campaign has no quotes or commas", path);
}

static int read_campaign(options *o, const char *command, command_line *line, bench_campaign *c)
{
    const char *name = strcmp(command, "run") == 0 ? options_operand(o) : command, *surplus;
    char        own[BENCH_NAME], *text;

    if (!name)
        usage_error("run needs a file; hsched-bench show table1 prints one to start from");
    surplus = options_operand(o);
    if (surplus)
        usage_error("unexpected '%s' behind %s", surplus, name);
    if (name == command) {
        if (!bench_library_text(name))
            report_unknown_word(NULL, "campaign", name, operand_word,
                                "hsched-bench list lists all");
        bench_campaign_read(c, name, name, bench_library_text(name));
        return EXIT_OK;
    }
    line->file = name;
    text = read_file(name);
    if (!text)
        return EXIT_USAGE;
    name_of(name, own);
    bench_campaign_read(c, own, name, text);
    free(text);
    return EXIT_OK;
}

static void change(const options *o, const command_line *line, bench_campaign *c)
{
    if (line->algorithms)
        bench_set_algorithms(c, "--algorithm", line->algorithms);
    if (line->baseline)
        bench_set_baseline(c, line->baseline);
    c->sizes = line->sizes;
    if (options_given(o, "seeds"))
        c->seeds = line->seeds;
    if (options_given(o, "seed"))
        c->first_seed = line->seed;
    if (options_given(o, "iterations"))
        c->iterations = line->iterations;
    if (options_given(o, "time-limit")) {
        c->time_limit = line->time_limit;
        if (!options_given(o, "iterations"))
            c->iterations = 0;
    }
}

/* Remove external solvers that are not installed. Return 0, or an exit code. */
static int drop_missing_peers(bench_campaign *c)
{
    size_t kept = 0, peers = 0;

    for (size_t a = 0; a < c->algorithm_count; a++) {
        const bench_peer *peer = c->algorithms[a].peer;

        if (peer && !bench_peer_is_here(peer)) {
            message("%s is left out: PATH has no program '%s'", c->algorithms[a].name,
                    bench_peer_program(peer));
            continue;
        }
        peers += peer != NULL;
        c->algorithms[kept++] = c->algorithms[a];
    }
    c->algorithm_count = kept;
    if (kept == 0) {
        message("nothing is left to run");
        return EXIT_RESOURCE;
    }
    if (peers > 0 && bench_peer_begin() != 0) {
        message("cannot make a folder in '%s': %s", scratch_parent(), strerror(errno));
        return EXIT_RESOURCE;
    }
    return EXIT_OK;
}

/* Remove the kinds that need a profile if none is given, else open it. Return 0, or an exit code. */
static int take_profile(const char *files, bench_campaign *c)
{
    size_t kept = 0;

    if (files)
        return bench_profile_open(files);
    for (size_t f = 0; f < c->family_count; f++) {
        bench_family *family = &c->families[f];

        if (strncmp(family->recipe, "profile ", 8) != 0) {
            c->families[kept++] = *family;
            continue;
        }
        message("'%s' is left out: it needs --profile=FILE", family->label);
        bench_family_free(family);
    }
    c->family_count = kept;
    if (kept == 0)
        message("nothing is left to run");
    return kept > 0 ? EXIT_OK : EXIT_USAGE;
}

static int write_page(const char *path, const bench_campaign *c, const bench_case *cases,
                      const bench_rows *rows)
{
    output   *file = NULL;
    FILE     *out;
    hs_status status = HS_ENOMEM;
    int       code = output_open(path, &file);

    if (code)
        return code;
    out = output_stream(file);
    if (out)
        status = bench_page_write(out, c, cases, rows);
    if (status == HS_OK && fflush(out) != 0)
        status = HS_EIO;
    return output_close(file, status);
}

static void print_summary(const command_line *line, const bench_campaign *c,
                          const bench_case *cases, const bench_rows *rows)
{
    summary *s = bench_summary(c, cases, rows, BENCH_RATIO, &(bench_group){.label = NULL});

    if (line->format == 0)
        summary_text(s, "makespan / bound", stdout);
    else if (line->format == 1)
        summary_csv(s, stdout);
    else if (line->format == 2)
        summary_json(s, stdout);
    else
        bench_summary_latex(c, cases, rows, stdout);
    if (line->format == 0 && c->family_count > 1)
        bench_groups_text(c, cases, rows, BENCH_RATIO, stdout);
    if (line->format == 0 && bench_has_errors(c))
        bench_groups_text(c, cases, rows, BENCH_ERROR, stdout);
    if (line->format == 0 && c->baseline != BENCH_NO_BASELINE)
        compare_text(c, cases, rows, stdout);
    if (line->format == 3 && c->baseline != BENCH_NO_BASELINE)
        compare_latex(c, cases, rows, stdout);
    summary_free(s);
}

static int run_campaign(const command_line *line, const bench_campaign *c)
{
    char        row_path[BENCH_NAME + 8], page_path[BENCH_NAME + 8];
    const char *path[] = {line->rows ? line->rows : row_path, line->page ? line->page : page_path};
    size_t      count;
    bench_case *cases = bench_cases(c, &count);
    bench_rows  rows;
    int         code;

    snprintf(row_path, sizeof row_path, "%s.csv", c->name);
    snprintf(page_path, sizeof page_path, "%s.html", c->name);
    if (is_dash(path[0]))
        usage_error("--output needs the name of a file, not '-': a later run continues the file");
    files_check(path, 2, &line->file, line->file != NULL);
    message_begin(tool.name);
    code = bench_rows_read(&rows, c, cases, count, path[0]);
    if (!code && rows.known > 0)
        message("%s has %zu of %zu rows already", path[0], rows.known, count * c->algorithm_count);
    if (!code && rows.foreign > 0)
        message("%zu of them are of another version; -o names another file", rows.foreign);
    if (!code && rows.unlike > 0)
        message("%zu rows in %s are with other bounds, iterations or time limit: they stay, and "
                "count for nothing",
                rows.unlike, path[0]);
    if (!code)
        code = bench_run(c, cases, &rows, line->threads, path[0]);
    if (!code)
        code = write_page(path[1], c, cases, &rows);
    if (!code && line->paper)
        code = bench_paper_write(line->paper, c, cases, &rows);
    if (!code && !is_dash(path[1])) {
        print_summary(line, c, cases, &rows);
        message("rows: %s; page: %s", path[0], path[1]);
    }
    bench_rows_free(&rows);
    bench_cases_free(cases, count);
    return code;
}

static int show(options *o)
{
    const char *name = options_operand(o), *text = name ? bench_library_text(name) : NULL;

    if (!name)
        usage_error("show needs the name of a campaign; hsched-bench list prints them");
    if (!text)
        report_unknown_word(NULL, "campaign", name, bench_library_name,
                            "hsched-bench list lists all");
    fputs(text, stdout);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    long           processors = sysconf(_SC_NPROCESSORS_ONLN);
    command_line   line = {.threads = processors > 1 ? (unsigned)processors : 1};
    options        o;
    bench_campaign c;
    const char    *command;
    int            code;

    options_read(&o, &tool, argc, argv, &line);
    command = options_operand(&o);
    if (!command)
        usage_error("a campaign is needed; hsched-bench list lists all");
    if (strcmp(command, "list") == 0) {
        print_campaigns(stdout, NULL);
        return output_finish(EXIT_OK);
    }
    if (strcmp(command, "show") == 0)
        return output_finish(show(&o));
    code = read_campaign(&o, command, &line, &c);
    if (!code) {
        change(&o, &line, &c);
        code = drop_missing_peers(&c);
        if (!code)
            bench_find_baseline(&c);
        if (!code)
            code = take_profile(line.profile, &c);
        if (!code)
            code = run_campaign(&line, &c);
        bench_profile_close();
        bench_campaign_free(&c);
    }
    return output_finish(code);
}
