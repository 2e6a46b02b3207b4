/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "picture/gantt/gantt.h"

/*
 * A lane shows the entries of a worker. Neighbours narrower than `merge` make a pile, a bar as high
 * as the busy share of its time, with a part per class. `merge` grows from a pixel, or from a slice
 * in a chart of many tasks, until the number of bars suits a small file.
 */
enum { RECTANGLES_MOST = 16000, NAME_LIMIT = 80 };
#define NAME_HEIGHT  12.0 /* pixels: bars in lower lanes have no names */
#define NAME_COLUMN  6.3  /* pixels: column width of a name in a bar */
#define EDGE         1.0  /* pixels: gap between wide neighbours */
#define NARROWEST    0.5
#define SLICE 6.0
/* pixels: overlap of piles, so that the background does not shine through */
#define SEAM         0.5

typedef struct lane {
    hsi_gantt      *g;
    const hsi_band *band;
    unsigned        worker;
    double          y;
    size_t          count;
    const hs_entry *entries;
} lane;

static lane lane_of(hsi_gantt *g, const hsi_band *band, unsigned row)
{
    lane at = {.g = g, .band = band, .worker = band->first + row, .y = hsi_row_top(band, row)};

    at.entries = hs_schedule_entries(band->panel->s, at.worker, &at.count);
    return at;
}

static double width_between(const hsi_gantt *g, double from, double to)
{
    return (to - from) / g->span * g->width;
}

static bool is_narrow(const lane *at, size_t i, double merge)
{
    return width_between(at->g, at->entries[i].start, at->entries[i].end) < merge;
}

/* Return the index after the last entry that shares a rectangle with entry `from`. */
static size_t block_end(const lane *at, size_t from, double merge)
{
    const hs_entry *e = at->entries;
    /* in a sliced chart any two narrow neighbours fit into a bar */
    double          most = at->g->sliced ? 2 * merge : merge;
    size_t          i = from + 1;

    if (!is_narrow(at, from, merge))
        return i;
    while (i < at->count && is_narrow(at, i, merge) &&
           width_between(at->g, e[i - 1].end, e[i].start) <= merge / 2 &&
           width_between(at->g, e[from].start, e[i].end) <= most)
        i++;
    return i;
}

static size_t count_rectangles(hsi_gantt *g, const hsi_band *band, double merge)
{
    size_t count = 0;

    for (unsigned row = 0; row < band->rows; row++) {
        lane at = lane_of(g, band, row);

        for (size_t i = 0; i < at.count; i = block_end(&at, i, merge))
            count++;
    }
    return count;
}

static double choose_merge(hsi_gantt *g, const hsi_band *band)
{
    double merge = g->sliced ? SLICE : 1;

    while (merge < g->width && count_rectangles(g, band, merge) > RECTANGLES_MOST / g->panels)
        merge *= 1.5;
    return merge;
}

static void put_kernel(hsi_gantt *g, size_t task)
{
    hs_task row;

    hs_instance_row(g->in, hs_instance_row_of(g->in, task), &row);
    if (!row.kernel || !row.kernel[0])
        return;
    hsi_output_text(&g->out, " (");
    hsi_put_name(&g->out, row.kernel, NAME_LIMIT);
    hsi_output_char(&g->out, ')');
}

/* Write the time of a task on a type, or that it is unknown. */
static void put_task_time(hsi_gantt *g, const hs_entry *e, hs_type type)
{
    hs_task row;

    hs_instance_row(g->in, hs_instance_row_of(g->in, e->task), &row);
    if (hsi_is_guessed(&row, type))
        hsi_output_text(&g->out, "unknown");
    else
        hsi_put_time(&g->out, type == HS_CPU ? row.cpu : row.gpu, g->unit);
}

/* Write the time on the other type, e.g. "; 92.1 ms on a CPU". */
static void put_other_time(hsi_gantt *g, const hs_entry *e, hs_type here)
{
    hs_type     other = here == HS_CPU ? HS_GPU : HS_CPU;
    const char *name = other == HS_CPU ? "a CPU" : "a GPU";
    bool        never = isinf(hs_instance_time(g->in, e->task, other));

    hsi_output_text(&g->out, never ? "; never" : "; ");
    if (!never)
        put_task_time(g, e, other);
    hsi_output_format(&g->out, " on %s", name);
}

static const char *entry_fate(const lane *at, const hs_entry *e)
{
    if (e->state != HS_ABORTED)
        return " on ";
    if (at->band->panel->happened && hsi_picture_failure(&at->g->picture, at->worker, e))
        return ", failed on ";
    return ", aborted on ";
}

static void put_entry_title(const lane *at, const hs_entry *e, const char *name)
{
    hsi_gantt *g = at->g;
    char       worker[16];

    hs_worker_name(hs_instance_cpus(g->in), at->worker, worker);
    hsi_output_text(&g->out, "><title>");
    hsi_put_name(&g->out, name, NAME_LIMIT);
    put_kernel(g, e->task);
    hsi_output_format(&g->out, "%s%s", entry_fate(at, e), worker);
    hsi_put_spoliation(g, at->band->panel, at->worker, e);
    hsi_output_char(&g->out, '\n');
    hsi_put_interval(&g->out, e->start, e->end, 7, g->unit);
    hsi_output_text(&g->out, ": ");
    hsi_put_time(&g->out, e->end - e->start, g->unit);
    if (at->band->panel->happened || e->state == HS_ABORTED) {
        hsi_output_text(&g->out, at->band->panel->happened ? "; estimated " : " of ");
        put_task_time(g, e, at->band->type);
    }
    put_other_time(g, e, at->band->type);
    hsi_output_text(&g->out, "</title></rect>\n");
}

/* Write the name inside the rectangle if there is room between the lines that cross it. */
static void put_entry_name(const lane *at, double x, double width, const char *name, bool dark)
{
    hsi_output *out = &at->g->out;
    size_t      length = strlen(name);
    double      wide = NAME_COLUMN * hsi_text_columns(name, length), left;
    double      height = at->band->height, baseline = at->y + height / 2 + 3.75;
    hsi_box     room = {x + 2, x + width - 2, baseline - 9, baseline + 3};

    if (height < NAME_HEIGHT || length > NAME_LIMIT || wide + 5 > width)
        return;
    if (at->band->panel->path) /* place the name above the line of the critical path */
        baseline = fmin(baseline, at->y + height - 5);
    left = hsi_find_text_position(at->g, at->band->panel, &room, wide);
    if (isnan(left))
        return;
    hsi_put_text_at(out, dark ? "n w" : "n", left + wide / 2, baseline);
    hsi_output_xml(out, name, length);
    hsi_output_text(out, "</text>\n");
}

static double drawn_width(const lane *at, const hs_entry *e)
{
    double width = width_between(at->g, e->start, e->end);

    return width > 4 ? width - EDGE : width;
}

static void draw_entry(const lane *at, const hs_entry *e)
{
    hsi_gantt *g = at->g;
    unsigned class = hsi_palette_class_of_task(&g->palette, g->in, e->task);
    bool       aborted = e->state == HS_ABORTED;
    double     x = hsi_gantt_x(g, e->start), width = drawn_width(at, e);
    char       name[NAME_LIMIT + 32];

    hs_instance_name(g->in, e->task, name, sizeof name);
    hsi_put_class_rect(&g->out, class, aborted, x, at->y, fmax(width, NARROWEST),
                       at->band->height);
    if (hsi_gantt_shows_dependencies(g)) /* no title here: the hover shapes have the titles */
        hsi_output_text(&g->out, "/>\n");
    else
        put_entry_title(at, e, name);
    if (!aborted)
        put_entry_name(at, x, width, name, hsi_palette_is_dark(&g->palette, class));
}

static hsi_mix pile_up(const lane *at, size_t from, size_t to)
{
    hsi_mix mix = {.weight = {{0}}};

    for (size_t i = from; i < to; i++) {
        const hs_entry *e = &at->entries[i];

        mix.weight[hsi_palette_class_of_task(&at->g->palette, at->g->in, e->task)][e->state] +=
            e->end - e->start;
    }
    return mix;
}

static void put_pile_title(const lane *at, size_t from, size_t to, const hsi_mix *mix)
{
    hsi_gantt *g = at->g;
    double     start = at->entries[from].start, end = at->entries[to - 1].end;
    size_t     aborted = 0;
    char       worker[16];

    for (size_t i = from; i < to; i++)
        aborted += at->entries[i].state == HS_ABORTED;
    hs_worker_name(hs_instance_cpus(g->in), at->worker, worker);
    hsi_output_text(&g->out, "<title>");
    hsi_put_count(&g->out, to - from);
    hsi_output_format(&g->out, " tasks on %s", worker);
    if (aborted > 0) {
        hsi_output_text(&g->out, ", aborted ");
        hsi_put_count(&g->out, aborted);
    }
    hsi_output_char(&g->out, '\n');
    hsi_put_interval(&g->out, start, end, 7, g->unit);
    if (end > start) {
        hsi_output_char(&g->out, '\n');
        hsi_put_class_shares(g, mix, end - start);
    }
    hsi_output_text(&g->out, "</title>");
}

/* Draw a pile: as high as its busy share, with a part per class; aborted time on top. */
static void draw_pile(const lane *at, size_t from, size_t to)
{
    hsi_gantt *g = at->g;
    double     start = at->entries[from].start, end = at->entries[to - 1].end;
    double     foot = at->y + at->band->height, top = foot, sum = 0;
    hsi_mix    mix = pile_up(at, from, to);
    double     whole = fmax(end - start, hsi_mix_total(&mix, -1));

    hsi_output_text(&g->out, "<g>");
    put_pile_title(at, from, to, &mix);
    for (int state = HS_RUN; state <= HS_ABORTED; state++)
        for (unsigned c = 0; c < HSI_COLOURS && whole > 0; c++) {
            double below = top;

            sum += mix.weight[c][state];
            top = foot - sum / whole * at->band->height;
            if (mix.weight[c][state] > 0)
                hsi_put_class_path(&g->out, c, state == HS_ABORTED, hsi_gantt_x(g, start), top,
                                   width_between(g, start, end) + SEAM,
                                   fmax(below - top, NARROWEST));
        }
    hsi_output_text(&g->out, "</g>\n");
}

static void draw_hover(const lane *at, const hs_entry *e)
{
    hsi_gantt       *g = at->g;
    const hsi_panel *panel = at->band->panel;
    char             name[NAME_LIMIT + 32];

    hs_instance_name(g->in, e->task, name, sizeof name);
    hsi_output_text(&g->out, "<g class=\"j\">");
    hsi_put_rect(&g->out, "jr", hsi_gantt_x(g, e->start), at->y,
                 fmax(drawn_width(at, e), NARROWEST), at->band->height);
    put_entry_title(at, e, name);
    if (hsi_gantt_shows_dependencies(g))
        hsi_put_dependency_arrows(g, panel, e->task);
    hsi_put_hidden_spoliations(g, panel, at->worker, e);
    hsi_output_text(&g->out, "</g>\n");
}

void hsi_draw_entry_hover(hsi_gantt *g, const hsi_band *band, unsigned worker, const hs_entry *e)
{
    unsigned row = (worker - band->first) / band->group;
    lane     at = {.g = g, .band = band, .worker = worker, .y = hsi_row_top(band, row)};

    draw_hover(&at, e);
}

/*
 * Walk through the entries of a band: call `one` for each wide entry and `many` for each pile of
 * narrow entries. `many` may be NULL.
 */
static void draw_blocks(hsi_gantt *g, const hsi_band *band,
                        void (*one)(const lane *at, const hs_entry *e),
                        void (*many)(const lane *at, size_t from, size_t to))
{
    double merge = choose_merge(g, band);

    for (unsigned row = 0; row < band->rows; row++) {
        lane   at = lane_of(g, band, row);
        size_t next;

        for (size_t i = 0; i < at.count && !hsi_output_failed(&g->out); i = next) {
            next = block_end(&at, i, merge);
            if (next == i + 1)
                one(&at, &at.entries[i]);
            else if (many)
                many(&at, i, next);
        }
    }
}

void hsi_draw_worker_rows(hsi_gantt *g, const hsi_band *band)
{
    draw_blocks(g, band, draw_entry, draw_pile);
}

void hsi_draw_entry_hovers(hsi_gantt *g, const hsi_band *band)
{
    if (hsi_gantt_shows_dependencies(g) && band->group == 1)
        draw_blocks(g, band, draw_hover, NULL);
}
