/* SPDX-License-Identifier: BSD-3-Clause */
/* The axes of a plot: decimal or logarithmic. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/io.h>

#include "common/plot/drawing.h"

enum { PLOT_TICKS = 40 };

static void widen(plot_axis *axis, double value)
{
    axis->from = fmin(axis->from, value);
    axis->to = fmax(axis->to, value);
}

void plot_axis_cover_values(plot_axis *axis, const plot_spec *plot, bool of_x)
{
    const double *range = of_x ? plot->x_range : plot->y_range;

    axis->from = INFINITY;
    axis->to = -INFINITY;
    for (size_t i = 0; i < plot->count; i++) {
        const plot_series *s = &plot->series[i];

        for (size_t k = 0; k < s->count; k++)
            widen(axis, of_x ? s->x[k] : s->y[k]);
        for (size_t k = 0; k < s->count && s->low && s->high && !of_x; k++) {
            widen(axis, s->low[k]);
            widen(axis, s->high[k]);
        }
        for (size_t k = 0; k < s->curve_count; k++)
            widen(axis, of_x ? s->curve_x[k] : s->curve_y[k]);
    }
    if (!of_x && plot->reference > 0)
        widen(axis, plot->reference);
    if (range[0] < range[1]) {
        widen(axis, range[0]);
        widen(axis, range[1]);
    }
    if (axis->from > axis->to)
        axis->from = axis->to = 1;
    if (axis->log && axis->to / axis->from < 1.5) {
        axis->from /= 1.3;
        axis->to *= 1.3;
    } else if (!axis->log && axis->to - axis->from <= axis->to * 1e-6) {
        axis->to = axis->to > 0 ? axis->to * 1.01 : 1;
        axis->from *= 0.99;
    }
}

double plot_coordinate(const plot_axis *axis, double value)
{
    double share = axis->log ? log(value / axis->from) / log(axis->to / axis->from)
                             : (value - axis->from) / (axis->to - axis->from);

    return axis->start + share * (axis->end - axis->start);
}

/* The step between ticks of a decimal axis: mantissa * 10^exponent. */
typedef struct tick_step {
    int mantissa, exponent;
} tick_step;

/* Return i * mantissa * 10^exponent, rounded once. */
static double tick_value(int i, tick_step step)
{
    double value = (double)i * step.mantissa, power = pow(10, abs(step.exponent));

    return step.exponent >= 0 ? value * power : value / power;
}

/* Return the smallest of 1, 2, 5 times a power of ten that is at least `least` > 0. */
static tick_step choose_step(double least)
{
    tick_step step = {1, (int)floor(log10(least)) - 1};

    while (tick_value(1, step) < least) {
        if (step.mantissa == 5)
            step.exponent++;
        step.mantissa = step.mantissa == 1 ? 2 : step.mantissa == 2 ? 5 : 1;
    }
    return step;
}

static size_t decimal_ticks(plot_axis *axis, double value[PLOT_TICKS])
{
    double    length = fabs(axis->end - axis->start);
    double    least = (axis->to - axis->from) / fmax(1, floor(length / axis->room));
    tick_step step = choose_step(fmax(least, DBL_MIN));
    double    width = tick_value(1, step);
    int       first = (int)floor(axis->from / width * (1 + 1e-12));
    size_t    count = 0;

    axis->from = fmin(axis->from, tick_value(first, step));
    while (count < PLOT_TICKS) {
        value[count] = tick_value(first + (int)count, step);
        if (value[count++] >= axis->to)
            break;
    }
    axis->to = fmax(axis->to, value[count - 1]);
    return count;
}

/*
 * Choose ticks of a logarithmic axis: powers of ten, e.g. every second one if there are many, with
 * 2 and 5 times them if there are few, and more multiples within a decade.
 */
static size_t log_ticks(const plot_axis *axis, double value[PLOT_TICKS])
{
    static const double many[] = {1, 1.5, 2, 3, 4, 5, 7}, few[] = {1, 2, 5}, one[] = {1};
    double        decades = log10(axis->to / axis->from), length = fabs(axis->end - axis->start);
    double        room = length / decades / axis->room; /* labels that fit in a decade */
    int           each = room >= 1 ? 1 : (int)ceil(1 / room);
    bool          close = decades < 1 && room >= 11;
    const double *of = close ? many : room >= 3 ? few : one;
    size_t        in = close ? 7 : room >= 3 ? 3 : 1, count = 0;

    for (int e = (int)floor(log10(axis->from)); e <= (int)ceil(log10(axis->to)); e++)
        for (size_t i = 0; i < in && e % each == 0; i++) {
            double at = of[i] * pow(10, e);

            if (at >= axis->from * (1 - 1e-9) && at <= axis->to * (1 + 1e-9) && count < PLOT_TICKS)
                value[count++] = at;
        }
    return count;
}

/* Choose the ticks of an axis and return their number. A decimal axis is widened to its outer
 * ticks. */
static size_t plot_ticks(plot_axis *axis, double value[PLOT_TICKS])
{
    return axis->log ? log_ticks(axis, value) : decimal_ticks(axis, value);
}

/* Format a tick; long numbers as "1e6". */
static void tick_text(double value, char text[32])
{
    int exponent =
        value >= 1e5 || (value > 0 && value < 1e-4) ? (int)floor(log10(value) + 1e-9) : 0;

    hs_format_rounded(value / pow(10, exponent), 6, text);
    if (exponent != 0)
        snprintf(text + strlen(text), 32 - strlen(text), "e%d", exponent);
}

void plot_x_axis(plot_drawing *p, double bottom, const char *name)
{
    double value[PLOT_TICKS];
    size_t count = plot_ticks(&p->x, value);
    char   text[32];

    for (size_t i = 0; i < count; i++) {
        double x = plot_coordinate(&p->x, value[i]);

        svg_line(p->out, "gr", x, p->top, x, bottom);
        tick_text(value[i], text);
        plot_text(p, "k i", x, bottom + 15, text);
    }
    svg_line(p->out, "x", p->x.start, bottom, p->x.end, bottom);
    if (name)
        plot_text(p, "k i", (p->x.start + p->x.end) / 2, bottom + 31, name);
}

void plot_y_axis(plot_drawing *p, double left, double right)
{
    double value[PLOT_TICKS];
    size_t count = plot_ticks(&p->y, value);
    char   text[32];

    for (size_t i = 0; i < count; i++) {
        double y = plot_coordinate(&p->y, value[i]);

        svg_line(p->out, "gr", left, y, right, y);
        tick_text(value[i], text);
        plot_text(p, "k e", left - 5, y + 4, text);
    }
}
