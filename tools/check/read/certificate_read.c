/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing certificates; any deviation from hsched-certificates(5) is refused. */
#include "check/read/certificate_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/read/certificate_lines.h"
#include "common/input.h"
#include "common/checked_memory.h"
#include "common/message.h"

#define MOST_WORTH (INT64_C(1) << 61)
#define MOST_CAPACITY ((INT64_C(1) << 62) - 1)

/* Check the last line: the FNV-1a checksum of all bytes before it. */
static void check_sum(reader *r, size_t length)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    char     line[48];

    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)r->text[i]) * UINT64_C(0x100000001b3);
    snprintf(line, sizeof line, "checksum,%016llx\n", (unsigned long long)sum);
    if (strcmp(r->text + length, line) != 0) {
        message_without_tool("%s: the checksum in the last line is not that of the lines before it",
                             r->path);
        r->bad = true;
    }
}

static void check_frame(reader *r)
{
    static const char magic[] = "# hybridsched certificate 1\n";
    char             *last = NULL, *next = r->text;

    if (strlen(r->text) != r->size || strncmp(r->text, magic, strlen(magic)) != 0) {
        r->line = 1;
        report_bad_line(r, "this is not a certificate: '# hybridsched certificate 1' was expected");
        return;
    }
    while ((next = strstr(next, "\nchecksum,")))
        last = ++next;
    if (!last) {
        message_without_tool("%s: the last line is not a checksum", r->path);
        r->bad = true;
        return;
    }
    check_sum(r, (size_t)(last - r->text));
    *last = 0;
    r->at = r->text + strlen(magic);
    r->line = 1;
}

/* Read "task,CPU,GPU". With `more`, return the text after a further comma. */
static char *take_times(reader *r, double time[2], bool more)
{
    char *cpu = take(r, "task"), *gpu = cpu ? split_at_comma(r, cpu) : NULL;
    char *rest = gpu && more ? split_at_comma(r, gpu) : NULL;

    if (!gpu || r->bad)
        return NULL;
    time[0] = double_of(r, cpu);
    time[1] = double_of(r, gpu);
    if (!(time[0] > 0) || !(time[1] > 0))
        report_bad_line(r, "this is not positive");
    return rest;
}

static int64_t whole_number(reader *r, const char *text, int64_t most)
{
    int64_t value = integer_of(r, text);

    if (value < 0 || value > most)
        report_bad_line(r, "this is out of range");
    return value;
}

/* Read "worth,FREE" or "worth,FREE,CPU,GPU". */
static void take_worth(reader *r, int64_t *worth)
{
    char *text = take(r, "worth");

    for (int class = 0; text && class < CLASSES; class ++) {
        char *next = class == CLASSES - 1 ? NULL : strchr(text, ',');

        if (next)
            *next++ = 0;
        worth[class] = whole_number(r, text, MOST_WORTH);
        if (!next && class == CLASS_CPU)
            report_bad_line(r, "worth,FREE or worth,FREE,CPU,GPU was expected");
        text = next;
    }
}

static void take_branch(reader *r, const certificate *c, proof_node *node)
{
    char *kind = take(r, "branch"), *cut = kind ? split_at_comma(r, kind) : NULL;

    node->step = STEP_BRANCH;
    if (!cut)
        return;
    node->branch.kind = (uint32_t)whole_number(r, kind, (int64_t)c->kinds - 1);
    node->branch.cut = (uint32_t)whole_number(r, cut, UINT32_MAX);
}

static void take_multipliers(reader *r, proof_node *node)
{
    char *cpu = take(r, "multipliers"), *gpu = cpu ? split_at_comma(r, cpu) : NULL;

    node->step = STEP_MULTIPLIERS;
    if (!gpu)
        return;
    node->multiplier[0] = dyadic_of(r, cpu);
    node->multiplier[1] = dyadic_of(r, gpu);
    if (node->multiplier[0].mantissa < 0 || node->multiplier[1].mantissa < 0)
        report_bad_line(r, "this is negative");
}

/* Read "configuration,GRID,CAPACITY,CPU-MOST,GPU-MOST". */
static void take_knapsacks(reader *r, proof_node *node)
{
    char *grid = take(r, "configuration"), *capacity = grid ? split_at_comma(r, grid) : NULL;
    char *cpu = capacity ? split_at_comma(r, capacity) : NULL;
    char *gpu = cpu ? split_at_comma(r, cpu) : NULL;

    node->step = STEP_CONFIGURATION;
    if (!gpu)
        return;
    node->knapsacks.grid = (long)integer_of(r, grid);
    node->knapsacks.capacity = whole_number(r, capacity, MOST_CAPACITY);
    node->knapsacks.most[0] = whole_number(r, cpu, MOST_WORTH);
    node->knapsacks.most[1] = whole_number(r, gpu, MOST_WORTH);
    if (node->knapsacks.grid < -MOST_EXPONENT || node->knapsacks.grid > MOST_EXPONENT)
        report_bad_line(r, "this is out of range");
}

static void take_packing(reader *r, proof_node *node)
{
    const char *type = take(r, "packing");

    node->step = STEP_PACKING;
    node->type = type && strcmp(type, "gpu") == 0;
    if (type && !node->type && strcmp(type, "cpu") != 0)
        report_bad_line(r, "cpu or gpu was expected");
}

static void take_node(reader *r, certificate *c, size_t *worths)
{
    proof_node *node = &c->node[c->nodes++];

    if (next_line_is(r, "branch")) {
        take_branch(r, c, node);
    } else if (next_line_is(r, "multipliers")) {
        take_multipliers(r, node);
    } else if (next_line_is(r, "packing")) {
        take_packing(r, node);
    } else if (next_line_is(r, "configuration")) {
        take_knapsacks(r, node);
        node->knapsacks.worth = *worths;
        for (size_t i = 0; i < c->kinds && !r->bad; i++, *worths += CLASSES)
            take_worth(r, c->worth + *worths);
    } else {
        r->line++;
        report_bad_line(r, "a line of a branch or of a leaf was expected");
    }
}

static void take_tree(reader *r, certificate *c)
{
    size_t worths = 0, lines, nodes;

    c->has_kinds = true;
    c->kinds = (size_t)read_integer_line(r, "kinds", 0, MOST_KINDS);
    lines = count_lines_left(r, "task");
    if (!r->bad && c->kinds > lines)
        report_bad_line(r, "there are too few lines");
    if (r->bad)
        return;
    c->kind = checked_calloc(c->kinds + 1, sizeof *c->kind);
    for (size_t i = 0; i < c->kinds && !r->bad; i++)
        take_times(r, c->kind[i], false);
    worths = count_lines_left(r, "worth");
    nodes = count_lines_left(r, "") - worths;
    c->node = checked_calloc(nodes + 1, sizeof *c->node);
    c->worth = checked_calloc((worths + 1) * CLASSES, sizeof *c->worth);
    worths = 0;
    while (*r->at && !r->bad)
        take_node(r, c, &worths);
}

/* Allocate the only node of a proof without cases. */
static proof_node *only_node(certificate *c, proof_step step)
{
    c->node = checked_calloc(1, sizeof *c->node);
    c->nodes = 1;
    c->node->step = step;
    return c->node;
}

static void take_configuration(reader *r, certificate *c)
{
    proof_node *node = only_node(c, STEP_CONFIGURATION);
    size_t      lines;

    node->knapsacks.grid = (long)read_integer_line(r, "grid", -MOST_EXPONENT, MOST_EXPONENT);
    node->knapsacks.capacity = read_integer_line(r, "capacity", 0, MOST_CAPACITY);
    node->knapsacks.most[0] = read_integer_line(r, "cpu-most", 0, MOST_WORTH);
    node->knapsacks.most[1] = read_integer_line(r, "gpu-most", 0, MOST_WORTH);
    lines = count_lines_left(r, "task");
    if (r->bad)
        return;
    c->has_kinds = true;
    c->kind = checked_calloc(lines + 1, sizeof *c->kind);
    c->worth = checked_calloc((lines + 1) * CLASSES, sizeof *c->worth);
    while (*r->at && !r->bad) {
        const char *multiplier = take_times(r, c->kind[c->kinds], true);

        if (multiplier)
            c->worth[CLASSES * c->kinds++] = whole_number(r, multiplier, MOST_WORTH);
    }
}

/* Parse a step: a task, or cpu or gpu. */
static uint32_t step_of(reader *r, const char *text)
{
    if (strcmp(text, "cpu") == 0)
        return PATH_OVER_CPUS;
    if (strcmp(text, "gpu") == 0)
        return PATH_OVER_GPUS;
    return (uint32_t)whole_number(r, text, PATH_OVER_CPUS - 1);
}

/* Read "STEP,STEP,...". */
static void take_steps(reader *r, certificate *c, char *text)
{
    proof_path *path = &c->path[c->paths++];

    path->first = c->steps;
    while (text && !r->bad) {
        char *next = strchr(text, ',');

        if (next)
            *next++ = 0;
        c->path_step[c->steps++] = step_of(r, text);
        path->count++;
        text = next;
    }
}

/* Read "path,MULTIPLIER,STEP,STEP,...". */
static void take_path(reader *r, certificate *c)
{
    char *text = take(r, "path"), *steps = text ? split_at_comma(r, text) : NULL;

    if (!steps)
        return;
    c->path[c->paths].multiplier = dyadic_of(r, text);
    if (c->path[c->paths].multiplier.mantissa < 0)
        report_bad_line(r, "this is negative");
    take_steps(r, c, steps);
}

static const char *const row_names[] = {
    [ROW_HEAD] = "head",           [ROW_TAIL] = "tail",
    [ROW_ANCESTORS] = "ancestors", [ROW_DESCENDANTS] = "descendants",
    [ROW_WINDOW] = "window",       [ROW_CLOSED] = "closed"};

enum { ROW_KINDS = sizeof row_names / sizeof *row_names };

/* Return the kind of row that the next line is, or ROW_KINDS. */
static size_t next_row_kind(const reader *r)
{
    size_t kind = 0;

    while (kind < ROW_KINDS && !next_line_is(r, row_names[kind]))
        kind++;
    return kind;
}

/* Read "TYPE,TASK" of an arc. */
static void take_arc(reader *r, char *text, window_row *row)
{
    char *other = split_at_comma(r, text);

    if (!other)
        return;
    row->type = strcmp(text, "gpu") == 0;
    if (!row->type && strcmp(text, "cpu") != 0)
        report_bad_line(r, "cpu or gpu was expected");
    row->other = (uint32_t)whole_number(r, other, UINT32_MAX);
}

/* Read "X,Y,TASK,TASK,...". */
static void take_load(reader *r, certificate *c, char *text, window_row *row)
{
    char *gpu = split_at_comma(r, text), *task = gpu ? split_at_comma(r, gpu) : NULL;

    if (!task)
        return;
    row->multiplier[0] = dyadic_of(r, text);
    row->multiplier[1] = dyadic_of(r, gpu);
    if (row->multiplier[0].mantissa < 0 || row->multiplier[1].mantissa < 0)
        report_bad_line(r, "this is negative");
    row->first = c->steps;
    while (task && !r->bad) {
        char *next = strchr(task, ',');

        if (next)
            *next++ = 0;
        c->path_step[c->steps++] = (uint32_t)whole_number(r, task, UINT32_MAX);
        row->count++;
        task = next;
    }
}

static void take_row(reader *r, certificate *c, row_kind kind)
{
    window_row *row = &c->row[c->rows++];
    char       *text = take(r, row_names[kind]), *rest = text;

    row->kind = kind;
    if (kind != ROW_WINDOW && kind != ROW_CLOSED && text)
        rest = split_at_comma(r, text);
    if (!rest)
        return;
    if (kind != ROW_WINDOW)
        row->task = (uint32_t)whole_number(r, text, UINT32_MAX);
    if (kind == ROW_HEAD || kind == ROW_TAIL)
        take_arc(r, rest, row);
    else if (kind != ROW_CLOSED)
        take_load(r, c, rest, row);
}

/* Read the rows of a node, up to its contradiction. */
static void take_windows(reader *r, certificate *c, proof_node *node)
{
    size_t kind = ROW_HEAD;

    node->step = STEP_WINDOWS;
    node->path = c->rows;
    while (kind != ROW_WINDOW && kind != ROW_CLOSED && !r->bad) {
        kind = next_row_kind(r);
        if (kind < ROW_KINDS) {
            take_row(r, c, (row_kind)kind);
        } else {
            r->line++;
            report_bad_line(r, "a row of a proof by windows was expected");
        }
    }
    node->paths = c->rows - node->path;
}

/* Allocate room for all remaining paths, crowds and rows of windows. */
static void expect_paths(reader *r, certificate *c)
{
    size_t paths = count_lines_left(r, "path") + count_lines_left(r, "crowd"), rows = 0, steps = 0;

    for (const char *at = r->at; *at; at++)
        steps += *at == ',';
    for (size_t kind = 0; kind < ROW_KINDS; kind++)
        rows += count_lines_left(r, row_names[kind]);
    c->row = checked_calloc(rows + 1, sizeof *c->row);
    c->path = checked_calloc(paths + 1, sizeof *c->path);
    c->path_step = checked_calloc(steps + 1, sizeof *c->path_step);
}

static void take_paths(reader *r, certificate *c, proof_node *node)
{
    node->path = c->paths;
    while (next_line_is(r, "path") && !r->bad)
        take_path(r, c);
    node->paths = c->paths - node->path;
}

/* Read "order,TASK,TASK". */
static void take_order(reader *r, proof_node *node)
{
    char *first = take(r, "order"), *second = first ? split_at_comma(r, first) : NULL;

    node->step = STEP_ORDER;
    if (!second)
        return;
    node->branch.kind = (uint32_t)whole_number(r, first, UINT32_MAX);
    node->branch.cut = (uint32_t)whole_number(r, second, UINT32_MAX);
}

static void take_graph_node(reader *r, certificate *c)
{
    proof_node *node = &c->node[c->nodes++];

    if (next_line_is(r, "type")) {
        node->step = STEP_TYPE;
        node->branch.kind = (uint32_t)read_integer_line(r, "type", 0, UINT32_MAX);
    } else if (next_line_is(r, "order")) {
        take_order(r, node);
    } else if (next_line_is(r, "crowd")) {
        node->step = STEP_CROWD;
        node->path = c->paths;
        node->paths = 1;
        take_steps(r, c, take(r, "crowd"));
    } else if (next_line_is(r, "multipliers")) {
        take_multipliers(r, node);
        node->step = STEP_GRAPH;
        take_paths(r, c, node);
    } else if (next_row_kind(r) < ROW_KINDS) {
        take_windows(r, c, node);
    } else {
        r->line++;
        report_bad_line(r, "a line of a branch or of a leaf was expected");
    }
}

static void take_graph_tree(reader *r, certificate *c)
{
    size_t nodes = count_lines_left(r, "") - count_lines_left(r, "path");

    c->has_cases = true;
    c->node = checked_calloc(nodes + 1, sizeof *c->node);
    expect_paths(r, c);
    while (*r->at && !r->bad)
        take_graph_node(r, c);
}

static void take_loads(reader *r, proof_node *node)
{
    node->multiplier[0] = read_real_line(r, "cpu-multiplier", NULL);
    node->multiplier[1] = read_real_line(r, "gpu-multiplier", NULL);
}

static void take_proof(reader *r, certificate *c)
{
    const char *name = take(r, "proof");

    if (!name || strcmp(name, "none") == 0)
        return;
    if (strcmp(name, "task") == 0) {
        only_node(c, STEP_MULTIPLIERS);
    } else if (strcmp(name, "multipliers") == 0) {
        take_loads(r, only_node(c, STEP_MULTIPLIERS));
    } else if (strcmp(name, "graph") == 0) {
        take_loads(r, only_node(c, STEP_GRAPH));
        expect_paths(r, c);
        take_paths(r, c, c->node);
    } else if (strcmp(name, "windows") == 0) {
        expect_paths(r, c);
        take_windows(r, c, only_node(c, STEP_WINDOWS));
    } else if (strcmp(name, "graph-tree") == 0) {
        take_graph_tree(r, c);
    } else if (strcmp(name, "configuration") == 0) {
        take_configuration(r, c);
    } else if (strcmp(name, "tree") == 0) {
        take_tree(r, c);
    } else {
        report_bad_line(r, "there is no proof of that name");
    }
}

static void take_lines(reader *r, certificate *c)
{
    const char *name;

    check_frame(r);
    name = take(r, "bound");
    if (name && (strlen(name) >= sizeof c->bound || !*name))
        report_bad_line(r, "this is not the name of a bound");
    if (name && !r->bad)
        snprintf(c->bound, sizeof c->bound, "%s", name);
    dyadic_to_fraction(read_real_line(r, "value", c->value_text), c->value);
    c->digest = read_hex_line(r, "instance-digest");
    take_proof(r, c);
    if (!r->bad && *r->at) {
        r->line++;
        report_bad_line(r, "nothing more was expected here");
    }
}

int certificate_read(const char *path, certificate *c)
{
    reader r = {0};
    input  file;
    int    code;

    memset(c, 0, sizeof *c);
    mpq_init(c->value);
    code = input_open(path, &file);
    if (code)
        return code;
    r.path = file.name;
    code = read_all(&r, file.fd);
    input_close(&file);
    if (!code)
        take_lines(&r, c);
    c->size = r.size;
    free(r.text);
    return r.bad ? EXIT_USAGE : code;
}

void certificate_free(certificate *c)
{
    mpq_clear(c->value);
    free(c->kind);
    free(c->node);
    free(c->worth);
    free(c->path);
    free(c->path_step);
    free(c->row);
}
