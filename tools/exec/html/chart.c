/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the Gantt chart in the page. */
#include "common/page.h"
#include "exec/html/html.h"

enum { NARROW = 480 };

/* A chart of that width in a file without a name; NULL with *status. */
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

/* As a picture of its own, whose style and names are not the page's. */
static void put_base64(FILE *out, FILE *svg)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char     b[3];
    size_t            got;

    fputs("<img class=\"narrow\" alt=\"Gantt chart of the run\" "
          "src=\"data:image/svg+xml;base64,",
          out);
    while ((got = fread(b, 1, 3, svg)) > 0) {
        unsigned bits =
            (unsigned)b[0] << 16 | (got > 1 ? (unsigned)b[1] << 8 : 0) | (got > 2 ? b[2] : 0);

        putc(digits[bits >> 18], out);
        putc(digits[bits >> 12 & 63], out);
        putc(got > 1 ? digits[bits >> 6 & 63] : '=', out);
        putc(got > 2 ? digits[bits & 63] : '=', out);
    }
    fputs("\">\n", out);
}

static hs_status put_chart(const page *p, double width, void (*put)(FILE *out, FILE *svg))
{
    hs_status status;
    FILE     *svg = draw(p, width, &status);

    if (!svg)
        return status;
    put(p->out, svg);
    fclose(svg);
    return HS_OK;
}

hs_status html_chart(const page *p)
{
    hs_status status;

    fputs("<h2>What happened, below what was predicted</h2>\n<div class=\"card picture\">\n",
          p->out);
    status = put_chart(p, 0, page_inline);
    if (status == HS_OK)
        status = put_chart(p, NARROW, put_base64);
    fputs("</div>\n<p class=\"key\">Predicted is what the policy makes of the estimated times "
          "when it is simulated, which need not be the plan.</p>\n",
          p->out);
    return status;
}
