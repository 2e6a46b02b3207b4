/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of data: a thin row below the lanes for each memory, with the copies to it. Simultaneous
 * copies overlap transparently. With many GPUs a row stands for several memories.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/gantt/gantt.h"

enum { RECTANGLES_MOST = 8000, ROWS_MOST = 40, FEW_ROWS = 9, NAME_LIMIT = 80 };
#define LABEL_EACH 12.0
#define NARROWEST 0.5

/* Number and bytes of some copies. */
typedef struct total {
    size_t count;
    double bytes;
} total;

bool hsi_gantt_shows_copies(const hsi_gantt *g)
{
    return g->panel[0].transfer_count > 0 || hsi_gantt_main_panel(g)->transfer_count > 0;
}

static unsigned hosts_of(const hsi_panel *panel)
{
    return (unsigned)hs_instance_nodes(panel->runs.in);
}

void hsi_divide_copies(hsi_panel *panel)
{
    unsigned nodes = hs_schedule_gpus(panel->s) + hosts_of(panel);
    unsigned group = (nodes + ROWS_MOST - 1) / ROWS_MOST;
    unsigned rows = (nodes + group - 1) / group;

    if (panel->transfer_count > 0)
        panel->copies = (hsi_copy_rows){group, rows, 0, rows <= FEW_ROWS ? 14 : 7};
}

/* Format the name of a row: "→ gpu0", or "→ gpu4–7" for several GPUs; hosts come first. */
static void row_name(const hsi_panel *panel, unsigned row, char text[48])
{
    const hs_instance *in = panel->runs.in;
    unsigned           from = row * panel->copies.group, to = from + panel->copies.group - 1;
    unsigned           hosts = hosts_of(panel), last = hs_schedule_gpus(panel->s) + hosts - 1;
    char               name[16];

    if (to > last)
        to = last;
    snprintf(text, 48, "\xe2\x86\x92 %s", hsi_memory_node_name(in, from, name));
    if (from + 1 < hosts && to > from)
        snprintf(text + strlen(text), 16, "\xe2\x80\x93%u", (to < hosts ? to : hosts - 1));
    if (from < hosts && to >= hosts) {
        strcat(text, ", gpu0");
        from = hosts;
    }
    if (from >= hosts && to > from)
        snprintf(text + strlen(text), 16, "\xe2\x80\x93%u", to - hosts);
}

unsigned hsi_copies_label_columns(const hsi_panel *panel)
{
    unsigned columns = 0;
    char     name[48];

    for (unsigned row = 0; row < panel->copies.rows; row++) {
        unsigned n;

        row_name(panel, row, name);
        n = hsi_text_columns(name, strlen(name));
        columns = n > columns ? n : columns;
    }
    return columns;
}

/* Return the end of the copies from `from` on, to one memory, that share a rectangle. */
static size_t block_end(const hsi_gantt *g, const hsi_panel *panel, size_t from, double merge)
{
    const hs_transfer *t = panel->transfers;
    double             end = t[from].end;
    size_t             i = from + 1;

    for (; i < panel->transfer_count && t[i].to == t[from].to; i++) {
        end = fmax(end, t[i].end);
        if ((end - t[from].start) / g->span * g->width > merge)
            break;
    }
    return i;
}

static double choose_merge(const hsi_gantt *g, const hsi_panel *panel)
{
    double merge = 1;

    for (;; merge *= 1.5) {
        size_t count = 0;

        for (size_t i = 0; i < panel->transfer_count; i = block_end(g, panel, i, merge))
            count++;
        if (count <= RECTANGLES_MOST || merge > g->width)
            return merge;
    }
}

static total add_up(const hsi_panel *panel, size_t from, size_t to)
{
    total sum = {.count = to - from};

    for (size_t i = from; i < to; i++)
        sum.bytes += panel->transfers[i].bytes;
    return sum;
}

/* Write a sum, e.g. "86 copies to gpu3, 25.4 MB"; without its size if `bytes` is 0. */
static void put_total(hsi_gantt *g, total sum, const char *what, bool bytes)
{
    hsi_put_count(&g->out, sum.count);
    hsi_output_format(&g->out, " %s", what);
    if (!bytes)
        return;
    hsi_output_text(&g->out, ", ");
    hsi_put_bytes(&g->out, sum.bytes);
}

static void put_one_title(hsi_gantt *g, const hs_transfer *t)
{
    const char *data = hs_instance_handle_name(g->in, t->data);
    char        from[16], to[16];

    if (data)
        hsi_put_name(&g->out, data, NAME_LIMIT);
    else
        hsi_output_text(&g->out, "data");
    hsi_output_format(&g->out, ": copy from %s to %s, ", hsi_memory_node_name(g->in, t->from, from),
                      hsi_memory_node_name(g->in, t->to, to));
    hsi_put_bytes(&g->out, t->bytes);
    hsi_output_char(&g->out, '\n');
    hsi_put_interval(&g->out, t->start, t->end, 7, g->unit);
    hsi_output_text(&g->out, ": ");
    hsi_put_time(&g->out, t->end - t->start, g->unit);
}

static void put_many_title(hsi_gantt *g, const hsi_panel *panel, size_t from, size_t to, double end)
{
    const hs_transfer *first = &panel->transfers[from];
    char               name[16], what[32];

    snprintf(what, sizeof what, "copies to %s", hsi_memory_node_name(g->in, first->to, name));
    put_total(g, add_up(panel, from, to), what, true);
    hsi_output_char(&g->out, '\n');
    hsi_put_interval(&g->out, first->start, end, 7, g->unit);
}

static void put_block(hsi_gantt *g, const hsi_panel *panel, size_t from, size_t to)
{
    const hs_transfer *t = &panel->transfers[from];
    double             end = t->end, x = hsi_gantt_x(g, t->start);
    double             y = panel->copies.top + t->to / panel->copies.group * panel->copies.pitch;

    for (size_t i = from + 1; i < to; i++)
        end = fmax(end, panel->transfers[i].end);
    hsi_put_rect(&g->out, "tc", x, y, fmax(hsi_gantt_x(g, end) - x, NARROWEST),
                 panel->copies.pitch - 2);
    hsi_output_text(&g->out, "><title>");
    if (to == from + 1)
        put_one_title(g, t);
    else
        put_many_title(g, panel, from, to, end);
    hsi_output_text(&g->out, "</title></rect>\n");
}

static void put_heading(hsi_gantt *g, const hsi_panel *panel)
{
    size_t home = 0;

    while (home < panel->transfer_count && panel->transfers[home].to < hosts_of(panel))
        home++;
    hsi_put_text_at(&g->out, "b", g->left, panel->copies.top - 7);
    hsi_output_text(&g->out, "copies of data<tspan class=\"k\" font-weight=\"400\" dx=\"10\">");
    put_total(g, add_up(panel, home, panel->transfer_count), "to GPUs", !g->narrow);
    hsi_output_text(&g->out, " \xc2\xb7 ");
    put_total(g, add_up(panel, 0, home), hosts_of(panel) > 1 ? "to hosts" : "to the host",
              !g->narrow);
    hsi_output_text(&g->out, "</tspan></text>\n");
}

/* Return the width of a row: to the end of the lanes, or of the last copy. */
static double row_width(const hsi_gantt *g, const hsi_panel *panel)
{
    double end = g->panels > 1 ? panel->metrics.makespan : g->span;

    for (size_t i = 0; i < panel->transfer_count; i++)
        end = fmax(end, panel->transfers[i].end);
    return hsi_gantt_x(g, end) - g->left;
}

static void put_rows(hsi_gantt *g, const hsi_panel *panel)
{
    const hsi_copy_rows *rows = &panel->copies;
    unsigned             step = rows->pitch < LABEL_EACH ? 2 : 1;
    double               width = row_width(g, panel);
    char                 name[48];

    for (unsigned row = 0; row < rows->rows; row++) {
        double y = rows->top + row * rows->pitch, height = rows->pitch - 2;

        hsi_put_rect(&g->out, "l", g->left, y, width, height);
        hsi_output_text(&g->out, "/>\n");
        row_name(panel, row, name);
        if (row % step == 0)
            hsi_put_label(&g->out, "k e", g->left - 7, y + height / 2 + 4, name);
    }
}

void hsi_draw_copies(hsi_gantt *g, const hsi_panel *panel)
{
    double merge = choose_merge(g, panel);

    put_heading(g, panel);
    put_rows(g, panel);
    for (size_t i = 0, next; i < panel->transfer_count && !hsi_output_failed(&g->out); i = next) {
        next = block_end(g, panel, i, merge);
        put_block(g, panel, i, next);
    }
}
