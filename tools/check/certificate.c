/* SPDX-License-Identifier: BSD-3-Clause */
/* What a certificate says is verified here; the arguments stand in hsched-formats(5). */
#include "check/certificate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/read/read.h"
#include "check/configuration.h"
#include "check/tree.h"
#include "common/message.h"

typedef struct verification {
    const char        *path;
    const hs_instance *in;
    certificate        c;
} verification;

static int proves_nothing(const verification *v, const char *why)
{
    message_plain("%s: not proved: %s", v->path, why);
    return EXIT_WORK;
}

/* The row's time on a type; infinite where there is no worker of that type. */
static double time_on(const verification *v, const hs_task *row, int type)
{
    if ((type ? hs_instance_gpus(v->in) : hs_instance_cpus(v->in)) == 0)
        return INFINITY;
    return type ? row->gpu : row->cpu;
}

static unsigned long count_of(const hs_task *row)
{
    return row->count ? row->count : 1;
}

/* Is the time below the bound that is to be proved? Then the task may run there. */
static int fits(const verification *v, double time, mpq_t scratch)
{
    if (isinf(time))
        return 0;
    mpq_set_d(scratch, time);
    return mpq_cmp(scratch, v->c.value) < 0;
}

/*
 * sum += the least that the row's tasks add to u times the CPUs' load plus v times the
 * GPUs' in a schedule shorter than the bound; 0 if they are in no such schedule.
 */
static int add_least(verification *v, const hs_task *row, mpq_t sum, mpq_t *scratch)
{
    int may[2];

    for (int type = 0; type < 2; type++) {
        double time = time_on(v, row, type);

        may[type] = fits(v, time, scratch[type]);
        if (may[type])
            mpq_mul(scratch[type], scratch[type], v->c.multiplier[type]);
    }
    if (!may[0] && !may[1])
        return 0;
    if (!may[0] || (may[1] && mpq_cmp(scratch[1], scratch[0]) < 0))
        mpq_swap(scratch[0], scratch[1]);
    mpq_set_ui(scratch[1], count_of(row), 1);
    mpq_mul(scratch[0], scratch[0], scratch[1]);
    mpq_add(sum, sum, scratch[0]);
    return 1;
}

/* m u + k v */
static void weigh_workers(const verification *v, mpq_t out, mpq_t scratch)
{
    mpq_set_ui(out, hs_instance_cpus(v->in), 1);
    mpq_mul(out, out, v->c.multiplier[0]);
    mpq_set_ui(scratch, hs_instance_gpus(v->in), 1);
    mpq_mul(scratch, scratch, v->c.multiplier[1]);
    mpq_add(out, out, scratch);
}

/* Why they do not prove the value; NULL: they do. */
static const char *flaw_of_multipliers(verification *v)
{
    mpq_t       sum, workers, scratch[2];
    hs_task     row;
    const char *flaw = NULL;
    int         stuck = 0;

    mpq_inits(sum, workers, scratch[0], scratch[1], NULL);
    for (size_t i = 0; i < hs_instance_rows(v->in) && !stuck; i++) {
        hs_instance_row(v->in, i, &row);
        stuck = !add_least(v, &row, sum, scratch);
    }
    weigh_workers(v, workers, scratch[0]);
    mpq_mul(scratch[0], workers, v->c.value);
    if (v->c.proof == PROOF_TASK && !stuck)
        flaw = "no task takes that long wherever it runs";
    else if (!stuck && mpq_sgn(workers) <= 0)
        flaw = "both multipliers are 0";
    else if (!stuck && mpq_cmp(sum, scratch[0]) < 0)
        flaw = "the multipliers prove less than that value";
    mpq_clears(sum, workers, scratch[0], scratch[1], NULL);
    return flaw;
}

static int by_times(const void *a, const void *b)
{
    const certified_kind *x = a, *y = b;

    if (x->time[0] != y->time[0])
        return x->time[0] < y->time[0] ? -1 : 1;
    return (x->time[1] > y->time[1]) - (x->time[1] < y->time[1]);
}

/* Counts the instance's tasks of each kind; the kinds are in order. */
static int count_kinds(verification *v)
{
    certificate *c = &v->c;

    for (size_t i = 1; i < c->kinds; i++)
        if (by_times(&c->kind[i - 1], &c->kind[i]) >= 0)
            return proves_nothing(v, "two lines are of tasks with the same times, or in no order");
    for (size_t i = 0; i < hs_instance_rows(v->in); i++) {
        certified_kind key = {{0, 0}, 0, 0}, *found;
        hs_task        row;

        hs_instance_row(v->in, i, &row);
        key.time[0] = time_on(v, &row, 0);
        key.time[1] = time_on(v, &row, 1);
        found = bsearch(&key, c->kind, c->kinds, sizeof *c->kind, by_times);
        if (!found)
            return proves_nothing(v, "a task of the instance has no line");
        found->count += count_of(&row);
    }
    for (size_t i = 0; i < c->kinds; i++)
        if (c->kind[i].count == 0)
            return proves_nothing(v, "a line is of no task of the instance");
    return EXIT_OK;
}

static int flawed(const verification *v, const char *flaw)
{
    if (flaw != flaw_too_large)
        return flaw ? proves_nothing(v, flaw) : EXIT_OK;
    message("%s: %s", v->path, flaw);
    return EXIT_RESOURCE;
}

static int check_knapsacks(const verification *v)
{
    const certificate *c = &v->c;
    configuration      knapsacks = {c->grid,
                                    c->capacity,
                                    {c->most[0], c->most[1]},
                                    {hs_instance_cpus(v->in), hs_instance_gpus(v->in)},
                                    c->kinds,
                                    c->kind};
    uint64_t           work = 0;
    mpq_t              end;
    int                proves_value;

    mpq_init(end);
    configuration_end(&knapsacks, end);
    proves_value = mpq_equal(end, c->value);
    mpq_clear(end);
    return proves_value ? flawed(v, configuration_flaw(&knapsacks, &work))
                        : proves_nothing(v, "the value is not (capacity + 1) 2^grid");
}

static int check_configuration(verification *v)
{
    int code;

    qsort(v->c.kind, v->c.kinds, sizeof *v->c.kind, by_times);
    code = count_kinds(v);
    return code ? code : check_knapsacks(v);
}

static int check_tree(verification *v)
{
    int code = count_kinds(v);

    return code ? code : flawed(v, tree_flaw(&v->c, v->in));
}

static int check_proof(verification *v)
{
    if (v->c.digest != hs_instance_digest(v->in))
        return proves_nothing(v, "it is a certificate of another instance");
    switch (v->c.proof) {
    case PROOF_NONE:
        return mpq_sgn(v->c.value) ? proves_nothing(v, "it proves no value but 0") : EXIT_OK;
    case PROOF_TASK:
    case PROOF_MULTIPLIERS:
        return flawed(v, flaw_of_multipliers(v));
    case PROOF_CONFIGURATION:
        return check_configuration(v);
    case PROOF_TREE:
        break;
    }
    return check_tree(v);
}

/* The plan's header claims nothing that is not proved; of that bound, what is. */
static int check_header(const verification *v, const hs_plan_info *info)
{
    mpq_t said;
    int   code = EXIT_OK;

    mpq_init(said);
    for (unsigned i = 0; i < info->bound_count && !code; i++) {
        int order;

        mpq_set_d(said, info->bounds[i].value);
        order = mpq_cmp(said, v->c.value);
        if (strcmp(info->bounds[i].name, v->c.bound) == 0 && order != 0)
            code = proves_nothing(v, "the plan's header has another value of that bound");
        else if (order > 0)
            code = proves_nothing(v, "the plan's header has a bound above that");
    }
    mpq_clear(said);
    return code;
}

/*
 * When a worker ends, in exact arithmetic: each entry begins where the one before
 * ends, or where the plan has it if it leaves the worker idle in between.
 */
static void exact_end(const verification *v, const hs_schedule *s, unsigned worker, mpq_t end,
                      mpq_t scratch)
{
    hs_type         type = worker < hs_schedule_cpus(s) ? HS_CPU : HS_GPU;
    size_t          count;
    const hs_entry *entries = hs_schedule_entries(s, worker, &count);
    double          before = 0;

    mpq_set_ui(end, 0, 1);
    for (size_t i = 0; i < count; i++) {
        mpq_set_d(scratch, entries[i].start);
        if (entries[i].start > before && mpq_cmp(scratch, end) > 0)
            mpq_set(end, scratch);
        if (entries[i].state == HS_RUN) {
            mpq_set_d(scratch, hs_instance_time(v->in, entries[i].task, type));
            mpq_add(end, end, scratch);
        } else {
            mpq_set_d(scratch, entries[i].end);
            if (mpq_cmp(scratch, end) > 0)
                mpq_set(end, scratch);
        }
        before = entries[i].end;
    }
}

static void exact_makespan(const verification *v, const hs_schedule *s, mpq_t makespan)
{
    unsigned workers = hs_schedule_cpus(s) + hs_schedule_gpus(s);
    mpq_t    end, scratch;

    mpq_inits(end, scratch, NULL);
    mpq_set_ui(makespan, 0, 1);
    for (unsigned w = 0; w < workers; w++) {
        exact_end(v, s, w, end, scratch);
        if (mpq_cmp(end, makespan) > 0)
            mpq_swap(end, makespan);
    }
    mpq_clears(end, scratch, NULL);
}

/* The least double that is not below; is it equal? */
static int round_up(mpq_t value, double *rounded)
{
    mpq_t again;
    int   order;

    *rounded = mpq_get_d(value); /* towards 0 */
    mpq_init(again);
    mpq_set_d(again, *rounded);
    order = mpq_cmp(again, value);
    if (order < 0)
        *rounded = nextafter(*rounded, INFINITY);
    mpq_clear(again);
    return order == 0;
}

/*
 * Where the makespan is next to the bound, which is a double, the same proof may hold
 * for the makespan itself.
 */
static int is_optimal(const verification *v, mpq_t makespan)
{
    verification same = *v;
    int          order;
    mpq_t        next;

    mpq_init(next);
    mpq_set_d(next, nextafter(mpq_get_d(v->c.value), INFINITY));
    order = mpq_cmp(makespan, next);
    mpq_clear(next);
    if (mpq_equal(makespan, v->c.value))
        return 1;
    if (order > 0)
        return 0;
    *same.c.value = *makespan;
    if (v->c.proof == PROOF_TREE)
        return tree_flaw(&same.c, v->in) == NULL;
    return (v->c.proof == PROOF_TASK || v->c.proof == PROOF_MULTIPLIERS) &&
           flaw_of_multipliers(&same) == NULL;
}

static int judge_plan(verification *v, const hs_schedule *s, int print)
{
    mpq_t  makespan, gap;
    double rounded;
    char   text[32];
    int    code = EXIT_OK, exact;

    mpq_inits(makespan, gap, NULL);
    exact_makespan(v, s, makespan);
    exact = round_up(makespan, &rounded);
    hs_format_double(rounded, text);
    if (mpq_cmp(makespan, v->c.value) < 0) {
        code = proves_nothing(v, "the plan is shorter than that");
    } else if (print) {
        printf("certified: makespan %s (%s), bound %s (%s), ", text, exact ? "exact" : "rounded up",
               v->c.value_text, v->c.bound);
        if (is_optimal(v, makespan)) {
            puts("optimal");
        } else if (mpq_sgn(v->c.value) == 0) {
            puts("gap inf%");
        } else {
            mpq_sub(gap, makespan, v->c.value);
            mpq_div(gap, gap, v->c.value);
            printf("gap %.4g%%\n", 100 * mpq_get_d(gap));
        }
    }
    mpq_clears(makespan, gap, NULL);
    return code;
}

int check_certificate(const char *path, const hs_instance *in, const hs_schedule *s,
                      const hs_plan_info *info, int print)
{
    verification v = {.path = path, .in = in};
    int          code = certificate_read(path, &v.c);

    if (!code)
        code = check_proof(&v);
    if (!code)
        code = check_header(&v, info);
    if (!code)
        code = judge_plan(&v, s, print);
    certificate_free(&v.c);
    return code;
}
