/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/gantt.h"

/*
 * A row for many workers: time is cut into cells, and in each a bar as high as
 * the part of the workers that are busy, in the colour of what they mostly
 * do, with the aborted part on top. Cells alike in a row make one rectangle.
 */
enum { CELLS_MOST = 20000, CELLS_IN_ROW = 280, LEVELS = 16 };

#define SEAM 0.5 /* neighbours overlap by that, or what is behind shines through */

typedef struct cell {
    double weight[HSI_COLOURS]; /* worker-cells spent in runs, by class */
    double aborted;             /* and in aborted entries */
    size_t starts;              /* entries that begin here */
} cell;

typedef struct group_row {
    hsi_gantt      *g;
    const hsi_band *band;
    unsigned        row, workers;
    unsigned        count; /* of cells */
    cell           *cells;
} group_row;

/* What is seen of a cell: levels are sixteenths of the row's height. */
typedef struct look {
    unsigned class;
    int      busy, aborted;
} look;

static void add_entry(group_row *r, const hs_entry *e)
{
    double   from = e->start / r->g->span * r->count, to = e->end / r->g->span * r->count;
    unsigned first = (unsigned)from, last = (unsigned)to;
    unsigned class = hsi_palette_class(&r->g->palette, r->g->in, e->task);

    first = first < r->count ? first : r->count - 1;
    last = last < r->count ? last : r->count - 1;
    r->cells[first].starts++;
    for (unsigned i = first; i <= last; i++) {
        double part = fmin(to, i + 1.0) - fmax(from, i);

        if (part <= 0)
            continue;
        if (e->state == HS_ABORTED)
            r->cells[i].aborted += part;
        else
            r->cells[i].weight[class] += part;
    }
}

static void fill_cells(group_row *r)
{
    unsigned first = r->row * r->band->group;

    memset(r->cells, 0, r->count * sizeof *r->cells);
    r->workers = r->band->workers - first < r->band->group ? r->band->workers - first
                                                           : r->band->group;
    for (unsigned w = 0; w < r->workers; w++) {
        size_t          count;
        const hs_entry *entries =
            hs_schedule_entries(r->band->panel->s, r->band->first + first + w, &count);

        for (size_t i = 0; i < count; i++)
            add_entry(r, &entries[i]);
    }
}

static double busy_weight(const cell *c)
{
    double sum = 0;

    for (unsigned class = 0; class < HSI_COLOURS; class++)
        sum += c->weight[class];
    return sum;
}

/* Whatever there is can be seen, be it little. */
static int level(double weight, unsigned workers)
{
    int n = (int)(weight / workers * LEVELS + 0.5);

    return weight > 0 && n == 0 ? 1 : n < LEVELS ? n : LEVELS;
}

static look look_of(const group_row *r, unsigned i)
{
    const cell *c = &r->cells[i];
    look        seen = {.busy = level(busy_weight(c), r->workers)};

    seen.aborted = level(c->aborted, r->workers);
    if (seen.busy + seen.aborted > LEVELS)
        seen.busy = LEVELS - seen.aborted;
    for (unsigned class = 1; class < HSI_COLOURS; class++)
        if (c->weight[class] > c->weight[seen.class])
            seen.class = class;
    return seen;
}

static int same_look(look a, look b)
{
    return a.class == b.class && a.busy == b.busy && a.aborted == b.aborted;
}

static void put_title(const group_row *r, unsigned from, unsigned to)
{
    hsi_output *out = &r->g->out;
    double      busy = 0;
    size_t      starts = 0;
    char        name[40], begin[32];

    if (hsi_gantt_untitled(r->g))
        return;
    for (unsigned i = from; i < to; i++) {
        busy += busy_weight(&r->cells[i]);
        starts += r->cells[i].starts;
    }
    hsi_row_name(r->band, r->row, name);
    hsi_output_format(out, "><title>%s: ", name);
    hsi_put_count(out, starts);
    hsi_output_text(out, starts == 1 ? " task begins, " : " tasks begin, ");
    hsi_put_percent(out, fmin(1, busy / (to - from) / r->workers));
    hs_format_rounded(r->g->span * from / r->count, 4, begin);
    hsi_output_format(out, " busy\n%s \xe2\x80\x93 ", begin);
    hsi_put_time(out, r->g->span * to / r->count, r->g->unit);
    hsi_output_text(out, "</title></rect>\n");
}

static void draw_cells(const group_row *r, unsigned from, unsigned to, look seen)
{
    const hsi_gantt *g = r->g;
    double           x = g->left + g->width * from / r->count;
    double           width = g->width * (to - from) / r->count + (to < r->count ? SEAM : 0);
    double           bottom = hsi_row_top(r->band, r->row) + r->band->height;
    double           busy = r->band->height * seen.busy / LEVELS;
    double           aborted = r->band->height * seen.aborted / LEVELS;

    if (seen.busy > 0) {
        hsi_put_class_rect(&r->g->out, seen.class, 0, x, bottom - busy, width, busy);
        put_title(r, from, to);
    }
    if (seen.aborted > 0) {
        hsi_put_class_rect(&r->g->out, seen.class, 1, x, bottom - busy - aborted, width, aborted);
        put_title(r, from, to);
    }
}

static void draw_row(group_row *r)
{
    unsigned next;

    fill_cells(r);
    for (unsigned i = 0; i < r->count; i = next) {
        look seen = look_of(r, i);

        for (next = i + 1; next < r->count && same_look(seen, look_of(r, next));)
            next++;
        draw_cells(r, i, next, seen);
    }
}

hs_status hsi_draw_groups(hsi_gantt *g, const hsi_band *band)
{
    group_row r = {.g = g, .band = band, .count = CELLS_MOST / g->panels / band->rows};

    if (r.count > CELLS_IN_ROW)
        r.count = CELLS_IN_ROW;
    r.cells = malloc(r.count * sizeof *r.cells);
    if (!r.cells)
        return HS_ENOMEM;
    for (r.row = 0; r.row < band->rows && !hsi_output_failed(&g->out); r.row++)
        draw_row(&r);
    free(r.cells);
    return HS_OK;
}
