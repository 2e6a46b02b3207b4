/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the causes of idle time, in words. */
#include "exec/html/html.h"

#define LEAST 0.0005 /* shares below this limit would print as 0.0% */

/* Write a cause and its share after "; " or, if it is the first, ": ". */
static void put_cause(const page *p, double share, const char *what, int *begun)
{
    if (share < LEAST)
        return;
    fprintf(p->out, "%s<b>%.1f%%</b> %s", *begun ? "; " : ": ", 100 * share, what);
    *begun = 1;
}

static void put_type(const page *p, hs_type type)
{
    exec_total t = exec_total_of(p->m, type);
    int        begun = 0;

    if (t.workers == 0)
        return;
    fprintf(p->out, "<p class=\"note\">%s workers were ", exec_type_name(type));
    if (t.idle < LEAST) {
        fputs("never idle", p->out);
    } else {
        fprintf(p->out, "idle <b>%.1f%%</b> of the time", 100 * t.idle);
        put_cause(p, t.no_task, "no task was ready that they can run", &begun);
        put_cause(p, t.victims, "they waited for a victim to stop, to take its task over", &begun);
        put_cause(p, t.data, "they waited for the inputs of a task", &begun);
        put_cause(p, t.other,
                  "a task was ready, but the policy kept it for another worker or it was about to "
                  "start",
                  &begun);
    }
    if (t.lost >= LEAST)
        fprintf(p->out, ". Attempts that were spoliated or failed took another <b>%.1f%%</b>",
                100 * t.lost);
    fputs(".</p>\n", p->out);
}

void html_idle(const page *p)
{
    if (!(p->m->achieved > 0))
        return;
    fputs("<h2>Why workers were idle</h2>\n<div class=\"card\">\n", p->out);
    put_type(p, HS_CPU);
    put_type(p, HS_GPU);
    fputs("</div>\n", p->out);
}
