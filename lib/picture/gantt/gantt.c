/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/gantt.h"

#define MARGIN     20.0
#define LABEL_EACH 12.0 /* names at the left are no closer than that */
#define TICK_EACH  95.0

static void put_style(hsi_gantt *g)
{
    hsi_output_text(&g->out,
        "<style>\n"
        "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
        "\"DejaVu Sans\",sans-serif;font-size:12px;fill:#1f2937}\n"
        ".h{font-size:20px;font-weight:600}.b{font-weight:600}.s{font-size:13px;fill:#4b5563}"
        ".m{fill:#374151}\n"
        ".e{text-anchor:end}.i{text-anchor:middle}"
        ".k{font-size:11px;fill:#4b5563}\n"
        ".n{font-size:10.5px;text-anchor:middle;pointer-events:none}.w{fill:#fff}\n"
        ".l{fill:#dfe3ea}.g{stroke:#fff;stroke-width:1}.x{stroke:#9ca3af;stroke-width:1}\n"
        ".v{stroke:#111827;stroke-width:1.5}"
        ".d{stroke:#b0006d;stroke-width:1.5;stroke-dasharray:6 3}"
        ".o{fill:#b0006d}\n");
    if (g->panels > 1)
        hsi_output_text(&g->out, ".p{font-size:15px;font-weight:600}"
                                 ".u{stroke:#111827;stroke-width:1.5;stroke-dasharray:1.5 4}\n");
    if (g->picture.failure_count > 0)
        hsi_output_text(&g->out, ".q{stroke:#c81e1e;stroke-width:2.5;fill:none}\n");
    hsi_palette_style(&g->out, &g->palette);
    hsi_output_text(&g->out, "</style>\n<defs>\n");
    hsi_palette_hatches(&g->out, &g->palette, g->least_height);
    hsi_output_text(&g->out, "</defs>\n");
}

static void put_start(hsi_gantt *g)
{
    hsi_output *out = &g->out;

    hsi_output_format(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\" height=\"%f\" "
                      "viewBox=\"0 0 %f %f\" role=\"img\" aria-label=\"",
                      g->page_width, g->page_height, g->page_width, g->page_height);
    if (hsi_picture_has_title(&g->picture))
        hsi_output_xml(out, g->picture.title, strlen(g->picture.title));
    else
        hsi_output_text(out, "Gantt chart of a schedule");
    hsi_output_text(out, "\">\n");
    put_style(g);
    hsi_output_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

static void put_workers(hsi_output *out, unsigned count, const char *type)
{
    hsi_put_count(out, count);
    hsi_output_format(out, " %s%s", type, count == 1 ? "" : "s");
}

static void put_part(hsi_gantt *g, double part)
{
    char text[HSI_ROUND_TEXT];

    hsi_round_text(100 * part, 3, text);
    hsi_output_format(&g->out, "%s\xe2\x80\xaf%%", text);
}

static void put_gap(hsi_gantt *g)
{
    const hsi_panel *own = hsi_gantt_own(g);
    double           makespan = own->metrics.makespan, bound = own->bound->value;

    if (makespan <= bound) {
        hsi_output_text(&g->out, ", which the schedule meets");
    } else if (bound > 0) {
        hsi_output_text(&g->out, ", gap ");
        put_part(g, makespan / bound - 1);
    }
}

/* " where 41.2 s were planned, 1.3 % over": beside what happened. */
static void put_planned(hsi_gantt *g)
{
    double planned = g->panel[0].metrics.makespan, makespan = hsi_gantt_own(g)->metrics.makespan;

    if (g->panels < 2)
        return;
    hsi_output_text(&g->out, ", planned ");
    hsi_put_time(&g->out, planned, g->unit);
    if (planned > 0 && makespan > 0) {
        hsi_output_text(&g->out, makespan < planned ? " (\xe2\x88\x92" : " (+");
        put_part(g, fabs(makespan / planned - 1));
        hsi_output_char(&g->out, ')');
    }
}

static void put_subtitle(hsi_gantt *g)
{
    hsi_output      *out = &g->out;
    const hsi_panel *own = hsi_gantt_own(g);
    size_t           tasks = hs_instance_tasks(g->in);
    unsigned         cpus = hs_instance_cpus(g->in), gpus = hs_instance_gpus(g->in);

    hsi_put_text_at(out, "s", MARGIN, g->legend_top - 13);
    hsi_put_count(out, tasks);
    hsi_output_text(out, tasks == 1 ? " task on " : " tasks on ");
    if (cpus > 0)
        put_workers(out, cpus, "CPU");
    if (cpus > 0 && gpus > 0)
        hsi_output_text(out, " and ");
    if (gpus > 0)
        put_workers(out, gpus, "GPU");
    hsi_output_text(out, " \xc2\xb7 makespan ");
    hsi_put_time(out, own->metrics.makespan, g->unit);
    put_planned(g);
    if (own->bound) {
        hsi_output_text(out, " \xc2\xb7 lower bound ");
        hsi_put_time(out, own->bound->value, g->unit);
        put_gap(g);
    }
    hsi_output_text(out, "</text>\n");
}

static void put_head(hsi_gantt *g)
{
    if (hsi_picture_has_title(&g->picture)) {
        hsi_put_text_at(&g->out, "h", MARGIN, MARGIN + 17);
        hsi_put_name(&g->out, g->picture.title, 96);
        hsi_output_text(&g->out, "</text>\n");
    }
    put_subtitle(g);
    hsi_legend_draw(&g->out, &g->legend, &g->palette, MARGIN, g->legend_top);
}

/* Tick values are i * mantissa * 10^exponent. */
typedef struct ticks {
    int mantissa, exponent;
} ticks;

static double tick_value(ticks t, int i)
{
    double value = (double)i * t.mantissa, power = 1;

    for (int k = abs(t.exponent); k > 0; k--)
        power *= 10;
    return t.exponent >= 0 ? value * power : value / power;
}

/* The smallest of 1, 2, 5 times a power of ten that leaves ticks apart enough. */
static ticks choose_ticks(const hsi_gantt *g)
{
    double least = fmax(g->span / g->width * TICK_EACH, DBL_MIN);
    ticks  t = {1, (int)floor(log10(least)) - 1};

    while (tick_value(t, 1) < least) {
        if (t.mantissa == 5)
            t.exponent++;
        t.mantissa = t.mantissa == 1 ? 2 : t.mantissa == 2 ? 5 : 1;
    }
    return t;
}

static void put_grid(hsi_gantt *g, const hsi_panel *panel, ticks t)
{
    for (int i = 1; tick_value(t, i) < g->span; i++)
        for (int b = 0; b < 2; b++) {
            const hsi_band *band = &panel->band[b];
            double          x = hsi_gantt_x(g, tick_value(t, i));

            if (band->rows > 0)
                hsi_put_line(&g->out, "g", x, band->top, x, hsi_row_top(band, band->rows));
        }
}

static void put_axis(hsi_gantt *g, ticks t)
{
    hsi_output *out = &g->out;
    double      right = g->left + g->width;
    char        text[HSI_ROUND_TEXT];

    hsi_put_line(out, "x", g->left, g->bottom, right, g->bottom);
    for (int i = 0; tick_value(t, i) <= g->span; i++) {
        double x = hsi_gantt_x(g, tick_value(t, i));

        hsi_put_line(out, "x", x, g->bottom, x, g->bottom + 5);
        hsi_round_text(tick_value(t, i), 12, text);
        hsi_put_label(out, "k i", x, g->bottom + 18, text);
    }
    hsi_put_text_at(out, "k", right + 26, g->bottom + 18);
    hsi_output_format(out, "time (%s)</text>\n", hsi_unit_text(g->unit));
}

static size_t band_failures(const hsi_gantt *g, const hsi_band *band)
{
    if (!band->panel->happened)
        return 0;
    return hsi_picture_failures(&g->picture, band->first, band->first + band->workers);
}

static void put_band_heading(hsi_gantt *g, const hsi_band *band)
{
    const hs_type_metrics *m = &band->panel->metrics.type[band->type];
    hsi_output            *out = &g->out;
    double                 all = m->busy + m->idle;
    size_t                 failed = band_failures(g, band), aborted = m->aborted;

    hsi_put_text_at(out, "b", g->left, band->top - 7);
    put_workers(out, band->workers, band->type == HS_GPU ? "GPU" : "CPU");
    hsi_output_text(out, "<tspan class=\"k\" font-weight=\"400\" dx=\"10\">");
    hsi_put_count(out, m->tasks);
    hsi_output_text(out, m->tasks == 1 ? " task" : " tasks");
    aborted -= failed < aborted ? failed : aborted;
    if (aborted > 0) {
        hsi_output_text(out, " \xc2\xb7 aborted ");
        hsi_put_count(out, aborted);
    }
    if (failed > 0) {
        hsi_output_text(out, " \xc2\xb7 failed ");
        hsi_put_count(out, failed);
    }
    if (all > 0) {
        hsi_output_text(out, " \xc2\xb7 ");
        hsi_put_percent(out, m->busy / all);
        hsi_output_text(out, " busy");
    }
    hsi_output_text(out, "</tspan></text>\n");
}

/* Every how many rows there is a name: 1, 2, 5, 10, ... */
static unsigned label_step(const hsi_band *band)
{
    unsigned step = 1, next = 2;

    while (step * band->pitch < LABEL_EACH) {
        unsigned after = next == 2 * step ? step * 5 : next * 2;

        step = next;
        next = after;
    }
    return step;
}

static void put_row_share(hsi_gantt *g, const hsi_band *band, unsigned row, double baseline)
{
    double makespan = band->panel->metrics.makespan;

    if (band->group > 1 || band->pitch < LABEL_EACH || !(makespan > 0))
        return;
    hsi_put_text_at(&g->out, "k e", g->left + g->width + 50, baseline);
    hsi_put_percent(&g->out, hs_schedule_load(band->panel->s, band->first + row) / makespan);
    hsi_output_text(&g->out, "</text>\n");
}

/* The lanes, empty as yet: what stays visible of them is idle time. */
static void put_rows(hsi_gantt *g, const hsi_band *band)
{
    unsigned step = label_step(band);
    double   width = g->panels > 1 ? hsi_gantt_x(g, band->panel->metrics.makespan) - g->left
                                   : g->width;
    char     name[40];

    for (unsigned row = 0; row < band->rows; row++) {
        double y = hsi_row_top(band, row), baseline = y + band->height / 2 + 4;

        hsi_put_rect(&g->out, "l", g->left, y, width, band->height);
        hsi_output_text(&g->out, "/>\n");
        put_row_share(g, band, row, baseline);
        if (row % step != 0)
            continue;
        hsi_row_name(band, row, name);
        hsi_put_label(&g->out, "k e", g->left - 7, baseline, name);
    }
}

static hs_status put_panel(hsi_gantt *g, const hsi_panel *panel, ticks t)
{
    hs_status st = HS_OK;

    if (panel->name)
        hsi_put_label(&g->out, "p", MARGIN, panel->top - 6, panel->name);
    for (int b = 0; b < 2; b++)
        if (panel->band[b].rows > 0) {
            put_band_heading(g, &panel->band[b]);
            put_rows(g, &panel->band[b]);
        }
    put_grid(g, panel, t);
    for (int b = 0; b < 2 && st == HS_OK; b++) {
        if (panel->band[b].group > 1)
            st = hsi_draw_groups(g, &panel->band[b]);
        else
            hsi_draw_lanes(g, &panel->band[b]);
        if (panel->happened)
            hsi_draw_failures(g, &panel->band[b]);
    }
    return st;
}

static hs_status put_chart(hsi_gantt *g)
{
    ticks     t = choose_ticks(g);
    hs_status st = HS_OK;

    put_start(g);
    put_head(g);
    for (unsigned i = 0; i < g->panels && st == HS_OK; i++)
        st = put_panel(g, &g->panel[i], t);
    put_axis(g, t);
    hsi_draw_lines(g);
    hsi_output_text(&g->out, "</svg>\n");
    return st;
}

static void add_panel(hsi_gantt *g, const hs_schedule *s, const hs_named_bound *bound)
{
    hsi_panel *panel = &g->panel[g->panels++];

    panel->s = s;
    panel->bound = hsi_picture_has_bound(bound) ? bound : NULL;
    hs_schedule_metrics(g->in, s, &panel->metrics);
}

static void add_panels(hsi_gantt *g, const hs_schedule *s)
{
    if (g->picture.planned) {
        add_panel(g, g->picture.planned, g->picture.planned_bound);
        g->panel[0].name = "Planned";
    }
    add_panel(g, s, g->picture.bound);
    g->panel[g->panels - 1].name = g->picture.planned ? "What happened" : NULL;
    g->panel[g->panels - 1].happened = g->picture.planned || g->picture.failure_count > 0;
}

hs_status hs_gantt_write(int fd, const hs_instance *in, const hs_schedule *s,
                         const hs_picture *picture)
{
    hsi_gantt g = {.in = in};
    hs_status st = hsi_picture_begin(&g.picture, picture, in, s);

    if (st != HS_OK)
        return st;
    g.unit = hs_instance_unit(in);
    add_panels(&g, s);
    st = hsi_palette_choose(in, &g.palette);
    if (st != HS_OK)
        return st;
    hsi_gantt_layout(&g);
    st = hsi_output_open(&g.out, fd);
    if (st != HS_OK)
        return st;
    st = put_chart(&g);
    if (st == HS_OK)
        st = hsi_output_close(&g.out);
    hsi_output_abandon(&g.out);
    return st;
}
