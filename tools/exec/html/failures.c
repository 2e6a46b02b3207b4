/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: failed attempts; tasks that failed for good come first, each with its attempts. */
#include "exec/html/html.h"

enum { FAILURES_MOST = 2000 };

static void put_failure(const page *p, const hs_exec_failure *f)
{
    hs_type type = f->worker < p->m->cpus ? HS_CPU : HS_GPU;
    char    worker[16];

    hs_worker_name(p->m->cpus, f->worker, worker);
    fputs("<tr>", p->out);
    html_task(p, f->task);
    fprintf(p->out, "<td class=\"name%s</td>", f->final ? " bad\">for good" : "\">tried again");
    html_long(p->out, f->why ? f->why : "");
    html_command(p, f->task, type);
    fputs("<td class=\"name\">", p->out);
    if (html_link(p, f->task, f->number, false, "output"))
        putc(' ', p->out);
    html_link(p, f->task, f->number, true, "errors");
    fprintf(p->out, "</td><td class=\"name\">%s</td><td>%u</td></tr>\n", worker,
            (unsigned)f->number);
}

/*
 * Return the index after the last failure of the task that has failure `from`; *final: whether the
 * task failed for good.
 */
static size_t end_of_task(const exec_measured *m, size_t from, int *final)
{
    size_t i = from;

    for (* final = 0; i < m->known_count && m->known[i].task == m->known[from].task; i++)
        *final |= m->known[i].final;
    return i;
}

static void put_failures(const page *p, bool wanted, size_t *room)
{
    const exec_measured *m = p->m;
    int                  final;

    for (size_t i = 0, end; i < m->known_count; i = end) {
        end = end_of_task(m, i, &final);
        for (size_t k = i; k < end && final == wanted && *room > 0; k++, --*room)
            put_failure(p, &m->known[k]);
    }
}

void html_failures(const page *p)
{
    size_t room = FAILURES_MOST;

    if (p->m->known_count == 0)
        return;
    html_table_begin(p->out, "Failures", "tasks that failed for good first", "tall",
                     "<th class=\"name\">task</th><th class=\"name\">failed</th>"
                     "<th class=\"name\">why</th>%s<th class=\"name\">log</th>"
                     "<th class=\"name\">worker</th><th>attempt</th>",
                     html_command_heading(p));
    put_failures(p, true, &room);
    put_failures(p, false, &room);
    html_table_end(p->out);
    if (p->m->known_count > FAILURES_MOST)
        fprintf(p->out, "<p class=\"key\">The first %d of %zu.</p>\n", FAILURES_MOST,
                p->m->known_count);
}

/* Write the tasks not run because of failures. */
void html_blocked(const page *p)
{
    uint32_t next = 0, failed;
    size_t   put = 0;

    if (p->job->report.blocked == 0)
        return;
    html_table_begin(
        p->out, "Not run", NULL, "tall",
        "<th class=\"name\">task</th><th class=\"name\">comes after, which failed</th>");
    for (; put < FAILURES_MOST && exec_blocked_next(p->job, &next, &failed); put++) {
        fputs("<tr>", p->out);
        html_task(p, next - 1);
        html_task(p, failed);
        fputs("</tr>\n", p->out);
    }
    html_table_end(p->out);
    if (p->job->report.blocked > put)
        fprintf(p->out, "<p class=\"key\">The first %zu of %llu.</p>\n", put,
                (unsigned long long)p->job->report.blocked);
}
