/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture/gantt/gantt.h"

/*
 * The whole axis uses one notation: hours and minutes for long times, otherwise numbers, with a
 * common power of ten in the axis name if the numbers would be long.
 */
#define TICK_EACH 95.0
#define CLOCK_FROM 7200.0 /* seconds: least and largest length of an axis in h:min */
#define CLOCK_TO 3.6e6
#define PLAIN_MOST 5 /* largest exponent of the last tick without a power of ten in the axis name */
#define PLAIN_LEAST (-3)

static double tick_time(const hsi_gantt *g, int i)
{
    if (g->ticks.minutes > 0)
        return 60.0 * i * g->ticks.minutes / hs_unit_seconds(g->unit);
    return hsi_tick_value(i, g->ticks.step);
}

static unsigned choose_minutes(double least)
{
    static const unsigned steps[] = {5,   10,   15,   30,   60,    120,   180,   360,
                                     720, 1440, 2880, 7200, 14400, 28800, 60000, 0};
    unsigned              i = 0;

    while (steps[i] && 60.0 * steps[i] < least)
        i++;
    return steps[i];
}

/* Return the common power of ten of all numbers; 0 if the last number is short. */
static int common_power(const hsi_gantt *g, const hsi_ticks *t)
{
    double last = floor(g->span / hsi_tick_value(1, t->step)) * t->step.mantissa;
    int    power = t->step.exponent;

    for (; last >= 10; last /= 10)
        power++;
    return power > PLAIN_MOST || power < PLAIN_LEAST ? power : 0;
}

void hsi_choose_ticks(hsi_gantt *g)
{
    double least = fmax(g->span / g->width * TICK_EACH, DBL_MIN);
    double second = 1 / hs_unit_seconds(g->unit);

    g->ticks = (hsi_ticks){.minutes = 0};
    if (g->span >= CLOCK_FROM * second && g->span <= CLOCK_TO * second)
        g->ticks.minutes = choose_minutes(least / second);
    if (g->ticks.minutes > 0)
        return;
    g->ticks.step = hsi_tick_step_choose(least);
    g->ticks.power = common_power(g, &g->ticks);
}

void hsi_draw_grid(hsi_gantt *g, const hsi_panel *panel)
{
    for (int i = 1; tick_time(g, i) < g->span; i++)
        for (int b = 0; b < 2; b++) {
            const hsi_band *band = &panel->band[b];
            double          x = hsi_gantt_x(g, tick_time(g, i));

            if (band->rows > 0)
                hsi_put_line(&g->out, "g", x, band->top, x, hsi_row_top(band, band->rows));
        }
}

static void tick_text(const hsi_ticks *t, int i, char text[32])
{
    unsigned minutes = (unsigned)i * t->minutes;

    if (t->minutes > 0)
        snprintf(text, 32, "%u:%02u", minutes / 60, minutes % 60);
    else
        hs_format_rounded(
            hsi_tick_value(i, (hsi_tick_step){t->step.mantissa, t->step.exponent - t->power}), 12,
            text);
}

/* Write the axis name, e.g. "time (10^6 s)" with a raised exponent. */
static void put_axis_name(hsi_gantt *g)
{
    static const char *const raised[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    hsi_output *out = &g->out;
    char        power[16];

    hsi_put_text_at(out, "k", g->left + g->width + 26, g->bottom + 18);
    if (g->ticks.minutes > 0) {
        hsi_output_text(out, "time (h:min)</text>\n");
        return;
    }
    hsi_output_text(out, "time (");
    if (g->ticks.power != 0) {
        hsi_output_text(out, g->ticks.power < 0 ? "10\xe2\x81\xbb" : "10");
        snprintf(power, sizeof power, "%d", abs(g->ticks.power));
        for (const char *c = power; *c; c++)
            hsi_output_text(out, raised[*c - '0']);
        hsi_output_char(out, ' ');
    }
    hsi_output_format(out, "%s)</text>\n", hsi_unit_text(g->unit));
}

void hsi_draw_axis(hsi_gantt *g)
{
    double right = g->left + g->width;
    char   text[32];

    hsi_put_line(&g->out, "x", g->left, g->bottom, right, g->bottom);
    for (int i = 0; tick_time(g, i) <= g->span; i++) {
        double x = hsi_gantt_x(g, tick_time(g, i));

        hsi_put_line(&g->out, "x", x, g->bottom, x, g->bottom + 5);
        tick_text(&g->ticks, i, text);
        hsi_put_label(&g->out, "k i", x, g->bottom + 18, text);
    }
    put_axis_name(g);
}
