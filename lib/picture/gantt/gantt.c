/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "picture/gantt/gantt.h"

enum { POLICY_LIMIT = 40 };
#define MARGIN 20.0
#define LABEL_EACH 12.0   /* least distance of names at the left */
#define TITLE_COLUMN 11.6 /* usual largest width of a character */

static void put_start(hsi_gantt *g)
{
    hsi_output *out = &g->out;

    hsi_output_format(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" "
                      "viewBox=\"0 0 %f %f\"%s data-left=\"%f\" data-width=\"%f\" data-span=\"%g\" "
                      "data-unit=\"%s\" role=\"img\" aria-label=\"",
                      g->page_width, g->page_height, g->narrow ? " class=\"narrow\"" : "", g->left,
                      g->width, g->span, hsi_unit_text(g->unit));
    if (hsi_picture_has_title(&g->picture))
        hsi_output_xml(out, g->picture.title, strlen(g->picture.title));
    else
        hsi_output_text(out, "Gantt chart of a schedule");
    hsi_output_text(out, "\">\n");
    hsi_gantt_style(g);
    hsi_output_text(out, "<rect class=\"z\" width=\"100%\" height=\"100%\"/>\n");
}

static void put_part(hsi_gantt *g, double part)
{
    char text[32];

    hs_format_rounded(100 * part, 3, text);
    hsi_output_format(&g->out, "%s\xe2\x80\xaf%%", text);
}

static void put_gap(hsi_gantt *g)
{
    const hsi_panel *own = hsi_gantt_main_panel(g);
    double           makespan = own->metrics.makespan, bound = own->bound->value;

    if (makespan <= bound) {
        hsi_output_text(&g->out, ", which the schedule meets");
    } else if (bound > 0) {
        hsi_output_text(&g->out, ", gap ");
        put_part(g, makespan / bound - 1);
    }
}

static uint64_t count_tasks(const hsi_panel *panel)
{
    return panel->metrics.type[HS_CPU].tasks + panel->metrics.type[HS_GPU].tasks;
}

/*
 * Return whether both panels have the same number of finished tasks. Otherwise their makespans are
 * not comparable.
 */
static bool is_whole(const hsi_gantt *g)
{
    return count_tasks(hsi_gantt_main_panel(g)) == count_tasks(&g->panel[0]);
}

/* Write the predicted makespan, e.g. ", predicted 41.2 s (+1.3 %)", beside that of the run. */
static void put_predicted(hsi_gantt *g)
{
    double predicted = g->panel[0].metrics.makespan,
           makespan = hsi_gantt_main_panel(g)->metrics.makespan;

    if (g->panels < 2)
        return;
    hsi_output_text(&g->out, ", predicted ");
    hsi_put_time(&g->out, predicted, g->unit);
    if (predicted > 0 && makespan > 0 && is_whole(g)) {
        hsi_output_text(&g->out, makespan < predicted ? " (\xe2\x88\x92" : " (+");
        put_part(g, fabs(makespan / predicted - 1));
        hsi_output_char(&g->out, ')');
    }
}

static void put_size(hsi_gantt *g)
{
    size_t   tasks = hs_instance_tasks(g->in);
    unsigned cpus = hs_instance_cpus(g->in), gpus = hs_instance_gpus(g->in);

    hsi_put_count(&g->out, tasks);
    hsi_output_text(&g->out, tasks == 1 ? " task on " : " tasks on ");
    if (cpus > 0)
        hsi_put_worker_count(&g->out, cpus, "CPU");
    if (cpus > 0 && gpus > 0)
        hsi_output_text(&g->out, " and ");
    if (gpus > 0)
        hsi_put_worker_count(&g->out, gpus, "GPU");
}

/* Write a separator before part `part` of the subtitle: a comma, or a new line on a narrow page. */
static void put_separator(hsi_gantt *g, unsigned part)
{
    if (!g->narrow) {
        hsi_output_text(&g->out, " \xc2\xb7 ");
        return;
    }
    hsi_output_text(&g->out, "</text>\n");
    hsi_put_text_at(&g->out, "s", MARGIN, g->subtitle + part * HSI_SUBTITLE_LINE);
}

static void put_subtitle(hsi_gantt *g)
{
    hsi_output      *out = &g->out;
    const hsi_panel *own = hsi_gantt_main_panel(g);

    hsi_put_text_at(out, "s", MARGIN, g->subtitle);
    put_size(g);
    put_separator(g, 1);
    hsi_output_text(out, "makespan ");
    hsi_put_time_and_duration(out, own->metrics.makespan, g->unit);
    put_predicted(g);
    if (own->bound) {
        put_separator(g, 2);
        hsi_output_text(out, "lower bound ");
        hsi_put_time(out, own->bound->value, g->unit);
        if (is_whole(g))
            put_gap(g);
    }
    hsi_output_text(out, "</text>\n");
}

static void put_head(hsi_gantt *g)
{
    if (hsi_picture_has_title(&g->picture)) {
        hsi_put_text_at(&g->out, "h", MARGIN, MARGIN + 17);
        hsi_put_name(&g->out, g->picture.title, (size_t)(g->page_width / TITLE_COLUMN));
        hsi_output_text(&g->out, "</text>\n");
    }
    put_subtitle(g);
    hsi_legend_draw(&g->out, &g->legend, &g->palette, MARGIN, g->legend_top);
}

/* Return the step between named rows: 1, 2, 5, 10, ... */
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

/* Write the share of the makespan in which the workers of a row are busy. */
static void put_row_share(hsi_gantt *g, const hsi_band *band, unsigned row, double baseline)
{
    double   makespan = band->panel->metrics.makespan, load = 0;
    unsigned from = row * band->group, to = from + band->group;

    if (band->pitch < LABEL_EACH || !(makespan > 0))
        return;
    to = to < band->workers ? to : band->workers;
    for (unsigned w = from; w < to; w++)
        load += hs_schedule_load(band->panel->s, band->first + w);
    hsi_put_text_at(&g->out, "k e", g->left + g->width + 50, baseline);
    hsi_put_percent(&g->out, load / (to - from) / makespan);
    hsi_output_text(&g->out, "</text>\n");
}

/* Write the name of a row, after the name of its node if it is the first of the node, and draw a
 * line above the first row of each further node. */
static void put_row_name(hsi_gantt *g, const hsi_band *band, unsigned row, double baseline,
                         double width)
{
    const char *node = hsi_row_node(band, row);
    double      y = hsi_row_top(band, row) - (band->pitch - band->height) / 2;
    char        name[40];

    hsi_row_name(band, row, name);
    if (node && row > 0)
        hsi_put_line(&g->out, "x", g->left, y, g->left + width, y);
    if (row % label_step(band) != 0)
        return;
    hsi_put_text_at(&g->out, "k e", g->left - 7, baseline);
    if (node) {
        hsi_put_name(&g->out, node, HSI_NODE_NAME);
        hsi_output_char(&g->out, ' ');
    }
    hsi_output_format(&g->out, "%s</text>\n", name);
}

/* Draw the empty lanes; their uncovered parts will show idle time. */
static void put_rows(hsi_gantt *g, const hsi_band *band)
{
    double width =
        g->panels > 1 ? hsi_gantt_x(g, band->panel->metrics.makespan) - g->left : g->width;

    for (unsigned row = 0; row < band->rows; row++) {
        double y = hsi_row_top(band, row), baseline = y + band->height / 2 + 4;

        hsi_put_rect(&g->out, "l", g->left, y, width, band->height);
        hsi_output_text(&g->out, "/>\n");
        put_row_share(g, band, row, baseline);
        put_row_name(g, band, row, baseline, width);
    }
}

/*
 * Write the name of a panel. The name of the prediction is followed by an explanation, because the
 * prediction is not the plan.
 */
static void put_panel_name(hsi_gantt *g, const hsi_panel *panel)
{
    hsi_put_text_at(&g->out, "p", MARGIN, panel->heading);
    hsi_output_text(&g->out, panel->name);
    if (panel == g->panel) {
        hsi_output_text(&g->out, "<tspan class=\"s\" font-weight=\"400\" dx=\"10\">");
        if (g->picture.policy) {
            hsi_output_text(&g->out, "policy ");
            hsi_put_name(&g->out, g->picture.policy, POLICY_LIMIT);
            hsi_output_text(&g->out, ", simulated with the estimated times</tspan>");
        } else {
            hsi_output_text(&g->out, "a simulation with the estimated times</tspan>");
        }
    }
    hsi_output_text(&g->out, "</text>\n");
}

/* Draw the shapes that react to a pointer. They come last, above all bars. */
static void put_hovers(hsi_gantt *g, const hsi_panel *panel)
{
    if (hsi_gantt_shows_dependencies(g)) {
        hsi_draw_entry_hovers(g, &panel->band[0]);
        hsi_draw_entry_hovers(g, &panel->band[1]);
    } else {
        hsi_draw_spoliation_hovers(g, panel);
    }
}

static hs_status put_panel(hsi_gantt *g, const hsi_panel *panel)
{
    hs_status st = HS_OK;

    if (panel->name)
        put_panel_name(g, panel);
    for (int b = 0; b < 2; b++)
        if (panel->band[b].rows > 0) {
            put_rows(g, &panel->band[b]);
            if (panel->backlog.count > 0)
                hsi_draw_idle_with_ready_task(g, &panel->band[b]);
        }
    if (panel == hsi_gantt_main_panel(g))
        hsi_draw_waits(g);
    hsi_draw_grid(g, panel);
    for (int b = 0; b < 2 && st == HS_OK; b++) {
        if (panel->band[b].group > 1)
            st = hsi_draw_group_rows(g, &panel->band[b]);
        else
            hsi_draw_worker_rows(g, &panel->band[b]);
        if (panel->happened)
            hsi_draw_failures(g, &panel->band[b]);
    }
    if (hsi_gantt_shows_spoliations(g))
        hsi_draw_spoliations(g, panel);
    if (panel->transfer_count > 0)
        hsi_draw_copies(g, panel);
    if (panel->backlog.count > 0)
        hsi_draw_ready_counts(g, panel);
    if (panel->path)
        hsi_draw_critical_path(g, panel);
    put_hovers(g, panel);
    return st;
}

/* Draw the headings above lines that would cross them on narrow pages. */
static void put_headings(hsi_gantt *g)
{
    for (unsigned i = 0; i < g->panels; i++)
        for (int b = 0; b < 2; b++)
            if (g->panel[i].band[b].rows > 0)
                hsi_put_heading(g, &g->panel[i].band[b]);
}

static hs_status put_chart(hsi_gantt *g)
{
    hs_status st = HS_OK;

    put_start(g);
    put_head(g);
    for (unsigned i = 0; i < g->panels && st == HS_OK; i++)
        st = put_panel(g, &g->panel[i]);
    hsi_draw_axis(g);
    hsi_draw_bound_lines(g);
    put_headings(g);
    hsi_output_text(&g->out, "</svg>\n");
    return st;
}

static hs_status add_panel(hsi_gantt *g, const hs_schedule *s, const hs_named_bound *bound,
                           const char *name)
{
    hsi_panel *panel = &g->panel[g->panels++];
    hs_status  st = hsi_runs_open(&panel->runs, g->in, s);

    panel->s = s;
    panel->transfers = hs_schedule_transfers(s, &panel->transfer_count);
    panel->bound = hsi_picture_has_bound(bound) ? bound : NULL;
    panel->name = name;
    hs_schedule_compute_metrics(g->in, s, &panel->metrics);
    if (st == HS_OK && panel->runs.graph) {
        g->dependencies = hsi_count_dependent_pairs(panel->runs.graph, HSI_ARROWS_MOST);
        st = hsi_critical_path(&panel->runs, &panel->path, &panel->path_count);
    }
    return st;
}

static hs_status add_panels(hsi_gantt *g, const hs_schedule *s)
{
    const hs_schedule *predicted = g->picture.predicted;
    hs_status          st = HS_OK;
    hsi_panel         *own;

    if (predicted)
        st = add_panel(g, predicted, g->picture.predicted_bound, "Predicted");
    if (st == HS_OK)
        st = add_panel(g, s, g->picture.bound, predicted ? "What happened" : NULL);
    own = &g->panel[g->panels - 1];
    own->transfers = g->picture.transfers;
    own->transfer_count = g->picture.transfer_count;
    own->happened = predicted || g->picture.failure_count + g->picture.wait_count > 0;
    for (unsigned i = 0; i < g->panels && st == HS_OK; i++)
        st = hsi_find_spoliations(g, &g->panel[i]);
    if (st == HS_OK && own->happened && own->runs.graph)
        st = hsi_ready_counts_open(&own->backlog, g->in, s);
    return st;
}

static void close_panels(hsi_gantt *g)
{
    for (unsigned i = 0; i < g->panels; i++) {
        hsi_runs_close(&g->panel[i].runs);
        hsi_ready_counts_close(&g->panel[i].backlog);
        free(g->panel[i].path);
        free(g->panel[i].parts);
        free(g->panel[i].spoliation);
    }
}

/* Draw the chart to `fd`. Every allocation but those of drawing was made before. */
static hs_status write_chart(hsi_gantt *g, int fd)
{
    hs_status st = hsi_output_open(&g->out, fd);

    if (st != HS_OK)
        return st;
    st = put_chart(g);
    if (st == HS_OK)
        st = hsi_output_close(&g->out);
    hsi_output_free_buffer(&g->out);
    return st;
}

hs_status hs_gantt_write(int fd, const hs_instance *in, const hs_schedule *s,
                         const hs_picture *picture, hs_error *error)
{
    hsi_gantt g = {.in = in};
    hs_status st = hsi_picture_begin(&g.picture, picture, in, s, error);

    if (st != HS_OK)
        return st;
    g.unit = hs_instance_unit(in);
    st = add_panels(&g, s);
    if (st == HS_OK)
        st = hsi_palette_choose(in, &g.palette);
    if (st == HS_OK) {
        hsi_gantt_layout(&g);
        st = write_chart(&g, fd);
    }
    close_panels(&g);
    return hsi_error_set_status(error, st);
}
