/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "picture/gantt/gantt.h"

/*
 * The critical path of a run, drawn over the bars: a line along the foot of each bar on it, and
 * jumps from the end of a bar to the start of the next. Invisibly short steps are merged with the
 * following one.
 */
#define FOOT 1.25 /* distance of the line from the lower edge of a bar, below its name */
#define STEP 0.7 /* pixels: shorter steps are invisible */

typedef struct pen {
    hsi_gantt       *g;
    const hsi_panel *panel;
    double           x, y;
    bool             down;
} pen;

static void move_to(pen *p, double x, double y)
{
    if (p->down && fabs(x - p->x) < STEP && y == p->y)
        return;
    if (p->down)
        hsi_put_segment_around_heading(p->g, p->panel, (hsi_segment){p->x, p->y, x, y});
    else
        hsi_output_format(&p->g->out, "M%f %f", x, y);
    *p = (pen){p->g, p->panel, x, y, true};
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

static const hs_entry *entry_of(const hsi_panel *panel, const hsi_path_step *step)
{
    size_t count;

    return hs_schedule_entries(panel->s, step->worker, &count) + step->entry;
}

/* Return the segment from the end of the step before `path[i]` to the start of `path[i]`. */
static hsi_segment jump_to(const hsi_gantt *g, const hsi_panel *panel, size_t i)
{
    const hsi_path_step *to = &panel->path[i], *from = to + 1;

    return (hsi_segment){hsi_gantt_x(g, entry_of(panel, from)->end), foot_of(panel, from->worker),
                         hsi_gantt_x(g, entry_of(panel, to)->start), foot_of(panel, to->worker)};
}

/*
 * Find a jump that crosses the box. The path goes back in time, so jumps right of the box are
 * skipped by bisection.
 */
bool hsi_critical_path_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                               double *left, double *right)
{
    size_t low = 0, high = panel->path_count ? panel->path_count - 1 : 0, end = high;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (jump_to(g, panel, middle).x1 > box->right + STEP + 4)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end; low++) {
        hsi_segment jump = jump_to(g, panel, low);

        if (jump.y1 != jump.y2 && hsi_segment_crosses(jump, box, left, right))
            return true;
        if (jump.x2 < box->left - 4)
            break;
    }
    return false;
}

/* Return the share of the makespan in which a task of the path ran, to its end or not. */
static double running_share(const hsi_panel *panel)
{
    double time = 0;

    for (size_t i = 0; i < panel->path_count; i++) {
        const hs_entry *e = entry_of(panel, &panel->path[i]);

        time += e->end - e->start;
    }
    return time / panel->metrics.makespan;
}

static void put_path(hsi_gantt *g, const hsi_panel *panel, const char *kind)
{
    pen p = {.g = g, .panel = panel};

    hsi_output_format(&g->out, "<path class=\"%s\" d=\"", kind);
    for (size_t i = panel->path_count; i-- > 0;) {
        const hsi_path_step *step = &panel->path[i];
        const hs_entry *e = entry_of(panel, step);
        double          y = foot_of(panel, step->worker);

        move_to(&p, hsi_gantt_x(g, e->start), y);
        move_to(&p, hsi_gantt_x(g, e->end), y);
    }
    hsi_output_char(&g->out, '"');
}

void hsi_draw_critical_path(hsi_gantt *g, const hsi_panel *panel)
{
    if (panel->path_count == 0 || !(panel->metrics.makespan > 0))
        return;
    /* a light, wide halo behind the path separates the path from bars */
    put_path(g, panel, "f fh");
    hsi_output_text(&g->out, "/>\n");
    put_path(g, panel, "f");
    hsi_output_text(&g->out, "><title>critical path of what happened: ");
    hsi_put_count(&g->out, panel->path_count);
    hsi_output_format(&g->out, " step%s, tasks run in ", panel->path_count == 1 ? "" : "s");
    hsi_put_percent(&g->out, running_share(panel));
    hsi_output_text(&g->out, " of the time</title></path>\n");
}
