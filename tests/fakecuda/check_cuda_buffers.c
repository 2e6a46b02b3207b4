/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of a plugin on data that CPUs share with GPUs of the fake. The functions for GPUs only
 * enqueue copies. The fake counts memory that two unordered streams use as misuse.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "rounds.h"
#include "tiles_fixture.h"
#include "trial.h"

enum { DATA = 8, ROWS = 40, MOST_BYTES = 3000 };

typedef struct copies {
    hs_instance  *in;
    size_t        bytes[DATA];
    unsigned      from[ROWS], to[ROWS]; /* from == to: mark */
    unsigned char expected[DATA][MOST_BYTES], ours[DATA][MOST_BYTES];
} copies;

static void add_row(hs_builder *b, const copies *c, size_t row)
{
    const bool    marks = c->from[row] == c->to[row];
    const hs_task task = {.struct_size = sizeof task,
                          .kernel = marks ? "plugin:tests/fakecuda/.libs/copier.so:mark"
                                          : "plugin:tests/fakecuda/.libs/copier.so:overlay",
                          .cpu = 1 + roll(5),
                          .gpu = 1 + roll(5)};

    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    if (!marks)
        ck_assert_int_eq(hs_builder_add_access(b, row, c->from[row], HS_READ), HS_OK);
    ck_assert_int_eq(
        hs_builder_add_access(b, row, c->to[row], marks ? HS_WRITE : HS_READ_WRITE), HS_OK);
}

static void make_copies(copies *c, unsigned gpus)
{
    hs_builder *b = NULL;
    char        name[16];
    size_t      handle;

    memset(c, 0, sizeof *c);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1 + roll(2), gpus);
    hs_builder_set_unit(b, HS_MICROSECONDS);
    for (unsigned d = 0; d < DATA; d++) {
        c->bytes[d] = 1 + roll(MOST_BYTES);
        snprintf(name, sizeof name, "d%u", d);
        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
    }
    for (size_t row = 0; row < ROWS; row++) {
        c->from[row] = roll(DATA);
        c->to[row] = row < DATA ? (unsigned)row : roll(DATA);
        add_row(b, c, row);
    }
    ck_assert_int_eq(hs_builder_finish(b, &c->in, NULL), HS_OK);
    hs_builder_free(b);
}

/* Execute the rows sequentially. */
static void run_in_order(copies *c)
{
    for (size_t row = 0; row < ROWS; row++) {
        unsigned from = c->from[row], to = c->to[row];
        size_t   half = c->bytes[from] / 2;

        if (from == to)
            memset(c->expected[to], (int)row + 1, c->bytes[to]);
        else
            memcpy(c->expected[to], c->expected[from], half < c->bytes[to] ? half : c->bytes[to]);
    }
}

static void place(copies *c, hs_exec *exec)
{
    char name[16];

    for (unsigned d = 0; d < DATA; d++) {
        snprintf(name, sizeof name, "d%u", d);
        ck_assert_int_eq(hs_exec_data(exec, name, c->ours[d], c->bytes[d]), HS_OK);
    }
}

static unsigned count_on_gpus(const hs_exec *exec, const hs_instance *in)
{
    unsigned done = 0, cpus = hs_instance_cpus(in);

    for (unsigned w = cpus; w < cpus + hs_instance_gpus(in); w++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(exec, w, &count);

        for (; count > 0; count--, r++)
            done += r->outcome == HS_OUTCOME_DONE;
    }
    return done;
}

/* Run the rows twice, or until a run fails. A run that ends well gives what the rows give one after
 * another. */
static result run_copies(const hs_exec_settings *s, unsigned gpus)
{
    static copies c;
    hs_schedule  *plan = NULL;
    hs_exec      *exec = NULL;
    result        r = {.on_gpus = 0};

    make_copies(&c, gpus);
    if (hs_policy_needs_plan(s->decide.policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), c.in, NULL, &plan), HS_OK);
    r.status = hs_exec_create(c.in, plan, s, &exec, &r.error);
    if (r.status == HS_OK)
        place(&c, exec);
    for (int i = 0; i < 2 && r.status == HS_OK; i++) {
        r.status = hs_exec_run(exec, NULL, &r.error);
        r.on_gpus += count_on_gpus(exec, c.in);
        run_in_order(&c);
        for (unsigned d = 0; d < DATA && r.status == HS_OK; d++)
            ck_assert_int_eq(memcmp(c.ours[d], c.expected[d], c.bytes[d]), 0);
    }
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(c.in);
    return r;
}

static hs_exec_settings settings_for(const char *policy)
{
    hs_exec_settings s = settings_of(policy);

    s.run.allow_plugins = true;
    s.fail.retries = roll(2);
    s.keep.transfers = (int)roll(2);
    s.gpu.mode = roll(2) ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    s.gpu.tile_memory = roll(2) ? 4 * 3072 : 0;
    return s;
}

static const char *const policies[] = {"plan", "heteroprio", "dynamic", "plan+steal"};

START_TEST(gpus_share_data)
{
    unsigned on_gpus = 0;

    for (int round = 0; round < rounds(15); round++) {
        hs_exec_settings s = settings_for(policies[_i]);
        result           r = run_copies(&s, 1 + roll(2));

        ck_assert_msg(r.status == HS_OK, "%s", r.error.why);
        on_gpus += r.on_gpus;
        trial_assert_clean();
    }
    ck_assert_uint_gt(on_gpus, 0);
}
END_TEST

/* A copy or memset that breaks the device, or a call that fails: the run gives what the rows give,
 * or names the fault. */
START_TEST(faults_are_reported)
{
    unsigned right = 0, reported = 0;

    for (unsigned k = 1; k < 6000; k += 1 + k / 6) {
        fake_settings    settings = devices_of_tests();
        hs_exec_settings s;
        result           r;

        if (_i)
            settings.fail_call = k;
        else
            settings.fail_operation = k;
        settings.sticky = (int)roll(2);
        fake_reset(&settings);
        s = settings_for(policies[roll(4)]);
        r = run_copies(&s, 2);
        right += r.status == HS_OK;
        reported += r.status != HS_OK;
        ck_assert_msg(r.status == HS_OK || r.error.why[0], "fault %u has no reason", k);
    }
    ck_assert(right > 0 || _i); /* no run has thousands of operations, but it may have as many calls */
    ck_assert_uint_gt(reported, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda buffers");
    TCase *cases = tcase_create("buffers");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_add_checked_fixture(cases, tiles_setup, NULL);
    tcase_add_loop_test(cases, gpus_share_data, 0, 4);
    tcase_add_loop_test(cases, faults_are_reported, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
