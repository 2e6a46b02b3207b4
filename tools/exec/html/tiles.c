/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the key figures on top of the page. */
#include <string.h>

#include "common/granted_core_share.h"
#include "common/escape.h"
#include "exec/html/html.h"

/* Parts of a tile: the number, its explanation, and the end. */
#define TILE "<div class=\"tile\"><b>"
#define TILE_BAD "<div class=\"tile\"><b class=\"bad\">"
#define TILE_WHAT "</b><span>"
#define TILE_END "</span></div>\n"

static void put_counts(const page *p)
{
    const hs_exec_report *r = &p->job->report;
    char                  share[8];

    if (r->failed + r->not_run > 0)
        fprintf(p->out, TILE_BAD "%llu" TILE_WHAT "failed, %llu not run" TILE_END,
                (unsigned long long)r->failed, (unsigned long long)r->not_run);
    if (r->unrecorded > 0)
        fprintf(p->out, TILE_BAD "%llu" TILE_WHAT "more done, but not recorded" TILE_END,
                (unsigned long long)r->unrecorded);
    fprintf(p->out, TILE "%llu / %llu" TILE_WHAT "tasks done", (unsigned long long)r->done,
            (unsigned long long)r->tasks);
    if (r->resumed > 0)
        fprintf(p->out, ", %llu earlier", (unsigned long long)r->resumed);
    fputs(TILE_END, p->out);
    if (core_share_is_low(r, share))
        fprintf(p->out,
                TILE_BAD "%s" TILE_WHAT
                         "of the cores' time went to tasks: this machine was busy" TILE_END,
                share);
}

/* Write a tile per figure; a long time comes in words first: "8 h 38 min". */
static void put_figures(const page *p)
{
    exec_figure figure[EXEC_FIGURES];
    size_t      count = exec_figures(p->job, p->m, figure);

    for (size_t i = 0; i < count; i++) {
        const exec_figure *f = &figure[i];
        const char        *remark = f->remark + strspn(f->remark, ", ");

        fputs(f->is_bad ? TILE_BAD : TILE, p->out);
        if (f->duration[0])
            fprintf(p->out, "%s" TILE_WHAT "%s, %s %s", f->duration, f->label, f->text, f->unit);
        else
            fprintf(p->out, "%s %s" TILE_WHAT "%s", f->text, f->unit, f->label);
        fputs(*remark ? ", " : "", p->out);
        html_text(p->out, remark);
        fputs(TILE_END, p->out);
    }
}

void html_tiles(const page *p)
{
    fputs("<div class=\"tiles\">\n", p->out);
    put_counts(p);
    put_figures(p);
    fputs("</div>\n", p->out);
}
