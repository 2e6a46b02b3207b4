/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "picture/gantt/gantt.h"

enum { NAME_LIMIT = 80, WHY_LIMIT = 300 };
#define REACH 4.5 /* largest extent of a cross to each side */

static unsigned row_of(const hsi_band *band, const hs_picture_failure *f)
{
    return (f->worker - band->first) / band->group;
}

static void put_one(hsi_gantt *g, const hs_picture_failure *f)
{
    char name[NAME_LIMIT + 32], worker[16];

    hs_instance_name(g->in, f->task, name, sizeof name);
    hs_worker_name(hs_instance_cpus(g->in), f->worker, worker);
    hsi_put_name(&g->out, name, NAME_LIMIT);
    hsi_output_format(&g->out, " failed on %s at ", worker);
    hsi_put_time(&g->out, f->end, g->unit);
    if (f->why && f->why[0]) {
        hsi_output_char(&g->out, '\n');
        hsi_put_name(&g->out, f->why, WHY_LIMIT);
    }
}

/* Draw a cross for the failures [from, to) of a row. */
static void put_cross(hsi_gantt *g, const hsi_band *band, size_t from, size_t to)
{
    const hs_picture_failure *f = &g->picture.failures[from];
    double                    y = hsi_row_top(band, row_of(band, f)) + band->height / 2;

    hsi_put_cross(&g->out, hsi_gantt_x(g, f->end), y, fmin(REACH, band->height / 2));
    hsi_output_text(&g->out, "><title>");
    if (to > from + 1) {
        hsi_put_count(&g->out, to - from);
        hsi_output_text(&g->out, " failures; the first: ");
    }
    put_one(g, f);
    hsi_output_text(&g->out, "</title></path>\n");
}

/* Return whether two failures are in one row with overlapping crosses. */
static bool is_close(const hsi_gantt *g, const hsi_band *band, const hs_picture_failure *a,
                     const hs_picture_failure *b)
{
    return row_of(band, a) == row_of(band, b) &&
           fabs(hsi_gantt_x(g, a->end) - hsi_gantt_x(g, b->end)) < REACH;
}

void hsi_draw_failures(hsi_gantt *g, const hsi_band *band)
{
    const hs_picture_failure *failures = g->picture.failures;
    size_t                    from = hsi_picture_count_failures(&g->picture, 0, band->first);
    size_t end = hsi_picture_count_failures(&g->picture, 0, band->first + band->workers);

    for (size_t next; from < end && !hsi_output_failed(&g->out); from = next) {
        for (next = from + 1; next < end; next++)
            if (!is_close(g, band, &failures[from], &failures[next]))
                break;
        put_cross(g, band, from, next);
    }
}
