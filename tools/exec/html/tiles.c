/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the key figures on top of the page. */
#include <math.h>

#include "common/core_share.h"
#include "exec/html/html.h"

/* Parts of a printf() format for a tile: the number, its explanation, and the end. */
#define TILE "<div class=\"tile\"><b>"
#define TILE_BAD "<div class=\"tile\"><b class=\"bad\">"
#define TILE_WHAT "</b><span>"
#define TILE_END "</span></div>\n"

#define SHORT_TASK 0.1 /* seconds: the overhead does not matter for longer tasks */

/*
 * Begin a tile with a time: "8 h 38 min" and "achieved makespan, 31067 s", or the second form
 * alone. The caller closes the tile.
 */
static void begin_time(const page *p, double time, const char *what)
{
    double seconds = time * hs_unit_seconds(hs_instance_unit(p->job->plan.in));
    char   number[32], longer[32];

    hs_format_rounded(time, 6, number);
    if (hs_format_duration(seconds, longer) > 0)
        fprintf(p->out, TILE "%s" TILE_WHAT "%s, %s %s", longer, what, number, p->unit);
    else
        fprintf(p->out, TILE "%s %s" TILE_WHAT "%s", number, p->unit, what);
}

static void put_failed(const page *p)
{
    const hs_exec_report *r = &p->job->report;

    if (r->failed + r->not_run > 0)
        fprintf(p->out, TILE_BAD "%llu" TILE_WHAT "failed, %llu not run" TILE_END,
                (unsigned long long)r->failed, (unsigned long long)r->not_run);
    if (r->unrecorded > 0)
        fprintf(p->out, TILE_BAD "%llu" TILE_WHAT "more done, but not recorded" TILE_END,
                (unsigned long long)r->unrecorded);
}

static void put_times(const page *p)
{
    const exec_measured *m = p->m;

    begin_time(p, m->achieved, "achieved makespan");
    if (exec_is_comparable(p->job) && m->predicted > 0)
        fprintf(p->out, ", %.4g &times; predicted", m->achieved / m->predicted);
    fputs(TILE_END, p->out);
    begin_time(p, m->predicted, "predicted makespan");
    fprintf(p->out, "%s" TILE_END, exec_predicted_of(p->job));
    if (isfinite(m->bound) && m->bound > 0) {
        begin_time(p, m->bound, "area bound, measured");
        fprintf(p->out, ", achieved %.4g &times;" TILE_END, m->achieved / m->bound);
    }
}

static void put_speed(const page *p)
{
    const hs_exec_report *r = &p->job->report;
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    if (hs_exec_factorised(p->job->exec, &f) && r->done == r->tasks && r->seconds > 0)
        fprintf(p->out,
                TILE "%.4g GFLOP/s" TILE_WHAT "%s of %zu &times; %zu, tiles of %zu, %s%s" TILE_END,
                1e-9 * f.operations / r->seconds, f.name, f.order, f.order, f.tile,
                f.single ? "single precision, " : "",
                !f.checked ? "not verified"
                : f.wrong  ? "wrong"
                           : "verified");
}

static void put_counts(const page *p)
{
    const hs_exec_report *r = &p->job->report;

    fprintf(p->out, TILE "%llu / %llu" TILE_WHAT "tasks done", (unsigned long long)r->done,
            (unsigned long long)r->tasks);
    if (r->resumed > 0)
        fprintf(p->out, ", %llu earlier", (unsigned long long)r->resumed);
    fputs(TILE_END, p->out);
    if (r->aborted + r->retried > 0)
        fprintf(p->out, TILE "%llu / %llu" TILE_WHAT "attempts spoliated / tried again" TILE_END,
                (unsigned long long)r->aborted, (unsigned long long)r->retried);
}

static void put_core_share(const page *p)
{
    char share[8];

    if (core_share_is_low(&p->job->report, share))
        fprintf(p->out,
                TILE_BAD "%s" TILE_WHAT "of their cores is what tasks got: this machine "
                         "was busy" TILE_END,
                share);
}

static void put_checked(const page *p)
{
    const hs_exec_report *r = &p->job->report;

    if (r->checkable > 0)
        fprintf(p->out, TILE "%llu / %llu" TILE_WHAT "results of tasks verified" TILE_END,
                (unsigned long long)r->checked, (unsigned long long)r->checkable);
}

static void put_copies(const page *p, const char *what, const transfer_totals *c)
{
    if (transfer_totals_any(c))
        fprintf(p->out,
                TILE "%zu / %zu" TILE_WHAT "%s to GPUs / to the host, %.4g / %.4g MB" TILE_END,
                c->count[HS_GPU], c->count[HS_CPU], what, 1e-6 * c->bytes[HS_GPU],
                1e-6 * c->bytes[HS_CPU]);
}

static void put_overhead(const page *p)
{
    const hs_exec_report *r = &p->job->report;

    if (p->m->attempt_count == 0 || r->busy > SHORT_TASK * (double)p->m->attempt_count)
        return;
    fprintf(p->out,
            TILE "%.*f &micro;s" TILE_WHAT
                 "overhead a task, %.*f &micro;s without waits for work" TILE_END,
            r->overhead < 1e-4 ? 3 : 0, 1e6 * r->overhead, r->dispatch < 1e-4 ? 3 : 0,
            1e6 * r->dispatch);
}

void html_tiles(const page *p)
{
    fputs("<div class=\"tiles\">\n", p->out);
    put_failed(p);
    put_times(p);
    put_core_share(p);
    put_speed(p);
    put_counts(p);
    put_checked(p);
    put_copies(p, "copies of data", &p->m->copied);
    put_copies(p, "predicted copies", &p->m->predicted_copies);
    put_overhead(p);
    fputs("</div>\n", p->out);
}
