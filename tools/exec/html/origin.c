/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: the origin of a page: date, host, version and command line of the run. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <hybridsched/version.h>

#include "common/escape.h"
#include "exec/html/html.h"

/* Write a word quoted for a shell. */
static void put_word(FILE *out, const char *word)
{
    char *quoted = shell_word(word);

    html_text(out, quoted);
    free(quoted);
}

static void put_date(const page *p)
{
    char      text[64];
    struct tm local;

    if (localtime_r(&p->job->began, &local) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local) > 0)
        fprintf(p->out, "<dt>started</dt><dd>%s</dd>\n", text);
}

static void put_duration(const page *p)
{
    char number[32], longer[32];

    hs_format_rounded(p->job->report.seconds, 6, number);
    fprintf(p->out, "<dt>lasted</dt><dd>%s s", number);
    if (hs_format_long_duration(p->job->report.seconds, longer) > 0)
        fprintf(p->out, " (%s)", longer);
    fputs("</dd>\n", p->out);
}

static void put_host(const page *p)
{
    struct utsname host;

    if (uname(&host) != 0)
        return;
    fputs("<dt>host</dt><dd>", p->out);
    html_text(p->out, host.nodename);
    fprintf(p->out, ", %u core%s, ", hs_exec_core_count(), plural(hs_exec_core_count()));
    html_text(p->out, host.sysname);
    putc(' ', p->out);
    html_text(p->out, host.machine);
    fputs("</dd>\n", p->out);
}

void html_origin(const page *p)
{
    fputs("<h2>This run</h2>\n<div class=\"card\"><dl>\n", p->out);
    put_date(p);
    put_duration(p);
    put_host(p);
    fprintf(p->out, "<dt>version</dt><dd>hybridsched %s</dd>\n<dt>command</dt><dd><code>",
            hs_library_version_string());
    for (char **word = p->job->request->command; *word; word++) {
        if (word != p->job->request->command)
            putc(' ', p->out);
        put_word(p->out, *word);
    }
    fputs("</code></dd>\n</dl></div>\n", p->out);
}
