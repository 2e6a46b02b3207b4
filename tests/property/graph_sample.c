/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph_sample.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "suite.h"

enum { ROWS = 12, WILD_ROWS = 5 };

void graph_sample_fail(const graph_sample *s, const char *format, ...)
{
    char    text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_abort_msg("graph %llu, %zu tasks on %u + %u: %s", (unsigned long long)s->seed, s->n, s->m,
                 s->k, text);
}

/* Kinds of samples: see graph_sample.h. */
typedef enum sample_kind { USUAL, PLAIN, WILD } sample_kind;

enum { FAMILIES = 4, WILD_FAMILIES = 9, WILD_VALUES = 4 };

/* Extreme times: ties, values that vanish in sums, subnormal values, huge values. */
static const double wild_values[WILD_FAMILIES][WILD_VALUES] = {
    {1, 1e-300, 3, 2},
    {1, 1e-274, 1e-283, 1},
    {1, 0x1p-53, 0x1p-52, 1 + 0x1p-52},
    {0x1p53, 1, 3, 0x1p53 + 2},
    {0x1p-1074, 0x1p-1073, 0x1p-1022, 0x1p-1030},
    {1e290, 1, 1e-290, 1e290},
    {1, 0x1p-1074, 1e15, 0x1p-60},
    {1, 1 + 0x1p-38, 0x1p-38 + 0x1p-60, 0.3},
    {1, 1 + 0x1p-50, 1 - 0x1p-51, 0x1p-51},
};

static double draw_wild(dice *d, unsigned family)
{
    return wild_values[family][dice_below(d, WILD_VALUES)];
}

static double draw_time(dice *d, unsigned family)
{
    if (family >= FAMILIES)
        return draw_wild(d, family - FAMILIES);
    switch (family) {
    case 0:
        return dice_between(d, 1, 3);
    case 1:
        return dice_between(d, 1, 30);
    case 2:
        return dice_below(d, 3) ? 12 : dice_between(d, 1, 40);
    default:
        return 0.1 + dice_unit(d) * (dice_below(d, 4) ? 1 : 20);
    }
}

/* Add random rows to both builders: estimates to `b`, actual times to `truth`. */
static void add_rows(const graph_sample *s, dice *d, hs_builder *b, hs_builder *truth, size_t rows,
                     sample_kind kind)
{
    unsigned family = kind == WILD ? FAMILIES + dice_below(d, WILD_FAMILIES) : dice_below(d, FAMILIES);
    unsigned counts = dice_below(d, 3), pinned = dice_below(d, 3);

    for (size_t r = 0; r < rows; r++) {
        hs_task  task;
        unsigned gone = dice_below(d, 6);

        hs_task_init(&task);
        task.cpu = draw_time(d, family);
        task.gpu = draw_time(d, family);
        if (gone == 0 && s->k > 0)
            task.cpu = INFINITY;
        if (gone == 1 && s->m > 0)
            task.gpu = INFINITY;
        task.priority = (int64_t)dice_below(d, 4) - 1;
        task.count = counts ? 1 : dice_between(d, 1, 2);
        task.restartable = pinned == 0 && dice_below(d, 3) == 0 ? HS_RESTART_NO : HS_RESTART_YES;
        if (kind == PLAIN)
            task.restartable = HS_RESTART_NO;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        task.cpu *= dice_below(d, 2) ? 1 : 0.5 + dice_unit(d);
        task.gpu *= dice_below(d, 2) ? 1 : 0.5 + dice_unit(d);
        ck_assert_int_eq(hs_builder_add_row(truth, &task), HS_OK);
    }
}

/* Set row[] to 0 .. rows-1, or with `any` to a random order, in which positions differ from
 * numbers. */
static void draw_order(dice *d, bool any, size_t rows, size_t *row)
{
    for (size_t i = 0; i < rows; i++) {
        size_t other = any ? dice_below(d, (unsigned)i + 1) : i;

        row[i] = i;
        row[i] = row[other];
        row[other] = i;
    }
}

static void add_edges(dice *d, hs_builder *b, size_t rows, bool any_order)
{
    unsigned density = dice_between(d, 1, 6), pieces = dice_below(d, 2);
    size_t   row[ROWS];

    draw_order(d, any_order, rows, row);
    for (size_t r = 1; r < rows; r++)
        for (size_t e = 0; e < r; e++)
            if (dice_below(d, 8) < density)
                ck_assert_int_eq(
                    hs_builder_add_predecessor(b, row[r], row[e], 0, pieces ? dice_below(d, 4) : 0),
                    HS_OK);
}

static void add_data(dice *d, hs_builder *b, size_t rows)
{
    for (size_t i = 0; i < GRAPH_DATA; i++) {
        char   name[2] = {(char)('a' + i), 0};
        size_t number;

        ck_assert_int_eq(hs_builder_add_handle(b, name, &number), HS_OK);
        ck_assert_int_eq(hs_builder_set_handle_bytes(b, number, dice_below(d, 5)), HS_OK);
        for (size_t r = 0; r < rows; r++)
            if (dice_below(d, 3) == 0)
                ck_assert_int_eq(
                    hs_builder_add_access(b, r, number, (hs_access_mode)dice_between(d, 1, 3)),
                    HS_OK);
    }
}

static void add_links(graph_sample *s, dice *d, hs_builder *b)
{
    unsigned way = dice_below(d, 4);

    s->links = way > 0;
    if (!s->links)
        return;
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, dice_below(d, 3), way == 1 ? 1 : 3), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, dice_below(d, 3), way == 1 ? 2 : 0.7), HS_OK);
    if (way == 3)
        ck_assert_int_eq(hs_builder_set_link(b, HS_D2D, dice_below(d, 2), 1), HS_OK);
}

static void add_wild_links(graph_sample *s, dice *d, hs_builder *b)
{
    static const double latencies[] = {0, 1e-300, 1, 0x1p53}, rates[] = {1, 0x1p-53, 1e290, 3};

    s->links = dice_below(d, 2) == 0;
    for (int link = HS_H2D; s->links && link <= (dice_below(d, 2) ? HS_D2H : HS_D2D); link++)
        ck_assert_int_eq(hs_builder_set_link(b, (hs_link)link, latencies[dice_below(d, 4)],
                                             rates[dice_below(d, 4)]),
                         HS_OK);
}

/* Divide the workers at random over up to three nodes; each has a worker. Return the number of
 * nodes. */
static unsigned add_nodes(const graph_sample *s, dice *d, hs_builder *b)
{
    unsigned left[2] = {s->m, s->k}, nodes = dice_between(d, 2, GRAPH_HOSTS);

    if (nodes > s->m + s->k)
        nodes = s->m + s->k;
    ck_assert_int_eq(hs_builder_set_link(b, HS_N2N, dice_below(d, 3), dice_between(d, 1, 3)),
                     HS_OK);
    for (unsigned node = 0; node < nodes; node++) {
        unsigned spare = left[HS_CPU] + left[HS_GPU] - (nodes - node - 1), here[2];
        char     name[2] = {(char)('a' + node), 0};

        here[HS_CPU] = dice_below(d, (left[HS_CPU] < spare ? left[HS_CPU] : spare) + 1);
        spare -= here[HS_CPU];
        here[HS_GPU] = dice_below(d, (left[HS_GPU] < spare ? left[HS_GPU] : spare) + 1);
        if (node + 1 == nodes)
            memcpy(here, left, sizeof here);
        else if (here[HS_CPU] + here[HS_GPU] == 0)
            here[left[HS_CPU] > 0 ? HS_CPU : HS_GPU] = 1;
        left[HS_CPU] -= here[HS_CPU];
        left[HS_GPU] -= here[HS_GPU];
        ck_assert_int_eq(hs_builder_add_node(b, name, here[HS_CPU], here[HS_GPU]), HS_OK);
    }
    return nodes;
}

/* Let handles lie in any memory of the nodes at the start. */
static void draw_homes(graph_sample *s, dice *d, hs_builder *b, unsigned hosts)
{
    for (size_t handle = 0; handle < GRAPH_DATA; handle++) {
        unsigned home = dice_below(d, hosts + s->k);

        s->home[handle] = home;
        if (home >= hosts)
            ck_assert_int_eq(hs_builder_set_handle_memory(b, handle, HS_GPU, home - hosts), HS_OK);
        else if (home > 0)
            ck_assert_int_eq(hs_builder_set_handle_memory(b, handle, HS_CPU, home), HS_OK);
    }
}

static void make_sample(graph_sample *s, uint64_t seed, sample_kind kind)
{
    dice        d = {seed};
    hs_builder *b = NULL, *truth = NULL;
    size_t      rows = dice_between(&d, 1, kind == WILD ? WILD_ROWS : ROWS);
    unsigned    way, hosts = 1;

    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->m = dice_below(&d, GRAPH_WORKERS);
    s->k = dice_below(&d, GRAPH_WORKERS);
    if (s->m + s->k == 0)
        s->m = s->k = 1;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_create(&truth), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, s->m, s->k), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(truth, s->m, s->k), HS_OK);
    add_rows(s, &d, b, truth, rows, kind);
    way = dice_below(&d, 8); /* 0: independent tasks */
    if (way > 0 && way < 6)
        add_edges(&d, b, rows, way < 3); /* random order of rows, only without data, whose
                                            accesses follow the order of rows */
    if (way > 4)
        add_data(&d, b, rows);
    if (way > 0 && kind == WILD)
        add_wild_links(s, &d, b);
    else if (way > 0 && kind == USUAL)
        add_links(s, &d, b);
    if (s->links && dice_below(&d, 3) == 0)
        hosts = add_nodes(s, &d, b);
    if (way > 4 && dice_below(&d, 2) == 0)
        draw_homes(s, &d, b, hosts);
    ck_assert_int_eq(hs_builder_finish(b, &s->in, NULL), HS_OK);
    ck_assert_int_eq(hs_builder_finish(truth, &s->truth, NULL), HS_OK);
    hs_builder_free(b);
    hs_builder_free(truth);
    s->links &= hs_instance_has_graph(s->in); /* without a graph there are no transfers */
    s->n = hs_instance_tasks(s->in);
    s->nodes = (unsigned)hs_instance_nodes(s->in) + s->k;
    graph_sample_write_out(s);
}

void graph_sample_make(graph_sample *s, uint64_t seed)
{
    make_sample(s, seed, USUAL);
}

void graph_sample_make_plain(graph_sample *s, uint64_t seed)
{
    make_sample(s, seed, PLAIN);
}

void graph_sample_make_wild(graph_sample *s, uint64_t seed)
{
    make_sample(s, seed, WILD);
}

void graph_sample_free(graph_sample *s)
{
    hs_instance_free(s->in);
    hs_instance_free(s->truth);
}
