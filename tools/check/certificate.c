/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of certificates; hsched-certificates(5) has the arguments. */
#include "check/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/proof_tree.h"
#include "check/graph_proof.h"
#include "common/certified.h"
#include "common/checked_memory.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/shown_number.h"

typedef struct verification {
    const char        *path;
    const hs_instance *in;
    certificate        c;
    task_kind         *kind;
    limits             limits;
} verification;

static int proves_nothing(const verification *v, const char *why)
{
    message_without_tool("%s: not proved: %s", v->path, why);
    return EXIT_WORK;
}

/*
 * Set the limits. A knapsack takes about 100 bytes per stored set of tasks, a step about 10 ns. The
 * size of the input is the size of the file plus ROW bytes per row of the instance.
 */
static void set_limits(verification *v)
{
    enum { ROW = 32, FREE_STATES = 1 << 20, STATES = 16, FREE_WORK = 1 << 30, WORK = 1 << 12 };
    size_t size = v->c.size + ROW * hs_instance_rows(v->in);

    v->limits = (limits){.most_work = FREE_WORK + (uint64_t)WORK * size,
                         .most_states = FREE_STATES + size / STATES};
}

/*
 * Compute the kinds of the instance. Return why they differ from the kinds of the certificate;
 * NULL: they are equal.
 */
static const char *flaw_of_kinds(verification *v)
{
    certificate *c = &v->c;
    size_t       kinds;

    v->kind = group_tasks_by_times(v->in, &kinds);
    if (c->has_kinds && c->kinds != kinds)
        return "its tasks are not of as many kinds as the instance's";
    for (size_t i = 0; c->has_kinds && i < kinds; i++)
        if (c->kind[i][0] != v->kind[i].time[0] || c->kind[i][1] != v->kind[i].time[1])
            return "its kinds of tasks are not those of the instance, in their order";
    c->kinds = kinds;
    return NULL;
}

static bool is_of_graph(const certificate *c)
{
    return c->has_cases || c->node->step == STEP_GRAPH || c->node->step == STEP_WINDOWS;
}

static const char *flaw_of_value(verification *v, const mpq_t value)
{
    const unsigned workers[2] = {hs_instance_cpus(v->in), hs_instance_gpus(v->in)};

    if (is_of_graph(&v->c))
        return graph_proof_flaw(&v->c, v->in, value, &v->limits);
    return proof_tree_flaw(&v->c, v->kind, workers, value, &v->limits);
}

static int check_proof(verification *v)
{
    const char *flaw = NULL;

    if (v->c.digest != hs_instance_digest(v->in))
        return proves_nothing(v, "it is a certificate of another instance");
    if (v->c.nodes == 0 && mpq_sgn(v->c.value) > 0)
        return proves_nothing(v, "it proves no value but 0");
    if (mpq_sgn(v->c.value) > 0 && !is_of_graph(&v->c))
        flaw = flaw_of_kinds(v);
    if (mpq_sgn(v->c.value) > 0 && !flaw)
        flaw = flaw_of_value(v, v->c.value);
    return flaw ? proves_nothing(v, flaw) : EXIT_OK;
}

/*
 * Check that no bound in the plan's header exceeds the proved value, and that the bound of the same
 * name equals it.
 */
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
 * Compute the end of a worker exactly: each entry begins at the end of the entry before, or at its
 * start in the plan if the worker idles before it.
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

/*
 * Return whether the makespan is optimal. Bounds are rounded down, so if the makespan is hardly
 * larger, the same proof may hold for the makespan itself.
 */
static bool is_optimal(verification *v, const mpq_t makespan)
{
    bool  is_near;
    mpq_t most;

    if (mpq_equal(makespan, v->c.value))
        return true;
    mpq_init(most);
    mpq_set_ui(most, (1u << 30) + 1, 1u << 30);
    mpq_mul(most, most, v->c.value);
    is_near = mpq_cmp(makespan, most) <= 0;
    mpq_clear(most);
    v->limits.work = 0;
    return is_near && mpq_sgn(v->c.value) > 0 && flaw_of_value(v, makespan) == NULL;
}

/*
 * Set `slack` to the possible rounding error of the ends, which are rounded sums if tasks wait for
 * each other.
 */
static void set_slack(const verification *v, const hs_schedule *s, mpq_t slack)
{
    mpq_set_d(slack, certified_slack(v->in, s));
}

/* Print how near the makespan is to the bound. It may contain a rounding error up to `slack`. */
static void print_gap(verification *v, const mpq_t makespan, const mpq_t slack)
{
    mpq_t less, gap;

    mpq_inits(less, gap, NULL);
    mpq_sub(less, makespan, slack);
    if (is_optimal(v, makespan)) {
        puts("optimal");
    } else if (mpq_sgn(v->c.value) == 0) {
        puts("gap inf%");
    } else if (mpq_cmp(less, v->c.value) <= 0 || is_optimal(v, less)) {
        puts("optimal up to rounding");
    } else {
        mpq_sub(gap, makespan, v->c.value);
        mpq_div(gap, gap, v->c.value);
        printf("gap %.4g%%\n", 100 * mpq_get_d(gap));
    }
    mpq_clears(less, gap, NULL);
}

static int judge_plan(verification *v, const hs_schedule *s, bool print)
{
    mpq_t makespan, slack;
    char  time[32], bound[32];
    int   code = EXIT_OK;

    mpq_inits(makespan, slack, NULL);
    exact_makespan(v, s, makespan);
    set_slack(v, s, slack);
    if (mpq_cmp(makespan, v->c.value) < 0)
        mpq_add(makespan, makespan, slack);
    if (mpq_cmp(makespan, v->c.value) < 0) {
        code = proves_nothing(v, "the plan is shorter than that");
    } else if (print) {
        show_number(mpq_get_d(makespan), time);
        show_number(mpq_get_d(v->c.value), bound);
        printf("certified: makespan %s, bound %s %s, ", time, SHOWN(v->c.bound), bound);
        print_gap(v, makespan, slack);
    }
    mpq_clears(makespan, slack, NULL);
    return code;
}

static void *allocate(size_t size)
{
    return checked_realloc(NULL, size);
}

static void *reallocate(void *memory, size_t before, size_t size)
{
    (void)before;
    return checked_realloc(memory, size);
}

int check_certificate(const char *path, const hs_instance *in, const hs_schedule *s,
                      const hs_plan_info *info, bool print)
{
    verification v = {.path = path, .in = in};
    int          code;

    mp_set_memory_functions(allocate, reallocate, NULL); /* GMP's own abort the program */
    code = certificate_read(path, &v.c);
    set_limits(&v);
    if (!code)
        code = check_proof(&v);
    if (!code)
        code = check_header(&v, info);
    if (!code)
        code = judge_plan(&v, s, print);
    free(v.kind);
    certificate_free(&v.c);
    return code;
}
