/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run of a graph: a curve below the lanes with the number of ready tasks that do not run, and
 * marks in the lanes while a worker is idle although a task it can run is ready.
 */
#include <math.h>

#include "picture/gantt/gantt.h"

#define NARROWEST 1.0

static double step_end(const hsi_ready_counts *b, size_t i, double makespan)
{
    return i + 1 < b->count ? fmin(b->time[i + 1], makespan) : makespan;
}

static uint32_t most_ready(const hsi_ready_counts *b)
{
    uint32_t most = 0;

    for (size_t i = 0; i < b->count; i++)
        if (b->ready[HSI_READY_ANY][i] > most)
            most = b->ready[HSI_READY_ANY][i];
    return most;
}

/* Draw the curve; steps within a pixel are replaced by the highest of them. */
static void put_curve(hsi_gantt *g, const hsi_ready_counts *b, double makespan, double foot,
                      double scale)
{
    hsi_output_format(&g->out, "<path class=\"y\" d=\"M%f %f", g->left, foot);
    for (size_t i = 0, next; i < b->count && b->time[i] < makespan; i = next) {
        double   x = hsi_gantt_x(g, b->time[i]), end;
        uint32_t high = b->ready[HSI_READY_ANY][i], last;

        for (next = i + 1; next < b->count && hsi_gantt_x(g, b->time[next]) < x + NARROWEST; next++)
            if (b->ready[HSI_READY_ANY][next] > high)
                high = b->ready[HSI_READY_ANY][next];
        end = hsi_gantt_x(g, step_end(b, next - 1, makespan));
        last = b->ready[HSI_READY_ANY][next - 1];
        hsi_output_format(&g->out, "V%fH%f", foot - high * scale,
                          last < high ? fmin(end, x + NARROWEST) : end);
        if (last < high && end > x + NARROWEST)
            hsi_output_format(&g->out, "V%fH%f", foot - last * scale, end);
    }
    hsi_output_format(&g->out, "V%fZ\"/>\n", foot);
}

void hsi_draw_ready_counts(hsi_gantt *g, const hsi_panel *panel)
{
    uint32_t most = most_ready(&panel->backlog);
    double   head = panel->ready_top, foot = head + HSI_READY_CHART;

    hsi_put_text_at(&g->out, "b", g->left, head - 7);
    hsi_output_text(&g->out,
                    "ready tasks<tspan class=\"k\" font-weight=\"400\" dx=\"10\">at most ");
    hsi_put_count(&g->out, most);
    hsi_output_text(&g->out, "</tspan></text>\n");
    if (most > 0)
        put_curve(g, &panel->backlog, panel->metrics.makespan, foot, HSI_READY_CHART / most);
    hsi_put_line(&g->out, "x", g->left, foot, hsi_gantt_x(g, panel->metrics.makespan), foot);
}

/* Mark idle times with a ready task within [from, to), in which the worker of the row is idle. */
static void put_kept(hsi_gantt *g, const hsi_band *band, unsigned row, double from, double to)
{
    const hsi_ready_counts *b = &band->panel->backlog;
    const uint32_t    *ready = b->ready[band->type];
    double             least = NARROWEST / g->width * g->span;
    size_t                  i = hsi_ready_counts_step_at(b, from);

    while (to - from >= least && i < b->count && b->time[i] < to) {
        double start = fmax(from, b->time[i]), end;

        if (ready[i++] == 0)
            continue;
        while (i < b->count && b->time[i] < to && ready[i] > 0)
            i++;
        end = i < b->count ? fmin(b->time[i], to) : to;
        if (end - start < least)
            continue;
        hsi_put_rect(&g->out, "yo", hsi_gantt_x(g, start), hsi_row_top(band, row),
                     hsi_gantt_x(g, end) - hsi_gantt_x(g, start), band->height);
        hsi_output_text(&g->out, "/>\n");
    }
}

void hsi_draw_idle_with_ready_task(hsi_gantt *g, const hsi_band *band)
{
    for (unsigned row = 0; row < band->rows && band->group == 1; row++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(band->panel->s, band->first + row, &count);
        double          from = 0;

        for (size_t i = 0; i <= count && !hsi_output_failed(&g->out); i++) {
            put_kept(g, band, row, from, i < count ? e[i].start : band->panel->metrics.makespan);
            from = i < count ? e[i].end : from;
        }
    }
}
