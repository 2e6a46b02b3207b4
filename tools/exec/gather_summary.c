/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec --gather: the summary of what the journals say and lack. */
#include <stdlib.h>

#include "common/checked_memory.h"
#include "common/escape.h"
#include "exec/gather.h"

enum { SHARES_MOST = 32, TASKS_MOST = 16 };

void exec_gather_head(FILE *out, const exec_job *job, const exec_measured *m)
{
    const hs_exec_report *r = &job->report;
    const exec_gathered  *g = job->gathered;

    fprintf(out,
            "%s: %llu of %llu task%s done, according to %zu journal%s of %u CPU%s and %u GPU%s",
            SHOWN(job->plan.path), (unsigned long long)r->done, (unsigned long long)r->tasks,
            plural(r->tasks), g->journals, plural(g->journals), m->cpus, plural(m->cpus), m->gpus,
            plural(m->gpus));
    if (g->missing[0])
        fprintf(out, "; %s", g->missing);
    putc('\n', out);
}

/* Return, by share, the number of tasks that are not done; NULL: unknown. The caller frees it. */
static size_t *count_left(const exec_job *job)
{
    const exec_gathered *g = job->gathered;
    size_t              *left = NULL;

    if (g->owner)
        left = checked_calloc(g->shares, sizeof *left);
    for (size_t i = 0; left && i < hs_instance_tasks(job->plan.in); i++)
        left[g->owner[i]] += g->state[i] != HS_JOURNAL_DONE;
    return left;
}

/* Print a line with the shares that have a flag; none if no share has. */
static void print_shares(FILE *out, const char *label, const bool *flag, unsigned shares)
{
    unsigned printed = 0;

    for (unsigned s = 0; s < shares; s++)
        if (flag[s] && printed++ < SHARES_MOST)
            fprintf(out, "%s%s%u/%u", printed > 1 ? ", " : "  ", printed > 1 ? "" : label, s + 1,
                    shares);
    if (printed > 0)
        fputs(printed > SHARES_MOST ? ", ...\n" : "\n", out);
}

/* Set the flags of the shares whose journal is in the list; return whether there is one. */
static bool find_present(const exec_gathered *g, bool *present)
{
    bool       any = false;
    exec_share share;

    for (size_t i = 0; i < g->list->count; i++)
        if (exec_share_of_journal(g->journal, g->list->path[i], &share) && share.count == g->shares)
            any = present[share.index - 1] = true;
    return any;
}

/* Print the numbers of the shares that have tasks left. If at least one share has a journal, also print
 * which of these shares have none. */
static void print_left(FILE *out, const exec_job *job)
{
    const exec_gathered *g = job->gathered;
    size_t              *left = count_left(job);
    bool                *flag = checked_calloc(g->shares, sizeof *flag);
    bool                *present = checked_calloc(g->shares, sizeof *present);
    bool                 any = find_present(g, present);

    for (unsigned s = 0; s < g->shares; s++)
        flag[s] = left && left[s] > 0;
    print_shares(out, "shares with tasks left, to be run with --resume: ", flag, g->shares);
    for (unsigned s = 0; s < g->shares; s++)
        flag[s] = any && !present[s] && (!left || left[s] > 0);
    print_shares(out, "shares without a journal: ", flag, g->shares);
    free(left);
    free(flag);
    free(present);
}

/* Print the journals of other tables, or of tasks that were removed from the table. */
static void print_strange(FILE *out, const exec_job *job)
{
    const exec_gathered *g = job->gathered;

    for (size_t i = 0; i < g->list->count; i++)
        if (g->strange[i] > 0) {
            fprintf(out, "  not counted: %zu attempt%s in %s", g->strange[i], plural(g->strange[i]),
                    SHOWN(g->list->path[i]));
            fprintf(out, ", at tasks that %s does not have\n", SHOWN(job->plan.path));
        }
}

/* Return the reason of the last failure of a task. */
static const char *last_failure(const exec_gathered *g, uint32_t task)
{
    const hs_exec_failure *last = NULL;

    for (size_t i = 0; i < g->failure_count; i++)
        if (g->failures[i].task == task && (!last || g->failures[i].number > last->number))
            last = &g->failures[i];
    return last ? last->why : "failed";
}

static void print_tasks(FILE *out, const exec_job *job)
{
    const exec_gathered *g = job->gathered;
    size_t               tasks = hs_instance_tasks(job->plan.in), printed = 0;
    char                 name[HS_MAX_ID + 16];

    for (size_t i = 0; i < tasks && printed < TASKS_MOST; i++) {
        if (g->state[i] == HS_JOURNAL_DONE)
            continue;
        hs_instance_name(job->plan.in, i, name, sizeof name);
        fprintf(out, "  not done: %s, ", SHOWN(name));
        if (g->owner)
            fprintf(out, "share %u/%u, ", (unsigned)g->owner[i] + 1, g->shares);
        fprintf(out, "%s\n",
                g->state[i] == HS_JOURNAL_FAILED    ? last_failure(g, (uint32_t)i)
                : g->state[i] == HS_JOURNAL_CHANGED ? "changed since it was done"
                                                    : "not on record");
        printed++;
    }
    if (job->report.tasks - job->report.done > printed)
        fprintf(out, "  and %llu more\n",
                (unsigned long long)(job->report.tasks - job->report.done - printed));
}

void exec_gather_summary(FILE *out, const exec_job *job)
{
    const exec_gathered *g = job->gathered;

    if (g->shares > 0 && job->report.done < job->report.tasks)
        print_left(out, job);
    else if (g->mixed && job->report.done < job->report.tasks)
        fputs(
            "  the journals are of several numbers of shares: --share=all/N shows the shares of N "
            "with tasks left\n",
            out);
    print_strange(out, job);
    print_tasks(out, job);
}
