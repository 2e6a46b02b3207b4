/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a proof by cases. */
#include <stdlib.h>
#include <string.h>

#include "check/read/lines.h"
#include "common/memory.h"

#define MOST_NODES (INT64_C(1) << 40)

static void take_times(reader *r, certified_kind *kind)
{
    char *cpu = take(r, "task"), *gpu = cpu ? split_at_comma(r, cpu) : NULL;

    if (!gpu)
        return;
    kind->time[0] = double_of(r, cpu);
    kind->time[1] = double_of(r, gpu);
    if (!(kind->time[0] > 0) || !(kind->time[1] > 0))
        bad_line(r, "this is not positive");
}

static int64_t worth_of(reader *r, const char *text)
{
    int64_t value = integer_of(r, text);

    if (value < 0 || value > INT64_C(1) << 61)
        bad_line(r, "this is out of range");
    return value;
}

/* FREE, or FREE,CPU,GPU. */
static void take_worth(reader *r, int64_t *worth)
{
    char *text = take(r, "worth");

    for (int class = 0; text && class < CLASSES; class ++) {
        char *next = class == CLASSES - 1 ? NULL : strchr(text, ',');

        if (next)
            *next++ = 0;
        worth[class] = worth_of(r, text);
        if (!next && class == CLASS_CPU)
            bad_line(r, "worth,FREE or worth,FREE,CPU,GPU was expected");
        text = next;
    }
}

static void take_all_worth(reader *r, certificate *c, tree_node *node, size_t *worths)
{
    node->worth = *worths;
    for (size_t i = 0; i < c->kinds && !r->bad; i++, *worths += CLASSES)
        take_worth(r, c->worth + *worths);
}

static void take_branch(reader *r, const certificate *c, tree_node *node)
{
    char *kind = take(r, "branch"), *cut = kind ? split_at_comma(r, kind) : NULL;

    node->step = STEP_BRANCH;
    if (!cut)
        return;
    node->kind = (uint64_t)integer_of(r, kind);
    node->cut = (uint64_t)integer_of(r, cut);
    if (node->kind >= c->kinds || node->cut > UINT32_MAX)
        bad_line(r, "this is out of range");
}

static void take_multipliers(reader *r, tree_node *node)
{
    char *cpu = take(r, "multipliers"), *gpu = cpu ? split_at_comma(r, cpu) : NULL;

    node->step = STEP_MULTIPLIERS;
    if (!gpu)
        return;
    node->multiplier[0] = dyadic_of(r, cpu);
    node->multiplier[1] = dyadic_of(r, gpu);
    if (node->multiplier[0].mantissa < 0 || node->multiplier[1].mantissa < 0)
        bad_line(r, "this is negative");
}

static void take_knapsacks(reader *r, tree_node *node)
{
    char *grid = take(r, "configuration"), *capacity = grid ? split_at_comma(r, grid) : NULL;
    char *cpu = capacity ? split_at_comma(r, capacity) : NULL;
    char *gpu = cpu ? split_at_comma(r, cpu) : NULL;

    node->step = STEP_CONFIGURATION;
    if (!gpu)
        return;
    node->grid = (long)integer_of(r, grid);
    node->capacity = worth_of(r, capacity);
    node->most[0] = worth_of(r, cpu);
    node->most[1] = worth_of(r, gpu);
    if (node->grid < -MOST_EXPONENT || node->grid > MOST_EXPONENT)
        bad_line(r, "this is out of range");
}

/* cpu or gpu, NODES and three numbers. */
static void take_patterns(reader *r, tree_node *node)
{
    char *at = take(r, "patterns"), *next = at ? split_at_comma(r, at) : NULL;

    node->step = STEP_PATTERNS;
    if (!next)
        return;
    node->listed = strcmp(at, "gpu") == 0;
    if (!node->listed && strcmp(at, "cpu") != 0)
        bad_line(r, "cpu or gpu was expected");
    for (int i = 0; i <= CLASSES && next; i++) {
        at = next;
        next = i < CLASSES ? split_at_comma(r, at) : NULL;
        if (i > 0)
            node->fine[i - 1] = worth_of(r, at);
        else
            node->nodes = (uint64_t)worth_of(r, at);
    }
    if (node->nodes > (uint64_t)MOST_NODES)
        bad_line(r, "this is out of range");
}

static void take_node(reader *r, certificate *c, size_t *worths)
{
    tree_node *node = &c->node[c->nodes++];

    if (comes_next(r, "branch")) {
        take_branch(r, c, node);
    } else if (comes_next(r, "multipliers")) {
        take_multipliers(r, node);
    } else if (comes_next(r, "configuration")) {
        take_knapsacks(r, node);
        take_all_worth(r, c, node, worths);
    } else if (comes_next(r, "patterns")) {
        take_patterns(r, node);
        take_all_worth(r, c, node, worths);
    } else if (!comes_next(r, "search")) {
        r->line++;
        bad_line(r, "a line of a branch or of a leaf was expected");
    } else {
        node->step = STEP_SEARCH;
        node->nodes = (uint64_t)take_integer(r, "search", 0, MOST_NODES);
        take_all_worth(r, c, node, worths);
    }
}

void take_tree(reader *r, certificate *c)
{
    size_t lines, worths = 0;

    c->kinds = (size_t)take_integer(r, "kinds", 0, MOST_KINDS);
    lines = lines_left(r);
    if (!r->bad && (c->kinds > lines || lines > MOST_KINDS))
        bad_line(r, "there are too few lines, or too many");
    if (r->bad)
        return;
    c->kind = checked_calloc(c->kinds + 1, sizeof *c->kind);
    for (size_t i = 0; i < c->kinds && !r->bad; i++)
        take_times(r, &c->kind[i]);
    c->node = checked_calloc(lines - c->kinds + 1, sizeof *c->node);
    c->worth = checked_calloc((lines - c->kinds + 1) * CLASSES, sizeof *c->worth);
    while (*r->at && !r->bad)
        take_node(r, c, &worths);
}
