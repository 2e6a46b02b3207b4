/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the Gantt chart of the HTML report. */
#include "common/escape.h"
#include "common/page.h"
#include "exec/html/html.h"

enum { NARROW = 480 };

/* Draw the chart with this width into a temporary file; NULL with *status on failure. */
static FILE *draw(const page *p, double width, hs_status *status)
{
    FILE *svg = tmpfile();

    *status = HS_EIO;
    if (!svg)
        return NULL;
    *status = exec_write_picture(hs_gantt_write, fileno(svg), p->job, p->m, width);
    if (*status == HS_OK && fseek(svg, 0, SEEK_SET) != 0)
        *status = HS_EIO;
    if (*status == HS_OK)
        return svg;
    fclose(svg);
    return NULL;
}

/* Embed the chart as SVG in the page, where scripts and readers can reach its bars. */
static hs_status put_chart(const page *p, double width)
{
    hs_status status;
    FILE     *svg = draw(p, width, &status);

    if (!svg)
        return status;
    page_write_svg(p->out, svg);
    fclose(svg);
    return HS_OK;
}

hs_status html_chart(const page *p)
{
    hs_status status;

    fprintf(p->out,
            "<h2>What happened%s</h2>\n<div class=\"card picture\">\n<div class=\"frame\">\n",
            p->job->guesses > 0 ? "" : ", below what was predicted");
    status = put_chart(p, 0);
    if (status == HS_OK)
        status = put_chart(p, NARROW);
    if (status != HS_OK)
        return status;
    fputs("</div>\n</div>\n<p class=\"key\">", p->out);
    if (p->job->guesses > 0)
        fprintf(p->out,
                "Nothing was predicted: the time%s of %zu task%s guessed. %s</p>\n",
                plural(p->job->guesses), p->job->guesses,
                p->job->guesses == 1 ? " was" : "s were",
                p->job->request->profile
                    ? "The next run with this profile predicts what was measured here."
                    : "With --profile=FILE, later runs predict them.");
    else
        fputs("Predicted is what the policy makes of the estimated times when it is simulated, "
              "which need not be the plan.</p>\n",
              p->out);
    html_zoom(p->out);
    return HS_OK;
}
