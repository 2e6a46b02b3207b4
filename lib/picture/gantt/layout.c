/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/gantt/gantt.h"

#define PAGE_WIDTH   1120.0
#define NARROW       900.0 /* narrower pages have a subtitle of several lines */
#define MARGIN       20.0
#define RIGHT        110.0 /* room for shares and for the label of the last line */
#define TITLE        30.0
#define SUBTITLE     24.0
#define BAND_HEADING 22.0
#define BAND_GAP     14.0
#define PANEL_NAME   24.0
#define PANEL_GAP    12.0
#define AXIS         36.0

enum {
    WORKERS_MOST = 100, /* largest number of workers of a type that have their own rows */
    GROUP_ROWS = 20,    /* limit on shared rows of a type */
    TASKS_MOST = 5000   /* number of tasks above which short tasks share a bar */
};

/* Return the distance between rows for a number of rows. */
static double pitch_of(unsigned rows)
{
    return rows <= 6 ? 32 : rows <= 32 ? 24 : rows <= 64 ? 15 : 9;
}

static void divide(hsi_band *band, unsigned all_workers)
{
    band->group = 1;
    if (all_workers > WORKERS_MOST && band->workers > GROUP_ROWS)
        band->group = (band->workers + GROUP_ROWS - 1) / GROUP_ROWS;
    band->rows = (band->workers + band->group - 1) / band->group;
}

/*
 * Set the pitch of a band. Few GPUs stay readable above many CPUs: a band is no thinner than its
 * own rows, and a well-filled page, require.
 */
static void set_pitch(hsi_band *band, unsigned all_rows)
{
    band->pitch = fmax(pitch_of(all_rows), fmin(pitch_of(band->rows), 15));
    band->height = band->pitch - (band->pitch >= 24 ? 4 : band->pitch >= 15 ? 2.5 : 1);
}

static double least_height(const hsi_panel *panel)
{
    double gpu = panel->band[0].rows > 0 ? panel->band[0].height : INFINITY;
    double cpu = panel->band[1].rows > 0 ? panel->band[1].height : INFINITY;

    return fmin(gpu, cpu);
}

static double place_band(hsi_band *band, double y)
{
    if (band->rows == 0)
        return y;
    band->top = y + BAND_HEADING;
    return band->top + band->rows * band->pitch + BAND_GAP;
}

void hsi_row_name(const hsi_band *band, unsigned row, char name[40])
{
    unsigned from = row * band->group, to = from + band->group - 1;

    hs_worker_name(hs_schedule_cpus(band->panel->s), band->first + from, name);
    if (to >= band->workers)
        to = band->workers - 1;
    if (to > from)
        snprintf(name + strlen(name), 24, "\xe2\x80\x93%u", to);
}

const char *hsi_row_node(const hsi_band *band, unsigned row)
{
    const hs_instance *in = band->panel->runs.in;
    unsigned           worker = band->first + row, cpus, gpus;
    size_t             node = hs_instance_node_of(in, worker);

    if (band->group > 1 || hs_instance_nodes(in) == 1 ||
        (row > 0 && hs_instance_node_of(in, worker - 1) == node))
        return NULL;
    return hs_instance_node(in, node, &cpus, &gpus);
}

/* Return the number of columns of the longest name of a node before the name of a row. */
static unsigned node_columns(const hsi_band *band)
{
    unsigned columns = 0;

    for (unsigned row = 0; row < band->rows; row++) {
        const char *node = hsi_row_node(band, row);
        size_t      length = node ? strlen(node) : 0;
        unsigned    n = node ? hsi_text_columns(node, length < HSI_NODE_NAME ? length
                                                                             : HSI_NODE_NAME) + 2 : 0;

        columns = n > columns ? n : columns;
    }
    return columns;
}

/* Return the width of the longest name at the left. */
static double label_width(const hsi_gantt *g)
{
    unsigned columns = 0;
    char     name[40];

    for (int b = 0; b < 2; b++) {
        const hsi_band *band = &g->panel[0].band[b];

        for (unsigned back = 1; back <= 2 && back <= band->rows; back++) {
            unsigned n;

            hsi_row_name(band, band->rows - back, name);
            n = hsi_text_columns(name, strlen(name)) + node_columns(band);
            columns = n > columns ? n : columns;
        }
    }
    for (unsigned i = 0; i < g->panels; i++) {
        unsigned n = hsi_copies_label_columns(&g->panel[i]);

        columns = n > columns ? n : columns;
    }
    return 6.5 * columns + 8;
}

/* Count aborted entries, including failed ones. */
static size_t count_aborted(const hsi_gantt *g)
{
    size_t aborted = 0;

    for (unsigned i = 0; i < g->panels; i++)
        aborted += g->panel[i].metrics.type[HS_CPU].aborted +
                   g->panel[i].metrics.type[HS_GPU].aborted;
    return aborted;
}

/* Set the time scale, shared by all panels. */
static void set_span(hsi_gantt *g)
{
    g->span = 0;
    for (unsigned i = 0; i < g->panels; i++) {
        const hsi_panel *panel = &g->panel[i];

        g->span = fmax(g->span, panel->metrics.makespan);
        if (panel->bound)
            g->span = fmax(g->span, panel->bound->value);
        for (size_t t = 0; t < panel->transfer_count; t++)
            g->span = fmax(g->span, panel->transfers[t].end);
    }
    if (!(g->span > 0))
        g->span = 1;
}

static unsigned divide_panel(hsi_panel *panel)
{
    unsigned cpus = hs_schedule_cpus(panel->s), gpus = hs_schedule_gpus(panel->s);

    panel->band[0] = (hsi_band){.panel = panel, .type = HS_GPU, .first = cpus, .workers = gpus};
    panel->band[1] = (hsi_band){.panel = panel, .type = HS_CPU, .first = 0, .workers = cpus};
    divide(&panel->band[0], cpus + gpus);
    divide(&panel->band[1], cpus + gpus);
    hsi_divide_copies(panel);
    return panel->band[0].rows + panel->band[1].rows;
}

static double place_panel(const hsi_gantt *g, hsi_panel *panel, double y, unsigned all_rows)
{
    if (panel->name)
        y += PANEL_NAME;
    panel->heading = y - 5;
    y += HSI_LINE_LABELS;
    panel->top = y;
    for (int b = 0; b < 2; b++) {
        set_pitch(&panel->band[b], all_rows);
        panel->band[b].heading = hsi_heading_width(g, &panel->band[b]);
        y = place_band(&panel->band[b], y);
    }
    if (panel->copies.rows > 0) {
        panel->copies.top = y + BAND_HEADING;
        y = panel->copies.top + panel->copies.rows * panel->copies.pitch + BAND_GAP;
    }
    if (panel->backlog.count > 0) {
        panel->ready_top = y + BAND_HEADING;
        y = panel->ready_top + HSI_READY_CHART + BAND_GAP;
    }
    panel->bottom = y - BAND_GAP + 4;
    return y;
}

/* Place the title, the subtitle and the legend. Return their lower end. */
static double place_head(hsi_gantt *g)
{
    double y = MARGIN;

    g->narrow = g->palette.narrow = g->page_width < NARROW;
    g->subtitle_lines = g->narrow ? 2 + (hsi_gantt_main_panel(g)->bound != NULL) : 1;
    y += hsi_picture_has_title(&g->picture) ? TITLE : 0;
    g->subtitle = y + SUBTITLE - 9;
    y += SUBTITLE + (g->subtitle_lines - 1) * HSI_SUBTITLE_LINE;
    g->legend_top = y + 4;
    hsi_legend_layout(&g->legend, &g->palette, count_aborted(g) > g->picture.failure_count,
                      g->picture.failure_count > 0, g->page_width - 2 * MARGIN);
    if (g->sliced || g->panel[0].band[0].group > 1 || g->panel[0].band[1].group > 1)
        hsi_legend_add_merged(&g->legend);
    hsi_set_spoliation_text(g);
    if (hsi_gantt_shows_spoliations(g))
        hsi_legend_add_spoliations(&g->legend, g->spoliations);
    if (hsi_gantt_shows_waits(g))
        hsi_legend_add_waits(&g->legend);
    if (hsi_gantt_shows_copies(g))
        hsi_legend_add_copies(&g->legend);
    if (hsi_gantt_main_panel(g)->runs.graph)
        hsi_legend_add_graph(&g->legend, hsi_gantt_main_panel(g)->backlog.count > 0);
    if (!g->narrow && g->dependencies > 0)
        hsi_legend_add_arrows(&g->legend, hsi_gantt_shows_dependencies(g));
    return g->legend_top + g->legend.lines * HSI_LEGEND_LINE;
}

void hsi_gantt_layout(hsi_gantt *g)
{
    unsigned rows = 0;
    double   y;

    set_span(g);
    g->sliced = hs_instance_tasks(g->in) > TASKS_MOST;
    for (unsigned i = 0; i < g->panels; i++)
        rows += divide_panel(&g->panel[i]);

    g->page_width = g->picture.width > 0 ? g->picture.width : PAGE_WIDTH;
    g->left = MARGIN + label_width(g);
    g->width = g->page_width - RIGHT - g->left;
    hsi_choose_ticks(g);
    y = place_head(g);
    for (unsigned i = 0; i < g->panels; i++)
        y = place_panel(g, &g->panel[i], i > 0 ? y + PANEL_GAP : y, rows);
    g->least_height = least_height(&g->panel[0]);
    g->bottom = hsi_gantt_main_panel(g)->bottom;
    g->page_height = g->bottom + AXIS;
}
