/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations on OpenCL devices, CPUs included, with a call or a copy that fails. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "opencl_faults.h"
#include "tiles.h"

enum { MOST_CALLS = 20000 };

static const char *const devices = ".libs/hybridsched-opencl.so:all";

static void expect_end(const outcome *o, unsigned call)
{
    const char *name = opencl_failed_call() ? opencl_failed_call() : "";

    ck_assert_msg(o->status == HS_OK || o->status == HS_EFAILED || o->status == HS_ERESOURCE ||
                      o->status == HS_ENOMEM,
                  "call %u, %s: %s", call, name, o->error.why);
    ck_assert_msg(o->status == HS_OK || o->error.why[0], "call %u, %s: no reason", call, name);
    ck_assert_msg(opencl_live_objects() == 0, "call %u, %s: %d objects are left", call, name,
                  opencl_live_objects());
}

/* Check that a run ends with right factors or a reason whichever call fails, by loss or for lack of
 * memory. */
START_TEST(each_call_fails)
{
    const int error = _i % 2 ? CL_OUT_OF_HOST_MEMORY : CL_DEVICE_NOT_AVAILABLE;
    unsigned  right = 0, wrong = 0, call = 1;

    do {
        hs_exec_settings s = settings_of(_i / 2 ? "heteroprio" : "plan", devices);
        outcome          o;

        s.keep.transfers = (int)roll(2);
        s.fail.retries = roll(2);
        opencl_fail_call(call, error);
        o = run(timed(factorisation(HS_LU, 3, 32, 1, 1), true), &s, 1);
        expect_end(&o, call);
        right += o.status == HS_OK;
        wrong += o.status != HS_OK;
        call += 1 + call / 6;
    } while (opencl_failed_call() && call < MOST_CALLS);
    ck_assert_uint_gt(right, 0);
    ck_assert_uint_gt(wrong, 1);
    printf("calls up to %u fail: %u runs end well, %u do not\n", call, right, wrong);
}
END_TEST

/* In each run, let another copy fail when its queue executes it. */
START_TEST(each_copy_fails)
{
    unsigned right = 0, wrong = 0;

    for (unsigned copy = 1; copy < 100; copy += 1 + copy / 6) {
        hs_exec_settings s = settings_of(_i ? "heteroprio" : "plan", devices);
        outcome          o;

        s.fail.retries = roll(2);
        opencl_fail_call(0, 0);
        opencl_fail_copy(copy);
        o = run(timed(factorisation(HS_LU, 3, 32, 1, 1), true), &s, 1);
        expect_end(&o, copy);
        right += o.status == HS_OK;
        wrong += o.status != HS_OK;
    }
    ck_assert_uint_gt(right, 0);
    ck_assert(wrong > 0 || _i); /* without a plan, CPUs may do all tasks */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tiles on OpenCL devices");
    TCase *tc = tcase_create("failures");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components */
    tcase_add_loop_test(tc, each_call_fails, 0, 4);
    tcase_add_loop_test(tc, each_copy_fails, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
