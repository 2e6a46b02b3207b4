/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits in the lanes: times when a worker was idle until a victim aborted its task. */
#include <math.h>

#include "picture/gantt/gantt.h"

enum { NAME_LIMIT = 80 };
#define NARROWEST 1.0

static void put_title(hsi_gantt *g, const hs_wait *wait)
{
    char task[NAME_LIMIT + 32], worker[16], victim[16];

    hs_instance_name(g->in, wait->task, task, sizeof task);
    hs_worker_name(hs_instance_cpus(g->in), wait->worker, worker);
    hs_worker_name(hs_instance_cpus(g->in), wait->victim, victim);
    hsi_output_format(&g->out, "><title>%s waited for %s to abort ", worker, victim);
    hsi_put_name(&g->out, task, NAME_LIMIT);
    hsi_output_char(&g->out, '\n');
    hsi_put_interval(&g->out, wait->start, wait->end, 7, g->unit);
    hsi_output_text(&g->out, ": ");
    hsi_put_time(&g->out, wait->end - wait->start, g->unit);
    hsi_output_text(&g->out, "</title></rect>\n");
}

static const hsi_band *band_of(const hsi_gantt *g, const hs_wait *wait)
{
    return &hsi_gantt_main_panel(g)->band[wait->worker < hs_instance_cpus(g->in)];
}

/* Return the visible width of a wait; 0 if it is too narrow or the row has several workers. */
static double shown_width(const hsi_gantt *g, const hs_wait *wait)
{
    double end = fmin(wait->end, hsi_gantt_main_panel(g)->metrics.makespan);
    double width = hsi_gantt_x(g, end) - hsi_gantt_x(g, wait->start);

    return width < NARROWEST || band_of(g, wait)->group > 1 ? 0 : width;
}

bool hsi_gantt_shows_waits(const hsi_gantt *g)
{
    for (size_t i = 0; i < g->picture.wait_count; i++)
        if (shown_width(g, &g->picture.waits[i]) > 0)
            return true;
    return false;
}

void hsi_draw_waits(hsi_gantt *g)
{
    for (size_t i = 0; i < g->picture.wait_count && !hsi_output_failed(&g->out); i++) {
        const hs_wait  *wait = &g->picture.waits[i];
        const hsi_band *band = band_of(g, wait);
        double          width = shown_width(g, wait);

        if (!(width > 0))
            continue;
        hsi_put_rect(&g->out, "yv", hsi_gantt_x(g, wait->start),
                     hsi_row_top(band, wait->worker - band->first), width, band->height);
        put_title(g, wait);
    }
}
