/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: plots of the page: utilisation over time, and measured / estimated times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/page.h"
#include "exec/html/html.h"

enum { BINS = 200, KERNELS_MOST = 12, WIDTH = 420 };

/* Add an attempt to the bins it overlaps; `from` and `to` count bins. */
static void add_attempt(double bin[BINS], double from, double to)
{
    int first = (int)fmin(fmax(from, 0), BINS - 1), last = (int)fmin(fmax(to, 0), BINS - 1);

    for (int i = first; i <= last; i++)
        bin[i] += fmax(0, fmin(to, i + 1) - fmax(from, i));
}

static hs_status put_utilisation(const page *p, hs_type type)
{
    unsigned       workers = type == HS_CPU ? p->m->cpus : p->m->gpus;
    double         x[BINS + 1], y[BINS + 1] = {0}, each = p->m->achieved / BINS;
    plot_series series = {.name = "utilisation", .count = BINS + 1, .x = x, .y = y};
    char           title[32], axis[32];
    plot_spec        plot = {0};

    if (workers == 0)
        return HS_OK;
    for (size_t i = 0; i < p->m->attempt_count; i++) {
        const exec_attempt *a = &p->m->attempts[i];

        if (a->done && a->type == type)
            add_attempt(y, a->start / each, a->end / each);
    }
    for (int i = 0; i <= BINS; i++) {
        x[i] = i * each;
        y[i] = fmin(100, 100 * y[i] / workers);
    }
    snprintf(title, sizeof title, "%ss busy", exec_type_name(type));
    snprintf(axis, sizeof axis, "time (%s)", p->unit);
    plot.kind = PLOT_AREAS;
    plot.title = title;
    plot.x_name = axis;
    plot.y_name = "% of workers in tasks that they finished";
    plot.count = 1;
    plot.series = &series;
    plot.width = WIDTH;
    plot.y_range[1] = 100;
    return page_plot(p->out, &plot);
}

hs_status html_utilisation(const page *p)
{
    hs_status status;

    if (!(p->m->achieved / BINS > 0) || !isfinite(p->m->achieved))
        return HS_OK;
    fputs("<h2>Utilisation over time</h2>\n<div class=\"plots\">\n", p->out);
    status = put_utilisation(p, HS_CPU);
    if (status == HS_OK)
        status = put_utilisation(p, HS_GPU);
    fputs("</div>\n", p->out);
    return status;
}

/* Return whether the kernel has quotients measured / estimated, all of them finite. */
static bool has_errors(const exec_kernel *k)
{
    for (size_t i = 0; i < k->estimates; i++)
        if (!isfinite(k->errors[i]))
            return false;
    return k->estimates > 0;
}

/* Return the label of a kernel, e.g. "dgemm:960 on GPU"; the caller frees it. */
static char *name_of(const exec_kernel *k)
{
    size_t size = strlen(k->name) + sizeof " on GPU";
    char  *name = malloc(size);

    if (name)
        snprintf(name, size, "%s on %s", k->name, exec_type_name(k->type));
    return name;
}

hs_status html_boxes(const page *p)
{
    plot_series series[KERNELS_MOST];
    char          *name[KERNELS_MOST];
    plot_spec        plot = {0};
    hs_status      status = HS_OK;

    for (size_t i = 0; i < p->m->kernels.count && plot.count < KERNELS_MOST; i++) {
        const exec_kernel *k = &p->m->kernels.of[i];

        if (!has_errors(k))
            continue;
        name[plot.count] = name_of(k);
        if (!name[plot.count]) {
            status = HS_ENOMEM;
            break;
        }
        series[plot.count] =
            (plot_series){.name = name[plot.count], .count = k->estimates, .y = k->errors};
        plot.count++;
    }
    plot.y_name = "measured / estimated";
    plot.series = series;
    plot.reference = 1;
    plot.reference_name = "as estimated";
    plot.width = WIDTH;
    if (status == HS_OK && plot.count > 0) {
        fputs("<h2>Measured / estimated, by kernel and type</h2>\n<div class=\"plots\">\n", p->out);
        status = page_plot(p->out, &plot);
        fputs("</div>\n", p->out);
        if (p->m->kernels.count > plot.count)
            fprintf(p->out, "<p class=\"key\">The %zu of %zu kernels that took most time.</p>\n",
                    plot.count, p->m->kernels.count);
    }
    for (size_t i = 0; i < plot.count; i++)
        free(name[i]);
    return status;
}
