/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/gantt.h"

/*
 * A row for many workers: time is cut into slices, and in each a bar is as high as the share of
 * busy workers, with a part per class and the aborted part on top. Slices that look alike share a
 * bar.
 */
enum { CELLS_IN_ROW = 160, LEVELS = 20 };

#define SEAM 0.5 /* pixels: overlap of neighbours, so that the background does not shine through */

typedef struct cell {
    hsi_mix mix;    /* busy time by class, in workers x slices, approximately */
    size_t  starts; /* number of entries that begin in the cell */
} cell;

typedef struct group_row {
    hsi_gantt      *g;
    const hsi_band *band;
    unsigned        row, workers;
    unsigned        count; /* number of cells */
    cell           *cells;
} group_row;

/* The look of a cell: the level that each class reaches in the stack, then aborted time. */
typedef struct look {
    unsigned char level[HSI_COLOURS + 1];
    unsigned char aborted; /* class with the largest part of the aborted time */
} look;

static void add_entry(group_row *r, const hs_entry *e)
{
    double   from = e->start / r->g->span * r->count, to = e->end / r->g->span * r->count;
    unsigned first = (unsigned)from, last = (unsigned)to;
    unsigned class = hsi_palette_class_of_task(&r->g->palette, r->g->in, e->task);

    first = first < r->count ? first : r->count - 1;
    last = last < r->count ? last : r->count - 1;
    r->cells[first].starts++;
    for (unsigned i = first; i <= last; i++) {
        double part = fmin(to, i + 1.0) - fmax(from, i);

        if (part > 0)
            r->cells[i].mix.weight[class][e->state] += part;
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

static int level(double weight, unsigned workers)
{
    int n = (int)(weight / workers * LEVELS + 0.5);

    return n < LEVELS ? n : LEVELS;
}

/*
 * Compute the stacked levels of a cell. Any busy time gets at least one level, of its largest
 * class.
 */
static look look_of(const group_row *r, unsigned i)
{
    const hsi_mix *mix = &r->cells[i].mix;
    look           seen = {.aborted = 0};
    double         sum = 0;

    for (unsigned c = 0; c < HSI_COLOURS; c++) {
        sum += mix->weight[c][HS_RUN];
        seen.level[c] = (unsigned char)level(sum, r->workers);
    }
    if (sum > 0 && seen.level[HSI_COLOURS - 1] == 0)
        for (unsigned c = hsi_mix_heaviest(mix, HS_RUN); c < HSI_COLOURS; c++)
            seen.level[c] = 1;
    seen.level[HSI_COLOURS] = (unsigned char)level(hsi_mix_total(mix, -1), r->workers);
    if (hsi_mix_total(mix, HS_ABORTED) > 0) {
        seen.aborted = (unsigned char)hsi_mix_heaviest(mix, HS_ABORTED);
        if (seen.level[HSI_COLOURS] <= seen.level[HSI_COLOURS - 1])
            seen.level[HSI_COLOURS] = (unsigned char)(seen.level[HSI_COLOURS - 1] + 1);
    } else {
        seen.level[HSI_COLOURS] = seen.level[HSI_COLOURS - 1];
    }
    return seen;
}

static bool same_look(look a, look b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void put_title(const group_row *r, unsigned from, unsigned to)
{
    hsi_output *out = &r->g->out;
    hsi_mix     mix = {.weight = {{0}}};
    double      whole = (double)(to - from) * r->workers;
    size_t      starts = 0;
    char        name[40], begin[32];

    for (unsigned i = from; i < to; i++) {
        for (unsigned c = 0; c < HSI_COLOURS; c++)
            for (int s = HS_RUN; s <= HS_ABORTED; s++)
                mix.weight[c][s] += r->cells[i].mix.weight[c][s];
        starts += r->cells[i].starts;
    }
    hsi_row_name(r->band, r->row, name);
    hsi_output_format(out, "<title>%s: ", name);
    hsi_put_count(out, starts);
    hsi_output_text(out, starts == 1 ? " task begins, " : " tasks begin, ");
    hsi_put_percent(out, fmin(1, hsi_mix_total(&mix, HS_RUN) / whole));
    hs_format_rounded(r->g->span * from / r->count, 4, begin);
    hsi_output_format(out, " busy\n%s \xe2\x80\x93 ", begin);
    hsi_put_time(out, r->g->span * to / r->count, r->g->unit);
    hsi_output_char(out, '\n');
    hsi_put_class_shares(r->g, &mix, whole);
    hsi_output_text(out, "</title>");
}

static void draw_cells(const group_row *r, unsigned from, unsigned to, look seen)
{
    hsi_gantt *g = r->g;
    double     x = g->left + g->width * from / r->count;
    double     width = g->width * (to - from) / r->count + (to < r->count ? SEAM : 0);
    double     foot = hsi_row_top(r->band, r->row) + r->band->height;
    double     step = r->band->height / LEVELS;

    if (seen.level[HSI_COLOURS] == 0)
        return;
    hsi_output_text(&g->out, "<g>");
    put_title(r, from, to);
    for (unsigned c = 0, below = 0; c <= HSI_COLOURS; below = seen.level[c++])
        if (seen.level[c] > below)
            hsi_put_class_path(&g->out, c < HSI_COLOURS ? c : seen.aborted, c == HSI_COLOURS, x,
                               foot - seen.level[c] * step, width, (seen.level[c] - below) * step);
    hsi_output_text(&g->out, "</g>\n");
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

hs_status hsi_draw_group_rows(hsi_gantt *g, const hsi_band *band)
{
    group_row r = {.g = g, .band = band, .count = CELLS_IN_ROW};

    r.cells = malloc(r.count * sizeof *r.cells);
    if (!r.cells)
        return HS_ENOMEM;
    for (r.row = 0; r.row < band->rows && !hsi_output_failed(&g->out); r.row++)
        draw_row(&r);
    free(r.cells);
    return HS_OK;
}
