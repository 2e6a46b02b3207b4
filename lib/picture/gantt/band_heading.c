/* SPDX-License-Identifier: BSD-3-Clause */
/* The heading of a band: the number of workers, counts of tasks and attempts, the busy share. */
#include "picture/gantt/gantt.h"

#define BOLD_COLUMN 8.0 /* pixels: column widths of both fonts, and the space between both parts */
#define PLAIN_COLUMN 6.2
#define SPACE 10.0

void hsi_put_worker_count(hsi_output *out, unsigned count, const char *type_name)
{
    hsi_put_count(out, count);
    hsi_output_format(out, " %s%s", type_name, count == 1 ? "" : "s");
}

static size_t band_failures(const hsi_gantt *g, const hsi_band *band)
{
    if (!band->panel->happened)
        return 0;
    return hsi_picture_count_failures(&g->picture, band->first, band->first + band->workers);
}

void hsi_put_heading(hsi_gantt *g, const hsi_band *band)
{
    const hs_type_metrics *m = &band->panel->metrics.type[band->type];
    hsi_output            *out = &g->out;
    double                 all = m->busy + m->idle;
    size_t                 failed = band_failures(g, band), aborted = m->aborted;

    hsi_put_text_at(out, "b", g->left, band->top - 7);
    hsi_put_worker_count(out, band->workers, band->type == HS_GPU ? "GPU" : "CPU");
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
    if (band->group > 1)
        hsi_output_format(out, " \xc2\xb7 %u a row", band->group);
    hsi_output_text(out, "</tspan></text>\n");
}

static unsigned digits(uint64_t count)
{
    unsigned n = 1;

    for (; count > 9; count /= 10)
        n++;
    return n + (n > 4 ? (n - 1) / 3 : 0);
}

double hsi_heading_width(const hsi_gantt *g, const hsi_band *band)
{
    const hs_type_metrics *m = &band->panel->metrics.type[band->type];
    size_t                 failed = band_failures(g, band);
    unsigned               columns = digits(m->tasks) + 6;

    if (m->aborted > failed)
        columns += digits(m->aborted - failed) + 11;
    if (failed > 0)
        columns += digits(failed) + 10;
    if (m->busy + m->idle > 0)
        columns += 14;
    if (band->group > 1)
        columns += digits(band->group) + 9;
    return BOLD_COLUMN * (digits(band->workers) + 5) + SPACE + PLAIN_COLUMN * columns;
}
