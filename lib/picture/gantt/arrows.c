/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "picture/gantt/gantt.h"

/*
 * Dependency arrows of a task, shown while the pointer is over it. This works without scripts: a
 * group has a transparent shape over the bar, and the arrows, which a style rule shows while the
 * group is hovered. Groups are above all bars, so no bar covers arrows. Tasks without a complete
 * run have no arrows.
 */

typedef struct arrows {
    hsi_gantt       *g;
    const hsi_panel *panel;
    uint32_t         task;
} arrows;

static double middle_of(const hsi_panel *panel, uint32_t worker)
{
    const hsi_band *band = &panel->band[worker < hs_schedule_cpus(panel->s)];

    return hsi_row_top(band, (worker - band->first) / band->group) + band->height / 2;
}

/*
 * Draw an arrow from the end of a run to the start of another: an S, or a bow within a row. It ends
 * horizontally, like its head.
 */
static void put_arrow(const arrows *a, uint32_t from, uint32_t to)
{
    const hsi_runs *runs = &a->panel->runs;
    double          x1 = hsi_gantt_x(a->g, hsi_run_of(runs, from)->end);
    double          x2 = hsi_gantt_x(a->g, hsi_run_of(runs, to)->start);
    double y1 = middle_of(a->panel, runs->worker[from]), y2 = middle_of(a->panel, runs->worker[to]);
    double reach = fmax(12, (x2 - x1) / 2), bow = y1 == y2 ? 14 : 0;

    hsi_output_format(&a->g->out, "M%f %fC%f %f %f %f %f %fm-6 -3l6 3l-6 3", x1, y1, x1 + reach,
                      y1 - bow, x2 - reach, y2 - bow, x2, y2);
}

static bool has_run(const arrows *a, uint32_t task)
{
    return a->panel->runs.worker[task] != HS_NONE;
}

static int put_before(void *data, uint32_t before)
{
    const arrows *a = data;

    if (has_run(a, before) && has_run(a, a->task))
        put_arrow(a, before, a->task);
    return 0;
}

static int put_after(void *data, uint32_t after)
{
    const arrows *a = data;

    if (has_run(a, after) && has_run(a, a->task))
        put_arrow(a, a->task, after);
    return 0;
}

void hsi_put_dependency_arrows(hsi_gantt *g, const hsi_panel *panel, uint32_t task)
{
    arrows          a = {g, panel, task};
    const hs_graph *graph = panel->runs.graph;

    hsi_output_text(&g->out, "<path class=\"r\" d=\"");
    hsi_visit_predecessors(graph, task, put_before, &a);
    hsi_output_text(&g->out, "\"/><path class=\"r ro\" d=\"");
    hsi_visit_successors(graph, task, put_after, &a);
    hsi_output_text(&g->out, "\"/>");
}
