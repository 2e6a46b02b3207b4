/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of plugins on data that CPUs share with the devices of listed modules. The devices are
 * emulated. Random graphs of rows give the data that the rows give one after another.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../plugin/world.h"
#include "rounds.h"
#include "suite.h"

static const char *const lists[] = {"emulated:devices=2", "emulated,emulated:launch=1e-5",
                                    "emulated:devices=2,bandwidth=1e9",
                                    "emulated:devices=2,chunk=80000"};

static const char *const policies[] = {"plan", "heteroprio", "dynamic", "plan+steal"};

static hs_exec_settings settings_of(const char *policy, const char *devices)
{
    hs_exec_settings s = world_settings(policy);

    s.run.emulate[HS_GPU] = false;
    s.gpu.module = devices;
    return s;
}

/* Return the bytes of a device that the largest task needs; one that may fail updates copies. */
static double bytes_of_largest(const world *w)
{
    size_t most = 0;

    for (size_t row = 0; row < w->rows; row++) {
        const world_step *s = &w->step[row];
        size_t            bytes = 0;

        for (size_t i = 0; i < s->function->count; i++)
            bytes += (w->bytes[s->data[i]] + 255) / 256 * 256 *
                     (s->function->mode[i] == HS_READ_WRITE ? 2 : 1);
        most = bytes > most ? bytes : most;
    }
    return (double)most;
}

START_TEST(devices_run_as_in_order)
{
    unsigned on_gpus = 0;

    for (int round = 0; round < rounds(40); round++) {
        hs_exec_settings s = settings_of(policies[_i], lists[round % 4]);
        world            w;

        roll_from((uint64_t)round * 1000 + (uint64_t)_i);
        make_world(&w, "task");
        s.fail.retries = roll(2);
        s.keep.transfers = (int)roll(2);
        s.gpu.tile_memory = roll(2) ? bytes_of_largest(&w) * (1 + roll(3)) : 0;
        on_gpus += run_world(&w, &s, 2);
        free_world(&w);
    }
    ck_assert_uint_gt(on_gpus, 0);
}
END_TEST

/* In the first attempt, every third task writes wrong values and fails. The run retries the task. */
START_TEST(failed_attempts_have_no_effect)
{
    unsigned on_gpus = 0;

    for (int round = 0; round < rounds(20); round++) {
        hs_exec_settings s = settings_of(policies[_i], lists[round % 4]);
        world            w;

        roll_from(77777u + (uint64_t)round);
        s.fail.retries = 1;
        make_world(&w, "fail");
        on_gpus += run_world(&w, &s, 2);
        free_world(&w);
    }
    ck_assert_uint_gt(on_gpus, 0);
}
END_TEST

/* Without retries, tasks that fail are reported, and those queued behind them are not done. */
START_TEST(failures_are_reported)
{
    unsigned failed = 0;

    for (int round = 0; round < rounds(40); round++) {
        hs_exec_settings s = settings_of(policies[_i], lists[round % 4]);
        world_outcome    o;
        world            w;

        roll_from(5000u + (uint64_t)round);
        make_world(&w, "fail");
        o = try_world(&w, &s, 1);
        free_world(&w);
        failed += o.status == HS_EFAILED;
        ck_assert_msg(o.status == HS_OK || (o.status == HS_EFAILED && o.error.why[0]), "%s",
                      o.error.why);
        ck_assert_msg(o.status == HS_OK ||
                          strcmp(o.first_failure, "the plugin returned 1") == 0 ||
                          strstr(o.first_failure, "data are lost"),
                      "%s", o.first_failure);
    }
    ck_assert_uint_gt(failed, 0);
}
END_TEST

/* Check that a run in which a call or an operation fails ends with the right data, or says what is
 * lost. */
static void expect_right_or_reported(const char *what, unsigned k, const char *fault,
                                     unsigned *right, unsigned *reported)
{
    char             devices[80];
    hs_exec_settings s;
    world_outcome    o;
    world            w;

    roll_from(1000 + k);
    snprintf(devices, sizeof devices, "emulated:devices=2,%s=%u,fault=%s", what, k, fault);
    s = settings_of(policies[roll(4)], devices);
    make_world(&w, "task");
    s.fail.retries = roll(2);
    s.keep.transfers = (int)roll(2);
    o = try_world(&w, &s, 1);
    free_world(&w);
    *right += o.status == HS_OK;
    *reported += o.status == HS_EFAILED || o.status == HS_ERESOURCE;
    ck_assert_msg(o.status == HS_OK ||
                      ((o.status == HS_EFAILED || o.status == HS_ERESOURCE) && o.error.why[0]),
                  "%s: %s", devices, o.error.why);
}

START_TEST(each_operation_fails)
{
    unsigned right = 0, reported = 0;

    for (unsigned k = 1; k < 200; k += 1 + k / 8)
        expect_right_or_reported("fail-operation", k, "lost", &right, &reported);
    ck_assert_uint_gt(right, 0);
    ck_assert_uint_gt(reported, 0);
}
END_TEST

START_TEST(each_call_fails)
{
    unsigned right = 0, reported = 0;

    for (unsigned k = 1; k < 1500; k += 1 + k / 8)
        expect_right_or_reported("fail-call", k, _i ? "memory" : "lost", &right, &reported);
    ck_assert_uint_gt(right, 0);
    ck_assert_uint_gt(reported, 0);
}
END_TEST

/* Return an instance of a row for a CPU and a GPU on data d0, d1, ..., of `count` tasks. */
static hs_instance *one_row(const char *symbol, const uint32_t *mode, size_t data, double bytes,
                            size_t count)
{
    char          kernel[64], name[8];
    const hs_task row = {.struct_size = sizeof row,
                         .id = "job",
                         .kernel = kernel,
                         .cpu = INFINITY,
                         .gpu = 1,
                         .count = count};
    hs_builder   *b = NULL;
    hs_instance  *in = NULL;
    size_t        handle;

    snprintf(kernel, sizeof kernel, MIXER "%s", symbol);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 1);
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    for (size_t i = 0; i < data; i++) {
        name_datum(i, name);
        ck_assert_int_eq(hs_builder_add_handle(b, name, &handle), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, 0, handle, (hs_access_mode)mode[i]), HS_OK);
        hs_builder_set_handle_bytes(b, handle, bytes);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

/* Check that a run of the instance, which is freed, ends with a status and a reason. */
static void expect(hs_instance *in, const hs_exec_settings *s, hs_status status, const char *why)
{
    hs_exec  *exec = NULL;
    hs_error  error = {.why = ""};
    hs_status st = hs_exec_create(in, NULL, s, &exec, &error);

    if (st == HS_OK)
        st = hs_exec_run(exec, NULL, &error);
    ck_assert_msg(st == status, "%s: %s", hs_status_text(st), error.why);
    ck_assert_msg(strstr(error.why, why), "%s", error.why);
    hs_exec_free(exec);
    hs_instance_free(in);
}

START_TEST(unsuitable_runs_are_refused)
{
    const uint32_t   modes[] = {HS_READ, HS_READ_WRITE, HS_WRITE, HS_READ};
    hs_exec_settings s = settings_of("dynamic", "emulated:memory=1e5,chunk=5e4");

    expect(one_row("blend", modes, 4, 8000, 1), &s, HS_OK, "");
    expect(one_row("blend", modes, 4, 16000, 1), &s, HS_ERESOURCE,
           "a buffer there has at most 50000 bytes, too few for 64512 of one task");
    expect(one_row("blend", modes, 4, 40000, 1), &s, HS_ERESOURCE,
           "the data may take 80000 bytes, too few for the 160768 that one task uses: set a larger "
           "settings.gpu.tile_memory");
    expect(one_row("undeclared", modes, 1, 8, 1), &s, HS_EDEPENDENT, "does not declare how");
    expect(one_row("update", modes, 1, 8, 1), &s, HS_EDEPENDENT, "uses data as r, and update in");
    expect(one_row("update", modes + 1, 1, 8, 2), &s, HS_ERESOURCE, "write a row for each task");
    expect(one_row("missing", modes, 1, 8, 1), &s, HS_ERESOURCE,
           "has no function missing for these GPUs: define it with HS_PLUGIN_TASK(missing)");
    s.run.allow_plugins = false;
    expect(one_row("update", modes + 1, 1, 8, 1), &s, HS_EREFUSED, "settings.run.allow_plugins");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffers on devices");
    TCase *tc = tcase_create("buffers");

    tcase_add_loop_test(tc, devices_run_as_in_order, 0, 4);
    tcase_add_loop_test(tc, failed_attempts_have_no_effect, 0, 4);
    tcase_add_loop_test(tc, failures_are_reported, 0, 4);
    tcase_add_test(tc, each_operation_fails);
    tcase_add_loop_test(tc, each_call_fails, 0, 2);
    tcase_add_test(tc, unsuitable_runs_are_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
