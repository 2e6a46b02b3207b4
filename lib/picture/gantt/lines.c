/* SPDX-License-Identifier: BSD-3-Clause */
#include "picture/gantt/gantt.h"

#define ABOVE 28.0       /* the panel's top, where a line begins */
#define LABEL_ROOM 150.0 /* a label asks for so much left of its line */
#define LABEL_WIDE 115.0 /* and is, as a rule, so wide */

static void put_label(hsi_gantt *g, const hsi_panel *panel, int is_bound)
{
    if (is_bound) {
        hsi_put_name(&g->out, panel->bound->name, sizeof panel->bound->name - 1);
        hsi_output_text(&g->out, " bound");
    } else {
        hsi_output_text(&g->out, "makespan");
    }
    hsi_output_text(&g->out, "</text>\n");
}

/* Beyond the label of the makespan, where both stand right of their lines and would meet. */
static double label_place(const hsi_gantt *g, const hsi_panel *panel, double x, int right,
                          int is_bound)
{
    double end = hsi_gantt_x(g, panel->metrics.makespan);

    if (!right)
        return x - 6;
    return is_bound && end > x && end - x < LABEL_WIDE ? end + LABEL_WIDE : x + 6;
}

/* A time as the axis has them, if that is in hours. */
static int put_duration(hsi_gantt *g, double time)
{
    char text[32];

    if (g->ticks.minutes == 0 || hs_format_duration(time * hs_unit_seconds(g->unit), text) == 0)
        return 0;
    hsi_output_text(&g->out, text);
    return 1;
}

/* The label of the last line stands right of it, in the margin, that of
 * another left of it, so the two are apart even where the lines are not. */
static void put_marked_time(hsi_gantt *g, const hsi_panel *panel, double time, int is_bound)
{
    hsi_output *out = &g->out;
    double      x = hsi_gantt_x(g, time), label;
    double      latest = panel->bound && panel->bound->value > panel->metrics.makespan
                             ? panel->bound->value
                             : panel->metrics.makespan;
    int         last = time >= latest && !(is_bound && time <= panel->metrics.makespan);
    int         right = last || x < g->left + LABEL_ROOM;
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

/* The end of what was predicted goes on, dotted, through what happened. */
static void put_predicted_end(hsi_gantt *g)
{
    double x = hsi_gantt_x(g, g->panel[0].metrics.makespan);

    if (g->panels > 1 && g->panel[0].metrics.makespan > 0)
        hsi_put_line(&g->out, "u", x, hsi_gantt_own(g)->top, x, g->bottom);
}

int hsi_line_blocks(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box, double *left,
                    double *right)
{
    double bound = panel->bound ? hsi_gantt_x(g, panel->bound->value) : -1;
    double other = panel != g->panel ? hsi_gantt_x(g, g->panel[0].metrics.makespan) : -1;

    return hsi_segment_blocks((hsi_segment){bound, panel->top, bound, panel->bottom}, box, left,
                              right) ||
           hsi_segment_blocks((hsi_segment){other, panel->top, other, panel->bottom}, box, left,
                              right);
}

void hsi_draw_lines(hsi_gantt *g)
{
    put_predicted_end(g);
    for (unsigned i = 0; i < g->panels; i++) {
        const hsi_panel *panel = &g->panel[i];

        if (panel->bound && panel->bound->value > 0)
            put_marked_time(g, panel, panel->bound->value, 1);
        if (panel->metrics.makespan > 0)
            put_marked_time(g, panel, panel->metrics.makespan, 0);
    }
}
