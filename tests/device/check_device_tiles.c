/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations on tiles that CPUs share with the devices of listed modules. The devices are
 * emulated, unless HS_TEST_DEVICES is a list of modules: then only the tests that need no emulated
 * device run, with these devices.
 */
#include <string.h>

#include "rounds.h"
#include "tiles.h"

/* Choose a list of modules with at least *gpus devices. */
static const char *some_devices(unsigned *gpus)
{
    static const char *const lists[] = {
        "emulated:devices=2", "emulated,emulated:launch=1e-5,speed=1e10",
        "emulated:devices=2,bandwidth=1e8", "emulated:chunk=40000,emulated:operations=7"};
    const char *given = getenv("HS_TEST_DEVICES");

    *gpus = given ? 1 : 1 + roll(2);
    return given ? given : lists[roll(4)];
}

static bool have_level3_only(const char *devices)
{
    return getenv("HS_TEST_DEVICES") || strstr(devices, "operations=7");
}

/* Check policies with a plan and without, two runs each, in place and on copies, with room for
 * every tile or for those of few tasks. */
START_TEST(devices_share_tiles)
{
    static const char *const policies[] = {"plan", "heteroprio", "dynamic", "plan+steal"};
    const unsigned           sizes[] = {1, 32, 33, 48};
    unsigned                 on_gpus = 0;

    for (int round = 0; round < rounds(12); round++) {
        unsigned         n = sizes[roll(4)], gpus;
        const char      *devices = some_devices(&gpus);
        hs_exec_settings s = settings_of(policies[round % 4], devices);
        bool    level3 = have_level3_only(devices) && hs_policy_needs_plan(s.decide.policy);
        outcome o;

        s.fail.retries = roll(2);
        s.keep.transfers = (int)roll(2);
        s.gpu.tile_memory = roll(2) ? (double)(bytes_of_tile(_i, n) * (6 + roll(4))) : 0;
        o = run(timed(factorisation(_i, 3 + roll(5), n, 1 + roll(2), gpus), level3), &s, 2);
        expect_done(&o, devices);
        on_gpus += o.on_gpus;
    }
    ck_assert(on_gpus > 0 || _i % SINGLE == HS_QR); /* the first plan uses GPUs */
}
END_TEST

/* Check that a plan is refused that gives a device what one of the devices cannot do, and that a
 * policy without plan gives this to CPUs. */
START_TEST(operations_that_all_devices_have)
{
    const char *devices =
        _i % 2 ? "emulated,emulated:operations=7" : "emulated:operations=7,emulated";
    hs_exec_settings s = settings_of("plan", devices);
    outcome          o = run(timed(factorisation(_i, 4, 32, 1, 2), false), &s, 1);

    ck_assert_int_eq(o.status, HS_ERESOURCE);
    ck_assert_ptr_nonnull(
        strstr(o.error.why, "' is not for these GPUs, since not all of them have "));
    o = run(timed(factorisation(_i, 4, 32, 1, 2), true), &s, 1);
    expect_done(&o, devices);
    ck_assert_uint_eq(o.others, 0);
    ck_assert(o.on_gpus > 0 || _i % SINGLE == HS_QR);
    s = settings_of("plan", "emulated:devices=2");
    o = run(timed(factorisation(_i, 4, 32, 1, 2), false), &s, 1);
    expect_done(&o, s.gpu.module);
    ck_assert_uint_gt(o.others, 0);
    s = settings_of("heteroprio", devices);
    o = run(timed(factorisation(_i, 5, 48, 1, 2), false), &s, 4);
    expect_done(&o, devices);
    ck_assert_uint_eq(o.others, 0);
    s = settings_of("plan", "emulated,emulated:operations=7");
    o = run(timed(factorisation(_i, 4, 32, 1, 1), false), &s, 1); /* the first device alone */
    expect_done(&o, s.gpu.module);
}
END_TEST

/* Check that each copy and operation fails: the device is lost, or a number is wrong. A run ends
 * with right factors, or says what is wrong. */
START_TEST(each_operation_fails)
{
    const bool  is_lost = _i < ALL_FACTORISATIONS;
    const char *fault = is_lost ? "lost" : "wrong"; /* the wrong number is a float */
    int         kind = is_lost ? _i : _i - ALL_FACTORISATIONS + SINGLE;
    unsigned    right = 0, noticed = 0;

    for (unsigned k = 1; k < 200; k += 1 + k / 8) {
        char             devices[80];
        hs_exec_settings s;
        outcome          o;

        snprintf(devices, sizeof devices, "emulated:devices=2,fail-operation=%u,fault=%s", k,
                 fault);
        s = settings_of(roll(2) ? "plan" : "heteroprio", devices);
        s.fail.retries = roll(2);
        o = run(timed(factorisation(kind, 4, 16, 1, 2), false), &s, 1);
        right += o.status == HS_OK;
        noticed += o.status == HS_EFAILED;
        ck_assert_msg(o.status == HS_OK || o.status == HS_EFAILED || o.status == HS_ERESOURCE,
                      "%s: %s", devices, o.error.why);
        ck_assert(o.status == HS_OK || o.error.why[0]);
    }
    ck_assert_uint_gt(right, 0);
    ck_assert_uint_gt(noticed, 0);
}
END_TEST

/* Check that each call fails, by loss or by lack of memory. */
START_TEST(each_call_fails)
{
    unsigned right = 0, noticed = 0;

    for (unsigned k = 1; k < 1500; k += 1 + k / 8) {
        char             devices[80];
        hs_exec_settings s;
        outcome          o;

        snprintf(devices, sizeof devices, "emulated:devices=2,fail-call=%u,fault=%s", k,
                 _i ? "memory" : "lost");
        s = settings_of(roll(2) ? "plan" : "heteroprio", devices);
        s.keep.transfers = (int)roll(2);
        o = run(timed(factorisation(HS_LU, 4, 16, 1, 2), false), &s, 1);
        right += o.status == HS_OK;
        noticed += o.status != HS_OK;
        ck_assert_msg(o.status == HS_OK || o.status == HS_EFAILED || o.status == HS_ERESOURCE,
                      "%s: %s", devices, o.error.why);
    }
    ck_assert_uint_gt(right, 0);
    ck_assert_uint_gt(noticed, 0);
}
END_TEST

static void expect_refusal(const hs_exec_settings *s, hs_instance *in, hs_status status,
                           const char *why)
{
    outcome o = run(in, s, 1);

    ck_assert_int_eq(o.status, status);
    ck_assert_msg(strstr(o.error.why, why), "%s", o.error.why);
}

START_TEST(unsuitable_runs_are_refused)
{
    hs_exec_settings s = settings_of("plan", "emulated");
    hs_instance     *in = factorisation(HS_LU, 3, 32, 1, 2);
    hs_task          row;
    hs_builder      *b = NULL;
    hs_instance *private = NULL;

    expect_refusal(&s, in, HS_ERESOURCE, "too few GPUs: this plan needs 2, and there is 1");
    s.gpu.module = "emulated:colour=1";
    expect_refusal(&s, factorisation(HS_LU, 3, 32, 1, 1), HS_EINVAL, "'colour=1' is no setting");
    s.gpu.module = "emulated:memory=20000";
    expect_refusal(&s, factorisation(HS_LU, 3, 32, 1, 1), HS_ERESOURCE, "too few for the 24576 that one task uses");
    s.gpu.module = "emulated,emulated:memory=20000";
    expect_refusal(&s, factorisation(HS_LU, 3, 32, 1, 2), HS_ERESOURCE, "no GPU 1");
    s.gpu.module = "emulated";
    s.gpu.tile_memory = 20000;
    expect_refusal(&s, factorisation(HS_LU, 3, 32, 1, 1), HS_EINVAL, "settings.gpu.tile_memory");
    s.gpu.tile_memory = 0;
    hs_task_init(&row);
    row.cpu = row.gpu = 1;
    row.kernel = "dgemm:8";
    row.count = 2;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 1);
    ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &private, NULL), HS_OK);
    hs_builder_free(b);
    expect_refusal(&s, private, HS_ERESOURCE, "run only the kernels of a factorisation on tiles");
}
END_TEST

/* The backend has the name of the module. */
START_TEST(the_module_has_a_name)
{
    hs_exec_settings s = settings_of("heteroprio", "emulated");
    hs_instance     *in = factorisation(HS_LU, 2, 8, 1, 1);
    hs_exec         *exec = NULL;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    ck_assert_str_eq(hs_exec_backend_name(exec, 2, HS_GPU), "emulated");
    ck_assert_str_eq(hs_exec_backend_name(exec, 2, HS_CPU), "cpu");
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tiles on devices");
    TCase *tc = tcase_create("tiles");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components */
    tcase_add_loop_test(tc, devices_share_tiles, 0, ALL_FACTORISATIONS);
    if (!getenv("HS_TEST_DEVICES")) {
        tcase_add_loop_test(tc, operations_that_all_devices_have, 0, ALL_FACTORISATIONS);
        tcase_add_loop_test(tc, each_operation_fails, 0, ALL_FACTORISATIONS + SINGLE);
        tcase_add_loop_test(tc, each_call_fails, 0, 2);
        tcase_add_test(tc, unsuitable_runs_are_refused);
        tcase_add_test(tc, the_module_has_a_name);
    }
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
