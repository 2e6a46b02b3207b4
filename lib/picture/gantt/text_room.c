/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Room for text between lines. A name inside a bar is placed where no arrow, no jump of the
 * critical path and no marked time crosses it; a line that would cross the heading of a band leaves
 * a gap there.
 */
#include <math.h>

#include "picture/gantt/gantt.h"

#define APART 3.5 /* pixels between a line and a text; half the head of an arrow is 3 */
#define TURNS 64  /* largest number of lines that a search passes to each side */

bool hsi_segment_crosses(hsi_segment s, const hsi_box *box, double *left, double *right)
{
    double top = fmin(s.y1, s.y2), bottom = fmax(s.y1, s.y2), from, to;

    if (bottom < box->top || top > box->bottom)
        return false;
    from = s.x1;
    to = s.x2;
    if (bottom > top) { /* Clip the segment to the height of the box. */
        from += (s.x2 - s.x1) * (fmax(top, box->top) - s.y1) / (s.y2 - s.y1);
        to = s.x1 + (s.x2 - s.x1) * (fmin(bottom, box->bottom) - s.y1) / (s.y2 - s.y1);
    }
    *left = fmin(from, to) - APART;
    *right = fmax(from, to) + APART;
    return *right > box->left && *left < box->right;
}

/*
 * Push the box [left, left + width] past lines in a direction until none crosses it. Return its
 * left edge; NAN if there is no such place in `box`.
 */
static double push(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box, double left,
                   double width, int direction)
{
    hsi_box at = *box;
    double  from, to;

    for (int turn = 0; turn < TURNS && left >= box->left && left + width <= box->right; turn++) {
        at.left = left;
        at.right = left + width;
        if (!hsi_spoliation_crosses(g, panel, &at, &from, &to) &&
            !hsi_critical_path_crosses(g, panel, &at, &from, &to) &&
            !hsi_bound_line_crosses(g, panel, &at, &from, &to))
            return left;
        left = direction > 0 ? to : from - width;
    }
    return NAN;
}

double hsi_find_text_position(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                              double width)
{
    double middle = (box->left + box->right - width) / 2;
    double before = push(g, panel, box, middle, width, -1);
    double after = push(g, panel, box, middle, width, 1);

    if (isnan(before) || isnan(after))
        return isnan(before) ? after : before;
    return middle - before <= after - middle ? before : after;
}

void hsi_put_segment_around_heading(hsi_gantt *g, const hsi_panel *panel, hsi_segment s)
{
    /* a line between bands can only cross the heading of the lower band */
    const hsi_band *band = &panel->band[1];
    hsi_box         box = {g->left, g->left + band->heading, band->top - 19, band->top - 3};
    double          left, right, slope = (s.x2 - s.x1) / (s.y2 - s.y1);
    double          enter = s.y1 < s.y2 ? box.top : box.bottom;
    double          leave = s.y1 < s.y2 ? box.bottom : box.top;

    if (panel->band[0].rows > 0 && fmin(s.y1, s.y2) < box.top && fmax(s.y1, s.y2) > box.bottom &&
        hsi_segment_crosses(s, &box, &left, &right))
        hsi_output_format(&g->out, "L%f %fM%f %f", s.x1 + slope * (enter - s.y1), enter,
                          s.x1 + slope * (leave - s.y1), leave);
    hsi_output_format(&g->out, "L%f %f", s.x2, s.y2);
}
