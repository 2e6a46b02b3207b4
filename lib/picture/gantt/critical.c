/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "picture/gantt/gantt.h"

/*
 * The critical path of what happened, over the bars: a line along the foot of each bar on it, and
 * from where that ends to where the next begins. Steps too short to see are one with what follows.
 */
#define FOOT 2.0 /* above the lower edge of a bar */
#define STEP 0.7 /* shorter than that is not seen */

typedef struct pen {
    hsi_gantt *g;
    double     x, y;
    int        down;
} pen;

static void move_to(pen *p, double x, double y)
{
    if (p->down && fabs(x - p->x) < STEP && y == p->y)
        return;
    hsi_output_format(&p->g->out, "%c%f %f", p->down ? 'L' : 'M', x, y);
    *p = (pen){p->g, x, y, 1};
}

static const hsi_band *band_of(const hsi_panel *panel, uint32_t worker)
{
    return &panel->band[worker < hs_schedule_cpus(panel->s)];
}

static double foot_of(const hsi_panel *panel, uint32_t worker)
{
    const hsi_band *band = band_of(panel, worker);

    return hsi_row_top(band, (worker - band->first) / band->group) + band->height -
           fmin(FOOT, band->height / 2);
}

/* The share of the makespan in which a task on it ran, to its end or not. */
static double running_share(const hsi_panel *panel)
{
    double time = 0;

    for (size_t i = 0; i < panel->path_count; i++) {
        size_t          count;
        const hs_entry *e =
            hs_schedule_entries(panel->s, panel->path[i].worker, &count) + panel->path[i].entry;

        time += e->end - e->start;
    }
    return time / panel->metrics.makespan;
}

static void put_path(hsi_gantt *g, const hsi_panel *panel, const char *kind)
{
    pen p = {.g = g};

    hsi_output_format(&g->out, "<path class=\"%s\" d=\"", kind);
    for (size_t i = panel->path_count; i-- > 0;) {
        const hsi_step *step = &panel->path[i];
        size_t          count;
        const hs_entry *e = hs_schedule_entries(panel->s, step->worker, &count) + step->entry;
        double          y = foot_of(panel, step->worker);

        move_to(&p, hsi_gantt_x(g, e->start), y);
        move_to(&p, hsi_gantt_x(g, e->end), y);
    }
    hsi_output_char(&g->out, '"');
}

void hsi_draw_critical(hsi_gantt *g, const hsi_panel *panel)
{
    if (panel->path_count == 0 || !(panel->metrics.makespan > 0))
        return;
    put_path(g, panel, "f fh"); /* lighter and wider, behind: it stays apart from any bar */
    hsi_output_text(&g->out, "/>\n");
    put_path(g, panel, "f");
    if (hsi_gantt_untitled(g))
        return;
    hsi_output_text(&g->out, "><title>critical path of what happened: ");
    hsi_put_count(&g->out, panel->path_count);
    hsi_output_format(&g->out, " step%s, tasks run in ", panel->path_count == 1 ? "" : "s");
    hsi_put_percent(&g->out, running_share(panel));
    hsi_output_text(&g->out, " of the time</title></path>\n");
}
