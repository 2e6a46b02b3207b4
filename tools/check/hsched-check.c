/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-check: checks that a plan is valid. It trusts none of the plan's claims, and shares no
 * code with the planners.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/certificate.h"
#include "check/difference.h"
#include "common/available.h"
#include "common/certified.h"
#include "common/escape.h"
#include "common/files.h"
#include "common/input.h"
#include "common/message.h"
#include "common/options.h"
#include "common/output.h"
#include "common/plan.h"
#include "common/progress.h"
#include "common/shown_number.h"

typedef struct command_line {
    hs_read_settings reading;
    const char     *certificate; /* path; NULL: none */
    const char     *available;   /* argument of --available; NULL: all workers at 0 */
    int             quiet;
} command_line;

static const option_spec option_table[] = {
    {'q', "quiet", NULL, {OPTION_FLAG(quiet)}, "print nothing on standard output"},
    {0, "certificate", "FILE", {OPTION_FILE(certificate)},
     "verify in exact arithmetic the lower bound that FILE (by hsched-solve --certificate) "
     "proves, and print the gap of the plan"},
    {0, "available", "WORKER=TIME[,...]|@FILE", {OPTION_TEXT(available)},
     "times until which workers are busy, as in hsched-solve"},
    {0, "ignore-unknown", NULL, {OPTION_FLAG(reading.ignore_unknown)},
     "ignore unknown columns (default: an error)"},
    {0}};

static const tool_spec tool = {
    .name = "hsched-check",
    .operands = "PLAN [INSTANCE]",
    .summary = "Check that PLAN ('-': standard input) is a valid schedule: each task runs once, "
               "without interruption, for its time, on one worker that can run the task, and no "
               "worker runs two tasks at a time. Check the makespan and the digests of the "
               "header. With INSTANCE, check that the plan is a plan of the instance. The "
               "bounds are those of the header.",
    .options = option_table,
};

static int check_digests(const plan *p)
{
    uint64_t tasks = hs_instance_digest(p->in), all = hs_plan_digest(p->in, p->s, &p->info);

    if (p->info.has_digest && p->info.digest != tasks)
        return plan_report_invalid(
            p,
            "the header says instance-digest %016llx, but the digest of these "
            "tasks and workers is %016llx",
            (unsigned long long)p->info.digest, (unsigned long long)tasks);
    if (p->info.has_plan_digest && p->info.plan_digest != all)
        return plan_report_invalid(
            p,
            "the header says plan-digest %016llx, but the digest of this plan "
            "is %016llx: it was changed, or is not whole",
            (unsigned long long)p->info.plan_digest, (unsigned long long)all);
    return EXIT_OK;
}

static int check_header(const plan *p)
{
    double makespan = hs_schedule_makespan(p->s), certified = certified_makespan(p->in, p->s);
    char   said[32], found[32];

    if (!isnan(p->info.makespan) && p->info.makespan != makespan) {
        show_different(p->info.makespan, makespan, said, found);
        return plan_report_invalid(p, "the header says makespan %s, but it is %s", said, found);
    }
    for (unsigned i = 0; i < p->info.bound_count; i++) {
        const hs_named_bound *bound = &p->info.bounds[i];

        if (bound->value <= certified + certified_slack(p->in, p->s))
            continue;
        show_different(bound->value, certified, said, found);
        return plan_report_invalid(
            p, "the header says that no schedule beats %s (%s), but %s only %s", said, bound->name,
            hs_instance_has_graph(p->in) ? "this one takes" : "the loads of this one need", found);
    }
    return check_digests(p);
}

/* Refuse an instance with unknown times: the plan has the times that were predicted for them. */
static int refuse_unknown(const hs_instance *instance, const char *path)
{
    size_t unknown = hs_instance_unknown(instance);

    if (unknown == 0)
        return EXIT_OK;
    message("%s: %zu row%s an unknown time, so no plan has the same times; compare with the table "
            "that hsched-solve --filled=FILE writes beside the plan",
            path, unknown, unknown == 1 ? " has" : "s have");
    return EXIT_USAGE;
}

static int check_instance(const plan *p, const char *path, const hs_read_settings *reading)
{
    hs_instance *instance = NULL;
    char         difference[DIFFERENCE_SIZE];
    hs_status    status;
    int          code;

    progress_set_done(2, "reading %s", path);
    code = input_instance(path, reading, &instance);
    if (code)
        return code;
    code = refuse_unknown(instance, path);
    if (code) {
        hs_instance_free(instance);
        return code;
    }
    status = find_difference(p->in, instance, difference);
    hs_instance_free(instance);
    if (status != HS_OK)
        return message_status(status, path);
    return difference[0] ? plan_report_invalid(p, "not a plan of %s: %s", path, difference)
                         : EXIT_OK;
}

static const hs_named_bound *best_bound(const plan *p)
{
    const hs_named_bound *best = NULL;

    for (unsigned i = 0; i < p->info.bound_count; i++)
        if (!best || p->info.bounds[i].value > best->value)
            best = &p->info.bounds[i];
    return best;
}

/* Print a relative gap in percent. A gap below 1e-12 is mostly rounding: print only the limit. */
static void print_gap(double gap)
{
    if (gap > 0 && gap < 1e-12)
        printf(", gap <1e-10%%");
    else
        printf(", gap %.4g%%", 100 * gap);
}

/*
 * Print the result for a valid plan. Beside a bound, print the makespan that no true bound exceeds.
 */
static void print_valid(const plan *p)
{
    const hs_named_bound *best = best_bound(p);
    size_t                tasks = hs_instance_tasks(p->in);
    unsigned              cpus = hs_instance_cpus(p->in), gpus = hs_instance_gpus(p->in);
    char                  text[32];

    show_number(best ? certified_time_beside(p->in, p->s, best->value) : hs_schedule_makespan(p->s),
                text);
    printf("valid: %zu task%s on %u CPU%s + %u GPU%s, makespan %s", tasks, plural(tasks), cpus,
           plural(cpus), gpus, plural(gpus), text);
    if (best) {
        show_number(best->value, text);
        printf(", bound %s %s", SHOWN(best->name), text);
        print_gap(certified_gap(p->in, p->s, best->value));
    }
    putchar('\n');
}

static int check_plan(plan *p, const char *instance, const command_line *line)
{
    double *available = NULL;
    int     code = plan_read(p, &line->reading);

    progress_set_done(1, "checking %s", p->path);
    if (!code)
        code = available_read(line->available, p->in, &available);
    if (!code)
        code = plan_check(p, available);
    free(available);
    if (!code)
        code = check_header(p);
    if (!code && instance)
        code = check_instance(p, instance, &line->reading);
    progress_end();
    if (!code && !line->quiet)
        print_valid(p);
    if (!code && line->certificate)
        code = check_certificate(line->certificate, p->in, p->s, &p->info, !line->quiet);
    return code;
}

int main(int argc, char **argv)
{
    options      o;
    plan         p = {0};
    command_line line = {0};
    const char  *instance;
    int          code;

    hs_read_settings_init(&line.reading);
    options_read(&o, &tool, argc, argv, &line);
    if (options_operand_count(&o) < 1 || options_operand_count(&o) > 2)
        usage_error("a plan is needed, and at most one instance");
    p.path = options_operand(&o);
    instance = options_operand(&o);
    if (is_dash(p.path) + is_dash(instance) + is_dash(line.certificate) > 1)
        usage_error("standard input can be read only once");

    progress_begin(instance ? 3 : 2);
    code = check_plan(&p, instance, &line);
    plan_free(&p);
    return output_finish(code);
}
