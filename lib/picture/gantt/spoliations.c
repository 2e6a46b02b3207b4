/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrows and titles for spoliations of tasks. The entries of each aborted task are sorted
 * by time, so the titles of victim and thief name each other's worker. Arrows lead from the
 * victim's end to the thief's start, for the spoliations that lost most time; further arrows are
 * shown while the pointer is over an entry. A failed attempt is no spoliation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/gantt/gantt.h"

enum {
    ARROWS_MOST = 20,   /* largest number of arrows always shown; more would hide the bars */
    HOVERS_MOST = 1000, /* largest number of further arrows, shown on hover */
    NAME_LIMIT = 80
};
#define HEAD 5.0 /* length of an arrow's head */

static int in_order(const void *a, const void *b)
{
    const hsi_part *x = a, *y = b;

    if (x->entry->task != y->entry->task)
        return x->entry->task < y->entry->task ? -1 : 1;
    if (x->entry->start != y->entry->start)
        return x->entry->start < y->entry->start ? -1 : 1;
    if (x->entry->end != y->entry->end)
        return x->entry->end < y->entry->end ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

static bool is_given_up(const hsi_gantt *g, const hsi_panel *panel, unsigned worker,
                        const hs_entry *e)
{
    return e->state == HS_ABORTED &&
           !(panel->happened && hsi_picture_failure(&g->picture, worker, e));
}

static unsigned workers_of(const hsi_panel *panel)
{
    return hs_schedule_cpus(panel->s) + hs_schedule_gpus(panel->s);
}

/* Set aborted[t] of each task t with an entry that was aborted without a failure. */
static void mark(const hsi_gantt *g, const hsi_panel *panel, unsigned char *aborted)
{
    for (unsigned w = 0; w < workers_of(panel); w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(panel->s, w, &count);

        for (; count > 0; count--, e++)
            aborted[e->task] |= (unsigned char)is_given_up(g, panel, w, e);
    }
}

/* Collect all entries of marked tasks into `parts`, unless it is NULL. Return their number. */
static size_t collect(const hsi_panel *panel, const unsigned char *aborted, hsi_part *parts)
{
    size_t found = 0;

    for (unsigned w = 0; w < workers_of(panel); w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(panel->s, w, &count);

        for (; count > 0; count--, e++) {
            if (aborted[e->task] && parts)
                parts[found] = (hsi_part){.entry = e, .worker = w};
            found += aborted[e->task];
        }
    }
    return found;
}

/*
 * Return whether part i + 1 is the spoliation's thief: the same task, started when part i was
 * aborted.
 */
static bool is_taken(const hsi_gantt *g, const hsi_panel *panel, size_t i)
{
    const hsi_part *p = &panel->parts[i];

    return i + 1 < panel->part_count && p[1].entry->task == p->entry->task &&
           p[1].worker != p->worker && is_given_up(g, panel, p->worker, p->entry);
}

/* Order spoliations by lost time, largest first, then by start. */
static int by_cost(const void *a, const void *b)
{
    const hsi_part *x = *(hsi_part *const *)a, *y = *(hsi_part *const *)b;
    double          lost_x = x->entry->end - x->entry->start;
    double          lost_y = y->entry->end - y->entry->start;

    if (lost_x != lost_y)
        return lost_x > lost_y ? -1 : 1;
    if (x->entry->start != y->entry->start)
        return x->entry->start < y->entry->start ? -1 : 1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

/* Fill panel->spoliation with the victims' entries, sorted by lost time. HS_ENOMEM. */
static hs_status rank(const hsi_gantt *g, hsi_panel *panel)
{
    panel->spoliation = calloc(panel->part_count + 1, sizeof *panel->spoliation);
    if (!panel->spoliation)
        return HS_ENOMEM;
    for (size_t i = 0; i < panel->part_count; i++)
        if (is_taken(g, panel, i))
            panel->spoliation[panel->spoliations++] = &panel->parts[i];
    qsort(panel->spoliation, panel->spoliations, sizeof *panel->spoliation, by_cost);
    for (size_t i = 0; i < panel->spoliations; i++)
        panel->spoliation[i]->rank = i + 1;
    return HS_OK;
}

hs_status hsi_find_spoliations(const hsi_gantt *g, hsi_panel *panel)
{
    unsigned char *aborted;
    size_t         count;

    if (panel->metrics.type[HS_CPU].aborted + panel->metrics.type[HS_GPU].aborted == 0)
        return HS_OK;
    aborted = calloc(hs_instance_tasks(g->in) + 1, 1);
    if (!aborted)
        return HS_ENOMEM;
    mark(g, panel, aborted);
    count = collect(panel, aborted, NULL);
    panel->parts = calloc(count + 1, sizeof *panel->parts);
    if (panel->parts)
        panel->part_count = collect(panel, aborted, panel->parts);
    free(aborted);
    if (!panel->parts)
        return HS_ENOMEM;
    qsort(panel->parts, count, sizeof *panel->parts, in_order);
    return rank(g, panel);
}

/* Return the part of an entry; NULL: its task was not aborted. */
static const hsi_part *part_of(const hsi_panel *panel, unsigned worker, const hs_entry *e)
{
    hsi_part key = {.entry = e, .worker = worker};

    return panel->spoliations
               ? bsearch(&key, panel->parts, panel->part_count, sizeof *panel->parts, in_order)
               : NULL;
}

void hsi_put_spoliation(hsi_gantt *g, const hsi_panel *panel, unsigned worker, const hs_entry *e)
{
    const hsi_part *here = part_of(panel, worker, e);
    char            name[16];

    if (!here)
        return;
    if (here > panel->parts && here[-1].rank > 0) {
        hs_worker_name(hs_schedule_cpus(panel->s), here[-1].worker, name);
        hsi_output_format(&g->out, ", spoliated from %s", name);
    }
    if (here->rank > 0) {
        hs_worker_name(hs_schedule_cpus(panel->s), here[1].worker, name);
        hsi_output_format(&g->out, ", spoliated by %s", name);
    }
}

bool hsi_gantt_shows_spoliations(const hsi_gantt *g)
{
    return g->panel[0].spoliations + hsi_gantt_main_panel(g)->spoliations > 0;
}

/* Return the number of arrows always shown in a panel. */
static size_t count_shown(const hsi_gantt *g, const hsi_panel *panel)
{
    size_t most = ARROWS_MOST / g->panels;

    return panel->spoliations < most ? panel->spoliations : most;
}

/* Return whether the spoliation's arrow is shown on hover. */
static bool is_hidden(const hsi_gantt *g, const hsi_panel *panel, const hsi_part *p)
{
    size_t shown = count_shown(g, panel);

    return !g->narrow && p->rank > shown && p->rank - shown <= HOVERS_MOST / g->panels;
}

bool hsi_gantt_has_hidden_spoliations(const hsi_gantt *g)
{
    for (unsigned i = 0; i < g->panels; i++)
        if (!g->narrow && g->panel[i].spoliations > count_shown(g, &g->panel[i]))
            return true;
    return false;
}

void hsi_set_spoliation_text(hsi_gantt *g)
{
    size_t all = 0, shown = 0;

    for (unsigned i = 0; i < g->panels; i++) {
        all += g->panel[i].spoliations;
        shown += count_shown(g, &g->panel[i]);
    }
    snprintf(g->spoliations, sizeof g->spoliations, "spoliated");
    if (shown < all)
        snprintf(g->spoliations, sizeof g->spoliations, "spoliated: the %zu costliest of %zu%s",
                 shown, all, g->narrow ? "" : ", more on hover");
}

static const hsi_band *band_of(const hsi_panel *panel, unsigned worker)
{
    return &panel->band[worker < hs_schedule_cpus(panel->s)];
}

static double row_of(const hsi_band *band, unsigned worker)
{
    return hsi_row_top(band, (worker - band->first) / band->group);
}

static void put_title(hsi_gantt *g, const hsi_panel *panel, const hsi_part *p)
{
    char name[NAME_LIMIT + 32], from[16], to[16];

    hs_instance_name(g->in, p->entry->task, name, sizeof name);
    hs_worker_name(hs_schedule_cpus(panel->s), p->worker, from);
    hs_worker_name(hs_schedule_cpus(panel->s), p[1].worker, to);
    hsi_output_text(&g->out, "><title>");
    hsi_put_name(&g->out, name, NAME_LIMIT);
    hsi_output_format(&g->out, ": %s took it over from %s, which had run it for ", to, from);
    hsi_put_time(&g->out, p->entry->end - p->entry->start, g->unit);
    hsi_output_text(&g->out, "</title></path>\n");
}

/* Return the arrow from the middle of the victim's row to the edge of the thief's row. */
static hsi_segment segment_of(const hsi_gantt *g, const hsi_panel *panel, const hsi_part *p)
{
    const hsi_band *to = band_of(panel, p[1].worker), *from = band_of(panel, p->worker);
    double          y1 = row_of(from, p->worker) + from->height / 2, y2 = row_of(to, p[1].worker);

    y2 += y1 > y2 ? to->height + HEAD : -HEAD;
    return (hsi_segment){hsi_gantt_x(g, p->entry->end), y1, hsi_gantt_x(g, p[1].entry->start), y2};
}

/* Open the path element of an arrow; the caller closes it. The halo, kind "th", has no head. */
static void put_arrow(hsi_gantt *g, const hsi_panel *panel, const hsi_part *p, const char *kind)
{
    hsi_segment line = segment_of(g, panel, p);

    hsi_output_format(&g->out, "<path class=\"%s\"%s d=\"M%f %f", kind,
                      strcmp(kind, "th") ? hsi_spoliation_head(&g->palette) : "", line.x1, line.y1);
    hsi_put_segment_around_heading(g, panel, line);
    hsi_output_char(&g->out, '"');
}

bool hsi_spoliation_crosses(const hsi_gantt *g, const hsi_panel *panel, const hsi_box *box,
                            double *left, double *right)
{
    for (size_t i = 0; i < count_shown(g, panel); i++)
        if (hsi_segment_crosses(segment_of(g, panel, panel->spoliation[i]), box, left, right))
            return true;
    return false;
}

void hsi_draw_spoliations(hsi_gantt *g, const hsi_panel *panel)
{
    for (size_t i = 0; i < count_shown(g, panel); i++) { /* light halos behind the arrows */
        put_arrow(g, panel, panel->spoliation[i], "th");
        hsi_output_text(&g->out, "/>\n");
    }
    for (size_t i = 0; i < count_shown(g, panel); i++) {
        put_arrow(g, panel, panel->spoliation[i], "ta");
        put_title(g, panel, panel->spoliation[i]);
    }
}

void hsi_put_hidden_spoliations(hsi_gantt *g, const hsi_panel *panel, unsigned worker,
                                const hs_entry *e)
{
    const hsi_part *here = part_of(panel, worker, e);

    for (int back = 0; here && back < 2 && here - back >= panel->parts; back++)
        if (is_hidden(g, panel, here - back)) {
            put_arrow(g, panel, here - back, "ta r");
            hsi_output_text(&g->out, "/>");
        }
}

void hsi_draw_spoliation_hovers(hsi_gantt *g, const hsi_panel *panel)
{
    for (size_t i = count_shown(g, panel); i < panel->spoliations && !hsi_output_failed(&g->out);
         i++) {
        const hsi_part *p = panel->spoliation[i];

        if (!is_hidden(g, panel, p))
            break;
        for (int k = 0; k < 2; k++)
            hsi_draw_entry_hover(g, band_of(panel, p[k].worker), p[k].worker, p[k].entry);
    }
}
