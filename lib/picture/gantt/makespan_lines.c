/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/gantt/gantt.h"

#define ABOVE 28.0       /* pixels from the upper end of a line to the panel's top */
#define LABEL_ROOM 150.0 /* room needed by a label left of its line */
#define LABEL_WIDE 115.0 /* usual width of a label */

static void put_label(hsi_gantt *g, const hsi_panel *panel, bool is_bound)
{
    if (is_bound) {
        hsi_put_name(&g->out, panel->bound->name, sizeof panel->bound->name - 1);
        hsi_output_text(&g->out, " bound");
    } else {
        hsi_output_text(&g->out, "makespan");
    }
    hsi_output_text(&g->out, "</text>\n");
}

/*
 * Return the x of a label. The label of a bound moves right of the makespan's label if both would
 * overlap.
 */
static double label_place(const hsi_gantt *g, const hsi_panel *panel, double x, bool right,
                          bool is_bound)
{
    double end = hsi_gantt_x(g, panel->metrics.makespan);

    if (!right)
        return x - 6;
    return is_bound && end > x && end - x < LABEL_WIDE ? end + LABEL_WIDE : x + 6;
}

/* Write a time as a duration if the axis is in hours; return false if not. */
static bool put_duration(hsi_gantt *g, double time)
{
    char text[32];

    if (g->ticks.minutes == 0 ||
        hs_format_long_duration(time * hs_unit_seconds(g->unit), text) == 0)
        return false;
    hsi_output_text(&g->out, text);
    return true;
}

/*
 * Draw a marked time with its label. The label of the last line is right of it, in the margin,
 * other labels are left of their lines, so labels never overlap even if lines do.
 */
static void put_marked_time(hsi_gantt *g, const hsi_panel *panel, double time, bool is_bound)
{
    hsi_output *out = &g->out;
    double      x = hsi_gantt_x(g, time), label;
    double      latest = panel->bound && panel->bound->value > panel->metrics.makespan
                             ? panel->bound->value
                             : panel->metrics.makespan;
    int         last = time >= latest && !(is_bound && time <= panel->metrics.makespan);
    bool        right = last || x < g->left + LABEL_ROOM;
    const char *kind = is_bound ? (right ? "b o" : "b o e") : (right ? "b" : "b e");

    label = label_place(g, panel, x, right, is_bound);
    hsi_put_line(out, is_bound ? "d" : "v", x, panel->top - ABOVE, x, panel->bottom);
    hsi_put_text_at(out, kind, label, panel->top - 18);
    put_label(g, panel, is_bound);
    hsi_put_text_at(out, kind, label, panel->top - 4);
    if (!put_duration(g, time))
        hsi_put_time(out, time, g->unit);
    hsi_output_text(out, "</text>\n");
}

/* Draw the predicted makespan as a dotted line through the panel of the run. */
static void put_predicted_end(hsi_gantt *g)
{
    double x = hsi_gantt_x(g, g->panel[0].metrics.makespan);

    if (g->panels > 1 && g->panel[0].metrics.makespan > 0)
        hsi_put_line(&g->out, "u", x, hsi_gantt_main_panel(g)->top, x, g->bottom);
}

bool hsi_bound_line_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                            double *left, double *right)
{
    double bound = panel->bound ? hsi_gantt_x(g, panel->bound->value) : -1;
    double other = panel != g->panel ? hsi_gantt_x(g, g->panel[0].metrics.makespan) : -1;

    return hsi_segment_crosses((hsi_segment){bound, panel->top, bound, panel->bottom}, box, left,
                               right) ||
           hsi_segment_crosses((hsi_segment){other, panel->top, other, panel->bottom}, box, left,
                               right);
}

void hsi_draw_bound_lines(hsi_gantt *g)
{
    put_predicted_end(g);
    for (unsigned i = 0; i < g->panels; i++) {
        const hsi_panel *panel = &g->panel[i];

        if (panel->bound && panel->bound->value > 0)
            put_marked_time(g, panel, panel->bound->value, true);
        if (panel->metrics.makespan > 0)
            put_marked_time(g, panel, panel->metrics.makespan, false);
    }
}
