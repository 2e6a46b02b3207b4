/* SPDX-License-Identifier: BSD-3-Clause */
#include "tiles.h"

#include <math.h>
#include <string.h>

static uint64_t dice = 1;

unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

hs_exec_settings settings_of(const char *policy, const char *devices)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    s.place.oversubscribe = s.place.unbound = 1;
    s.gpu.module = devices;
    s.run.matrix_seed = roll(1000);
    return s;
}

bool is_level3(const char *kernel)
{
    return strstr(kernel, "gemm") || strstr(kernel, "syrk") || strstr(kernel, "trsm");
}

hs_instance *timed(hs_instance *in, bool level3_only)
{
    hs_instance *out = NULL;
    hs_builder  *b = NULL;
    hs_task      row;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, hs_instance_cpus(in), hs_instance_gpus(in));
    for (size_t i = 0; i < hs_instance_rows(in); i++) {
        hs_instance_row(in, i, &row);
        row.gpu = isinf(row.gpu) ? row.cpu / 2 : row.gpu;
        if (level3_only && !is_level3(row.kernel))
            row.gpu = INFINITY;
        ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    }
    ck_assert_int_eq(hs_builder_copy_graph(b, in), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    hs_instance_free(in);
    return out;
}

size_t bytes_of_tile(int kind, unsigned n)
{
    size_t bytes = (kind < SINGLE ? sizeof(double) : sizeof(float)) * n * (n > 32 ? n : 32);

    return (bytes + 255) / 256 * 256;
}

static void count(const hs_exec *exec, const hs_instance *in, outcome *o)
{
    const unsigned cpus = hs_instance_cpus(in);

    for (unsigned w = cpus; w < cpus + hs_instance_gpus(in); w++) {
        size_t                records;
        const hs_exec_record *r = hs_exec_records(exec, w, &records);

        for (; records > 0; records--, r++) {
            hs_task row;

            hs_instance_row(in, hs_instance_row_of(in, r->task), &row);
            o->on_gpus += r->outcome == HS_OUTCOME_DONE;
            o->others += r->outcome == HS_OUTCOME_DONE && !is_level3(row.kernel);
        }
    }
}

static void expect_right_factors(const hs_exec *exec)
{
    hs_exec_factorisation f;

    hs_exec_factorisation_init(&f);
    ck_assert_int_eq(hs_exec_describe_factorisation(exec, &f), 1);
    ck_assert(f.verified && !f.wrong);
    ck_assert_double_lt(f.relative_residual, f.single_precision ? 5e-6 : 1e-13);
}

outcome run(hs_instance *in, const hs_exec_settings *s, int times)
{
    hs_schedule *plan = NULL;
    hs_exec     *exec = NULL;
    outcome      o = {.status = HS_OK};

    if (hs_policy_needs_plan(s->decide.policy))
        ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    o.status = hs_exec_create(in, plan, s, &exec, &o.error);
    for (; times > 0 && o.status == HS_OK; times--) {
        o.status = hs_exec_run(exec, NULL, &o.error);
        if (o.status == HS_OK)
            expect_right_factors(exec);
        count(exec, in, &o);
    }
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    return o;
}

void expect_done(const outcome *o, const char *devices)
{
    ck_assert_msg(o->status == HS_OK, "%s: %s", devices, o->error.why);
}
