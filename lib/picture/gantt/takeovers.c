/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who took a task over from whom: of each task that was aborted, its entries by time, so that the
 * titles of both can say so; and an arrow from where one stops to where the other begins, unless
 * there are so many that they would hide the bars. An attempt that failed was taken from nobody.
 */
#include <stdlib.h>

#include "picture/gantt/gantt.h"

enum { ARROWS_MOST = 200, NAME_LIMIT = 80 };
#define HEAD 5.0 /* the length of an arrow's head */

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

static int is_given_up(const hsi_gantt *g, const hsi_panel *panel, unsigned worker,
                       const hs_entry *e)
{
    return e->state == HS_ABORTED &&
           !(panel->happened && hsi_picture_failure(&g->picture, worker, e));
}

static unsigned workers_of(const hsi_panel *panel)
{
    return hs_schedule_cpus(panel->s) + hs_schedule_gpus(panel->s);
}

/* By task: was it given up? */
static void mark(const hsi_gantt *g, const hsi_panel *panel, unsigned char *aborted)
{
    for (unsigned w = 0; w < workers_of(panel); w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(panel->s, w, &count);

        for (; count > 0; count--, e++)
            aborted[e->task] |= (unsigned char)is_given_up(g, panel, w, e);
    }
}

/* All entries of those, into `parts` if that is there. Returns how many they are. */
static size_t collect(const hsi_panel *panel, const unsigned char *aborted, hsi_part *parts)
{
    size_t found = 0;

    for (unsigned w = 0; w < workers_of(panel); w++) {
        size_t          count;
        const hs_entry *e = hs_schedule_entries(panel->s, w, &count);

        for (; count > 0; count--, e++) {
            if (aborted[e->task] && parts)
                parts[found] = (hsi_part){e, w};
            found += aborted[e->task];
        }
    }
    return found;
}

/* Does what comes behind it in the list take it over? */
static int is_taken(const hsi_gantt *g, const hsi_panel *panel, size_t i)
{
    const hsi_part *p = &panel->parts[i];

    return i + 1 < panel->part_count && p[1].entry->task == p->entry->task &&
           p[1].worker != p->worker && is_given_up(g, panel, p->worker, p->entry);
}

hs_status hsi_find_takeovers(const hsi_gantt *g, hsi_panel *panel)
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
    for (size_t i = 0; i < count; i++)
        panel->takeovers += (size_t)is_taken(g, panel, i);
    return HS_OK;
}

void hsi_put_takeover(hsi_gantt *g, const hsi_panel *panel, unsigned worker, const hs_entry *e)
{
    hsi_part        key = {e, worker};
    const hsi_part *here = panel->takeovers ? bsearch(&key, panel->parts, panel->part_count,
                                                      sizeof *panel->parts, in_order)
                                            : NULL;
    char            name[16];

    if (!here)
        return;
    if (here > panel->parts && is_taken(g, panel, (size_t)(here - panel->parts) - 1)) {
        hs_worker_name(hs_schedule_cpus(panel->s), here[-1].worker, name);
        hsi_output_format(&g->out, ", taken over from %s", name);
    }
    if (is_taken(g, panel, (size_t)(here - panel->parts))) {
        hs_worker_name(hs_schedule_cpus(panel->s), here[1].worker, name);
        hsi_output_format(&g->out, ", taken over by %s", name);
    }
}

int hsi_gantt_takeovers(const hsi_gantt *g)
{
    size_t arrows = 0;

    for (unsigned i = 0; i < g->panels; i++)
        arrows += g->panel[i].takeovers;
    return arrows > 0 && arrows <= ARROWS_MOST;
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

    if (hsi_gantt_untitled(g))
        return;
    hs_instance_name(g->in, p->entry->task, name, sizeof name);
    hs_worker_name(hs_schedule_cpus(panel->s), p->worker, from);
    hs_worker_name(hs_schedule_cpus(panel->s), p[1].worker, to);
    hsi_output_text(&g->out, "><title>");
    hsi_put_name(&g->out, name, NAME_LIMIT);
    hsi_output_format(&g->out, ": %s took it over from %s, which had run it for ", to, from);
    hsi_put_time(&g->out, p->entry->end - p->entry->start, g->unit);
    hsi_output_text(&g->out, "</title></path>\n");
}

/* From the middle of the row where it stops to the edge of that where it goes on. */
static void put_arrow(hsi_gantt *g, const hsi_panel *panel, const hsi_part *p)
{
    const hsi_band *to = band_of(panel, p[1].worker), *from = band_of(panel, p->worker);
    double          y1 = row_of(from, p->worker) + from->height / 2, y2 = row_of(to, p[1].worker);

    y2 += y1 > y2 ? to->height : -HEAD;
    y2 += y1 > y2 ? HEAD : 0;
    hsi_output_format(&g->out, "<path class=\"ta\" marker-end=\"url(#ta)\" d=\"M%f %fL%f %f\"",
                      hsi_gantt_x(g, p->entry->end), y1, hsi_gantt_x(g, p[1].entry->start), y2);
    put_title(g, panel, p);
}

void hsi_draw_takeovers(hsi_gantt *g, const hsi_panel *panel)
{
    for (size_t i = 0; i < panel->part_count && !hsi_output_failed(&g->out); i++)
        if (is_taken(g, panel, i))
            put_arrow(g, panel, &panel->parts[i]);
}
