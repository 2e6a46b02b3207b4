/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec: comparison of this run with an earlier run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "exec/html/html.h"
#include "exec/earlier_run.h"

enum { TASKS_MOST = 30, KERNELS_MOST = 200 };

typedef struct comparison {
    const page     *p;
    const exec_earlier *earlier;
    double          scale;  /* factor from the earlier run's unit to this run's */
    bool            shared; /* whether both runs had the same tasks */
} comparison;

static void put_number(FILE *out, double value)
{
    if (isfinite(value) && value >= 0)
        html_number(out, value, 5);
    else
        fputs("<td>&ndash;</td>", out);
}

static void put_ratio(FILE *out, double before, double now)
{
    put_number(out, before > 0 ? now / before : NAN);
}

static double of_earlier(const comparison *c, const char *name)
{
    return json_number_of(c->earlier->root, name);
}

/* Write a row: quantity, unit (NULL: none), values of both runs and, if has_ratio, their ratio. */
static void put_row(const comparison *c, const char *what, const char *unit, double before,
                    double now, int has_ratio)
{
    FILE *out = c->p->out;

    fprintf(out, unit ? "<tr><td class=\"name\">%s (%s)</td>" : "<tr><td class=\"name\">%s</td>",
            what, unit);
    put_number(out, before);
    put_number(out, now);
    put_ratio(out, has_ratio ? before : NAN, now);
    fputs("</tr>\n", out);
}

static double earlier_utilisation(const comparison *c, hs_type type)
{
    const char *name = type == HS_CPU ? "cpu" : "gpu";
    double      busy = 0;

    for (const json_value *w = json_first_of(c->earlier->root, "workers"); w; w = w->next)
        if (strncmp(json_text_of(w, "name"), name, 3) == 0)
            busy += json_number_of(w, "busy");
    return 100 * busy /
           (of_earlier(c, "achieved_makespan") * of_earlier(c, type == HS_CPU ? "cpus" : "gpus"));
}

static void put_utilisation(const comparison *c, hs_type type)
{
    exec_total now = exec_total_of(c->p->m, type);

    if (now.workers > 0 || of_earlier(c, type == HS_CPU ? "cpus" : "gpus") > 0)
        put_row(c, type == HS_CPU ? "CPUs busy" : "GPUs busy", "%", earlier_utilisation(c, type),
                now.workers > 0 ? 100 * now.busy : NAN, 0);
}

static void put_totals(const comparison *c)
{
    const hs_exec_report *r = &c->p->job->report;
    const exec_measured  *m = c->p->m;
    const char           *unit = c->p->unit;

    html_table_begin(c->p->out, "Totals of both runs", NULL, "",
                     "<th class=\"name\">quantity</th><th>earlier run</th><th>this run</th>"
                     "<th>this / earlier (&times;)</th>");
    put_row(c, "achieved makespan", unit, c->scale * of_earlier(c, "achieved_makespan"),
            m->achieved,
            c->shared);
    put_row(c, "predicted makespan", unit, c->scale * of_earlier(c, "predicted_makespan"),
            c->p->job->guesses > 0 ? NAN : m->predicted,
            c->shared);
    put_row(c, "area bound, measured", unit, c->scale * of_earlier(c, "area_bound_measured"),
            m->bound,
            c->shared);
    put_row(c, "CPUs", NULL, of_earlier(c, "cpus"), m->cpus, 0);
    put_row(c, "GPUs", NULL, of_earlier(c, "gpus"), m->gpus, 0);
    put_utilisation(c, HS_CPU);
    put_utilisation(c, HS_GPU);
    put_row(c, "tasks", NULL, of_earlier(c, "tasks"), (double)r->tasks, 0);
    put_row(c, "tasks done", NULL, of_earlier(c, "done"), (double)r->done, 0);
    put_row(c, "tasks failed", NULL, of_earlier(c, "failed"), (double)r->failed, 0);
    put_row(c, "attempts spoliated", NULL, of_earlier(c, "aborted"), (double)r->aborted, 0);
    html_table_end(c->p->out);
}

static void put_kernel(const comparison *c, const char *name, hs_type type,
                       const exec_earlier_kernel *before, const exec_kernel *now)
{
    FILE  *out = c->p->out;
    double mean = before ? c->scale * before->mean : NAN;

    fputs("<tr>", out);
    html_long(out, name);
    fprintf(out, "<td>%s</td>", exec_type_name(type));
    put_number(out, before ? before->count : NAN);
    put_number(out, now ? (double)now->count : NAN);
    put_number(out, mean);
    put_number(out, now ? now->mean : NAN);
    put_ratio(out, mean, now ? now->mean : NAN);
    fputs("</tr>\n", out);
}

/* Write the kernels of this run, then the kernels found only in the earlier run. */
static void put_kernels(const comparison *c)
{
    const exec_measured *m = c->p->m;
    size_t               put = 0;

    if (m->kernels.count + c->earlier->kernel_count == 0)
        return;
    html_table_begin(c->p->out, "Kernels of both runs", NULL, "tall",
                     "<th class=\"name\">kernel</th><th>type</th><th>tasks, earlier</th>"
                     "<th>tasks, this run</th><th>mean, earlier (%s)</th><th>mean, this run (%s)"
                     "</th><th>this / earlier (&times;)</th>",
                     c->p->unit, c->p->unit);
    for (size_t i = 0; i < m->kernels.count && put < KERNELS_MOST; i++, put++) {
        const exec_kernel *now = &m->kernels.of[i];

        put_kernel(c, now->name, now->type, exec_earlier_kernel_find(c->earlier, now->name,
                                                                     now->type),
                   now);
    }
    for (size_t i = 0; i < c->earlier->kernel_count && put < KERNELS_MOST; i++) {
        const exec_earlier_kernel *before = &c->earlier->kernels[i];

        if (exec_kernel_find(m, before->name, before->type))
            continue;
        put_kernel(c, before->name, before->type, before, NULL);
        put++;
    }
    html_table_end(c->p->out);
    if (put == KERNELS_MOST)
        fprintf(c->p->out, "<p class=\"key\">The first %d.</p>\n", KERNELS_MOST);
}

/* A task finished in both runs. */
typedef struct pair {
    const exec_earlier_task *before;
    const exec_attempt  *now;
    /* time in the earlier run; time in this run minus this time */
    double               time, difference;
} pair;

static int by_difference(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    double      first = fabs(x->difference), second = fabs(y->difference);

    if (first != second)
        return first > second ? -1 : 1;
    return x->now < y->now ? -1 : x->now > y->now;
}

static size_t collect_pairs(const comparison *c, pair *pairs)
{
    const exec_measured *m = c->p->m;
    char                 name[HS_MAX_ID + 16];
    size_t               count = 0;

    for (size_t i = 0; i < m->attempt_count; i++) {
        const exec_attempt *now = &m->attempts[i];
        pair                one = {.now = now};

        if (!now->done)
            continue;
        hs_instance_name(c->p->job->plan.in, now->task, name, sizeof name);
        one.before = exec_earlier_task_find(c->earlier, name);
        if (!one.before)
            continue;
        one.time = c->scale * one.before->time;
        one.difference = now->time - one.time;
        pairs[count++] = one;
    }
    qsort(pairs, count, sizeof *pairs, by_difference);
    return count;
}

static void put_pair(const comparison *c, const pair *one)
{
    FILE *out = c->p->out;
    char  number[32];

    fputs("<tr>", out);
    html_task(c->p, one->now->task);
    fputs("<td class=\"name\">", out);
    html_text(out, one->before->worker);
    fprintf(out, "</td><td class=\"name\">%s</td>", c->p->m->workers[one->now->worker].name);
    put_number(out, one->time);
    put_number(out, one->now->time);
    hs_format_rounded(fabs(one->difference), 5, number);
    fprintf(out, "<td>%s%s</td>", one->difference < 0 ? "-" : "+", number);
    put_ratio(out, one->time, one->now->time);
    fputs("</tr>\n", out);
}

static hs_status put_tasks(const comparison *c)
{
    pair  *pairs;
    size_t count;

    if (c->earlier->task_count == 0 || c->p->m->attempt_count == 0)
        return HS_OK;
    pairs = calloc(c->p->m->attempt_count, sizeof *pairs);
    if (!pairs)
        return HS_ENOMEM;
    count = collect_pairs(c, pairs);
    if (count > 0) {
        html_table_begin(c->p->out, "Tasks of both runs", "largest difference first", "tall",
                         "<th class=\"name\">task</th><th class=\"name\">worker, earlier</th>"
                         "<th class=\"name\">worker, this run</th><th>time, earlier (%s)</th>"
                         "<th>time, this run (%s)</th><th>difference (%s)</th>"
                         "<th>this / earlier (&times;)</th>",
                         c->p->unit, c->p->unit, c->p->unit);
        for (size_t i = 0; i < count && i < TASKS_MOST; i++)
            put_pair(c, &pairs[i]);
        html_table_end(c->p->out);
        if (count > TASKS_MOST)
            fprintf(c->p->out, "<p class=\"key\">The first %d of %zu.</p>\n", TASKS_MOST, count);
    }
    free(pairs);
    return HS_OK;
}

/* Name the file of the earlier run, its plan, policy, start and host. */
static void put_source(const comparison *c)
{
    static const char *const members[] = {"plan", "policy", "started", "host"};
    static const char *const before[] = {": ", " by ", ", started ", " on "};
    FILE                    *out = c->p->out;

    fputs("<p class=\"note\">The earlier run is ", out);
    html_text(out, c->earlier->path);
    for (int i = 0; i < 4; i++) {
        const char *text = json_text_of(c->earlier->root, members[i]);

        if (!text || !*text)
            continue;
        fputs(before[i], out);
        html_text(out, text);
    }
    fputs(".</p>\n", out);
}

/*
 * Return whether both runs have the same tasks, as far as the reports show; if not, write a
 * sentence.
 */
static bool put_difference(const comparison *c)
{
    const char *names = json_text_of(c->earlier->root, "task_names");
    double      before = of_earlier(c, "tasks"), now = (double)c->p->job->report.tasks;
    char        own[EXEC_NAMES];

    exec_digest_names(c->p->job->plan.in, own);
    if (before == now && (!names || strcmp(names, own) == 0))
        return true;
    fputs("<p class=\"note bad\">The runs are not comparable: they have different tasks",
          c->p->out);
    if (before != now)
        fprintf(c->p->out, ", %.0f in the earlier run and %.0f in this one", before, now);
    fputs(". Kernels and tasks of the same name stand beside each other all the same.</p>\n",
          c->p->out);
    return false;
}

/*
 * Write differences of the settings that make the makespans incomparable although the tasks are the
 * same.
 */
static void put_cautions(const comparison *c)
{
    const hs_exec_report *r = &c->p->job->report;
    double                before = of_earlier(c, "done") - of_earlier(c, "resumed");
    double                now = (double)(r->done - r->resumed);
    double                scale = of_earlier(c,
                                             "seconds_per_unit") / hs_unit_seconds(c->earlier->unit);
    double own = c->p->job->unit / hs_unit_seconds(hs_instance_unit(c->p->job->plan.in));

    if (before < of_earlier(c, "tasks") || now < (double)r->tasks)
        fprintf(c->p->out,
                "<p class=\"note\">The makespans are of parts: the earlier run did %.0f of %.0f "
                "tasks, this one %.0f of %.0f.</p>\n",
                before, of_earlier(c, "tasks"), now, (double)r->tasks);
    if (isfinite(scale) && fabs(scale / own - 1) > 1e-9)
        fprintf(c->p->out,
                "<p class=\"note\">The runs have different time scales: %.6g in the earlier run, "
                "%.6g in this one.</p>\n",
                scale, own);
}

hs_status html_compare(const page *p)
{
    const exec_earlier *earlier = p->job->request->earlier;
    comparison      c = {.p = p, .earlier = earlier};

    if (!earlier)
        return HS_OK;
    c.scale = hs_unit_seconds(earlier->unit) / hs_unit_seconds(hs_instance_unit(p->job->plan.in));
    fputs("<h2>Comparison with an earlier run</h2>\n<div class=\"card\">\n", p->out);
    put_source(&c);
    c.shared = put_difference(&c);
    put_cautions(&c);
    fputs("</div>\n", p->out);
    put_totals(&c);
    put_kernels(&c);
    return put_tasks(&c);
}
